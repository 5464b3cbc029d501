"""Scenes: read, built, changed, written."""

import copy
import pickle

import numpy as np
import pytest

import ricochet


def test_reads_sets_and_writes_by_path(example, tmp_path):
    scene = ricochet.Scene(example("ellipse_throw.yaml"))
    assert scene.planar and scene.bodies == ["ellipse"] and scene.method == "irc"
    scene["contact.friction"] = 0.45
    assert scene["contact.friction"] == 0.45
    scene["initial.ellipse.pose"] = np.array([1.0, 6.0, 0.1])
    assert scene["initial.ellipse.pose"].tolist() == [1.0, 6.0, 0.1]
    scene["initial.ellipse.pose[2]"] = "30 deg"
    assert scene["initial.ellipse.pose[2]"] == pytest.approx(np.pi / 6)
    scene.write(tmp_path / "changed.yaml")
    again = ricochet.Scene(tmp_path / "changed.yaml")
    assert again["contact.friction"] == 0.45
    assert "# Gabiccini" in again.to_yaml()  # comments are kept


def test_a_ratio_can_be_read(example):
    scene = ricochet.Scene(example("ellipse_throw.yaml"))
    assert scene["bodies.ellipse.inertia / bodies.ellipse.mass"] == 2 / 10


def test_one_built_from_keys_equals_one_read(tmp_path):
    parts = {
        "space": "planar",
        "gravity": np.array([0, -9.81]),
        "bodies": {"disk": {"shape": {"circle": {"radius": 0.05}}, "mass": 0.1}},
        "surfaces": {"table": {"line": {"point": (0, 0), "angle": 0}}},
        "contact": {"friction": 0.3, "restitution": np.float64(0.5)},
        "initial": {"disk": {"pose": [0, 0.4, 0], "velocity": [1, 0]}},
        "simulation": {"method": "event", "step": 1e-3, "duration": 0.5},
    }
    built = ricochet.Scene(parts)
    assert built == ricochet.Scene(**parts)
    built.write(tmp_path / "disk.yaml")
    read = ricochet.Scene(tmp_path / "disk.yaml")
    assert [p.value for p in built.parameters()] == [p.value for p in read.parameters()]
    assert ricochet.simulate(built).recording["y"].tolist() == ricochet.simulate(read).recording["y"].tolist()


def test_copies_compare_and_pickle(example):
    scene = ricochet.Scene(example("plywood_ellipse.yaml"))
    scene["contact.friction"] = 0.1 + 0.2
    for same in (scene.copy(), copy.copy(scene), copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
        assert same == scene
        assert [p.value for p in same.parameters()] == [p.value for p in scene.parameters()]
        same["contact.friction"] = 0.5
        assert same != scene
    assert scene["contact.friction"] == 0.1 + 0.2


def test_a_robot_description(tmp_path):
    (tmp_path / "arm.urdf").write_text(
        "<robot name='arm'><link name='base'/><link name='rod'><inertial><origin xyz='0 0 0.1'/><mass value='0.2'/>"
        "<inertia ixx='1e-3' iyy='1e-3' izz='1e-4' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<joint name='pivot' type='continuous'><parent link='base'/><child link='rod'/><axis xyz='0 1 0'/></joint></robot>"
    )
    scene = ricochet.Scene.from_urdf(tmp_path / "arm.urdf")
    assert scene.joints == ["pivot"] and scene["bodies.rod.mass"] == 0.2
    assert ricochet.read_urdf(tmp_path / "arm.urdf") == scene


def test_parameters_say_unit_and_bounds(example):
    scene = ricochet.Scene(example("ellipse_throw.yaml"))
    friction = scene.parameters("contact.friction")[0]
    assert (friction.unit, friction.lower, friction.given) == ("-", 0, True)
    assert "contact.friction" in scene and "contact.fricton" not in scene
    assert len(list(scene)) == len(scene) == len(scene.parameters())


def test_replace_leaves_the_scene_as_it_is(example):
    scene = ricochet.Scene(example("ellipse_throw.yaml"))
    other = scene.replace({"contact.friction": 0.9})
    assert (scene["contact.friction"], other["contact.friction"]) == (0.3, 0.9)
