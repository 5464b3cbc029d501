"""sweep: the cost of predicting recorded tosses over a grid of parameters."""

from __future__ import annotations

from functools import partial
from typing import Any, Mapping

import numpy as np

from .. import _core
from .._base import calls, checks
from .._base.errors import InputError
from .._base.values import Result
from .._data.recording import Recording, as_recordings, natives
from .._data.scene import Scene, as_scene
from .._results.page import page_of, show_page


class CostMap(Result):
    """The cost over a grid: `cost` is an array with one axis per parameter; `axes` has their values."""

    _state = ("native", "scene", "axes", "options")
    scene: Scene
    axes: list[_core.SweepAxis]
    options: dict[str, Any]
    intervals: list[_core.SweepInterval]
    least_cost: float

    def __init__(
        self, native: _core.SweepResult, scene: Scene, axes: list[_core.SweepAxis], options: dict[str, Any]
    ) -> None:
        self.native = native
        self.scene, self.axes, self.options = scene, axes, options

    @property
    def cost(self) -> np.ndarray:
        """Cost of every cell, one axis per parameter; NaN where no simulation could be compared."""
        return np.array(self.native.cost).reshape([axis.count for axis in self.axes])

    @property
    def best(self) -> dict[str, float]:
        """Values of the best cell by path."""
        return {axis.path: each.best for axis, each in zip(self.axes, self.native.intervals)}

    def to_json(self) -> str:
        """JSON text, as the program prints it with `--json`."""
        return _core.format_sweep(self.axes, _core.SweepOptions(**self.options), self.native)

    def describe(self) -> str:
        """Text for a terminal, as the program prints it."""
        return _core.describe_sweep(self.axes, _core.SweepOptions(**self.options), self.native)

    def to_dataframe(self) -> Any:
        """One row per cell (pandas)."""
        import pandas

        grid = np.meshgrid(*[axis.values for axis in self.axes], indexing="ij")
        columns = {axis.path: values.ravel() for axis, values in zip(self.axes, grid)}
        return pandas.DataFrame({**columns, "cost": self.cost.ravel()})

    def _page(self) -> _core.ReportData:
        return _core.sweep_report(self.scene._native, self.axes, _core.SweepOptions(**self.options), self.native)

    def report(self, file: Any) -> None:
        """Writes the report page (HTML)."""
        self._page().write(checks.file_name("file", file))

    def show(self) -> Any:
        """The report page, inline in a notebook."""
        return show_page(page_of(self._page()))

    def plot(self, axes: Any = None) -> Any:
        """Plots the cost over one or two parameters (matplotlib)."""
        from .._results.plot import plot_cost_map

        return plot_cost_map(self, axes)

    def _repr_html_(self) -> str:
        return f"<pre>{self.describe()}</pre>"


def _axis(scene: Scene, path: str, values: Any) -> _core.SweepAxis:
    if not isinstance(values, (tuple, list)) or len(values) != 3:
        raise InputError(f"{values!r} is not a range.", "Give (lower, upper, count).", path=f"grid[{path!r}]")
    lower, upper, count = values
    name = f"grid[{path!r}]"
    return _core.make_sweep_axis(
        scene._native,
        path,
        checks.number(name, lower),
        checks.number(name, upper),
        checks.integer(name, count, 1, 2**31 - 1),
    )


def _axes(scene: Scene, grid: Mapping[str, Any]) -> list[_core.SweepAxis]:
    return [_axis(scene, checks.text("grid", path), values) for path, values in grid.items()]


def _call_sweep(
    scene: Scene, recordings: list[Recording], grid: dict[str, Any], options: dict[str, Any], call: _core.CallSettings
) -> _core.SweepResult:
    """The call of the library, here or in a worker."""
    return _core.sweep(
        scene._native, natives(recordings), _axes(scene, grid), _core.SweepOptions(**options), call
    )


def sweep(
    scene: Any,
    recordings: Any,
    grid: Mapping[str, tuple[float, float, int]],
    *,
    cost: str = "trajectory",
    start: str = "release",
    step: float | None = None,
    output: Any = "",
    executor: Any = None,
    threads: int = 0,
    progress: calls.Progress = True,
) -> CostMap:
    """Maps the cost of predicting recorded tosses over parameters of the scene.

    grid -- {path: (lower, upper, count)}, the last path fastest
    cost -- trajectory, velocity or rest
    start -- where simulations start: release, contact, first or below:HEIGHT
    output -- CSV file of the costs; with it, the same call resumes after an interruption
    executor -- workers that share the cells: an executor of concurrent.futures, a Dask client or joblib.Parallel; the
        result has the same bits

    >>> import ricochet
    >>> scene = example("box006_toss.yaml")
    >>> toss = ricochet.simulate(scene, rate=250, noise_position=3e-4, noise_angle=2e-3, seed=1).recording
    >>> costs = ricochet.sweep(scene, toss, {"contact.friction": (0.1, 0.5, 3)})
    >>> costs.cost.shape, sorted(costs.best)
    ((3,), ['contact.friction'])
    """
    scene = as_scene(scene)
    if not isinstance(grid, Mapping) or not grid:
        raise TypeError("grid: give a dict such as {'contact.friction': (0, 1, 21)}.")
    axes = _axes(scene, grid)
    given = as_recordings(recordings)
    options = {
        "cost": checks.text("cost", cost),
        "start": checks.text("start", start),
        "step": checks.positive("step", step),
        "output": checks.text("output", output),
    }
    _core.SweepOptions(**options)  # so that mistakes show before any worker starts
    if executor is None:
        result = _call_sweep(scene, given, grid, options, calls.settings(threads, 0, progress))
    else:
        from .executor import StoreFolder, run_shared

        with StoreFolder(options["output"]) as kept:
            work = partial(_call_sweep, scene, given, dict(grid), {**options, "output": kept})
            result = run_shared(executor, work, *calls.checked(threads, 0, progress))
    return CostMap(result, scene, axes, options)
