"""methods and parameters: what there is to choose from."""

from __future__ import annotations

from typing import Any, Iterable

from .. import _core
from .._data.scene import as_scene


def methods() -> dict[str, list[_core.MethodInfo]]:
    """Steppers and estimators with their options.

    >>> import ricochet
    >>> "moreau" in [each.name for each in ricochet.methods()["steppers"]]
    True
    """
    return {"steppers": _core.list_steppers(), "estimators": _core.list_estimators()}


def parameters(scene: Any, paths: str | Iterable[str] = "") -> list[_core.SceneParameter]:
    """Path, value, unit and bounds of the parameters of a scene; without paths all of them.

    >>> import ricochet
    >>> [(p.path, p.value) for p in ricochet.parameters(example("ellipse_throw.yaml"), "contact.friction")]
    [('contact.friction', 0.3)]
    """
    return as_scene(scene).parameters(paths)
