"""What all values have in common: they copy, compare, pickle and print.

Records are the plain structs of the library (classes of `_core` with `_fields`). Results are classes of this package
that hold records and what they were computed from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .errors import InputError

PICKLE_VERSION = 1


def equal(a: Any, b: Any) -> bool:
    """Whether two values are the same to the bit; NaN equals NaN."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f")
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    return bool(a == b)


def _record_equal(self: Any, other: Any) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    return all(equal(getattr(self, name), getattr(other, name)) for name in self._fields)


def _record_repr(self: Any) -> str:
    shown = []
    for name in self._fields:
        value = getattr(self, name)
        long = isinstance(value, (list, np.ndarray)) and len(value) > 6
        shown.append(f"{name}=<{len(value)} entries>" if long else f"{name}={value!r}")
    return f"{type(self).__name__}({', '.join(shown)})"


def _record_dict(self: Any) -> dict[str, Any]:
    return {name: plain(getattr(self, name)) for name in self._fields}


def plain(value: Any) -> Any:
    """Records as dicts, recursively."""
    if hasattr(type(value), "_fields") and hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def _restore(record: type, version: int, state: dict[str, Any]) -> Any:
    if version != PICKLE_VERSION:
        raise InputError(
            f"the pickle has format {version}, and this version of Ricochet reads {PICKLE_VERSION}.",
            "Load it with the version that wrote it, or compute the result again.",
        )
    value = record.__new__(record)
    value.__setstate__(state)
    return value


def _record_reduce(self: Any) -> tuple:
    return _restore, (type(self), PICKLE_VERSION, self.__getstate__())


def _record_copy(self: Any, memo: Any = None) -> Any:
    return _restore(type(self), PICKLE_VERSION, self.__getstate__())


def _complete(record: type) -> None:
    record.__eq__ = _record_equal
    record.__hash__ = None  # values that compare by content are not keys
    record.__repr__ = _record_repr
    record.__reduce__ = _record_reduce
    record.__copy__ = _record_copy
    record.__deepcopy__ = _record_copy
    record.to_dict = _record_dict


for _name in dir(_core):
    _class = getattr(_core, _name)
    if isinstance(_class, type) and hasattr(_class, "_fields"):
        _complete(_class)
        _class.__module__ = "ricochet._core"


class Result:
    """A result of a verb: the record of the library (`native`) and what it was computed from.

    Attributes of the record are attributes of the result. Results copy, pickle and compare; `seconds` of computing
    time does not count in comparisons.
    """

    #: Attributes that make up the value.
    _state: tuple[str, ...] = ("native",)
    #: Fields of the record that do not count when results are compared.
    _incidental: tuple[str, ...] = ("seconds",)
    native: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "native":
            raise AttributeError(name)
        try:
            return getattr(self.native, name)
        except AttributeError:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}") from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *getattr(type(self.native), "_fields", ())})

    def __getstate__(self) -> dict[str, Any]:
        return {"version": PICKLE_VERSION, **{name: getattr(self, name) for name in self._state}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        version = state.get("version")
        if version != PICKLE_VERSION:
            raise InputError(
                f"the pickle has format {version}, and this version of Ricochet reads {PICKLE_VERSION}.",
                "Load it with the version that wrote it, or compute the result again.",
            )
        for name in self._state:
            setattr(self, name, state[name])

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.__getstate__(), other.__getstate__()
        for state in (mine, theirs):
            native = state.pop("native")
            state["fields"] = {
                name: getattr(native, name) for name in native._fields if name not in self._incidental
            }
        return equal(mine, theirs)

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> str:
        """JSON text, as the program prints it with `--json`."""
        return self.native.format_json()

    def describe(self) -> str:
        """Text for a terminal, as the program prints it."""
        return self.native.describe()

    def __str__(self) -> str:
        return self.describe()

    def __repr__(self) -> str:
        return f"<ricochet.{type(self).__name__}>"
