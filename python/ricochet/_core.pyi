"""The public C++ API of Ricochet. Use the package `ricochet`."""

from collections.abc import Mapping, Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray

from ricochet._base.values import (
    _record_copy as __copy__,
    _record_copy as __deepcopy__,
    _record_dict as to_dict,
    _record_equal as __eq__,
    _record_reduce as __reduce__,
    _record_repr as __repr__
)


def version() -> str:
    """Version of the library."""

def commit() -> str:
    """Commit that the library was built from."""

class SocketRanks:
    """Processes that share the work of a call."""

    def __init__(self, rank: int, count: int, sockets: Sequence[int]) -> None: ...

    @property
    def lost(self) -> bool: ...

class CallSettings:
    """How a call runs: threads, seed and progress."""

    def __init__(self, threads: int = 0, seed: int = 0, progress: object | None = None, ranks: SocketRanks | None = None) -> None: ...

class SceneParameter:
    """A parameter of a scene."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def path(self) -> str:
        """Its address: "contact.friction"."""

    @property
    def value(self) -> float:
        """In `unit`."""

    @property
    def unit(self) -> str:
        """"-" for none."""

    @property
    def lower(self) -> float:
        """Smallest value that it can have; -inf: no bound."""

    @property
    def upper(self) -> float:
        """Largest value that it can have; inf: no bound."""

    @property
    def given(self) -> bool:
        """Written in the scene, or set since; False: a default or derived value."""

    @property
    def line(self) -> int:
        """Line of the scene file; 0: not in the file."""

    __hash__: None = None

class Scene:
    """Bodies, surfaces, joints, contact laws, start, loads and sensors."""

    @staticmethod
    def parse(text: str, name: str = '') -> Scene: ...

    @staticmethod
    def read(file: str) -> Scene: ...

    def copy(self) -> Scene: ...

    def parameters(self, paths: str = '') -> list[SceneParameter]: ...

    def set(self, pattern: str, values: Sequence[float]) -> None: ...

    def set_from_text(self, assignment: str) -> None: ...

    def check(self) -> None: ...

    def format(self) -> str: ...

    def write(self, file: str) -> None: ...

    @property
    def file(self) -> str: ...

    @file.setter
    def file(self, arg: str, /) -> None: ...

    @property
    def planar(self) -> bool: ...

    @property
    def method(self) -> str: ...

    @property
    def bodies(self) -> list[str]: ...

    @property
    def surfaces(self) -> list[str]: ...

    @property
    def joints(self) -> list[str]: ...

class Recording:
    """A table of measurements over time."""

    @staticmethod
    def read(file: str) -> Recording: ...

    @staticmethod
    def parse(text: str, name: str = '') -> Recording: ...

    @staticmethod
    def from_columns(time: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], names: Sequence[str], values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], file: str = '') -> Recording: ...

    @staticmethod
    def check_columns(time: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], names: Sequence[str], values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def format(self) -> str: ...

    def write(self, file: str) -> None: ...

    @property
    def file(self) -> str: ...

    @file.setter
    def file(self, arg: str, /) -> None: ...

    @property
    def lines(self) -> list[int]: ...

    @lines.setter
    def lines(self, arg: Sequence[int], /) -> None: ...

    @property
    def columns(self) -> list[str]: ...

    def time_view(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    def column_view(self, arg: int, /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

class ImportedRecording:
    """A recording with what was found and assumed on the way."""

    @property
    def recording(self) -> Recording: ...

    @property
    def format(self) -> str: ...

    @property
    def rate(self) -> float: ...

    @property
    def bodies(self) -> list[str]: ...

    @property
    def points(self) -> list[str]: ...

    @property
    def unit(self) -> str: ...

    @property
    def up(self) -> str: ...

    @property
    def notes(self) -> list[str]: ...

    @property
    def left_out(self) -> list[str]: ...

    @property
    def warnings(self) -> list[str]: ...

    def describe(self) -> str: ...

    def format_json(self) -> str: ...

def recognize_format(file: str) -> str: ...

def import_recording(file: str, format: str, unit: str, up: str, body: str, pivot: Sequence[float], angles: str, columns: str, rate: float, call: CallSettings) -> ImportedRecording: ...

def import_urdf(file: str, floating: bool) -> Scene: ...

class ArchiveEntry:
    """A recording of an archive."""

    @property
    def name(self) -> str: ...

    @property
    def recording(self) -> Recording: ...

class ImportedArchive:
    """The recordings of an archive and their scene."""

    @property
    def body(self) -> str: ...

    @property
    def scene(self) -> Scene: ...

    @property
    def recordings(self) -> list[ArchiveEntry]: ...

    @property
    def notes(self) -> list[str]: ...

def import_iam(file: str, body: str, surface: str, belt: Sequence[float]) -> ImportedArchive: ...

class MethodOption:
    """An option of a stepper or estimator."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def name(self) -> str:
        """Name of the option."""

    @property
    def help(self) -> str:
        """What it does, in one line."""

    @property
    def unit(self) -> str:
        """Of a number; empty for none."""

    @property
    def values_text(self) -> str:
        """What it takes, in words."""

    @property
    def default_text(self) -> str:
        """Its default, in words."""

    __hash__: None = None

