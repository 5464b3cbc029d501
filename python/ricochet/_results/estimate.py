"""Estimates: parameters with their uncertainty, and the evidence."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

import numpy as np

from .. import _core
from .._base import checks
from .._base.errors import InputError, NumericsError
from .._base.values import Result
from .._data.recording import Recording, natives
from .._data.scene import Scene
from . import markup
from .page import page_of, show_page

#: Deviance from which a profile goes on as a parabola: a one-sided 95 % limit.
RISEN = 2.71


class Parameter:
    """An estimated parameter: value, std and interval in `unit`."""

    def __init__(self, native: _core.EstimatedParameter, interval: _core.Interval) -> None:
        self._native = native
        self.interval: tuple[float | None, float | None] = (interval.lower, interval.upper)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._native, name)

    def __float__(self) -> float:
        if self._native.value is None:
            raise InputError(
                "has no value: the data do not identify it.", self._native.combination, path=self._native.path
            )
        return self._native.value

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Parameter):
            return NotImplemented
        return self._native == other._native and self.interval == other.interval

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {"native": self._native, "interval": self.interval}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._native, self.interval = state["native"], state["interval"]

    def __repr__(self) -> str:
        p = self._native
        unit = "" if p.unit in ("-", "") else f" {p.unit}"
        if p.value is None:
            return f"<{p.path}: not identifiable>"
        return f"<{p.path} = {p.value:.6g}" + (f" ± {p.std:.2g}" if p.std is not None else "") + f"{unit}>"


def _deviance(profile: _core.EstimatedProfile, least: float, values: np.ndarray) -> np.ndarray:
    """The deviance at any values; beyond an end a parabola where the profile rises enough, infinite where it is flat."""
    out = np.interp(values, profile.value, profile.deviance)
    for end, deviance, beyond in (
        (profile.value[0], profile.deviance[0], values < profile.value[0]),
        (profile.value[-1], profile.deviance[-1], values > profile.value[-1]),
    ):
        rises = deviance > RISEN and end != least
        out[beyond] = deviance * ((values[beyond] - least) / (end - least)) ** 2 if rises else np.inf
    return out


class LabeledMatrix(np.ndarray):
    """An array whose rows and columns have names: m["contact.friction", "contact.restitution"]."""

    labels: tuple[str, ...]

    def __new__(cls, values: Any, labels: Sequence[str]) -> "LabeledMatrix":
        matrix = np.array(values, dtype=float).view(cls)
        matrix.labels = tuple(labels)
        return matrix

    def __array_finalize__(self, source: Any) -> None:
        self.labels = getattr(source, "labels", ())

    def __reduce__(self) -> tuple:
        return LabeledMatrix, (np.asarray(self), self.labels)

    def _index(self, key: Any) -> Any:
        if not isinstance(key, str):
            return key
        requested = key.replace(" ", "")
        for i, label in enumerate(self.labels):
            if label.replace(" ", "") == requested:
                return i
        raise KeyError(key)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            key = tuple(self._index(each) for each in key)
        else:
            key = self._index(key)
        value = np.asarray(self)[key]
        return float(value) if np.ndim(value) == 0 else value

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with the names on both sides."""
        import pandas

        return pandas.DataFrame(np.asarray(self), index=list(self.labels), columns=list(self.labels))


