"""YAML text of a scene from dicts: the keys of a scene file (docs/scene.md) with Python values."""

from __future__ import annotations

import json
import math
from typing import Any, Mapping

import numpy as np

from .._base.errors import InputError


def _flow(value: Any, path: str) -> str:
    """A value on one line."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            raise InputError(f"{value} is not finite.", "Give a finite number.", path=path)
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        entries = (f"{_key(key, path)}: {_flow(each, f'{path}.{key}')}" for key, each in value.items() if each is not None)
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(each, f"{path}[{i}]") for i, each in enumerate(value)) + "]"
    raise TypeError(f"{path}: {type(value).__name__} cannot be part of a scene. Give numbers, texts, lists and dicts.")


def _key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{path}: the key {key!r} is not a text.")
    return key if key.replace("_", "").replace(".", "").isalnum() else json.dumps(key)


def scene_text(parts: Mapping[str, Any]) -> str:
    """One key per line at the top level and below it, the rest on one line."""
    lines = [] if "ricochet" in parts else ["ricochet: 1"]
    for key, value in parts.items():
        if value is None:
            continue
        key = _key(key, "scene")
        if isinstance(value, Mapping) and value:
            lines.append(f"{key}:")
            for name, each in value.items():
                if each is not None:
                    lines.append(f"  {_key(name, key)}: {_flow(each, f'{key}.{name}')}")
        elif isinstance(value, (list, tuple)) and any(isinstance(each, Mapping) for each in value):
            lines.append(f"{key}:")
            lines.extend(f"  - {_flow(each, f'{key}[{i}]')}" for i, each in enumerate(value))
        else:
            lines.append(f"{key}: {_flow(value, key)}")
    return "\n".join(lines) + "\n"
