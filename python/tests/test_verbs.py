"""Every verb gives what the program prints and writes, to the bit."""

import json
import pickle
import subprocess

import numpy as np
import pytest

import ricochet


@pytest.fixture(scope="module")
def files(tmp_path_factory, toss, tosses, throw, example):
    """The inputs of the tests as files; verbs and program read the same."""
    folder = tmp_path_factory.mktemp("inputs")
    toss.write(folder / "toss.yaml")
    names = []
    for recording in tosses:
        names.append(str(folder / recording.name))
        recording.write(names[-1])
    throw.write(folder / "throw.csv")
    return {
        "folder": folder,
        "toss": str(folder / "toss.yaml"),
        "tosses": names,
        "ellipse": example("plywood_ellipse.yaml"),
        "throw": str(folder / "throw.csv"),
    }


def run(program, *arguments, status=0):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout


def same(text, other, *incidental):
    """Compares JSON, without times of computing and sentences in which the program names its flags."""
    a, b = json.loads(text), json.loads(other)

    def clean(value):
        if isinstance(value, dict):
            return {key: clean(each) for key, each in value.items() if key not in incidental}
        return [clean(each) for each in value] if isinstance(value, list) else value

    assert clean(a) == clean(b)


def test_simulate(program, files, tmp_path):
    printed = run(program, "simulate", files["ellipse"], "--rate", 240, "--noise", "position=0.001,angle=0.002",
                  "--seed", 9, "-o", tmp_path / "run.csv", "--json")
    result = ricochet.simulate(files["ellipse"], rate=240, noise_position=0.001, noise_angle=0.002, seed=9).check()
    assert result.recording.to_csv() == (tmp_path / "run.csv").read_text()
    same(result.to_json(), printed, "seconds")


def test_simulate_with_changes(program, files, tmp_path):
    run(program, "simulate", files["toss"], "--set", "contact.friction=0.1", "--step", 1e-3, "-o", tmp_path / "run.csv",
        "--contacts", tmp_path / "contacts.csv")
    scene = ricochet.Scene(files["toss"])
    scene["contact.friction"] = 0.1
    result = ricochet.simulate(scene, step=1e-3)
    assert result.recording.to_csv() == (tmp_path / "run.csv").read_text()
    assert len(result.contacts) == len((tmp_path / "contacts.csv").read_text().splitlines()) - 1


def test_identify(program, files, tmp_path):
    paths = "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution"
    printed = run(program, "identify", files["ellipse"], files["throw"], "--estimate", paths, "--bootstrap", 5, "--seed",
                  3, "--profile", "contact.friction", "--json", "--scene-out", tmp_path / "calibrated.yaml")
    result = ricochet.identify(
        files["ellipse"], files["throw"], paths, bootstrap=5, seed=3, profiles=["contact.friction"]
    )
    same(result.to_json(), printed, "seconds", "command", "reasons")
    assert result.check().scene.to_yaml() == (tmp_path / "calibrated.yaml").read_text()


def test_identify_tosses(program, files):
    printed = run(program, "identify", files["toss"], files["tosses"][0], "--estimate", "contact.friction", "--json")
    result = ricochet.identify(files["toss"], files["tosses"][0], "contact.friction")
    same(result.to_json(), printed, "seconds", "command", "reasons")


def test_identifiability(program, files):
    printed = run(program, "identifiability", files["ellipse"], "--estimate", "contact.*, bodies.ellipse.mass", "--json")
    result = ricochet.identifiability(files["ellipse"], estimate="contact.*, bodies.ellipse.mass")
    assert result.to_json() == printed
    assert result["contact.friction"].std > 0


def test_validate(program, files, tmp_path):
    estimate = ricochet.identify(files["toss"], files["tosses"][0], "contact.friction")
    estimate.write(tmp_path / "estimate.json")
    printed = run(program, "validate", files["toss"], *files["tosses"], "--with", tmp_path / "estimate.json",
                  "--variant", "contact.restitution=0.1", "--vary", "contact.friction=+-0.05:3", "--average", 4,
                  "--seed", 5, "--json")
    result = ricochet.validate(
        files["toss"],
        files["tosses"],
        estimates={str(tmp_path / "estimate.json"): estimate},
        variants=[{"contact.restitution": 0.1}],
        vary="contact.friction=+-0.05:3",
        average=4,
        seed=5,
    )
    assert result.check().to_json() == printed


def test_validate_by_cross_validation(program, files):
    printed = run(program, "validate", files["toss"], *files["tosses"][:2], "--folds", 2, "--estimate",
                  "contact.friction", "--json")
    result = ricochet.validate(files["toss"], files["tosses"][:2], folds=2, estimate="contact.friction")
    assert result.to_json() == printed


def test_predict(program, files):
    printed = run(program, "predict", files["toss"], *files["tosses"], "--samples", 12, "--seed", 8, "--json")
    result = ricochet.predict(files["toss"], files["tosses"], samples=12, seed=8)
    assert result.check().to_json() == printed