class MethodInfo:
    """A stepper or an estimator."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def name(self) -> str:
        """Name: "moreau", "trajectory"."""

    @property
    def summary(self) -> str:
        """What it is for, in one line."""

    @property
    def paper(self) -> str:
        """Where it was published."""

    @property
    def capabilities(self) -> list[str]:
        """What it can handle."""

    @property
    def options(self) -> list[MethodOption]:
        """Its options."""

    __hash__: None = None

def list_steppers() -> list[MethodInfo]: ...

def list_estimators() -> list[MethodInfo]: ...

def format_methods() -> str: ...

class SimulationSummary:
    """How a simulation went."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def method(self) -> str:
        """The stepper."""

    @property
    def step(self) -> float:
        """[s]"""

    @property
    def steps(self) -> int:
        """Steps that were taken."""

    @property
    def duration(self) -> float:
        """Simulated time [s]."""

    @property
    def kinetic_start(self) -> float:
        """Kinetic energy at the start [J]."""

    @property
    def kinetic_end(self) -> float:
        """Kinetic energy at the end [J]."""

    @property
    def potential_start(self) -> float:
        """Potential energy at the start [J]."""

    @property
    def potential_end(self) -> float:
        """Potential energy at the end [J]."""

    @property
    def dissipated(self) -> float:
        """Energy taken by contacts and joints [J]."""

    @property
    def gained(self) -> float:
        """Energy that contacts on resting surfaces added [J]."""

    @property
    def gaining_steps(self) -> int:
        """Steps in which they added energy."""

    @property
    def contact_steps(self) -> int:
        """Steps with a closed contact."""

    @property
    def largest_residual(self) -> float:
        """Of the contact problems, relative."""

    @property
    def deepest_penetration(self) -> float:
        """[m]"""

    @property
    def retried_steps(self) -> int:
        """Steps solved by a fall-back of the solver or in halves."""

    @property
    def patches(self) -> bool:
        """The stepper distinguishes point, line and surface contact."""

    @property
    def fallbacks(self) -> list[int]:
        """Retried steps by the fall-back that solved them."""

    @property
    def kinds(self) -> list[int]:
        """Contacts of kind point, line, surface over all steps."""

    @property
    def failed_steps(self) -> int:
        """Steps whose contact problem was not solved to tolerance."""

    @property
    def first_failure(self) -> float:
        """Time of the first of them [s]."""

    @property
    def seconds(self) -> float:
        """Computing time."""

    def describe(self) -> str: ...

    def format_json(self) -> str: ...

    __hash__: None = None

class ContactRow:
    """
    A closed contact of one step. Impulses act on the first body of the pair.
    """

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def time(self) -> float:
        """End of the step [s]."""

    @property
    def pair(self) -> str:
        """"body/surface\""""

    @property
    def contact(self) -> int:
        """Number of the vertex, or 0."""

    @property
    def gap(self) -> float:
        """Negative in penetration [m]."""

    @property
    def normal_impulse(self) -> float:
        """[N s]"""

    @property
    def tangential_impulse(self) -> list[float]:
        """Planar: along the tangent in entry 0 [N s]."""

    @property
    def point(self) -> list[float]:
        """In the world [m]."""

    @property
    def slides(self) -> bool:
        """Otherwise it sticks."""

    @property
    def torsional_impulse(self) -> float:
        """About the normal [N m s]."""

    @property
    def kind(self) -> str:
        """"point", "line", "surface"; empty for most steppers."""

    @property
    def active_facets(self) -> int:
        """Of the first body."""

    @property
    def body_point(self) -> list[float]:
        """The point in the frame of the body [m]."""

    @property
    def other_point(self) -> list[float]:
        """The point in the frame of the other body or surface [m]."""

    __hash__: None = None

class SimulationResult:
    """Motion, contacts and summary of a simulation."""

    @property
    def recording(self) -> Recording: ...

    @property
    def contacts(self) -> list[ContactRow]: ...

    @property
    def summary(self) -> SimulationSummary: ...

def simulate(scene: Scene, method: str, step: float | None, duration: float | None, rate: float | None, noise_position: float, noise_angle: float, inputs: Recording | None, call: CallSettings) -> SimulationResult: ...

class JointState:
    """Coordinate and rate of a hinge or slider."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def coordinate(self) -> float:
        """[rad] or [m]"""

    @property
    def rate(self) -> float:
        """[rad/s] or [m/s]"""

    __hash__: None = None

class StepReport:
    """How the last step went."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def solved(self) -> bool:
        """The contact problem was solved to tolerance."""

    @property
    def residual(self) -> float:
        """Of the contact problem, relative."""

    @property
    def dissipated(self) -> float:
        """Energy taken by contacts and joints in this step [J]."""

    @property
    def attempts(self) -> int:
        """1: solved at the first attempt."""

    __hash__: None = None

class MotionDerivatives:
    """Derivatives of an end state in tangent coordinates."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def by_start(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """With respect to the start state."""

    @property
    def by_inputs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """With respect to the motor inputs."""

    @property
    def by_parameters(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """With respect to the parameters, in the order of their paths."""

    __hash__: None = None

class Simulator:
    """A simulation that is driven step by step."""

    def __init__(self, scene: Scene, method: str, step: float | None, inputs: Recording | None) -> None: ...

    def copy(self) -> Simulator: ...

    def step(self) -> bool: ...

    def step_with(self, arg: Sequence[float], /) -> bool: ...

    def advance_to(self, arg: float, /) -> bool: ...

    def reset(self) -> None: ...

    @property
    def time(self) -> float: ...

    @property
    def step_size(self) -> float: ...

    @property
    def inputs(self) -> list[str]: ...

    @property
    def state_size(self) -> int: ...

    @property
    def tangent_size(self) -> int: ...

    def state(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    def set_state(self, state: Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], time: float | None) -> None: ...

    def body(self, arg: str, /) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]: ...

    def set_body(self, arg0: str, arg1: Sequence[float], arg2: Sequence[float], /) -> None: ...

    def joint(self, arg: str, /) -> JointState: ...

    def set_joint(self, arg0: str, arg1: float, arg2: float, /) -> None: ...

    def plus(self, arg0: Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    def minus(self, arg0: Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], /) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    def contacts(self) -> list[ContactRow]: ...

    @property
    def last_step(self) -> StepReport: ...

    @property
    def kinetic_energy(self) -> float: ...

    @property
    def potential_energy(self) -> float: ...

    def differentiate_step(self, paths: str = '') -> MotionDerivatives: ...

    def track_derivatives(self, paths: str = '') -> None: ...

    def tracked_derivatives(self) -> MotionDerivatives: ...

def roll_out(scene: Scene, paths: str, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None, None), writable=False)], starts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), writable=False)], method: str, step: float | None, duration: float | None, every: int, inputs: Recording | None, derivatives: bool, call: CallSettings) -> dict: ...

class EstimatedTerm:
    """A summand of a sum that the data identify."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def path(self) -> str:
        """Path of the scene, a ratio or a product."""

    @property
    def factor(self) -> float:
        """That it is multiplied by, as the data determine it."""

    __hash__: None = None

