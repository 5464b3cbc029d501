"""rollout_batch: many simulations of one scene at once, on all cores."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple

import numpy as np

from .. import _core
from .._base import calls, checks
from .._base.errors import InputError
from .._data.recording import as_recording
from .._data.scene import as_scene


class Rollouts(NamedTuple):
    """States of many simulations.

    time -- of the rows [s]
    states -- simulations x rows x state
    solved -- per simulation: every step was solved
    by_start, by_parameters -- derivatives in tangent coordinates; None: not requested
    """

    time: np.ndarray
    states: np.ndarray
    solved: np.ndarray
    by_start: np.ndarray | None = None
    by_parameters: np.ndarray | None = None


def _matrix(name: str, values: Any) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name}: an array of type {array.dtype} does not hold numbers.")
    if array.ndim != 2:
        raise InputError(f"has shape {array.shape}.", "Give one row per simulation.", path=name)
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0][0])
        raise InputError(f"row {row} is not finite.", "Give finite numbers.", path=name)
    return array.astype(np.float64, copy=False)


def rollout_batch(
    scene: Any,
    parameters: Mapping[str, Any] | None = None,
    states: Any = None,
    *,
    paths: str | Iterable[str] = "",
    values: Any = None,
    method: str = "",
    step: float | None = None,
    duration: float | None = None,
    every: int = 0,
    inputs: Any = None,
    derivatives: bool = False,
    threads: int = 0,
    progress: calls.Progress = None,
) -> Rollouts:
    """Simulates a scene many times, each time with other parameters and another start.

    parameters -- {path: array with one value per simulation}; or `paths` and `values`, a matrix with a column each
    states -- start states at t = 0, one row per simulation; None: as the scene says
    every -- a row at the start and after every so many steps; 0: only the end
    derivatives -- of every row by the start and by the parameters, in tangent coordinates (see Simulator)

    >>> import numpy as np, ricochet
    >>> friction = np.linspace(0.1, 0.9, 5)
    >>> batch = ricochet.rollout_batch(example("ellipse_throw.yaml"), {"contact.friction": friction}, duration=0.2)
    >>> batch.states.shape, bool(batch.solved.all())
    ((5, 1, 6), True)
    """
    scene = as_scene(scene)
    if parameters is not None:
        if not isinstance(parameters, Mapping):
            raise TypeError("parameters: give a dict such as {'contact.friction': array}.")
        if values is not None:
            raise TypeError("parameters: give either a dict, or paths and values.")
        paths = list(parameters)
        columns = [np.asarray(each) for each in parameters.values()]
        if len({each.shape[:1] for each in columns}) > 1:
            raise InputError("the arrays have different lengths.", "Give one value per simulation.", path="parameters")
        columns = [each[:, None] if each.ndim == 1 else each for each in columns]
        values = np.concatenate(columns, axis=1) if columns else None
    paths = checks.paths("paths", paths, needed=False)
    if paths and values is None:
        raise InputError("there are paths without values.", "Give a matrix with a column per path.", path="values")
    if values is None and states is None:
        raise InputError("there is nothing to roll out.", "Give parameters, states or both.", path="parameters")
    found = _core.roll_out(
        scene._native,
        paths,
        np.zeros((0, 0)) if values is None else _matrix("values", values),
        np.zeros((0, 0)) if states is None else _matrix("states", states),
        checks.text("method", method),
        checks.positive("step", step),
        None if duration is None else checks.not_negative("duration", duration),
        checks.integer("every", every, 0, 2**31 - 1),
        None if inputs is None else as_recording(inputs)._native(),
        bool(derivatives),
        calls.settings(threads, 0, progress),
    )
    return Rollouts(
        found["time"],
        found["states"],
        found["solved"].astype(bool),
        found.get("by_start"),
        found.get("by_parameters"),
    )
