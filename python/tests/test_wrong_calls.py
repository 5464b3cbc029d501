"""Wrong calls raise an exception that names what is wrong; none of them ends the interpreter."""

import faulthandler
import pickle

import numpy as np
import pytest

import ricochet
from ricochet._base.values import _restore

faulthandler.enable()

T = np.arange(20) / 100
TABLE = {"t": T, "x": T, "y": T, "theta": T}
ELLIPSE = "examples/plywood_ellipse.yaml"


def with_column(**columns):
    return lambda: ricochet.Recording({**TABLE, **columns})


def changed_pickle(value, **changes):
    """A value from a pickle whose state was changed."""
    state = {**value.__getstate__(), **changes}
    again = object.__new__(type(value))
    again.__setstate__(state)
    return again


class Case:
    def __init__(self, call, kind, words):
        self.call, self.kind, self.words = call, kind, words


def scene():
    return ricochet.Scene(
        space="planar",
        bodies={"disk": {"shape": {"circle": {"radius": 0.05}}, "mass": 0.1}},
        surfaces={"table": {"line": {"point": [0, 0], "angle": 0}}},
        contact={"friction": 0.3, "restitution": 0.5},
        initial={"disk": {"pose": [0, 0.4, 0], "velocity": [1, 0]}},
        simulation={"method": "event", "step": 1e-3, "duration": 0.1},
    )


def set_value(path, value):
    def call():
        scene()[path] = value

    return call


def simulator():
    return ricochet.Simulator(scene())