class EstimatedParameter:
    """An estimated parameter."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def path(self) -> str:
        """"contact.friction", "bodies.e.inertia/bodies.e.mass\""""

    @property
    def terms(self) -> list[EstimatedTerm]:
        """
        Of a sum, whose path is only its name; a scene takes it by its first term.
        """

    @property
    def value(self) -> float | None:
        """In `unit`; None where the data do not identify it."""

    @property
    def std(self) -> float | None:
        """Standard deviation; None where there is none."""

    @property
    def unit(self) -> str:
        """"-" for none."""

    @property
    def identifiable(self) -> bool:
        """Whether the data identify it."""

    @property
    def lower(self) -> float | None:
        """One-sided limit at 95 %."""

    @property
    def upper(self) -> float | None:
        """One-sided limit at 95 %."""

    @property
    def combination(self) -> str:
        """What is identifiable instead, or why this is not."""

    @property
    def start(self) -> float:
        """Value in the scene that was given."""

    __hash__: None = None

class RecordingUse:
    """What became of one recording."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def file(self) -> str:
        """Its name."""

    @property
    def used(self) -> bool:
        """False: excluded."""

    @property
    def reason(self) -> str:
        """Why it is excluded, or what was found in it."""

    @property
    def rows(self) -> int:
        """Number of rows."""

    @property
    def rejected_rows(self) -> int:
        """Rows rejected as outliers."""

    @property
    def chi2_per_dof(self) -> float | None:
        """1 where the model explains the recording up to noise."""

    @property
    def noise_position(self) -> float | None:
        """[m], as used."""

    @property
    def noise_angle(self) -> float | None:
        """[rad], as used."""

    __hash__: None = None

class EstimatedImpulse:
    """An impact or interval of contact of the fitted motion."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def recording(self) -> int:
        """Number of the recording, from 0."""

    @property
    def time(self) -> float:
        """[s]"""

    @property
    def duration(self) -> float:
        """[s]; 0: an impact."""

    @property
    def pair(self) -> str:
        """"body/surface\""""

    @property
    def contact(self) -> int:
        """Number of the vertex, or 0."""

    @property
    def normal(self) -> float:
        """[N s]; for the scene's mass where only ratios are identifiable."""

    @property
    def tangential(self) -> float:
        """[N s]"""

    @property
    def slides(self) -> bool:
        """Otherwise it sticks."""

    @property
    def tangential_xy(self) -> list[float] | None:
        """Spatial: in the axes of the surface [N s]."""

    @property
    def point(self) -> list[float] | None:
        """Spatial: of the contact, in the scene [m]."""

    __hash__: None = None

class ImpactRestitution:
    """Restitution of one impact."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def recording(self) -> int:
        """Number of the recording, from 0."""

    @property
    def time(self) -> float | None:
        """[s]"""

    @property
    def value(self) -> float | None:
        """None where it is not identifiable."""

    @property
    def std(self) -> float | None:
        """Standard deviation."""

    __hash__: None = None

class EstimatedJoint:
    """A joint of the fitted motion, as a sensor shows it."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def name(self) -> str:
        """Name of the joint."""

    @property
    def angle(self) -> list[float]:
        """[rad]; of a slider [m]."""

    @property
    def rate(self) -> list[float]:
        """[rad/s]; of a slider [m/s]."""

    __hash__: None = None

class EstimatedMotion:
    """Fitted motion at the rows of a recording."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def recording(self) -> int:
        """Number of the recording, from 0."""

    @property
    def time(self) -> list[float]:
        """[s]"""

    @property
    def pose(self) -> list[list[float]]:
        """
        Per row: planar x, y, theta; spatial x, y, z, qw, qx, qy, qz per moving body.
        """

    @property
    def joints(self) -> list[EstimatedJoint]:
        """Of a mechanism."""

    __hash__: None = None

class EstimatedProfile:
    """Profile likelihood of one parameter."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def path(self) -> str:
        """Of the parameter."""

    @property
    def unit(self) -> str:
        """"-" for none."""

    @property
    def value(self) -> list[float]:
        """Values at which the parameter was held, ascending."""

    @property
    def deviance(self) -> list[float]:
        """Excess of twice the negative log-likelihood over its least."""

    @property
    def lower(self) -> float | None:
        """Of the 95 % interval."""

    @property
    def upper(self) -> float | None:
        """Of the 95 % interval."""

    @property
    def words(self) -> str:
        """One sentence."""

    __hash__: None = None

class EstimatedInformation:
    """What the residuals say about the parameters with all else free."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def rank(self) -> int:
        """Of the effect of the parameters on the residuals."""

    @property
    def size(self) -> int:
        """Number of parameters."""

    @property
    def null_space(self) -> str:
        """Directions without effect, in words."""

    __hash__: None = None

class EstimatedBootstrap:
    """Repetitions of the bootstrap that gave a fit."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def kind(self) -> str:
        """What was drawn: data of the model, or recordings."""

    @property
    def paths(self) -> list[str]:
        """Parameters that each repetition estimates."""

    @property
    def values(self) -> list[list[float]]:
        """Theirs, per repetition."""

    __hash__: None = None

class HeldOutRecording:
    """A recording that a fold of the cross-validation left out."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def recording(self) -> int:
        """Number of the recording, from 0."""

    @property
    def fold(self) -> int:
        """Number of the fold, from 0."""

    @property
    def residual_over_noise(self) -> float | None:
        """Root mean square; None where no motion was found."""

    __hash__: None = None

class EstimatedCrossValidation:
    """k-fold cross-validation."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def folds(self) -> int:
        """Number of folds."""

    @property
    def residual_over_noise(self) -> float | None:
        """Root mean square over all recordings left out."""

    @property
    def paths(self) -> list[str]:
        """Parameters that each fold estimates."""

    @property
    def values(self) -> list[list[float]]:
        """Theirs, per fold; empty where the search failed."""

    @property
    def recordings(self) -> list[HeldOutRecording]:
        """One entry per recording left out."""

    __hash__: None = None

