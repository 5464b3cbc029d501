"""Scenes and recordings that the tests share."""

from __future__ import annotations

import os
import pathlib

import numpy as np
import pytest

import ricochet

ROOT = pathlib.Path(__file__).resolve().parents[2]


def example_file(name: str) -> str:
    """A file of examples/."""
    return str(ROOT / "examples" / name)


@pytest.fixture(autouse=True)
def examples_in_doctests(doctest_namespace):
    doctest_namespace["example"] = example_file


@pytest.fixture(scope="session")
def example():
    return example_file


@pytest.fixture(scope="session")
def program() -> str:
    """The program of the same build."""
    found = os.environ.get("RICOCHET_PROGRAM")
    if not found or not os.path.exists(found):
        pytest.skip("RICOCHET_PROGRAM does not name the program")
    return found


def toss_scene() -> ricochet.Scene:
    """A parcel that is thrown onto the floor."""
    return ricochet.Scene(
        space="spatial",
        gravity=[0, 0, -9.81],
        bodies={"box": {"shape": {"box": {"size": [0.2, 0.15, 0.1]}}, "mass": 0.5}},
        surfaces={"floor": {"plane": {"point": [0, 0, 0], "normal": [0, 0, 1]}}},
        contact={"friction": 0.35, "restitution": 0.2},
        initial={
            "box": {
                "position": [0, 0, 0.5],
                "orientation": [1, 0.1, 0.2, 0],
                "velocity": [1, 0.2, 1],
                "angular_velocity": [1, 4, 2],
            }
        },
        simulation={"method": "moreau", "step": 2e-3, "duration": 1.6},
    )


def make_tosses(count: int, seed: int = 5) -> list[ricochet.Recording]:
    """Recordings of tosses with different releases."""
    generator = np.random.default_rng(seed)
    scene = toss_scene()
    tosses = []
    for i in range(count):
        thrown = scene.replace(
            {
                "initial.box.velocity": scene["initial.box.velocity"] + generator.normal(0, 0.2, 3),
                "initial.box.angular_velocity": scene["initial.box.angular_velocity"] + generator.normal(0, 1, 3),
            }
        )
        run = ricochet.simulate(thrown, rate=250, noise_position=3e-4, noise_angle=2e-3, seed=seed * 1000 + i)
        run.recording.name = f"toss{i}.csv"
        tosses.append(run.recording)
    return tosses


@pytest.fixture(scope="session")
def toss() -> ricochet.Scene:
    return toss_scene()


@pytest.fixture(scope="session")
def tosses() -> list[ricochet.Recording]:
    return make_tosses(6)


@pytest.fixture(scope="session")
def throw(example) -> ricochet.Recording:
    """A recording of a thrown ellipse."""
    run = ricochet.simulate(example("plywood_ellipse.yaml"), rate=240, noise_position=1e-3, noise_angle=1e-3, seed=4)
    run.recording.name = "throw.csv"
    return run.recording
