"""Checks of arguments: what cannot be used is an InputError or TypeError that names the argument."""

from __future__ import annotations

import math
import numbers
import os
from typing import Any, Iterable, Optional, Sequence, Union

from .errors import InputError

Path = Union[str, "os.PathLike[str]"]


def text(name: str, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"{name}: {type(value).__name__} is not a text.")
    return value


def file_name(name: str, value: Any) -> str:
    value = text(name, value)
    if not value:
        raise InputError("the name of the file is empty.", "Give the name of a file.", path=name)
    return value


def integer(name: str, value: Any, lower: int, upper: int) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name}: {value!r} is not a whole number.")
    if not lower <= value <= upper:
        raise InputError(f"{value} is out of range.", f"Give a whole number from {lower} to {upper}.", path=name)
    return int(value)


def number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        # Arrays of one entry and scalars of other libraries convert; texts do not.
        if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
            raise TypeError(f"{name}: {type(value).__name__} is not a number.")
    try:
        value = float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: {error}.") from None
    if not math.isfinite(value):
        raise InputError(f"{value} is not finite.", "Give a finite number.", path=name)
    return value


def positive(name: str, value: Any) -> Optional[float]:
    """A number above 0, or None."""
    if value is None:
        return None
    value = number(name, value)
    if value <= 0:
        raise InputError(f"{value:g} is not positive.", "Give a number above 0.", path=name)
    return value


def not_negative(name: str, value: Any) -> float:
    value = number(name, value)
    if value < 0:
        raise InputError(f"{value:g} is negative.", "Give 0 or a number above 0.", path=name)
    return value


def paths(name: str, value: Union[str, Iterable[str]], needed: bool = True) -> str:
    """A comma list of parameter paths from a text or a sequence of texts."""
    if not isinstance(value, str):
        if not isinstance(value, Iterable):
            raise TypeError(f"{name}: {type(value).__name__} is not a path. Give texts such as 'contact.friction'.")
        value = ", ".join(text(name, each) for each in value)
    if needed and not value.strip():
        raise InputError("no parameter is named.", "Give paths such as 'contact.friction'.", path=name)
    return value


def sequence(name: str, value: Any) -> Sequence:
    """A list from one value or several."""
    if isinstance(value, (str, os.PathLike)):
        return [value]
    try:
        return list(value)
    except TypeError:
        return [value]


def options(name: str, value: Any) -> dict[str, str]:
    """Options of a method as texts; True is a flag that is given."""
    if value is None:
        return {}
    if not hasattr(value, "items"):
        raise TypeError(f"{name}: {type(value).__name__} is not a dict. Give {{'option': value}}.")
    out = {}
    for key, each in value.items():
        if each is False or each is None:
            continue
        out[text(name, key)] = "true" if each is True else repr(each) if isinstance(each, float) else str(each)
    return out
