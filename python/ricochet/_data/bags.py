"""read_bag: recordings from ROS bags and MCAP files."""

from __future__ import annotations

import os
from typing import Any, Iterable

import numpy as np

from .._base import checks
from .._base.errors import InputError
from .recording import Recording

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

    name = checks.file_name("file", file)
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