INPUT, TYPE = ricochet.InputError, TypeError
CASES = {
    # Scenes.
    "a file that is not there": Case(lambda: ricochet.Scene("none.yaml"), INPUT, "none.yaml"),
    "a scene from a number": Case(lambda: ricochet.Scene(3), TYPE, "int"),
    "an empty scene": Case(lambda: ricochet.Scene(), INPUT, "empty"),
    "a file and keywords": Case(lambda: ricochet.Scene("a.yaml", space="planar"), TYPE, "either"),
    "an empty file name": Case(lambda: ricochet.Scene(""), INPUT, "empty"),
    "text that is not YAML": Case(lambda: ricochet.Scene.from_yaml("a: ["), INPUT, ""),
    "YAML that is not a scene": Case(lambda: ricochet.Scene.from_yaml("a: 1"), INPUT, ""),
    "a text that is bytes": Case(lambda: ricochet.Scene.from_yaml(b"a: 1"), TYPE, "bytes"),
    "a key that is not known": Case(lambda: ricochet.Scene(space="planar", bodys={}), INPUT, "bodys"),
    "a body with a negative mass": Case(
        lambda: ricochet.Scene(space="planar", bodies={"a": {"shape": {"circle": {"radius": 1}}, "mass": -1}}),
        INPUT,
        "mass",
    ),
    "a number that is not finite": Case(
        lambda: ricochet.Scene(space="planar", bodies={"a": {"mass": float("nan")}}), INPUT, "bodies.a.mass"
    ),
    "an object in a scene": Case(lambda: ricochet.Scene(space="planar", bodies={"a": object()}), TYPE, "bodies.a"),
    "a key that is a number": Case(lambda: ricochet.Scene({"space": "planar", 3: 4}), TYPE, "3"),
    "a path that is not there": Case(lambda: scene()["contact.fricton"], INPUT, "contact.friction"),
    "a path that is a number": Case(lambda: scene()[3], TYPE, "path"),
    "an empty path": Case(lambda: scene()[""], INPUT, "path"),
    "a friction below 0": Case(set_value("contact.friction", -1), INPUT, "contact.friction"),
    "a friction that is NaN": Case(set_value("contact.friction", float("nan")), INPUT, "finite"),
    "a friction that is an object": Case(set_value("contact.friction", object()), TYPE, "contact.friction"),
    "a text that is not a number": Case(set_value("contact.friction", "much"), INPUT, "much"),
    "values that do not fit": Case(set_value("initial.disk.position", [1, 2, 3]), INPUT, "initial.disk.position"),
    "an array of texts": Case(set_value("initial.disk.position", ["a", "b"]), TYPE, "initial.disk.position"),
    "a URDF that is not there": Case(lambda: ricochet.Scene.from_urdf("none.urdf"), INPUT, "none.urdf"),
    # Recordings.
    "a recording without times": Case(lambda: ricochet.Recording({"x": T}), INPUT, "t"),
    "a recording without columns": Case(lambda: ricochet.Recording({"t": T}), INPUT, "columns"),
    "a recording of nothing": Case(lambda: ricochet.Recording({"t": [], "x": []}), INPUT, "no rows"),
    "a number as recording": Case(lambda: ricochet.Recording(3.0), TYPE, "float"),
    "times that go back": Case(with_column(t=T[::-1]), INPUT, "row 1"),
    "times that are NaN": Case(with_column(t=np.where(T == 0.05, np.nan, T)), INPUT, "t"),
    "a column that is too short": Case(with_column(x=T[:5]), INPUT, "x"),
    "a column of texts": Case(with_column(x=np.array(["a"] * 20)), TYPE, "x"),
    "a column of objects": Case(with_column(x=np.array([None] * 20)), TYPE, "x"),
    "a column of complex numbers": Case(with_column(x=T + 1j), TYPE, "complex"),
    "a column that is infinite": Case(with_column(x=np.where(T == 0.05, np.inf, T)), INPUT, "row 5"),
    "a column that is a matrix": Case(with_column(x=np.zeros((20, 2))), INPUT, "(20, 2)"),
    "a name that no column has": Case(with_column(**{"1 x": T}), INPUT, "1 x"),
    "names that do not fit a matrix": Case(
        lambda: ricochet.Recording(np.zeros((20, 3)), time=T, columns=["x", "y"]), INPUT, "2 names"
    ),
    "a column that is not there": Case(lambda: ricochet.Recording(TABLE)["z"], INPUT, "x, y, theta"),
    "a recording file that is not there": Case(lambda: ricochet.read("none.csv"), INPUT, "none.csv"),
    "a format that is not known": Case(lambda: ricochet.read(__file__, "word"), INPUT, "word"),
    "an axis that is not one": Case(lambda: ricochet.read(__file__, "csv", up="up"), INPUT, "up"),
    "a pivot that is too short": Case(lambda: ricochet.read(__file__, "csv", pivot=[1, 2]), INPUT, "pivot"),
    "a file that is no recording": Case(lambda: ricochet.read(__file__), INPUT, ""),
    # Verbs.
    "a stepper that is not known": Case(lambda: ricochet.simulate(scene(), method="magic"), INPUT, "magic"),
    "a step of 0": Case(lambda: ricochet.simulate(scene(), step=0), INPUT, "step"),
    "a step that is a text": Case(lambda: ricochet.simulate(scene(), step="small"), TYPE, "step"),
    "a negative duration": Case(lambda: ricochet.simulate(scene(), duration=-1), INPUT, "duration"),
    "a duration without end": Case(lambda: ricochet.simulate(scene(), duration=1e300), INPUT, "duration"),
    "a negative noise": Case(lambda: ricochet.simulate(scene(), noise_position=-1), INPUT, "noise_position"),
    "a seed below 0": Case(lambda: ricochet.simulate(scene(), seed=-1), INPUT, "seed"),
    "a seed that is a fraction": Case(lambda: ricochet.simulate(scene(), seed=0.5), TYPE, "seed"),
    "a seed that is too large": Case(lambda: ricochet.simulate(scene(), seed=2**70), INPUT, "seed"),
    "inputs without a motor": Case(lambda: ricochet.simulate(scene(), inputs=TABLE), INPUT, "motor"),
    "threads below 0": Case(lambda: ricochet.doctor(TABLE, threads=-1), INPUT, "threads"),
    "threads that are a text": Case(lambda: ricochet.doctor(TABLE, threads="all"), TYPE, "threads"),
    "progress that is a text": Case(lambda: ricochet.doctor(TABLE, progress="yes"), TYPE, "progress"),
    "no recordings": Case(lambda: ricochet.identify(scene(), [], "contact.friction"), INPUT, ""),
    "no parameters": Case(lambda: ricochet.identify(scene(), TABLE, ""), INPUT, "estimate"),
    "parameters that are numbers": Case(lambda: ricochet.identify(scene(), TABLE, 3), TYPE, "estimate"),
    "a list of numbers": Case(lambda: ricochet.identify(scene(), TABLE, [3]), TYPE, "estimate"),
    "an estimator that is not known": Case(
        lambda: ricochet.identify(scene(), TABLE, "contact.friction", method="magic"), INPUT, "magic"
    ),
    "a negative bootstrap": Case(
        lambda: ricochet.identify(scene(), TABLE, "contact.friction", bootstrap=-1), INPUT, "bootstrap"
    ),
    "a profile of something else": Case(
        lambda: ricochet.identify(scene(), TABLE, "contact.friction", profiles="contact.restitution"), INPUT, "profile"
    ),
    "an option that is not known": Case(
        lambda: ricochet.identify(scene(), TABLE, "contact.friction", options={"speed": 3}), INPUT, "speed"
    ),
    "options that are a list": Case(
        lambda: ricochet.identify(scene(), TABLE, "contact.friction", options=["speed"]), TYPE, "options"
    ),
    "an estimate that is not there": Case(lambda: ricochet.Estimate.read("none.json"), INPUT, "none.json"),
    "text that is no estimate": Case(lambda: ricochet.Estimate.from_json("{}"), INPUT, "estimate"),
    "a planar scene to validate": Case(lambda: ricochet.validate(scene(), TABLE), INPUT, "space"),
    "a start that is not known": Case(lambda: ricochet.validate(scene(), TABLE, start="now"), INPUT, "now"),
    "a variant that is a text": Case(
        lambda: ricochet.validate(scene(), TABLE, variants=["contact.friction=1"]), TYPE, "variants"
    ),
    "a level above 1": Case(lambda: ricochet.predict(scene(), TABLE, level=1.5), INPUT, "level"),
    "too few samples": Case(lambda: ricochet.predict(scene(), TABLE, samples=1), INPUT, "samples"),
    "a grid that is a list": Case(lambda: ricochet.sweep(scene(), TABLE, [1]), TYPE, "grid"),
    "a range without count": Case(lambda: ricochet.sweep(scene(), TABLE, {"contact.friction": (0, 1)}), INPUT, "grid"),
    "a range the wrong way": Case(
        lambda: ricochet.sweep(scene(), TABLE, {"contact.friction": (1, 0, 3)}), INPUT, "smaller"
    ),
    "a cost that is not known": Case(
        lambda: ricochet.sweep(scene(), TABLE, {"contact.friction": (0, 1, 3)}, cost="time"), INPUT, "time"
    ),
    "a report of nothing": Case(lambda: ricochet.report("none.json", "page.html"), INPUT, "none.json"),
    # Simulators and batches.
    "a state of another size": Case(lambda: simulator().set_state([1, 2]), INPUT, ""),
    "a state that is NaN": Case(lambda: simulator().set_state([float("nan")] * 6), INPUT, ""),
    "a state of texts": Case(lambda: simulator().set_state(["a"] * 6), TYPE, "state"),
    "a body that is not there": Case(lambda: simulator().body("cube"), INPUT, "cube"),
    "a joint that is not there": Case(lambda: simulator().joint("hinge"), INPUT, "hinge"),
    "a pose of another size": Case(lambda: simulator().set_body("disk", [1], [1]), INPUT, ""),
    "inputs that the scene does not have": Case(lambda: simulator().step([1.0]), INPUT, "input"),
    "derivatives before a step": Case(lambda: simulator().derivatives(), INPUT, "step"),
    "derivatives by an unknown path": Case(lambda: simulator().track_derivatives("a.b"), INPUT, "a.b"),
    "a time that is NaN": Case(lambda: simulator().advance_to(float("nan")), INPUT, "time"),
    "a batch of nothing": Case(lambda: ricochet.rollout_batch(scene()), INPUT, "nothing"),
    "a batch with a bad value": Case(
        lambda: ricochet.rollout_batch(scene(), {"contact.friction": [0.1, -1]}), INPUT, "parameters[1]"
    ),
    "a batch with NaN": Case(lambda: ricochet.rollout_batch(scene(), {"contact.friction": [np.nan]}), INPUT, "row 0"),
    "a batch of texts": Case(lambda: ricochet.rollout_batch(scene(), {"contact.friction": ["a"]}), TYPE, "values"),
    "a batch of different lengths": Case(
        lambda: ricochet.rollout_batch(scene(), {"contact.friction": [0.1], "contact.restitution": [0.1, 0.2]}),
        INPUT,
        "lengths",
    ),
    "states that do not fit": Case(lambda: ricochet.rollout_batch(scene(), states=np.zeros((3, 5))), INPUT, "starts"),
    "a batch that is too large": Case(
        lambda: ricochet.rollout_batch(scene(), states=np.zeros((10**6, 6)), duration=100, every=1), INPUT, "memory"
    ),
    # Pickles.
    "a scene of another version": Case(lambda: changed_pickle(scene(), version=99), INPUT, "99"),
    "a recording of another version": Case(lambda: changed_pickle(ricochet.Recording(TABLE), version=0), INPUT, "0"),
    "a result of another version": Case(
        lambda: changed_pickle(ricochet.simulate(scene()), version=99), INPUT, "99"
    ),
    "a record without a field": Case(
        lambda: _restore(type(scene().parameters()[0]), 1, {"path": "a"}), INPUT, "field"
    ),
    "a record with a wrong field": Case(
        lambda: _restore(
            type(scene().parameters()[0]), 1, {**scene().parameters()[0].__getstate__(), "value": "x"}
        ),
        (RuntimeError, TypeError),
        "",
    ),
    "a pickle that was cut off": Case(
        lambda: pickle.loads(pickle.dumps(scene())[:-20]), (pickle.UnpicklingError, EOFError, INPUT), ""
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_raises(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    case = CASES[name]
    with pytest.raises(case.kind) as caught:
        case.call()
    assert case.words in str(caught.value)
    if isinstance(caught.value, ricochet.InputError):
        error = caught.value
        assert error.problem and str(error) and pickle.loads(pickle.dumps(error)).problem == error.problem


def test_there_are_many():
    assert len(CASES) >= 60


def test_errors_of_files_have_their_place(tmp_path):
    (tmp_path / "bad.yaml").write_text("ricochet: 1\nspace: planar\nbodies:\n  a: {mass: -1, shape: {circle: {radius: 1}}}\n")
    with pytest.raises(ricochet.InputError) as caught:
        ricochet.Scene(tmp_path / "bad.yaml")
    error = caught.value
    assert error.file.endswith("bad.yaml") and error.line == 4 and error.path == "bodies.a.mass" and error.remedy


def test_records_are_made_by_the_library_only():
    with pytest.raises(TypeError):
        ricochet.SceneParameter()
    bare = ricochet.SceneParameter.__new__(ricochet.SceneParameter)
    with pytest.warns(RuntimeWarning), pytest.raises(TypeError):
        bare.path  # noqa: B018
