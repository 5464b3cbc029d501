"""ROS bags, where rosbags is installed."""

import numpy as np
import pytest

import ricochet


@pytest.fixture
def bag(tmp_path):
    pytest.importorskip("rosbags")
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    types = store.types
    Header, Time = types["std_msgs/msg/Header"], types["builtin_interfaces/msg/Time"]
    Pose, Point, Quaternion = (types[f"geometry_msgs/msg/{each}"] for each in ("Pose", "Point", "Quaternion"))
    Stamped, Joints = types["geometry_msgs/msg/PoseStamped"], types["sensor_msgs/msg/JointState"]
    with Writer(tmp_path / "bag", version=9) as writer:
        poses = writer.add_connection("/box", Stamped.__msgtype__, typestore=store)
        joints = writer.add_connection("/joints", Joints.__msgtype__, typestore=store)
        for i in range(5):
            header = Header(stamp=Time(sec=100 + i, nanosec=500_000_000), frame_id="map")
            pose = Pose(position=Point(x=0.1 * i, y=1.0, z=2.0), orientation=Quaternion(x=0.0, y=0.0, z=0.0, w=1.0))
            state = Joints(
                header=header,
                name=["a", "b"],
                position=np.array([0.1 * i, 0.2]),
                velocity=np.array([1.0, 2.0]),
                effort=np.zeros(0),
            )
            writer.write(poses, i, store.serialize_cdr(Stamped(header=header, pose=pose), Stamped.__msgtype__))
            writer.write(joints, i, store.serialize_cdr(state, Joints.__msgtype__))
    return tmp_path / "bag"


def test_poses_and_joints(bag):
    box = ricochet.read_bag(bag, "/box")
    assert box.columns == ["x", "y", "z", "qw", "qx", "qy", "qz"] and box.time.tolist() == [0, 1, 2, 3, 4]
    assert box["x"] == pytest.approx(0.1 * np.arange(5)) and box["qw"].tolist() == [1] * 5
    joints = ricochet.read_bag(bag, "/joints")
    assert joints.columns == ["a.angle", "b.angle", "a.rate", "b.rate"] and joints["b.rate"].tolist() == [2] * 5


def test_topics_are_named(bag):
    with pytest.raises(ricochet.InputError, match="/box, /joints"):
        ricochet.read_bag(bag)
    with pytest.raises(ricochet.InputError, match="no such file"):
        ricochet.read_bag("none.bag")
