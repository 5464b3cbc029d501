"""Recordings: measured motion from arrays, frames and files."""

from __future__ import annotations

import os
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from .. import _core
from .._base import checks
from .._base.errors import InputError
from .._base.values import PICKLE_VERSION, equal

#: Names of the column of times, in the order in which they are looked for.
TIME_NAMES = ("t", "time")


def _column(name: str, values: Any) -> np.ndarray:
    """An array of doubles; the same memory where it holds doubles already."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name}: values of type {array.dtype} are not numbers. Give an array of floats.")
    if array.ndim != 1:
        raise InputError(f"has shape {array.shape}.", "Give one value per time.", path=name)
    if array.dtype == np.longdouble and array.dtype.itemsize > 8:
        raise TypeError(f"{name}: {array.dtype} would lose digits. Convert the array to float64.")
    return array.astype(np.float64, copy=False)


def _table(data: Any) -> dict[str, Any]:
    """Columns by name, from a mapping, a DataFrame (pandas, polars) or a Dataset (xarray)."""
    if isinstance(data, Mapping) and not hasattr(data, "data_vars"):
        return dict(data)
    if hasattr(data, "data_vars"):  # xarray: one dimension, whose coordinate is the time
        columns = {str(name): data[name].values for name in data.data_vars}
        for name in data.coords:
            columns.setdefault(str(name), data[name].values)
        return columns
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        columns = {str(name): data[name].to_numpy() for name in data.columns}
        index = getattr(data, "index", None)
        if index is not None and index.name in TIME_NAMES:
            columns.setdefault(index.name, index.to_numpy())
        return columns
    if getattr(getattr(data, "dtype", None), "names", None):  # structured array
        return {name: data[name] for name in data.dtype.names}
    raise TypeError(
        f"Recording: {type(data).__name__} is not a table. Give a dict of arrays, a DataFrame, or an array with columns=."
    )


class Recording:
    """A table of measurements over time.

    Make one from arrays by name (`t`, then the columns of docs/identify.md), from a DataFrame of pandas or polars, an
    xarray Dataset, or a matrix with the names of its columns. `ricochet.read` reads files.

    >>> import numpy as np, ricochet
    >>> t = np.arange(100) / 240
    >>> recording = ricochet.Recording({"t": t, "x": 0.5 * t, "y": 1 - 4.905 * t**2, "theta": 0 * t})
    >>> recording.columns
    ['x', 'y', 'theta']
    >>> recording["x"] is recording["x"], len(recording)
    (True, 100)

    Arrays of doubles are not copied: the recording refers to your memory. A call of the library copies them for its own
    duration. NaN is a missing value.
    """

    def __init__(
        self, data: Any, *, time: Any = None, columns: Sequence[str] | None = None, name: str = ""
    ) -> None:
        if isinstance(data, _core.Recording):
            self._adopt(data)
            return
        if columns is not None:
            matrix = np.asarray(data)
            names = [checks.text("columns", each) for each in columns]
            if matrix.ndim != 2 or matrix.shape[1] != len(names):
                raise InputError(
                    f"{len(names)} names do not fit an array of shape {matrix.shape}.",
                    "Give an array with one row per time and one column per name.",
                    path="columns",
                )
            table = {each: matrix[:, i] for i, each in enumerate(names)}
        else:
            table = {checks.text("column", key): value for key, value in _table(data).items()}
        if time is None:
            found = next((each for each in TIME_NAMES if each in table), None)
            if found is None:
                raise InputError("the recording has no times.", "Give a column `t` [s], or the argument time=.", path="t")
            time = table.pop(found)
        self.time: np.ndarray = _column("t", time)
        self._columns = {key: _column(key, value) for key, value in table.items()}
        if not self._columns:
            raise InputError("the recording has no columns.", "Give columns such as x, y and theta.", path="columns")
        self.name: str = checks.text("name", name)
        self._lines: list[int] = []
        _core.Recording.check_columns(*self._arrays())

    def _adopt(self, native: _core.Recording) -> None:
        self.time = native.time_view()
        self._columns = {each: native.column_view(i) for i, each in enumerate(native.columns)}
        self.name = native.file
        self._lines = native.lines

    def _arrays(self) -> tuple:
        return (
            np.ascontiguousarray(self.time),
            list(self._columns),
            [np.ascontiguousarray(each) for each in self._columns.values()],
        )

    def _native(self) -> _core.Recording:
        """The recording of the library, made for a call."""
        native = _core.Recording.from_columns(*self._arrays(), self.name)
        native.lines = self._lines
        return native

    @property
    def columns(self) -> list[str]:
        """Names of the columns, without the time."""
        return list(self._columns)

    @property
    def rate(self) -> float:
        """Rows per second: the inverse of the median step [Hz]; NaN for one row."""
        return float(1 / np.median(np.diff(self.time))) if len(self) > 1 else float("nan")

    def __getitem__(self, column: str) -> np.ndarray:
        if column in TIME_NAMES and column not in self._columns:
            return self.time
        try:
            return self._columns[column]
        except KeyError:
            raise InputError(
                "there is no such column.", f"Columns are {', '.join(self.columns)}.", path=str(column)
            ) from None

    def __contains__(self, column: object) -> bool:
        return column in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.time)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        """A matrix: the time, then the columns."""
        return np.column_stack([self.time, *self._columns.values()]).astype(dtype or np.float64, copy=False)

    def to_dict(self) -> dict[str, np.ndarray]:
        """Arrays by name, `t` first."""
        return {"t": self.time, **self._columns}

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with the column `t` and one per measurement."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_csv(self) -> str:
        """The text of a recording file, which reads back to the same doubles."""
        return self._native().format()

    def write(self, file: Any) -> None:
        """Writes a recording file (CSV), whole or not at all."""
        self._native().write(checks.file_name("file", file))

    def plot(self, axes: Any = None) -> Any:
        """Plots every column over time (matplotlib)."""
        from .._results.plot import plot_recording

        return plot_recording(self, axes)

    def copy(self) -> "Recording":
        """An independent copy, arrays included."""
        copy = object.__new__(Recording)
        copy.__setstate__(self.__getstate__())
        copy.time = self.time.copy()
        copy._columns = {key: value.copy() for key, value in self._columns.items()}
        return copy

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Recording":
        return self.copy()

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Recording):
            return NotImplemented
        return (
            self.name == other.name
            and self.columns == other.columns
            and equal(self.time, other.time)
            and all(equal(self[each], other[each]) for each in self)
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {
            "version": PICKLE_VERSION,
            "name": self.name,
            "time": np.asarray(self.time),
            "columns": dict(self._columns),
            "lines": self._lines,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("version") != PICKLE_VERSION:
            raise InputError(
                f"the pickle has format {state.get('version')}, and this version of Ricochet reads {PICKLE_VERSION}.",
                "Load it with the version that wrote it, or read the recording again.",
            )
        self.name, self.time = state["name"], state["time"]
        self._columns, self._lines = dict(state["columns"]), state["lines"]

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"<ricochet.Recording{name}: {len(self)} rows, {self.rate:.4g} Hz, {', '.join(self.columns)}>"


def as_recording(value: Any) -> Recording:
    """A recording from what a verb takes: a Recording, a simulation, a table, or a file name."""
    if isinstance(value, Recording):
        return value
    if isinstance(getattr(value, "recording", None), Recording):
        return value.recording
    if isinstance(value, (str, os.PathLike)):
        return Recording(_core.Recording.read(checks.file_name("recordings", value)))
    return Recording(value)


def as_recordings(value: Any) -> list[Recording]:
    """A list of recordings from one of them or several."""
    if isinstance(value, Mapping) or any(hasattr(value, each) for each in ("columns", "data_vars", "recording")):
        value = [value]
    return [as_recording(each) for each in checks.sequence("recordings", value)]


def natives(recordings: Sequence[Recording]) -> list[_core.Recording]:
    """Recordings of the library."""
    return [each._native() for each in recordings]
