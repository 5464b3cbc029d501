"""Ricochet: calibrated contact models from recorded motion.

    import ricochet

    scene = ricochet.Scene("box.yaml")
    est = ricochet.identify(scene, ["toss1.csv", "toss2.csv"], "contact.friction, contact.restitution")
    print(est.verdict, est["contact.friction"])
    est.check().scene.write("calibrated.yaml")

The words are those of the program: simulate, identify, identifiability, validate, predict, sweep, doctor, report, read
(import), calibrate_frame, reproduce, methods and parameters. Scenes, recordings and results are values: they copy, compare and pickle. SI units and
radians throughout.
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._base.errors import Cancelled, InputError, NumericsError, WorkerLost
from ._core import (
    CheckLevel,
    ContactRow,
    ContactScatter,
    SceneParameter,
    Verdict,
    VerdictLevel,
)
from ._data.bags import read_bag
from ._data.files import ImportedRecording, read, read_iam, read_urdf
from ._data.recording import Recording
from ._data.scene import Scene
from ._results.estimate import Estimate, LabeledMatrix, Parameter
from ._results.page import report
from ._simulator.rollout import Rollouts, rollout_batch
from ._simulator.simulator import Derivatives, Simulator
from ._verbs.calibrate_frame import FrameCalibration, calibrate_frame
from ._verbs.doctor import Examination, doctor
from ._verbs.identify import Identifiability, identifiability, identify
from ._verbs.methods import methods, parameters
from ._verbs.predict import Prediction, predict
from ._verbs.reproduce import Experiment, experiments, reproduce
from ._verbs.simulate import Simulation, simulate
from ._verbs.sweep import CostMap, sweep
from ._verbs.validate import Validation, validate

__version__ = _core.version()

__all__ = [
    "Cancelled",
    "CheckLevel",
    "ContactRow",
    "ContactScatter",
    "CostMap",
    "Derivatives",
    "Estimate",
    "Examination",
    "Experiment",
    "FrameCalibration",
    "Identifiability",
    "ImportedRecording",
    "InputError",
    "LabeledMatrix",
    "NumericsError",
    "Parameter",
    "Prediction",
    "Recording",
    "Rollouts",
    "Scene",
    "SceneParameter",
    "Simulation",
    "Simulator",
    "Validation",
    "Verdict",
    "VerdictLevel",
    "WorkerLost",
    "calibrate_frame",
    "doctor",
    "experiments",
    "identifiability",
    "identify",
    "methods",
    "parameters",
    "predict",
    "read",
    "read_bag",
    "read_iam",
    "read_urdf",
    "report",
    "reproduce",
    "rollout_batch",
    "simulate",
    "sweep",
    "validate",
]

# Pickles name classes by where they are imported from.
for _name in __all__:
    if isinstance(globals()[_name], type) and globals()[_name].__module__ != "ricochet._core":
        globals()[_name].__module__ = "ricochet"
del _name


def __getattr__(name: str) -> Any:
    """The adapters `ricochet.torch` and `ricochet.jax`, imported when they are first used."""
    if name in ("jax", "torch"):
        from importlib import import_module

        return import_module(f"ricochet.{name}")
    raise AttributeError(f"module 'ricochet' has no attribute {name!r}")
