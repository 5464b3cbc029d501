"""predict: where tosses come to rest."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._base import calls, checks
from .._base.errors import InputError, NumericsError
from .._base.values import Result
from .._data.recording import Recording, as_recordings, natives
from .._data.scene import Scene, as_scene
from .._results.estimate import Estimate
from .._results.page import page_of, show_page


class Prediction(Result):
    """Where tosses come to rest and on which face: `tosses`, the `scatter` that was used, and the check of coverage."""

    _state = ("native", "scene", "given_recordings", "options")
    scene: Scene
    given_recordings: list[Recording]
    options: dict[str, Any]
    tosses: list[_core.TossPrediction]
    coverage: float | None

    def __init__(
        self, native: _core.Prediction, scene: Scene, recordings: list[Recording], options: dict[str, Any]
    ) -> None:
        self.native = native
        self.scene, self.given_recordings, self.options = scene, recordings, options

    def __len__(self) -> int:
        return len(self.native.tosses)

    def __getitem__(self, index: int) -> _core.TossPrediction:
        return self.native.tosses[index]

    def check(self) -> "Prediction":
        """Raises NumericsError if no recording could be used; otherwise returns the prediction."""
        if not any(each.used for each in self.native.tosses):
            raise NumericsError("predict: no recording can be used")
        return self

    def write(self, file: Any) -> None:
        """Writes the predictions (JSON), whole or not at all."""
        self.native.write(checks.file_name("file", file))

    def to_dataframe(self) -> Any:
        """One row per toss (pandas)."""
        import pandas

        rows = []
        for each in self.native.tosses:
            face = each.faces[0] if each.faces else None
            rows.append(
                {
                    "recording": each.file,
                    "used": each.used,
                    "x": each.position[0],
                    "y": each.position[1],
                    "semi_axis_1": each.semi_axes[0],
                    "semi_axis_2": each.semi_axes[1],
                    "face": None if face is None else face.face,
                    "probability": None if face is None else face.probability,
                    "covered": each.covered,
                }
            )
        return pandas.DataFrame(rows)

    def _page(self) -> _core.ReportData:
        return _core.prediction_report(
            self.scene._native,
            natives(self.given_recordings),
            self.native,
            _core.PredictOptions(**self.options),
            calls.settings(),
        )

    def report(self, file: Any) -> None:
        """Writes the report page (HTML)."""
        self._page().write(checks.file_name("file", file))

    def show(self) -> Any:
        """The report page, inline in a notebook."""
        return show_page(page_of(self._page()))

    def plot(self, axes: Any = None) -> Any:
        """Plots the regions of the rest positions from above (matplotlib)."""
        from .._results.plot import plot_prediction

        return plot_prediction(self, axes)

    def _repr_html_(self) -> str:
        return f"<pre>{self.describe()}</pre>"


def predict(
    scene: Any,
    recordings: Any,
    *,
    estimate: Any = None,
    calibrate: Any = None,
    start: str = "release",
    samples: int = 100,
    level: float = 0.9,
    duration: float = 2,
    folds: int = 5,
    threads: int = 0,
    seed: int = 0,
    progress: calls.Progress = True,
) -> Prediction:
    """Predicts where tosses come to rest, and on which face, from their flight alone.

    estimate -- an Estimate or its file: values and covariance to use; None: the scene's values are exact
    calibrate -- recordings up to rest that calibrate the regions; None: those of `recordings` that show their rest
    start -- where simulations start: release, contact, first or below:HEIGHT
    samples -- simulations per toss
    level -- probability of the region
    duration -- of simulations whose recording does not show the rest [s]
    folds -- of the check on recordings that show their rest

    >>> import ricochet
    >>> scene = example("box006_toss.yaml")
    >>> toss = ricochet.simulate(scene, rate=250, noise_position=3e-4, noise_angle=2e-3, seed=1).recording
    >>> found = ricochet.predict(scene, toss, samples=20)
    >>> len(found.tosses)
    1
    """
    scene = as_scene(scene)
    if estimate is not None and not isinstance(estimate, Estimate):
        estimate = Estimate.read(estimate)
    native = None if estimate is None else estimate.native
    given = as_recordings(recordings)
    level = checks.number("level", level)
    if not 0 < level < 1:
        raise InputError(f"{level:g} is not a probability of a region.", "Give a number between 0 and 1.", path="level")
    options: dict[str, Any] = {
        "start": checks.text("start", start),
        "samples": checks.integer("samples", samples, 10, 100000),
        "level": level,
        "duration": checks.positive("duration", duration),
        "folds": checks.integer("folds", folds, 2, 1000),
        "scatter": None,
    }
    call = calls.settings(threads, seed, progress)
    if calibrate is not None:
        options["scatter"] = _core.find_contact_scatter(
            scene._native, native, natives(as_recordings(calibrate)), _core.PredictOptions(**options), call
        )
    result = _core.predict(scene._native, native, natives(given), _core.PredictOptions(**options), call)
    return Prediction(result, scene if estimate is None else estimate.apply(scene), given, options)
