"""identify and identifiability: parameters from recordings, with their uncertainty."""

from __future__ import annotations

from functools import partial
from typing import Any, Iterable, Mapping

from .. import _core
from .._base import calls, checks
from .._base.values import Result
from .._data.recording import Recording, as_recordings, natives
from .._data.scene import Scene, as_scene
from .._results.estimate import Estimate


def identify_options(
    method: str = "auto",
    bootstrap: int = 0,
    profiles: Any = (),
    folds: int = 0,
    information: bool = False,
    explain: bool = False,
    options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    store: Any = "",
) -> _core.IdentifyOptions:
    """Options of identification, checked."""
    return _core.IdentifyOptions(
        checks.text("method", method),
        checks.integer("bootstrap", bootstrap, 0, 10**6),
        [checks.text("profiles", each) for each in checks.sequence("profiles", profiles)],
        checks.integer("folds", folds, 0, 10**6),
        bool(information),
        bool(explain),
        checks.options("options", options),
        checks.positive("time_limit", time_limit),
        checks.text("store", store),
    )


def _call_identify(
    scene: Scene, recordings: list[Recording], paths: str, options: tuple, call: _core.CallSettings
) -> _core.Identification:
    """The call of the library, here or in a worker."""
    return _core.identify(scene._native, natives(recordings), paths, identify_options(*options), call)


def identify(
    scene: Any,
    recordings: Any,
    estimate: str | Iterable[str],
    *,
    method: str = "auto",
    bootstrap: int = 0,
    profiles: Any = (),
    folds: int = 0,
    information: bool = False,
    explain: bool = False,
    options: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    store: Any = "",
    executor: Any = None,
    threads: int = 0,
    seed: int = 0,
    progress: calls.Progress = True,
) -> Estimate:
    """Estimates parameters of a scene from recordings.

    scene -- a Scene, a file name, or a dict
    recordings -- one or several: Recording, file name, dict of arrays, DataFrame
    estimate -- paths of the parameters: "contact.*, bodies.e.inertia / bodies.e.mass", or a list of them
    method -- an estimator (`ricochet.methods()`), or "auto"
    bootstrap -- repetitions whose scatter gives the standard deviations; 0: from the fit alone
    profiles -- paths whose profile likelihood is computed
    folds -- of a cross-validation over the recordings; 0: none
    information, explain -- rank and null space at the fit; every held parameter that was tested
    options -- of the method, by name
    time_limit -- most time that the call may take [s]; None: ten minutes per fit
    store -- file that keeps finished repetitions, so that the same call resumes
    executor -- workers that share the repetitions of the bootstrap: an executor of concurrent.futures, a Dask client or
        joblib.Parallel; the result has the same bits

    Read `verdict` before you use the values; `check()` raises if it is "rejected".

    >>> import ricochet
    >>> throw = ricochet.simulate(example("plywood_ellipse.yaml"), rate=240, noise_position=1e-3, noise_angle=1e-3)
    >>> est = ricochet.identify(example("plywood_ellipse.yaml"), throw, "contact.friction, contact.restitution")
    >>> abs(est["contact.restitution"].value - 0.2) < 4 * est["contact.restitution"].std
    True
    """
    scene = as_scene(scene)
    given = as_recordings(recordings)
    paths = checks.paths("estimate", estimate)
    arguments = (method, bootstrap, profiles, folds, information, explain, options, time_limit)
    identify_options(*arguments, store)  # so that mistakes show before any worker starts
    if executor is None or bootstrap == 0:
        result = _call_identify(scene, given, paths, (*arguments, store), calls.settings(threads, seed, progress))
    else:
        from .executor import StoreFolder, run_shared

        with StoreFolder(checks.text("store", store)) as kept:
            work = partial(_call_identify, scene, given, paths, (*arguments, kept))
            result = run_shared(executor, work, *calls.checked(threads, seed, progress))
    return Estimate._from_result(scene, given, result)


class Identifiability(Result):
    """Which parameters recordings, or a planned motion, can identify, and how well."""

    parameters: list[_core.IdentifiabilityEntry]

    def __init__(self, native: _core.Identifiability) -> None:
        self.native = native

    def __getitem__(self, path: str) -> _core.IdentifiabilityEntry:
        requested = path.replace(" ", "")
        for each in self.native.parameters:
            if each.path.replace(" ", "") == requested:
                return each
        raise KeyError(path)

    def to_dataframe(self) -> Any:
        """One row per parameter (pandas)."""
        import pandas

        return pandas.DataFrame([each.to_dict() for each in self.native.parameters]).set_index("path")

    def _repr_html_(self) -> str:
        from .._results.markup import table

        rows = [
            (each.path, each.value, each.std, each.unit, "yes" if each.identifiable else f"no: {each.reason}")
            for each in self.native.parameters
        ]
        return table("Identifiability", ("path", "value", "attainable σ", "unit", "identifiable"), rows)


def identifiability(
    scene: Any,
    recordings: Any = (),
    estimate: str | Iterable[str] = "",
    *,
    rate: float = 240,
    method: str = "auto",
    threads: int = 0,
    progress: calls.Progress = True,
) -> Identifiability:
    """Finds which parameters the recordings, or without any the scene's own motion, determine.

    rate -- frames per second of the planned recording [Hz]; without recordings only

    >>> import ricochet
    >>> plan = ricochet.identifiability(example("plywood_ellipse.yaml"), estimate="contact.friction, bodies.ellipse.mass")
    >>> plan["contact.friction"].identifiable, plan["bodies.ellipse.mass"].identifiable
    (True, False)
    """
    return Identifiability(
        _core.identifiability(
            as_scene(scene)._native,
            natives(as_recordings(recordings)),
            checks.paths("estimate", estimate),
            checks.positive("rate", rate),
            checks.text("method", method),
            calls.settings(threads, 0, progress),
        )
    )