class Explanation:
    """A held parameter that would explain what the fit leaves."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def path(self) -> str:
        """Of the parameter."""

    @property
    def value(self) -> list[float]:
        """That it would have, one entry per coordinate."""

    @property
    def std(self) -> list[float]:
        """Standard deviations of these."""

    @property
    def unit(self) -> str:
        """"-" for none."""

    @property
    def residual_over_noise(self) -> float | None:
        """That would be left."""

    @property
    def p_value(self) -> float:
        """Of an improvement that large by chance."""

    @property
    def shift(self) -> float:
        """Largest change of an estimated parameter, in its standard deviations."""

    @property
    def command(self) -> str:
        """What to request to estimate it."""

    __hash__: None = None

class VerdictLevel(enum.Enum):
    """How far an estimate can be trusted."""

    GOOD = 0

    LIMITED = 1

    REJECTED = 2

class Verdict:
    """Whether to believe an estimate, and why."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def level(self) -> VerdictLevel:
        """GOOD, LIMITED or REJECTED."""

    @property
    def reasons(self) -> list[str]:
        """The first is the headline."""

    @property
    def residual_over_noise(self) -> float | None:
        """1 where the model explains the data."""

    @property
    def p_value(self) -> float | None:
        """Of residuals that large by chance."""

    @property
    def explanations(self) -> list[Explanation]:
        """Held parameters that would explain what is left, best first."""

    def __str__(self) -> str: ...

    __hash__: None = None

class OptimizerStage:
    """Optimization trace of one stage of the fit."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def name(self) -> str:
        """What was fitted."""

    @property
    def cost(self) -> list[float]:
        """At the start, then after every step."""

    @property
    def step(self) -> list[float]:
        """Length of each step, 0 first."""

    __hash__: None = None

class EstimateInput:
    """A file or recording that a result was computed from."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def name(self) -> str:
        """Of the file; "recording 2" for one in memory."""

    @property
    def hash(self) -> str:
        """SHA-256 of its content."""

    __hash__: None = None

class Interval:
    """An interval of a parameter."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def lower(self) -> float | None:
        """None: no limit."""

    @property
    def upper(self) -> float | None:
        """None: no limit."""

    __hash__: None = None

class Estimate:
    """Parameters with their covariance, and the evidence."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def parameters(self) -> list[EstimatedParameter]:
        """In the order in which they were requested."""

    @property
    def covariance(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='F')]:
        """In that order; NaN where there is no value."""

    @property
    def method(self) -> str:
        """The estimator."""

    @property
    def choice(self) -> str:
        """Why this one."""

    @property
    def verdict(self) -> Verdict:
        """Whether to believe the values."""

    @property
    def converged(self) -> bool:
        """The optimizer reached a minimum."""

    @property
    def cost(self) -> float:
        """At the end of the search."""

    @property
    def chi2_per_dof(self) -> float | None:
        """1 where the model explains the data up to noise."""

    @property
    def iterations(self) -> int:
        """Of the search."""

    @property
    def seconds(self) -> float:
        """Computing time."""

    @property
    def warnings(self) -> list[str]:
        """What to know before using the values."""

    @property
    def log(self) -> list[str]:
        """Every choice made on the way."""

    @property
    def recordings(self) -> list[RecordingUse]:
        """What became of each recording."""

    @property
    def inputs(self) -> list[EstimateInput]:
        """The scene, then the recordings, with hashes."""

    @property
    def version(self) -> str:
        """Of the library."""

    @property
    def impulses(self) -> list[EstimatedImpulse]:
        """Impacts and contacts of the fitted motion."""

    @property
    def impact_restitutions(self) -> list[ImpactRestitution]:
        """Where each impact has its own."""

    @property
    def bootstrap(self) -> EstimatedBootstrap | None:
        """Where `bootstrap` requests it."""

    @property
    def profiles(self) -> list[EstimatedProfile]:
        """Where `profiles` requests them."""

    @property
    def information(self) -> EstimatedInformation | None:
        """Where `information` requests it."""

    @property
    def cross_validation(self) -> EstimatedCrossValidation | None:
        """Where `folds` requests it."""

    @property
    def motions(self) -> list[EstimatedMotion]:
        """Fitted motion per recording."""

    @property
    def trace(self) -> list[OptimizerStage]:
        """Optimization trace of the fit that won."""

    @staticmethod
    def read(file: str) -> Estimate: ...

    @staticmethod
    def parse(text: str, name: str = '') -> Estimate: ...

    def write(self, file: str) -> None: ...

    def format_json(self) -> str: ...

    def describe(self) -> str: ...

    def describe_explanations(self) -> str: ...

    def at(self, arg: str, /) -> EstimatedParameter: ...

    def interval(self, path: str, level: float = 0.95) -> Interval: ...

    __hash__: None = None

def apply(scene: Scene, estimate: Estimate) -> Scene: ...

class IdentifyOptions:
    """How to identify."""

    def __init__(self, method: str, bootstrap: int, profiles: Sequence[str], folds: int, information: bool, explain: bool, method_options: Mapping[str, str], time_limit: float | None, store: str) -> None: ...

class Identification:
    """An estimate and the scene with its values."""

    def __init__(self, estimate: Estimate, calibrated: Scene) -> None: ...

    @property
    def estimate(self) -> Estimate: ...

    @property
    def calibrated(self) -> Scene: ...

def identify(scene: Scene, recordings: Sequence[Recording], paths: str, options: IdentifyOptions, call: CallSettings) -> Identification: ...

class IdentifiabilityEntry:
    """Whether a parameter is identifiable, and how well."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def path(self) -> str:
        """Of the parameter."""

    @property
    def unit(self) -> str:
        """"-" for none."""

    @property
    def identifiable(self) -> bool:
        """False: `reason` says why."""

    @property
    def value(self) -> float:
        """At which the problem was analyzed."""

    @property
    def std(self) -> float | None:
        """Attainable standard deviation; None where it is not identifiable."""

    @property
    def lower(self) -> float | None:
        """One-sided limit."""

    @property
    def reason(self) -> str:
        """Why it is not identifiable, and what to do."""

    __hash__: None = None

class ConsistencyEntry:
    """Inertia over mass from one impact by itself."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def recording(self) -> int:
        """Number of the recording, from 0."""

    @property
    def time(self) -> float:
        """Of the impact [s]."""

    @property
    def ratio(self) -> float | None:
        """[m^2]; None when the impact does not turn the body."""

    @property
    def std(self) -> float | None:
        """Standard deviation of the ratio."""

    @property
    def deviation(self) -> float | None:
        """From the common value."""

    @property
    def consistent(self) -> bool:
        """False: this impact contradicts the others."""

    __hash__: None = None