class Estimate(Result):
    """What identification found. Fields of the library's Estimate are attributes: verdict, warnings, recordings, ...

    est["contact.friction"] is a parameter with value, std, interval, unit and identifiable.
    """

    _state = ("native", "scene", "given_scene", "given_recordings")
    #: The scene with the estimated values; None for an estimate read from a file.
    scene: Scene | None
    #: The scene and recordings that were given; they make the report.
    given_scene: Scene | None
    given_recordings: list[Recording]
    parameters: list[_core.EstimatedParameter]
    verdict: _core.Verdict
    converged: bool
    warnings: list[str]
    method: str

    def __init__(self, native: _core.Estimate) -> None:
        self.native = native
        self.scene = self.given_scene = None
        self.given_recordings = []

    @classmethod
    def _from_result(cls, scene: Scene, recordings: list[Recording], result: _core.Identification) -> "Estimate":
        estimate = cls(result.estimate)
        estimate.scene = Scene(result.calibrated)
        estimate.given_scene, estimate.given_recordings = scene.copy(), recordings
        return estimate

    @classmethod
    def read(cls, file: Any) -> "Estimate":
        """An estimate from a file that `write` or the program wrote (JSON)."""
        return cls(_core.Estimate.read(checks.file_name("file", file)))

    @classmethod
    def from_json(cls, text: str, name: str = "estimate") -> "Estimate":
        """An estimate from JSON text; `name` stands for the file in messages."""
        return cls(_core.Estimate.parse(checks.text("text", text), name))

    def write(self, file: Any) -> None:
        """Writes the estimate (JSON), whole or not at all."""
        self.native.write(checks.file_name("file", file))

    # Parameters.

    @property
    def paths(self) -> list[str]:
        """Paths of the parameters, in the order in which they were requested."""
        return [each.path for each in self.native.parameters]

    def __getitem__(self, path: str) -> Parameter:
        path = checks.text("path", path)
        return Parameter(self.native.at(path), self.native.interval(path))

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.native.parameters)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and path.replace(" ", "") in [each.replace(" ", "") for each in self.paths]

    def interval(self, path: str, level: float = 0.95) -> tuple[float | None, float | None]:
        """The interval that covers a parameter with this probability; None where an end is not limited."""
        interval = self.native.interval(checks.text("path", path), checks.number("level", level))
        return interval.lower, interval.upper

    @property
    def covariance(self) -> LabeledMatrix:
        """Of the parameters; rows and columns have their paths. NaN where there is no value."""
        return LabeledMatrix(self.native.covariance, self.paths)

    @property
    def correlation(self) -> LabeledMatrix:
        """Of the parameters; rows and columns have their paths."""
        covariance = np.asarray(self.native.covariance)
        std = np.sqrt(np.diag(covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            return LabeledMatrix(covariance / np.outer(std, std), self.paths)

    def apply(self, scene: Any) -> Scene:
        """A scene with the estimate's values; parameters that are not identifiable stay as they are."""
        from .._data.scene import as_scene

        return Scene(_core.apply(as_scene(scene)._native, self.native))

    def samples(self, count: int = 1000, seed: int = 0, source: str = "normal") -> np.ndarray:
        """Draws of the parameters: a row per draw, a column per path.

        source -- "normal": the normal distribution of the covariance; columns without a standard deviation are NaN.
            "bootstrap": its repetitions, about the value and with the standard deviation of the estimate, which can be
            larger than their own scatter: where the model does not explain the data, or few recordings were resampled.
            `bootstrap.values` has them as they are; `count` and `seed` do not matter.
            "profile": each profiled parameter by itself, with the density exp(-deviance / 2); other columns are NaN.
        """
        count = checks.integer("count", count, 1, 10**8)
        generator = np.random.default_rng(checks.integer("seed", seed, 0, 2**64 - 1))
        source = checks.text("source", source)
        if source == "normal":
            return self._normal_samples(count, generator)
        if source == "bootstrap":
            return self._bootstrap_samples()
        if source == "profile":
            return self._profile_samples(count, generator)
        raise InputError(f"`{source}` is not a source.", "Give normal, bootstrap or profile.", path="source")

    def _normal_samples(self, count: int, generator: np.random.Generator) -> np.ndarray:
        covariance = np.asarray(self.native.covariance)
        known = np.isfinite(np.diag(covariance)) if len(covariance) else np.zeros(0, bool)
        out = np.full((count, len(known)), np.nan)
        mean = np.array([np.nan if each.value is None else each.value for each in self.native.parameters])
        known &= np.isfinite(mean)
        if known.any():
            block = covariance[np.ix_(known, known)]
            out[:, known] = generator.multivariate_normal(mean[known], block, size=count)
        return out

    def _bootstrap_samples(self) -> np.ndarray:
        found = self.native.bootstrap
        if found is None or not found.values:
            raise InputError(
                "the estimate has no repetitions of a bootstrap.", "Call identify with bootstrap=100.", path="source"
            )
        repetitions = np.array(found.values)
        out = np.full((len(repetitions), len(self.paths)), np.nan)
        for i, each in enumerate(self.native.parameters):
            # A sum that the data identify has no column of its own, and what was held does not scatter.
            if each.path not in found.paths or each.value is None or each.std is None:
                continue
            column = repetitions[:, found.paths.index(each.path)]
            scatter = column.std(ddof=1) if len(column) > 1 else 0.0
            if scatter > 0:
                out[:, i] = each.value + (column - column.mean()) * (each.std / scatter)
        return out

    def _profile_samples(self, count: int, generator: np.random.Generator) -> np.ndarray:
        if not self.native.profiles:
            raise InputError("the estimate has no profiles.", "Call identify with profiles=[path].", path="source")
        out = np.full((count, len(self.paths)), np.nan)
        for profile in self.native.profiles:
            # Finer than the profile, as exp() is not straight between its values, and with its tails.
            least = profile.value[int(np.argmin(profile.deviance))]
            reach = [least + 2.5 * (end - least) for end in (profile.value[0], profile.value[-1])]
            values = np.linspace(*reach, 4001)
            density = np.exp(-0.5 * _deviance(profile, least, values))
            mass = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
            out[:, self.paths.index(profile.path)] = np.interp(generator.random(count) * mass[-1], mass, values)
        return out

    def check(self) -> "Estimate":
        """Raises NumericsError if the verdict is "rejected"; otherwise returns the estimate."""
        if str(self.native.verdict) == "rejected":
            reasons = self.native.verdict.reasons
            raise NumericsError(f"identify: rejected; do not use these values: {reasons[0] if reasons else ''}")
        return self

    # Tables, pages and plots.

    def to_dataframe(self) -> Any:
        """One row per parameter (pandas): value, std, interval, unit."""
        import pandas

        rows = []
        for each in self.native.parameters:
            lower, upper = self.interval(each.path)
            rows.append({**each.to_dict(), "interval_lower": lower, "interval_upper": upper})
        return pandas.DataFrame(rows).set_index("path")

    def _page(self) -> _core.ReportData:
        if self.given_scene is None or self.scene is None:
            raise InputError(
                "an estimate read from a file does not have its recordings.",
                "Use ricochet.report(file, output), which searches them.",
                path="report",
            )
        result = _core.Identification(self.native, self.scene._native)
        return _core.identify_report(self.given_scene._native, natives(self.given_recordings), result)

    def report(self, file: Any) -> None:
        """Writes the report page (HTML)."""
        self._page().write(checks.file_name("file", file))

    def show(self) -> Any:
        """The report page, inline in a notebook."""
        return show_page(page_of(self._page()))

    def plot(self, kind: str = "residuals", axes: Any = None) -> Any:
        """Plots with matplotlib: "residuals", "intervals", "pairs" or "profiles"."""
        from .plot import plot_estimate

        return plot_estimate(self, kind, axes)

    def to_arviz(self, count: int = 1000, seed: int = 0, source: str = "") -> Any:
        """Draws of the parameters (`samples`) for ArviZ, as one chain of the posterior.

        source -- empty: the bootstrap where there is one, otherwise the normal distribution
        """
        import arviz

        draws = self.samples(count, seed, source or ("bootstrap" if self.native.bootstrap else "normal"))
        posterior = {path: draws[None, :, i] for i, path in enumerate(self.paths) if not np.isnan(draws[:, i]).all()}
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict({"posterior": posterior})
        return arviz.from_dict(posterior=posterior)

    def __repr__(self) -> str:
        shown = ", ".join(repr(self[each])[1:-1] for each in self.paths[:6])
        return f"<ricochet.Estimate, {self.native.verdict}: {shown}{', ...' if len(self) > 6 else ''}>"

    def _repr_html_(self) -> str:
        rows = []
        for each in self.native.parameters:
            lower, upper = self.interval(each.path)
            note = "" if each.identifiable else each.combination
            rows.append((each.path, each.value, each.std, lower, upper, each.unit, note))
        columns = ("path", "value", "σ", "lower 95 %", "upper 95 %", "unit", "")
        verdict = self.native.verdict
        return markup.verdict(str(verdict), verdict.reasons) + markup.table(self.native.method, columns, rows)
