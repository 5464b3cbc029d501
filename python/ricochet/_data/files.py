"""read: recordings from files of many formats."""

from __future__ import annotations

import os
from typing import Any, Sequence

from .. import _core
from .._base import calls, checks
from .._base.errors import InputError
from .recording import Recording
from .scene import Scene


class ImportedRecording(Recording):
    """A recording with what was found and assumed on the way: format, unit, up, bodies, points, notes, warnings."""

    def __init__(self, native: _core.ImportedRecording) -> None:
        super().__init__(native.recording)
        self._keep(
            {
                "format": native.format,
                "unit": native.unit,
                "up": native.up,
                "bodies": native.bodies,
                "points": native.points,
                "notes": native.notes,
                "left_out": native.left_out,
                "warnings": native.warnings,
                "text": native.describe(),
            }
        )

    def _keep(self, found: dict[str, Any]) -> None:
        self._found = found

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__.get("_found", {})
        if name in found:
            return found[name]
        raise AttributeError(f"ImportedRecording has no attribute {name!r}")

    def describe(self) -> str:
        """What was imported, as `ricochet import` prints it."""
        return self._found["text"]

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "found": self._found}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._keep(state.get("found", {}))


def read(
    file: Any,
    format: str = "",
    *,
    unit: str = "",
    up: str = "",
    body: str = "",
    pivot: Sequence[float] = (0, 0, 0, 1, 0, 0, 0),
    angles: str = "",
    columns: str = "",
    rate: float | None = None,
    progress: calls.Progress = None,
) -> Recording:
    """Reads a recording: Ricochet's CSV, motion capture (Motive, Vicon, C3D, TRC, TUM), any table, NumPy, parquet, pickle.

    format -- the name of a format (docs/import.md); empty: by the content of the file
    unit, up, body, pivot, angles, columns, rate -- what the file does not state; as `ricochet import` has them

    Several bodies of one file have columns `body.x`, ...; `read_bag` reads ROS bags.

    >>> import ricochet
    >>> ricochet.read(example("recordings/plywood_240fps.csv")).columns[:3]
    ['x', 'y', 'theta']
    """
    name = checks.file_name("file", file)
    format = checks.text("format", format)
    options = (unit, up, body, angles, columns)
    plain = not format and not any(options) and rate is None
    suffix = os.path.splitext(name)[1].lower()
    if plain and suffix in (".parquet", ".pq"):
        import pandas

        return Recording(pandas.read_parquet(name), name=name)
    if plain and suffix in (".pkl", ".pickle"):
        return _read_pickle(name)
    if plain and _is_recording(name):
        return Recording(_core.Recording.read(name))
    pivot = [checks.number("pivot", each) for each in pivot]
    if len(pivot) != 7:
        raise InputError(f"{len(pivot)} numbers are not a pose.", "Give x, y, z, qw, qx, qy, qz.", path="pivot")
    texts = [checks.text(key, value) for key, value in zip(("unit", "up", "body", "angles", "columns"), options)]
    unit, up, body, angles, columns = texts
    native = _core.import_recording(
        name,
        format,
        unit,
        up,
        body,
        pivot,
        angles,
        columns,
        0.0 if rate is None else checks.positive("rate", rate),
        calls.settings(progress=progress),
    )
    return ImportedRecording(native)


def _is_recording(name: str) -> bool:
    """Whether the file is a CSV with Ricochet's header: `t` first."""
    try:
        with open(name, encoding="utf-8", errors="replace") as lines:
            return lines.readline(4096).split(",")[0].strip() == "t"
    except OSError:
        return True  # the reader says what is wrong


def _read_pickle(name: str) -> Recording:
    """A rollout of arrays in a pickle: a dict, a DataFrame or a Recording. Only open pickles that you trust."""
    import pickle

    with open(name, "rb") as stream:
        data = pickle.load(stream)
    return data if isinstance(data, Recording) else Recording(data, name=name)


def read_urdf(file: Any, *, floating: bool = False) -> Scene:
    """A scene from a robot description; the same as Scene.from_urdf.

    >>> import ricochet
    >>> with open("disk.urdf", "w") as file:
    ...     _ = file.write(
    ...         "<robot name='disk'><link name='disk'><inertial><mass value='1'/>"
    ...         "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>"
    ...     )
    >>> ricochet.read_urdf("disk.urdf", floating=True).bodies
    ['disk']
    """
    return Scene.from_urdf(file, floating)


def read_iam(
    file: Any, *, body: str = "", surface: str = "", belt: Sequence[float] = (0, 0, 0)
) -> tuple[Scene, list[Recording]]:
    """The scene and the recordings of an archive of the Impact-Aware Robotics database (HDF5)."""
    belt = [checks.number("belt", each) for each in belt]
    if len(belt) != 3:
        raise InputError(f"{len(belt)} numbers are not a velocity.", "Give x, y and z.", path="belt")
    archive = _core.import_iam(
        checks.file_name("file", file), checks.text("body", body), checks.text("surface", surface), belt
    )
    recordings = []
    for entry in archive.recordings:
        recording = Recording(entry.recording)
        recording.name = entry.name
        recordings.append(recording)
    return Scene(archive.scene), recordings