class Identifiability:
    """Which parameters recordings or a planned motion can identify."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def parameters(self) -> list[IdentifiabilityEntry]:
        """In the order of the paths."""

    @property
    def rank(self) -> int:
        """Of the derivative of the residuals."""

    @property
    def size(self) -> int:
        """Number of parameters and initial states."""

    @property
    def null_space(self) -> str:
        """Combinations without effect, in words."""

    @property
    def dynamics_rank(self) -> int:
        """Of the matrix of planar impacts."""

    @property
    def dynamics_columns(self) -> int:
        """Of that matrix."""

    @property
    def consistency(self) -> list[ConsistencyEntry]:
        """Impact by impact."""

    @property
    def consistent(self) -> bool:
        """All impacts agree."""

    @property
    def measured(self) -> bool:
        """Velocities are those of recorded flights."""

    @property
    def notes(self) -> list[str]:
        """Motions that say little, and what to do."""

    def describe(self) -> str: ...

    def format_json(self) -> str: ...

    __hash__: None = None

def identifiability(scene: Scene, recordings: Sequence[Recording], paths: str, rate: float, method: str, call: CallSettings) -> Identifiability: ...

class Measured:
    """A value with its standard deviation."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def value(self) -> float:
        """The value."""

    @property
    def std(self) -> float:
        """Its standard deviation, in the same unit."""

    __hash__: None = None

class ExaminedImpact:
    """An impact in a recording."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def time(self) -> float:
        """[s]"""

    @property
    def approach_speed(self) -> float:
        """Of the center of mass, downward [m/s]."""

    @property
    def velocity_jump(self) -> float:
        """Of the center of mass [m/s]."""

    __hash__: None = None

class ExaminedRecording:
    """What was found in one body (or all joints) of one recording."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def file(self) -> str:
        """Its name."""

    @property
    def body(self) -> str:
        """Empty: columns without prefix."""

    @property
    def kind(self) -> str:
        """"spatial", "planar", "joint\""""

    @property
    def rows(self) -> int:
        """Number of rows."""

    @property
    def duration(self) -> float:
        """[s]"""

    @property
    def rate(self) -> float:
        """[Hz]"""

    @property
    def jitter(self) -> float:
        """Of the clock, relative."""

    @property
    def dropped_frames(self) -> int:
        """Frames that are missing."""

    @property
    def incomplete_rows(self) -> int:
        """Rows with a missing value."""

    @property
    def sign_flips(self) -> int:
        """Of quaternions between rows."""

    @property
    def norm_error(self) -> float:
        """Largest of quaternions."""

    @property
    def frozen_rows(self) -> list[int]:
        """Numbers of rows, from 1."""

    @property
    def outlier_rows(self) -> list[int]:
        """Numbers of rows, from 1."""

    @property
    def filtered(self) -> bool:
        """Neighboring rows share their noise."""

    @property
    def acceleration(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order='C')] | None:
        """Of free flight [m/s^2]."""

    @property
    def acceleration_std(self) -> float:
        """Its standard deviation, per axis [m/s^2]."""

    @property
    def flight_frames(self) -> int:
        """Frames of free flight."""

    @property
    def drag(self) -> Measured | None:
        """By which the air slows a point: k of the acceleration -k v [1/s]."""

    @property
    def noise_position(self) -> float | None:
        """In flight, per axis [m]."""

    @property
    def noise_angle(self) -> float | None:
        """In flight, per axis [rad]."""

    @property
    def rest_noise_position(self) -> float | None:
        """At rest, per axis [m]."""

    @property
    def rest_noise_angle(self) -> float | None:
        """At rest, per axis [rad]."""

    @property
    def release_time(self) -> float | None:
        """[s]"""

    @property
    def peak_time(self) -> float | None:
        """[s]"""

    @property
    def contact_time(self) -> float | None:
        """[s]"""

    @property
    def rest_time(self) -> float | None:
        """[s]"""

    @property
    def impacts(self) -> list[ExaminedImpact]:
        """In order."""

    @property
    def rest_height(self) -> float | None:
        """Of the body frame over the surface [m]."""

    @property
    def rest_height_expected(self) -> float | None:
        """By the geometry of the scene [m]."""

    @property
    def lean(self) -> Annotated[NDArray[numpy.float64], dict(shape=(2), order='C')] | None:
        """Horizontal part of the upper face's normal."""

    @property
    def heading(self) -> Annotated[NDArray[numpy.float64], dict(shape=(2), order='C')] | None:
        """Horizontal direction of the flight."""

    @property
    def standstill(self) -> float:
        """At the end [s]."""

    @property
    def usable(self) -> bool:
        """Whether it can be used."""

    @property
    def reasons(self) -> list[str]:
        """Why not, or what to watch."""

    @property
    def log(self) -> list[str]:
        """Choices made on the way."""

    __hash__: None = None

class CheckLevel(enum.Enum):
    """What a check concludes."""

    OK = 0

    WATCH = 1

    BAD = 2

    UNKNOWN = 3

class Finding:
    """One check."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def check(self) -> str:
        """"gravity\""""

    @property
    def found(self) -> str:
        """"9.652 +- 0.006 m/s^2\""""

    @property
    def expected(self) -> str:
        """Empty when there is nothing to compare with."""

    @property
    def verdict(self) -> CheckLevel:
        """What the check concludes."""

    @property
    def remedy(self) -> str:
        """Empty when there is nothing to do."""

    __hash__: None = None

