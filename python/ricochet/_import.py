"""read: recordings from files of many formats."""

from __future__ import annotations

import os
from typing import Any, Iterable, Sequence

import numpy as np

from . import _arguments, _call, _core
from ._errors import InputError
from ._recording import Recording
from ._scene import Scene


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
    progress: _call.Progress = None,
) -> Recording:
    """Reads a recording: Ricochet's CSV, motion capture (Motive, Vicon, C3D, TRC, TUM), any table, NumPy, parquet, pickle.

    format -- the name of a format (docs/import.md); empty: by the content of the file
    unit, up, body, pivot, angles, columns, rate -- what the file does not state; as `ricochet import` has them

    Several bodies of one file have columns `body.x`, ...; `read_bag` reads ROS bags.

    >>> import ricochet
    >>> ricochet.read(example("recordings/plywood_240fps.csv")).columns[:3]
    ['x', 'y', 'theta']
    """
    name = _arguments.file_name("file", file)
    format = _arguments.text("format", format)
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
    pivot = [_arguments.number("pivot", each) for each in pivot]
    if len(pivot) != 7:
        raise InputError(f"{len(pivot)} numbers are not a pose.", "Give x, y, z, qw, qx, qy, qz.", path="pivot")
    texts = [_arguments.text(key, value) for key, value in zip(("unit", "up", "body", "angles", "columns"), options)]
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
        0.0 if rate is None else _arguments.positive("rate", rate),
        _call.settings(progress=progress),
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
    """A scene from a robot description; the same as Scene.from_urdf."""
    return Scene.from_urdf(file, floating)


def read_iam(
    file: Any, *, body: str = "", surface: str = "", belt: Sequence[float] = (0, 0, 0)
) -> tuple[Scene, list[Recording]]:
    """The scene and the recordings of an archive of the Impact-Aware Robotics database (HDF5)."""
    belt = [_arguments.number("belt", each) for each in belt]
    if len(belt) != 3:
        raise InputError(f"{len(belt)} numbers are not a velocity.", "Give x, y and z.", path="belt")
    archive = _core.import_iam(
        _arguments.file_name("file", file), _arguments.text("body", body), _arguments.text("surface", surface), belt
    )
    recordings = []
    for entry in archive.recordings:
        recording = Recording(entry.recording)
        recording.name = entry.name
        recordings.append(recording)
    return Scene(archive.scene), recordings


#: Where a message of ROS has its pose, by the name of its type.
_POSES = {
    "geometry_msgs/msg/PoseStamped": lambda message: message.pose,
    "geometry_msgs/msg/PoseWithCovarianceStamped": lambda message: message.pose.pose,
    "nav_msgs/msg/Odometry": lambda message: message.pose.pose,
}


def _seconds(stamp: Any) -> float:
    return stamp.sec + 1e-9 * stamp.nanosec


def _pose_columns(messages: Iterable[Any], pose: Any) -> dict[str, np.ndarray]:
    rows = []
    for message in messages:
        p, q = pose(message).position, pose(message).orientation
        rows.append((_seconds(message.header.stamp), p.x, p.y, p.z, q.w, q.x, q.y, q.z))
    return dict(zip(("t", "x", "y", "z", "qw", "qx", "qy", "qz"), np.array(rows, dtype=float).T))


def _transform_columns(messages: Iterable[Any], child: str) -> dict[str, np.ndarray]:
    rows = []
    for message in messages:
        for each in message.transforms:
            if each.child_frame_id == child:
                p, q = each.transform.translation, each.transform.rotation
                rows.append((_seconds(each.header.stamp), p.x, p.y, p.z, q.w, q.x, q.y, q.z))
    return dict(zip(("t", "x", "y", "z", "qw", "qx", "qy", "qz"), np.array(rows, dtype=float).T))


def _joint_columns(messages: Iterable[Any]) -> dict[str, np.ndarray]:
    rows: list[list[float]] = []
    names: list[str] = []
    for message in messages:
        if not names:
            names = list(message.name)
        rows.append([_seconds(message.header.stamp), *message.position, *message.velocity])
    columns = np.array(rows, dtype=float).T
    kinds = ["angle"] * len(names) + (["rate"] * len(names) if len(columns) > len(names) + 1 else [])
    keys = ["t", *(f"{name}.{kind}" for name, kind in zip(names * 2, kinds))]
    return dict(zip(keys, columns))


def read_bag(file: Any, topic: str = "", *, child_frame: str = "") -> Recording:
    """Reads one topic of a ROS bag (ROS 1, ROS 2, MCAP) with the package `rosbags`.

    Topics of poses (PoseStamped, Odometry), transforms (TFMessage with `child_frame`) and joints (JointState) can be
    read. Times are those of the headers, from the first message on.
    """
    try:
        from rosbags.highlevel import AnyReader
    except ImportError:
        raise ImportError("read_bag needs the package rosbags: pip install rosbags") from None
    from pathlib import Path

    name = _arguments.file_name("file", file)
    if not os.path.exists(name):
        raise InputError("cannot be read: there is no such file.", "Check the name.", file=name)
    with AnyReader([Path(name)]) as reader:
        known = {
            each.topic: each
            for each in reader.connections
            if each.msgtype in _POSES or each.msgtype in ("sensor_msgs/msg/JointState", "tf2_msgs/msg/TFMessage")
        }
        if not topic and len(known) == 1:
            topic = next(iter(known))
        if topic not in known:
            raise InputError(
                f"there is no topic `{topic}` with poses or joints." if topic else "several topics can be read.",
                f"Topics are {', '.join(sorted(known)) or 'none'}.",
                path="topic",
                file=name,
            )
        connection = known[topic]
        messages = (
            reader.deserialize(raw, connection.msgtype) for _, _, raw in reader.messages(connections=[connection])
        )
        if connection.msgtype in _POSES:
            columns = _pose_columns(messages, _POSES[connection.msgtype])
        elif connection.msgtype == "sensor_msgs/msg/JointState":
            columns = _joint_columns(messages)
        else:
            columns = _transform_columns(messages, child_frame)
    if not columns:
        raise InputError("the topic has no messages.", "Choose another topic or child_frame.", path="topic", file=name)
    columns["t"] = columns["t"] - columns["t"][0]
    return Recording(columns, name=name)