def test_sweep(program, files, tmp_path):
    run(program, "sweep", files["toss"], *files["tosses"], "--grid", "contact.friction=0.1:0.6:4", "--grid",
        "contact.restitution=0:0.4:3", "-o", tmp_path / "map.csv", "--json")
    result = ricochet.sweep(
        files["toss"],
        files["tosses"],
        {"contact.friction": (0.1, 0.6, 4), "contact.restitution": (0, 0.4, 3)},
        output=tmp_path / "python.csv",
    )
    assert (tmp_path / "python.csv").read_text() == (tmp_path / "map.csv").read_text()
    rows = np.loadtxt(tmp_path / "map.csv", delimiter=",", skiprows=1)
    assert np.array_equal(result.cost.ravel(), rows[:, -1])


def test_doctor(program, files):
    assert ricochet.doctor(files["tosses"], files["toss"]).to_json() == run(
        program, "doctor", *files["tosses"], "--scene", files["toss"], "--json"
    )
    assert ricochet.doctor(files["throw"]).to_json() == run(program, "doctor", files["throw"], "--json")


def test_doctor_repairs(program, files, tmp_path):
    scaled = ricochet.read(files["tosses"][0]).to_dict()
    for name in ("x", "y", "z"):
        scaled[name] = scaled[name] * 1000
    (tmp_path / "mm").mkdir()
    ricochet.Recording(scaled).write(tmp_path / "mm" / "toss.csv")
    found = ricochet.doctor(tmp_path / "mm" / "toss.csv", files["toss"])
    with pytest.raises(ricochet.NumericsError, match="toss.csv"):
        found.check()
    run(program, "doctor", tmp_path / "mm" / "toss.csv", "--scene", files["toss"], "--repair", tmp_path / "repaired")
    assert found.repaired()[0].to_csv() == (tmp_path / "repaired" / "toss.csv").read_text()


def test_read_imports_as_the_program_does(program, tmp_path):
    (tmp_path / "table.csv").write_text("time,px,py,angle\n0,0,100,0\n0.01,1,101,1\n0.02,2,102,2\n")
    columns = "t=time,x=px*mm,y=py*mm,theta=angle*deg"
    run(program, "import", "csv", tmp_path / "table.csv", "--columns", columns, "-o", tmp_path / "out")
    take = ricochet.read(tmp_path / "table.csv", "csv", columns=columns)
    assert take.to_csv() == next((tmp_path / "out").glob("*.csv")).read_text()


def test_parameters(program, files):
    printed = json.loads(run(program, "parameters", files["toss"], "--json"))["parameters"]
    listed = ricochet.parameters(files["toss"])
    assert [(p.path, p.value, p.unit, p.given) for p in listed] == [
        (p["path"], p["value"], p["unit"], p["given"]) for p in printed
    ]


def test_calibrate_frame(program, files, tmp_path):
    """The pose of the frame is not identifiable from tosses that do not come to rest; the program then exits with 3."""
    result = ricochet.calibrate_frame(files["toss"], files["tosses"])
    printed = run(program, "calibrate-frame", files["toss"], *files["tosses"], "--json", "--scene-out",
                  tmp_path / "calibrated.yaml", status=0 if result.identifiable else 3)
    assert result.to_json() == printed
    assert result.scene.to_yaml() == (tmp_path / "calibrated.yaml").read_text()
    assert pickle.loads(pickle.dumps(result)) == result and result._repr_html_()
    if not result.identifiable:
        with pytest.raises(ricochet.NumericsError, match="not fully identifiable"):
            result.check()


def test_reproduce(program, tmp_path):
    run(program, "reproduce", "gabiccini-drop", "-o", tmp_path / "program")
    [drop] = ricochet.reproduce("gabiccini-drop", tmp_path / "python")
    files = sorted(each.name for each in (tmp_path / "program" / "gabiccini-drop").iterdir())
    assert files == sorted(each.name for each in (tmp_path / "python" / "gabiccini-drop").iterdir())
    for name in files:
        texts = [(tmp_path / each / "gabiccini-drop" / name).read_text() for each in ("program", "python")]
        assert texts[0] == texts[1], name
    listed = run(program, "reproduce", "--list").splitlines()
    assert [line.split()[0] for line in listed] == [each.name for each in ricochet.experiments()]
    with pytest.raises(ricochet.InputError, match="gabiccini"):
        ricochet.reproduce("gabicini-drop")


def test_methods(program):
    printed = json.loads(run(program, "methods", "--json"))
    listed = ricochet.methods()
    for kind in ("steppers", "estimators"):
        assert [each.name for each in listed[kind]] == [each["name"] for each in printed[kind]]


def test_report(program, files, tmp_path):
    estimate = ricochet.identify(files["ellipse"], files["throw"], "contact.friction")
    estimate.write(tmp_path / "estimate.json")
    ricochet.report(tmp_path / "estimate.json", tmp_path / "python.html")
    run(program, "report", tmp_path / "estimate.json", "-o", tmp_path / "program.html")
    sizes = [(tmp_path / each).stat().st_size for each in ("python.html", "program.html")]
    assert abs(sizes[0] - sizes[1]) < 2000  # the program adds its command line
    estimate.report(tmp_path / "own.html")
    assert "<html" in (tmp_path / "own.html").read_text()[:200].lower()


def test_threads_do_not_change_results(files):
    results = [ricochet.predict(files["toss"], files["tosses"], samples=10, threads=each) for each in (1, 2)]
    assert results[0] == results[1]