class RecordingChange:
    """What turns a recording into one of the documented form."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def time(self) -> float:
        """Factor of times."""

    @property
    def length(self) -> float:
        """Factor of lengths."""

    @property
    def angle(self) -> float:
        """Factor of angles; negative: mirrored."""

    @property
    def real_last(self) -> bool:
        """Quaternions are x, y, z, w."""

    @property
    def turn_signs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order='C')]:
        """Of x, y, z of the quaternions."""

    @property
    def axes(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3, 3), order='F')]:
        """A recorded vector v becomes axes @ v."""

    __hash__: None = None

class Mistake:
    """Why a recording cannot be right as it is."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def file(self) -> str:
        """The recording."""

    @property
    def check(self) -> str:
        """"times", "unit", "axes", ..."""

    @property
    def field(self) -> str:
        """Column or path that is wrong."""

    @property
    def problem(self) -> str:
        """With the number that shows it."""

    @property
    def remedy(self) -> str:
        """What to do."""

    @property
    def change(self) -> RecordingChange | None:
        """That repairs it; None where there is none."""

    __hash__: None = None

class Examination:
    """What doctor found."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def recordings(self) -> list[ExaminedRecording]:
        """One entry per body of a recording."""

    @property
    def usable(self) -> int:
        """How many of them can be used."""

    @property
    def findings(self) -> list[Finding]:
        """Over all recordings."""

    @property
    def mistakes(self) -> list[Mistake]:
        """That identify refuses."""

    @property
    def unit(self) -> str:
        """Length unit by gravity; empty: not determined."""

    @property
    def up_code(self) -> str:
        """Axis that points up by gravity; upper case: it points down."""

    @property
    def gravity(self) -> Measured | None:
        """Magnitude [m/s^2]."""

    @property
    def gravity_vector(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order='C')] | None:
        """Mean over the recordings [m/s^2]."""

    @property
    def gravity_along(self) -> Measured | None:
        """Along the toss [m/s^2]."""

    @property
    def gravity_side(self) -> Measured | None:
        """To the left of the toss [m/s^2]."""

    @property
    def gravity_expected(self) -> float:
        """The scene's [m/s^2]."""

    @property
    def scale_by_gravity(self) -> Measured | None:
        """Lengths recorded over lengths expected, by gravity."""

    @property
    def scale_by_rest(self) -> Measured | None:
        """The same by the height at rest."""

    @property
    def rest_height(self) -> Measured | None:
        """Over the surface [m]."""

    @property
    def rest_height_expected(self) -> float:
        """[m]"""

    @property
    def corner_reach(self) -> Measured | None:
        """Of corners, relative."""

    @property
    def corner_shortfall(self) -> float:
        """[m]"""

    @property
    def lean(self) -> Measured | None:
        """Mean angle [rad]."""

    @property
    def lean_along(self) -> Measured | None:
        """In the axes of the toss [rad]."""

    @property
    def lean_side(self) -> Measured | None:
        """In the axes of the toss [rad]."""

    @property
    def lean_fixed(self) -> float:
        """Angle of the mean in the recording's axes [rad]."""

    @property
    def up(self) -> str:
        """
        Axis that points up by gravity; upper case: it points down; empty: not known.
        """

    def describe(self, most_rows: int = 12) -> str: ...

    def format_json(self) -> str: ...

    __hash__: None = None

def examine(recordings: Sequence[Recording], scene: Scene | None, call: CallSettings) -> Examination: ...

def repair(recording: Recording, change: RecordingChange) -> Recording: ...

class FramePose:
    """A pose of the tracked frame in the body."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def position(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order='C')]:
        """Of the pivot in the body frame [m]."""

    @property
    def rotation(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order='C')]:
        """Rotation vector: axis times angle [rad]."""

    __hash__: None = None

class FrameCalibration:
    """Where the tracked frame of a body is, and the surface."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def body(self) -> str:
        """Name of the body."""

    @property
    def surface(self) -> str:
        """Name of the surface."""

    @property
    def frame(self) -> FramePose:
        """The best pose, nearest to the scene's of those that are alike."""

    @property
    def position_std(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order='C')]:
        """[m]"""

    @property
    def rotation_std(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order='C')]:
        """Turns about x, y, z of the body frame [rad]."""

    @property
    def surface_point(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order='C')]:
        """The scene's, moved along the normal [m]."""

    @property
    def surface_normal(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order='C')]:
        """Unit vector."""

    @property
    def surface_moved(self) -> float:
        """Along the scene's normal [m]."""

    @property
    def surface_moved_std(self) -> float:
        """[m]"""

    @property
    def surface_lean(self) -> float:
        """Angle to the scene's normal [rad]."""

    @property
    def surface_lean_std(self) -> float:
        """[rad]"""

    @property
    def tosses(self) -> int:
        """Number that was used."""

    @property
    def flights(self) -> int:
        """Number that was used."""

    @property
    def rests(self) -> int:
        """Number that was used."""

    @property
    def impacts(self) -> int:
        """Number that was used."""

    @property
    def residual(self) -> float:
        """Root mean square over the noise; near 1 when all agrees."""

    @property
    def symmetric(self) -> list[FramePose]:
        """Poses that predict the same motion, by a symmetry of the body."""

    @property
    def rivals(self) -> list[FramePose]:
        """Poses that explain the tosses as well but predict other motions."""

    @property
    def not_identifiable(self) -> list[str]:
        """One sentence each."""

    @property
    def notes(self) -> list[str]:
        """What was found and left out, one sentence each."""

    @property
    def scene(self) -> Scene:
        """With the frame and the surface as found."""

    @property
    def identifiable(self) -> bool:
        """Everything is known to 5 mm and 2 degrees, without rivals."""

    def describe(self) -> str: ...

    def format_json(self) -> str: ...

    __hash__: None = None

def calibrate_frame(scene: Scene, recordings: Sequence[Recording], body: str, call: CallSettings) -> FrameCalibration: ...

