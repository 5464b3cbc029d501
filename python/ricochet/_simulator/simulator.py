"""Simulator: a simulation that you drive yourself, one step at a time, with derivatives."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple

import numpy as np

from .. import _core
from .._base import checks
from .._base.errors import InputError
from .._data.recording import as_recording
from .._data.scene import Scene, as_scene


class Derivatives(NamedTuple):
    """Derivatives of an end state in tangent coordinates: A by the start state, B by the inputs, P by parameters."""

    A: np.ndarray
    B: np.ndarray
    P: np.ndarray


class BodyState(NamedTuple):
    """Pose of the body frame and velocity of the center of mass."""

    pose: np.ndarray
    velocity: np.ndarray


def _vector(name: str, values: Any) -> np.ndarray:
    array = np.atleast_1d(np.asarray(values))
    if array.dtype.kind not in "fiu" or array.ndim != 1:
        raise TypeError(f"{name}: an array of shape {array.shape} and type {array.dtype} is not a list of numbers.")
    return np.ascontiguousarray(array, dtype=np.float64)


class Simulator:
    """A simulation at the scene's initial state, which you step yourself.

    >>> import ricochet
    >>> sim = ricochet.Simulator(example("ellipse_throw.yaml"))
    >>> while sim.time < 0.1:
    ...     solved = sim.step()
    >>> A, B, P = sim.derivatives("contact.friction")
    >>> A.shape, P.shape
    ((6, 6), (6, 1))

    `state` is the poses of all bodies, then their velocities; derivatives are in tangent coordinates, which have one
    entry less per spatial body (a rotation vector in place of a quaternion). `plus` and `minus` convert.
    """

    def __init__(self, scene: Any, *, method: str = "", step: float | None = None, inputs: Any = None) -> None:
        self.scene: Scene = as_scene(scene).copy()
        self._native = _core.Simulator(
            self.scene._native,
            checks.text("method", method),
            checks.positive("step", step),
            None if inputs is None else as_recording(inputs)._native(),
        )

    def step(self, inputs: Any = None) -> bool:
        """One step, with these motor inputs held over it. Returns whether it was solved."""
        if inputs is None:
            return self._native.step()
        return self._native.step_with(_vector("inputs", inputs).tolist())

    def advance_to(self, time: float) -> bool:
        """Steps until `time` [s] or later. Returns whether every step was solved."""
        return self._native.advance_to(checks.number("time", time))

    def reset(self) -> None:
        """Back to the initial state at t = 0."""
        self._native.reset()

    def copy(self) -> "Simulator":
        """An independent simulation at the same state; the compiled scene is shared."""
        copy = object.__new__(Simulator)
        copy.scene, copy._native = self.scene, self._native.copy()
        return copy

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Simulator":
        return self.copy()

    @property
    def time(self) -> float:
        """[s]"""
        return self._native.time

    @property
    def step_size(self) -> float:
        """[s]"""
        return self._native.step_size

    @property
    def inputs(self) -> list[str]:
        """Names of the motor inputs, in the order that `step` takes."""
        return self._native.inputs

    @property
    def tangent_size(self) -> int:
        """Number of tangent coordinates: rows of derivatives."""
        return self._native.tangent_size

    @property
    def state(self) -> np.ndarray:
        """The whole state: poses, then velocities. Assign to it to set the state."""
        return self._native.state()

    @state.setter
    def state(self, values: Any) -> None:
        self.set_state(values)

    def set_state(self, state: Any, time: float | None = None) -> None:
        """Sets the state and, if given, the time."""
        self._native.set_state(_vector("state", state), None if time is None else checks.number("time", time))

    def body(self, name: str) -> BodyState:
        """Pose and velocity of a body."""
        return BodyState(*self._native.body(checks.text("name", name)))

    def set_body(self, name: str, pose: Any, velocity: Any) -> None:
        """Places a body."""
        self._native.set_body(
            checks.text("name", name), _vector("pose", pose).tolist(), _vector("velocity", velocity).tolist()
        )

    def joint(self, name: str) -> _core.JointState:
        """Coordinate and rate of a hinge or slider."""
        return self._native.joint(checks.text("name", name))

    def set_joint(self, name: str, coordinate: float, rate: float = 0) -> None:
        """Moves the bodies that hang on a joint."""
        self._native.set_joint(
            checks.text("name", name), checks.number("coordinate", coordinate), checks.number("rate", rate)
        )

    def plus(self, state: Any, increment: Any) -> np.ndarray:
        """The state moved by an increment in tangent coordinates."""
        return self._native.plus(self._sized("state", state, self._native.state_size),
                                 self._sized("increment", increment, self.tangent_size))

    def minus(self, a: Any, b: Any) -> np.ndarray:
        """The increment in tangent coordinates that leads from b to a."""
        size = self._native.state_size
        return self._native.minus(self._sized("a", a, size), self._sized("b", b, size))

    def _sized(self, name: str, values: Any, size: int) -> np.ndarray:
        vector = _vector(name, values)
        if len(vector) != size:
            raise InputError(f"has {len(vector)} numbers.", f"Give {size}.", path=name)
        return vector

    @property
    def contacts(self) -> list[_core.ContactRow]:
        """Closed contacts of the last step."""
        return self._native.contacts()

    @property
    def last_step(self) -> _core.StepReport:
        """How the last step went."""
        return self._native.last_step

    @property
    def kinetic_energy(self) -> float:
        """Of all moving bodies [J]."""
        return self._native.kinetic_energy

    @property
    def potential_energy(self) -> float:
        """Of all moving bodies [J]; 0 at the origin."""
        return self._native.potential_energy

    def derivatives(self, params: str | Iterable[str] = ()) -> Derivatives:
        """Of the last step: by its start state, by the inputs and by parameters."""
        found = self._native.differentiate_step(checks.paths("params", params, needed=False))
        return Derivatives(found.by_start, found.by_inputs, found.by_parameters)

    def track_derivatives(self, params: str | Iterable[str] = ()) -> None:
        """From now on, `tracked_derivatives` are those of the present state by the state of this moment and parameters."""
        self._native.track_derivatives(checks.paths("params", params, needed=False))

    def tracked_derivatives(self) -> Derivatives:
        """Of the present state by the state at `track_derivatives`, by inputs that change over all steps, by parameters."""
        found = self._native.tracked_derivatives()
        return Derivatives(found.by_start, found.by_inputs, found.by_parameters)

    def __repr__(self) -> str:
        return f"<ricochet.Simulator of {', '.join(self.scene.bodies)} at {self.time:.6g} s>"
