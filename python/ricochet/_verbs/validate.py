"""validate: how well a scene predicts recorded tosses."""

from __future__ import annotations

from typing import Any, Iterable, Mapping

from .. import _core
from .._base import calls, checks
from .._base.errors import NumericsError
from .._base.values import Result
from .._data.recording import Recording, as_recordings, natives
from .._data.scene import Scene, as_scene
from .._results.estimate import Estimate
from .._results.page import page_of, show_page
from .identify import identify_options


class Validation(Result):
    """Errors of one or several models on the same recordings: `models`, and `sensitivities` of varied parameters."""

    _state = ("native", "scene", "given_recordings", "options")
    scene: Scene
    given_recordings: list[Recording]
    options: dict[str, Any]
    models: list[_core.ModelValidation]
    sensitivities: list[_core.Sensitivity]

    def __init__(
        self, native: _core.ValidationSet, scene: Scene, recordings: list[Recording], options: dict[str, Any]
    ) -> None:
        self.native = native
        self.scene, self.given_recordings, self.options = scene, recordings, options

    def check(self) -> "Validation":
        """Raises NumericsError if no recording could be used; otherwise returns the validation."""
        if not any(each.used for each in self.native.models[0].recordings):
            raise NumericsError("validate: no recording can be used")
        return self

    def write(self, file: Any) -> None:
        """Writes the errors (JSON), whole or not at all."""
        self.native.write(checks.file_name("file", file))

    def to_dataframe(self) -> Any:
        """One row per model and recording (pandas)."""
        import pandas

        rows = [
            {"model": model.name, "recording": each.file, "used": each.used, **each.errors.to_dict()}
            for model in self.native.models
            for each in model.recordings
        ]
        return pandas.DataFrame(rows)

    def _page(self) -> _core.ReportData:
        return _core.validation_report(
            self.scene._native,
            natives(self.given_recordings),
            self.native,
            _core.ValidateOptions(**self.options),
            calls.settings(),
        )

    def report(self, file: Any) -> None:
        """Writes the report page (HTML)."""
        self._page().write(checks.file_name("file", file))

    def show(self) -> Any:
        """The report page, inline in a notebook."""
        return show_page(page_of(self._page()))

    def _repr_html_(self) -> str:
        return f"<pre>{self.describe()}</pre>"


def _models(scene: Scene, estimates: Any, variants: Any) -> list[tuple[str, Scene]]:
    """Names and scenes of the models to compare; an empty name: that of the scene."""
    models: list[tuple[str, Scene]] = []
    given = {} if estimates is None else estimates
    if isinstance(given, (Estimate, str)) or hasattr(given, "__fspath__"):
        given = [given]
    if not isinstance(given, Mapping):
        given = {(str(each) if not isinstance(each, Estimate) else f"estimate {i + 1}"): each for i, each in enumerate(given)}
    if not given:
        models.append(("", scene))
    for name, each in given.items():
        estimate = each if isinstance(each, Estimate) else Estimate.read(each)
        models.append((name, estimate.apply(scene)))
    for variant in variants:
        if not isinstance(variant, Mapping):
            raise TypeError("variants: give dicts such as {'contact.restitution': 0}.")
        models.append((",".join(f"{path}={value}" for path, value in variant.items()), scene.replace(variant)))
    return models


def validate(
    scene: Any,
    recordings: Any,
    *,
    estimates: Any = None,
    variants: Iterable[Mapping[str, Any]] = (),
    vary: Any = (),
    start: str = "release",
    step: float | None = None,
    average: int = 0,
    folds: int = 0,
    estimate: str | Iterable[str] = "",
    method: str = "auto",
    threads: int = 0,
    seed: int = 0,
    progress: calls.Progress = True,
) -> Validation:
    """Measures how well a scene predicts recorded tosses.

    estimates -- Estimate or file, several of them, or {name: estimate}: each is applied to the scene and compared
    variants -- dicts of values: the scene with each of them is compared too
    vary -- texts such as "contact.friction=+-0.05:11": errors over values of a parameter, about that of
      the first estimate, or of the scene if there is none
    start -- where simulations start: release, contact, first or below:HEIGHT
    average -- predict with the mean of this many simulations
    folds, estimate, method -- k-fold cross-validation of an identification of these parameters

    >>> import ricochet
    >>> scene = example("box006_toss.yaml")
    >>> toss = ricochet.simulate(scene, rate=250, noise_position=3e-4, noise_angle=2e-3, seed=1).recording
    >>> found = ricochet.validate(scene, toss, variants=[{"contact.friction": 0.1}])
    >>> [each.recordings[0].used for each in found.models]
    [True, True]
    """
    scene = as_scene(scene)
    given = as_recordings(recordings)
    tosses = natives(given)
    options = {
        "start": checks.text("start", start),
        "step": checks.positive("step", step),
        "average": checks.integer("average", average, 0, 10**6),
    }
    native_options = _core.ValidateOptions(**options)
    call = calls.settings(threads, seed, progress)
    models = _models(scene, estimates, variants)
    done = []
    for name, model in models:
        validation = _core.validate(model._native, tosses, native_options, call)
        done.append(validation.renamed(name) if name else validation)
    if folds:
        done.append(
            _core.cross_validate(
                scene._native,
                tosses,
                checks.paths("estimate", estimate),
                checks.integer("folds", folds, 2, 10**6),
                identify_options(method),
                native_options,
                call,
            )
        )
    center = models[0][1]
    varied = [
        _core.vary(center._native, tosses, checks.text("vary", each), native_options, call)
        for each in checks.sequence("vary", vary)
    ]
    return Validation(_core.ValidationSet(done, varied), center, given, options)