class TossErrors:
    """Errors of one predicted toss [m], [rad]."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def trajectory_position_error(self) -> float:
        """Mean distance over the frames [m]."""

    @property
    def trajectory_rotation_error(self) -> float:
        """Mean angle over the frames [rad]."""

    @property
    def trajectory_loss(self) -> float:
        """Mean of distance / length + angle."""

    @property
    def velocity_loss(self) -> float | None:
        """Mean over impacts on one corner [m/s]."""

    @property
    def rest_position_error(self) -> float | None:
        """In the surface [m]."""

    @property
    def rest_rotation_error(self) -> float | None:
        """Whole angle at rest [rad]."""

    @property
    def rest_yaw_error(self) -> float | None:
        """About the surface's normal [rad]."""

    @property
    def rest_face_correct(self) -> bool | None:
        """The predicted face is up."""

    __hash__: None = None

class ValidatedRecording:
    """One recording of a validation."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def file(self) -> str:
        """Its name."""

    @property
    def used(self) -> bool:
        """False: excluded."""

    @property
    def reason(self) -> str:
        """Why it is excluded."""

    @property
    def frames(self) -> int:
        """That were compared."""

    @property
    def start(self) -> float:
        """Of the comparison [s]."""

    @property
    def end(self) -> float:
        """Of the comparison [s]."""

    @property
    def solved(self) -> bool:
        """Every step of the simulation was solved."""

    @property
    def errors(self) -> TossErrors:
        """Errors of the prediction."""

    __hash__: None = None

class ErrorSummary:
    """Mean, standard deviation and median of one error, in SI units."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def name(self) -> str:
        """Of the field of TossErrors."""

    @property
    def count(self) -> int:
        """Recordings that have the value."""

    @property
    def mean(self) -> float:
        """Mean."""

    @property
    def std(self) -> float:
        """Between recordings."""

    @property
    def median(self) -> float:
        """Median."""

    __hash__: None = None

class FoldEstimate:
    """What identification on the other folds found."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def values(self) -> list[float]:
        """In the order of fold_paths."""

    @property
    def converged(self) -> bool:
        """Whether that identification converged."""

    __hash__: None = None

class ModelValidation:
    """The validation of one model."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def name(self) -> str:
        """Of the scene or estimate."""

    @property
    def fold_paths(self) -> list[str]:
        """Of the parameters that cross-validation estimates."""

    @property
    def folds(self) -> list[FoldEstimate]:
        """Of cross-validation, one per fold."""

    @property
    def recordings(self) -> list[ValidatedRecording]:
        """All that were given, in their order."""

    @property
    def summary(self) -> list[ErrorSummary]:
        """One entry per error."""

    def renamed(self, arg: str, /) -> ModelValidation: ...

    __hash__: None = None

class SensitivityRow:
    """The errors at one value of a varied parameter."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def value(self) -> float:
        """Of the parameter."""

    @property
    def summary(self) -> list[ErrorSummary]:
        """One entry per error."""

    __hash__: None = None

class Sensitivity:
    """Errors with one parameter varied about the scene's value."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def path(self) -> str:
        """Of the parameter."""

    @property
    def rows(self) -> list[SensitivityRow]:
        """Ascending in value."""

    __hash__: None = None

class ValidationSet:
    """Models on the same recordings."""

    def __init__(self, models: Sequence[ModelValidation], sensitivities: Sequence[Sensitivity]) -> None: ...

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def models(self) -> list[ModelValidation]:
        """One validation per model."""

    @property
    def sensitivities(self) -> list[Sensitivity]:
        """One per varied parameter."""

    @staticmethod
    def parse(text: str, name: str = '') -> ValidationSet: ...

    def write(self, file: str) -> None: ...

    def format_json(self) -> str: ...

    def describe(self) -> str: ...

    __hash__: None = None

class ValidateOptions:
    """How to validate."""

    def __init__(self, start: str, step: float | None, average: int) -> None: ...

def validate(scene: Scene, recordings: Sequence[Recording], options: ValidateOptions, call: CallSettings) -> ModelValidation: ...

def vary(scene: Scene, recordings: Sequence[Recording], variation: str, options: ValidateOptions, call: CallSettings) -> Sensitivity: ...

def cross_validate(scene: Scene, recordings: Sequence[Recording], paths: str, folds: int, identify: IdentifyOptions, options: ValidateOptions, call: CallSettings) -> ModelValidation: ...

class ContactScatter:
    """
    Scatter of contacts between tosses, found on recordings that show their rest.
    """

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def scale(self) -> float:
        """Of the scatter of friction and restitution."""

    @property
    def stretch(self) -> float:
        """Factor on the semi-axes of the region."""

    @property
    def extra(self) -> float:
        """Standard deviation added to the rest position, per axis [m]."""

    @property
    def recordings(self) -> int:
        """That it was found on; 0: not calibrated."""

    __hash__: None = None

class FaceProbability:
    """How likely a face is to be up at rest."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def face(self) -> str:
        """Axis of the body frame that points up: "+x"."""

    @property
    def probability(self) -> float:
        """In [0, 1]."""

    __hash__: None = None

class TossPrediction:
    """The prediction of one toss."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def file(self) -> str:
        """The recording."""

    @property
    def used(self) -> bool:
        """False: excluded."""

    @property
    def reason(self) -> str:
        """Why it is excluded."""

    @property
    def position(self) -> Annotated[NDArray[numpy.float64], dict(shape=(2), order='C')]:
        """At rest, in the surface's frame [m]."""

    @property
    def covariance(self) -> Annotated[NDArray[numpy.float64], dict(shape=(2, 2), order='F')]:
        """Of the simulated rest positions [m^2]."""

    @property
    def region(self) -> float:
        """Squared distance at the border, in units of the covariance."""

    @property
    def semi_axes(self) -> list[float]:
        """Of the region, larger first [m]."""

    @property
    def direction(self) -> float:
        """Of the first semi-axis [rad]."""

    @property
    def faces(self) -> list[FaceProbability]:
        """All six, likeliest first."""

    @property
    def recorded(self) -> Annotated[NDArray[numpy.float64], dict(shape=(2), order='C')] | None:
        """Recorded rest position [m]."""

    @property
    def covered(self) -> bool | None:
        """It lies within the region."""

    @property
    def recorded_face(self) -> str | None:
        """That is up."""

    @property
    def face_probability(self) -> float | None:
        """Given to the recorded face."""

    __hash__: None = None

