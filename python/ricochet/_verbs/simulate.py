"""simulate: a scene's motion, contact impulses and energy."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._base import calls, checks
from .._base.errors import NumericsError
from .._base.values import Result
from .._data.recording import Recording, as_recording
from .._data.scene import Scene, as_scene
from .._results.page import page_of, show_page


class Simulation(Result):
    """The motion of a scene: what the sensors record, contacts and energies.

    `recording` is a Recording; its columns are those of the simulation too (`run["x"]`). `contacts` has one entry per
    closed contact and step. Fields of SimulationSummary are attributes: steps, dissipated, failed_steps, ...
    """

    _state = ("native", "scene", "recording", "contacts")
    scene: Scene
    recording: Recording
    contacts: list[_core.ContactRow]

    def __init__(self, scene: Scene, native: _core.SimulationResult) -> None:
        self.scene = scene
        self.native = native.summary
        self.recording = Recording(native.recording)
        self.contacts = native.contacts

    @property
    def time(self) -> np.ndarray:
        """Times of the rows [s]."""
        return self.recording.time

    def __getitem__(self, column: str) -> np.ndarray:
        return self.recording[column]

    def __len__(self) -> int:
        return len(self.recording)

    def check(self) -> "Simulation":
        """Raises NumericsError if a step was not solved to tolerance; otherwise returns the simulation."""
        if self.native.failed_steps > 0:
            raise NumericsError(
                f"simulate: {self.native.failed_steps} of {self.native.steps} steps were not solved to tolerance "
                f"(first at {self.native.first_failure:g} s). Try another step or method."
            )
        return self

    def to_dataframe(self) -> Any:
        """The recording as a pandas DataFrame."""
        return self.recording.to_dataframe()

    def contacts_to_dataframe(self) -> Any:
        """The contacts as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame([each.to_dict() for each in self.contacts])

    def _page(self) -> _core.ReportData:
        return _core.motion_report(self.scene._native, [self.recording._native()], self.contacts)

    def report(self, file: Any) -> None:
        """Writes the report page (HTML)."""
        self._page().write(checks.file_name("file", file))

    def show(self) -> Any:
        """The report page, inline in a notebook."""
        return show_page(page_of(self._page()))

    def plot(self, axes: Any = None) -> Any:
        """Plots the motion over time (matplotlib)."""
        return self.recording.plot(axes)

    def __repr__(self) -> str:
        return f"<ricochet.Simulation: {self.native.method}, {self.native.steps} steps, {len(self)} rows>"

    def _repr_html_(self) -> str:
        return f"<pre>{self.describe()}</pre>"


def simulate(
    scene: Any,
    *,
    method: str = "",
    step: float | None = None,
    duration: float | None = None,
    rate: float | None = None,
    noise_position: float = 0,
    noise_angle: float = 0,
    inputs: Any = None,
    seed: int = 0,
    progress: calls.Progress = None,
) -> Simulation:
    """Simulates a scene from its start: motion, contact impulses and energy.

    scene -- a Scene, a file name, or a dict
    method -- a stepper (`ricochet.methods()`); empty: the scene's
    step, duration -- [s]; None: the scene's
    rate -- rows per second of the recording [Hz]; None: one row per step
    noise_position, noise_angle -- standard deviations of added noise [m], [rad]; with noise there are no velocities
    inputs -- a recording whose columns drive the motors
    seed -- of the noise

    >>> import ricochet
    >>> run = ricochet.simulate(example("ellipse_throw.yaml"), rate=240)
    >>> run.recording.columns[:3], run.failed_steps
    (['x', 'y', 'theta'], 0)
    """
    scene = as_scene(scene)
    native = _core.simulate(
        scene._native,
        checks.text("method", method),
        checks.positive("step", step),
        None if duration is None else checks.not_negative("duration", duration),
        checks.positive("rate", rate),
        checks.not_negative("noise_position", noise_position),
        checks.not_negative("noise_angle", noise_angle),
        None if inputs is None else as_recording(inputs)._native(),
        calls.settings(1, seed, progress),
    )
    return Simulation(scene, native)
