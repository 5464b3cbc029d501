"""Recordings from arrays, frames and files."""

import copy
import pickle
import tracemalloc

import numpy as np
import pytest

import ricochet

T = np.arange(50) / 100
TABLE = {"t": T, "x": 0.5 * T, "y": 1 - 4.905 * T**2, "theta": 0 * T}


def test_arrays_of_doubles_are_not_copied():
    recording = ricochet.Recording(TABLE)
    assert recording.time is T or np.shares_memory(recording.time, T)
    assert np.shares_memory(recording["x"], TABLE["x"])
    assert len(recording) == 50 and recording.rate == pytest.approx(100)


def test_a_million_rows_take_no_memory():
    rows = 1_000_000
    table = {"t": np.arange(rows) / 1000.0}
    for name in ("x", "y", "z", "qw", "qx", "qy", "qz"):
        table[name] = np.ones(rows)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    recording = ricochet.Recording(table)
    taken = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert taken < 100_000  # of 64 MB of data
    assert all(np.shares_memory(recording[name], table[name]) for name in recording)


def test_other_types_and_layouts():
    matrix = np.column_stack([TABLE["x"], TABLE["y"], TABLE["theta"]])
    for recording in (
        ricochet.Recording(matrix, time=T, columns=["x", "y", "theta"]),
        ricochet.Recording({key: value.tolist() for key, value in TABLE.items()}),
        ricochet.Recording({**TABLE, "theta": np.zeros(50, dtype=np.int32)}),
        ricochet.Recording(np.rec.fromarrays(list(TABLE.values()), names=list(TABLE))),
    ):
        assert recording.to_csv() == ricochet.Recording(TABLE).to_csv()


def test_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TABLE)
    expected = ricochet.Recording(TABLE)
    assert ricochet.Recording(frame) == expected
    assert ricochet.Recording(frame.set_index("t")) == expected
    assert expected.to_dataframe().equals(frame)


def test_polars():
    polars = pytest.importorskip("polars")
    assert ricochet.Recording(polars.DataFrame(TABLE)) == ricochet.Recording(TABLE)


def test_xarray():
    xarray = pytest.importorskip("xarray")
    data = xarray.Dataset({key: ("t", value) for key, value in TABLE.items() if key != "t"}, coords={"t": T})
    assert ricochet.Recording(data) == ricochet.Recording(TABLE)


def test_files_round_trip(tmp_path):
    recording = ricochet.Recording({**TABLE, "x": np.where(T == 0.1, np.nan, TABLE["x"])}, name="a.csv")
    recording.write(tmp_path / "a.csv")
    read = ricochet.read(tmp_path / "a.csv")
    assert read.columns == recording.columns
    assert all(np.array_equal(read[c], recording[c], equal_nan=True) for c in recording)
    np.savez(tmp_path / "a.npz", **TABLE)
    assert ricochet.read(tmp_path / "a.npz").columns == ["x", "y", "theta"]
    with open(tmp_path / "a.pkl", "wb") as stream:
        pickle.dump(TABLE, stream)
    assert ricochet.read(tmp_path / "a.pkl").columns == ["x", "y", "theta"]


def test_parquet(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame(TABLE).to_parquet(tmp_path / "a.parquet")
    assert ricochet.read(tmp_path / "a.parquet").columns == ["x", "y", "theta"]


def test_imports_say_what_they_assumed(tmp_path):
    (tmp_path / "table.csv").write_text("time;px;py\n0;0;100\n0.01;1;101\n0.02;2;102\n")
    take = ricochet.read(tmp_path / "table.csv", "csv", columns="t=time,a.x=px*mm,a.y=py*mm")
    assert take["a.y"].tolist() == pytest.approx([0.1, 0.101, 0.102])
    assert take.format and isinstance(take.notes, list) and take.describe()
    assert pickle.loads(pickle.dumps(take)).notes == take.notes


def test_values(throw):
    for same in (copy.copy(throw), copy.deepcopy(throw), pickle.loads(pickle.dumps(throw))):
        assert same == throw and not np.shares_memory(same.time, throw.time)
    assert np.asarray(throw).shape == (len(throw), 1 + len(throw.columns))
    other = throw.copy()
    other["x"].flags.writeable = True
    other["x"][3] += 1e-9
    assert other != throw


def test_views_outlive_their_recording(example):
    x = ricochet.read(example("recordings/plywood_240fps.csv"))["x"]
    kept = x.copy()
    for _ in range(20):
        ricochet.read(example("recordings/plywood_240fps.csv"))
    assert np.array_equal(x, kept)
