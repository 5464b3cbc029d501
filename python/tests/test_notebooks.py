"""Notebooks run from start to end, and are stored without output."""

import json

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda each: each.stem)
def test_runs(notebook, monkeypatch):
    monkeypatch.chdir(notebook.parent)
    cells = [each for each in json.loads(notebook.read_text())["cells"] if each["cell_type"] == "code"]
    assert all(not each["outputs"] and each["execution_count"] is None for each in cells)
    names = {}
    for number, cell in enumerate(cells):
        exec(compile("".join(cell["source"]), f"{notebook.name}, cell {number}", "exec"), names)


def test_there_are_some():
    assert NOTEBOOKS
