"""Scenes: read, built, changed and written."""

from __future__ import annotations

import os
from typing import Any, Iterator, Mapping, Union

import numpy as np

from .. import _core
from .._base import checks
from .._base.errors import InputError
from .._base.values import PICKLE_VERSION
from .yaml import scene_text


class Scene:
    """Bodies, surfaces, joints, contact laws, start, loads and sensors.

    A scene is read from a YAML file, or built from the keys that such a file has:

    >>> import ricochet
    >>> scene = ricochet.Scene(
    ...     space="planar",
    ...     bodies={"disk": {"shape": {"circle": {"radius": 0.05}}, "mass": 0.1}},
    ...     surfaces={"table": {"line": {"point": [0, 0], "angle": 0}}},
    ...     contact={"friction": 0.3, "restitution": 0.5},
    ...     initial={"disk": {"pose": [0, 0.4, 0], "velocity": [1, 0]}},
    ...     simulation={"method": "event", "step": 1e-3, "duration": 1},
    ... )
    >>> scene["contact.friction"] = 0.4
    >>> scene["contact.friction"]
    0.4

    Parameters are addressed by path; a path that means several parameters gives an array and takes one value for all of
    them or one for each. docs/scene.md describes the keys, docs/parameters.md the paths.
    """

    def __init__(self, source: Union[str, "os.PathLike[str]", Mapping[str, Any], None] = None, /, **parts: Any) -> None:
        if source is None:
            if not parts:
                raise InputError("the scene is empty.", "Give a file, or keys such as bodies={...}.", path="Scene")
            self._native = _core.Scene.parse(scene_text(parts), "")
        elif parts:
            raise TypeError("Scene: give either a file or dict, or keywords, not both.")
        elif isinstance(source, _core.Scene):
            self._native = source
        elif isinstance(source, Mapping):
            self._native = _core.Scene.parse(scene_text(source), "")
        elif isinstance(source, (str, os.PathLike)):
            self._native = _core.Scene.read(checks.file_name("Scene", source))
        else:
            raise TypeError(f"Scene: {type(source).__name__} is not a scene. Give a file name, a dict or keywords.")

    @classmethod
    def from_yaml(cls, text: str, name: str = "") -> "Scene":
        """A scene from YAML text; `name` stands for the file in messages."""
        return cls(_core.Scene.parse(checks.text("text", text), name))

    @classmethod
    def from_urdf(cls, file: Any, floating: bool = False) -> "Scene":
        """A scene from a robot description. `floating`: the root link is a free body instead of standing on the world."""
        return cls(_core.import_urdf(checks.file_name("file", file), bool(floating)))

    # Parameters.

    def __getitem__(self, path: str) -> Any:
        """The value at a path; an array where the path means several parameters."""
        values = [each.value for each in self._native.parameters(checks.paths("path", path))]
        return values[0] if len(values) == 1 else np.array(values)

    def __setitem__(self, path: str, value: Any) -> None:
        path = checks.text("path", path)
        if isinstance(value, str):
            self._native.set_from_text(f"{path}={value}")
            return
        if np.ndim(value) == 0:
            values = [checks.number(path, value)]
        else:
            values = [checks.number(f"{path}[{i}]", each) for i, each in enumerate(np.ravel(value))]
        self._native.set(path, values)

    def __contains__(self, path: str) -> bool:
        try:
            return bool(self._native.parameters(checks.paths("path", path)))
        except InputError:
            return False

    def __iter__(self) -> Iterator[str]:
        """Paths of all parameters."""
        return (each.path for each in self._native.parameters())

    def __len__(self) -> int:
        return len(self._native.parameters())

    def parameters(self, paths: Any = "") -> list[_core.SceneParameter]:
        """Path, value, unit and bounds of parameters; without paths all of them.

        >>> import ricochet
        >>> scene = ricochet.Scene(example("ellipse_throw.yaml"))
        >>> [(p.path, p.unit) for p in scene.parameters("bodies.*.mass")]
        [('bodies.ellipse.mass', 'kg')]
        """
        return self._native.parameters(checks.paths("paths", paths, needed=False))

    def replace(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> "Scene":
        """A copy with other values: scene.replace({"contact.friction": 0.3})."""
        scene = self.copy()
        for path, value in {**(values or {}), **more}.items():
            scene[path] = value
        scene.check()
        return scene

    def check(self) -> None:
        """Raises InputError if the parameters cannot be true together: an inertia that no body has, bodies that overlap."""
        self._native.check()

    # What the scene has.

    @property
    def file(self) -> str:
        """The file that it was read from; empty for a scene made in memory."""
        return self._native.file

    @property
    def planar(self) -> bool:
        """Whether the motion is in a plane (x, y, theta)."""
        return self._native.planar

    @property
    def method(self) -> str:
        """The stepper; empty where the scene names none."""
        return self._native.method

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return self._native.bodies

    @property
    def surfaces(self) -> list[str]:
        """Names of the surfaces."""
        return self._native.surfaces

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return self._native.joints

    # Text and files.

    def to_yaml(self) -> str:
        """The text of a scene file; comments and order of the file that it came from are kept."""
        return self._native.format()

    def write(self, file: Any) -> None:
        """Writes the scene file, whole or not at all."""
        self._native.write(checks.file_name("file", file))

    # A value: it copies, compares and pickles.

    def copy(self) -> "Scene":
        """An independent copy."""
        return Scene(self._native.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Scene":
        return self.copy()

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Scene):
            return NotImplemented
        return self.file == other.file and self.to_yaml() == other.to_yaml()

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {"version": PICKLE_VERSION, "text": self.to_yaml(), "file": self.file}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("version") != PICKLE_VERSION:
            raise InputError(
                f"the pickle has format {state.get('version')}, and this version of Ricochet reads {PICKLE_VERSION}.",
                "Load it with the version that wrote it, or read the scene again.",
            )
        self._native = _core.Scene.parse(state["text"], state["file"])

    def __repr__(self) -> str:
        name = f" {self.file!r}" if self.file else ""
        return f"<ricochet.Scene{name}: {', '.join(self.bodies)}; {len(self)} parameters>"


def as_scene(value: Any) -> Scene:
    """A scene from what a verb takes: a Scene, a file name, or a dict. Its parameters are checked together."""
    scene = value if isinstance(value, Scene) else Scene(value)
    scene.check()
    return scene