class Prediction:
    """Where tosses come to rest, with regions."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def tosses(self) -> list[TossPrediction]:
        """One per recording."""

    @property
    def scatter(self) -> ContactScatter:
        """That was used."""

    @property
    def checked(self) -> int:
        """Recordings of the check."""

    @property
    def coverage(self) -> float | None:
        """Fraction of the rest positions within the region."""

    @property
    def face_correct(self) -> float | None:
        """Fraction where the likeliest face is the recorded one."""

    @property
    def mean_face_probability(self) -> float | None:
        """Given to the recorded face."""

    def write(self, file: str) -> None: ...

    def format_json(self) -> str: ...

    def describe(self) -> str: ...

    __hash__: None = None

class PredictOptions:
    """How to predict."""

    def __init__(self, start: str, samples: int, level: float, duration: float, folds: int, scatter: ContactScatter | None) -> None: ...

def predict(scene: Scene, estimate: Estimate | None, recordings: Sequence[Recording], options: PredictOptions, call: CallSettings) -> Prediction: ...

def find_contact_scatter(scene: Scene, estimate: Estimate | None, recordings: Sequence[Recording], options: PredictOptions, call: CallSettings) -> ContactScatter: ...

class NumberId:
    """Index of a number of a scene."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def index(self) -> int:
        """In the table of the scene."""

    __hash__: None = None

class SweepAxis:
    """One parameter of the grid."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def path(self) -> str:
        """Of the parameter."""

    @property
    def numbers(self) -> list[NumberId]:
        """All parameters that the path means."""

    @property
    def lower(self) -> float:
        """First value."""

    @property
    def upper(self) -> float:
        """Last value."""

    @property
    def count(self) -> int:
        """Number of values."""

    @property
    def values(self) -> list[float]:
        """All values, ascending."""

    __hash__: None = None

class SweepInterval:
    """Values of one axis that the data do not distinguish from the best."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def best(self) -> float:
        """Of the best cell."""

    @property
    def lower(self) -> float:
        """Lowest value of the grid."""

    @property
    def upper(self) -> float:
        """Highest value of the grid."""

    @property
    def at_edge(self) -> bool:
        """The interval reaches the end of the grid: widen it."""

    __hash__: None = None

class SweepResult:
    """What a sweep found."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def cells(self) -> int:
        """Product of the axes' counts."""

    @property
    def resumed_cells(self) -> int:
        """Of them, found in the part file."""

    @property
    def unsolved(self) -> int:
        """Simulations of the best cell that failed."""

    @property
    def recordings(self) -> int:
        """Given."""

    @property
    def used(self) -> int:
        """Not excluded."""

    @property
    def excluded(self) -> list[str]:
        """"file: reason\""""

    @property
    def least_cost(self) -> float:
        """In the unit of the cost."""

    @property
    def intervals(self) -> list[SweepInterval]:
        """One per axis."""

    @property
    def seconds(self) -> float:
        """Computing time."""

    @property
    def cost(self) -> list[float]:
        """Of every cell, last axis fastest."""

    __hash__: None = None

class SweepOptions:
    """How to sweep."""

    def __init__(self, cost: str, start: str, step: float | None, output: str) -> None: ...

def make_sweep_axis(scene: Scene, path: str, lower: float, upper: float, count: int) -> SweepAxis: ...

def parse_sweep_axis(scene: Scene, text: str) -> SweepAxis: ...

def sweep(scene: Scene, recordings: Sequence[Recording], axes: Sequence[SweepAxis], options: SweepOptions, call: CallSettings) -> SweepResult: ...

def sweep_files(scene: Scene, files: Sequence[str], axes: Sequence[SweepAxis], options: SweepOptions, call: CallSettings) -> SweepResult: ...

def format_sweep(arg0: Sequence[SweepAxis], arg1: SweepOptions, arg2: SweepResult, /) -> str: ...

def describe_sweep(arg0: Sequence[SweepAxis], arg1: SweepOptions, arg2: SweepResult, /) -> str: ...

class ReportData:
    """Everything that a report page shows."""

    @property
    def title(self) -> str: ...

    @title.setter
    def title(self, arg: str, /) -> None: ...

    def write(self, arg: str, /) -> None: ...

    def set_options(self, arg: Sequence[tuple[str, str]], /) -> None: ...

def identify_report(scene: Scene, recordings: Sequence[Recording], result: Identification) -> ReportData: ...

def motion_report(scene: Scene, recordings: Sequence[Recording], contacts: Sequence[ContactRow]) -> ReportData: ...

def sweep_report(scene: Scene, axes: Sequence[SweepAxis], options: SweepOptions, result: SweepResult) -> ReportData: ...

def validation_report(scene: Scene, recordings: Sequence[Recording], validations: ValidationSet, options: ValidateOptions, call: CallSettings) -> ReportData: ...

def prediction_report(scene: Scene, recordings: Sequence[Recording], prediction: Prediction, options: PredictOptions, call: CallSettings) -> ReportData: ...

def read_report(files: Sequence[str], scene_file: str, call: CallSettings) -> ReportData: ...

class ExperimentInfo:
    """An experiment of a paper."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def name(self) -> str:
        """"gabiccini-drop\""""

    @property
    def title(self) -> str:
        """What it shows and where it is in the paper."""

    __hash__: None = None

class Comparison:
    """A number of a paper beside Ricochet's."""

    def __getstate__(self) -> dict: ...

    def __setstate__(self, arg: dict, /) -> None: ...

    @property
    def quantity(self) -> str:
        """What is compared, with its unit."""

    @property
    def paper(self) -> str:
        """As the paper prints it."""

    @property
    def ours(self) -> str:
        """Ricochet's."""

    @property
    def remark(self) -> str:
        """Why they differ; empty where there is nothing to say."""

    __hash__: None = None

def find_experiments(names: Sequence[str]) -> list[ExperimentInfo]: ...

def format_comparisons(comparisons: Sequence[Comparison]) -> str: ...

def reproduce(name: str, directory: str, call: CallSettings) -> list[Comparison]: ...
