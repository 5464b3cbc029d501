"""Ricochet: calibrated contact models from recorded motion.

    import ricochet

    scene = ricochet.Scene("box.yaml")
    est = ricochet.identify(scene, ["toss1.csv", "toss2.csv"], "contact.friction, contact.restitution")
    print(est.verdict, est["contact.friction"])
    est.check().scene.write("calibrated.yaml")

The words are those of the program: simulate, identify, identifiability, validate, predict, sweep, doctor, report, read
(import), methods and parameters. Scenes, recordings and results are values: they copy, compare and pickle. SI units and
radians throughout.
"""

from __future__ import annotations

from . import _core
from ._core import (
    CheckLevel,
    ContactRow,
    ContactScatter,
    SceneParameter,
    Verdict,
    VerdictLevel,
)
from ._doctor import Examination, doctor
from ._errors import Cancelled, InputError, NumericsError, WorkerLost
from ._estimate import Estimate, LabeledMatrix, Parameter
from ._identify import Identifiability, identifiability, identify
from ._import import ImportedRecording, read, read_bag, read_iam, read_urdf
from ._methods import methods, parameters
from ._predict import Prediction, predict
from ._recording import Recording
from ._report import report
from ._rollout import Rollouts, rollout_batch
from ._scene import Scene
from ._simulate import Simulation, simulate
from ._simulator import Derivatives, Simulator
from ._sweep import CostMap, sweep
from ._validate import Validation, validate

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
    "doctor",
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
    "rollout_batch",
    "simulate",
    "sweep",
    "validate",
]
