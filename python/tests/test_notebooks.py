"""Notebooks run from start to end, and are stored without output."""

import importlib.util
import json

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
NEEDS = {"compare_mujoco_sysid": ["mujoco", "scipy"]}
SECONDS = 120
JUPYTER = all(importlib.util.find_spec(each) for each in ("nbformat", "nbclient", "ipykernel"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda each: each.stem)
def test_runs(notebook, monkeypatch):
    for package in NEEDS.get(notebook.stem, []):
        pytest.importorskip(package)
    monkeypatch.chdir(notebook.parent)
    cells = [each for each in json.loads(notebook.read_text())["cells"] if each["cell_type"] == "code"]
    assert all(not each["outputs"] and each["execution_count"] is None for each in cells)
    if JUPYTER:
        run_in_jupyter(notebook)
        return
    names = {}
    for number, cell in enumerate(cells):
        exec(compile("".join(cell["source"]), f"{notebook.name}, cell {number}", "exec"), names)


def run_in_jupyter(notebook):
    import nbclient
    import nbformat

    document = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(document, timeout=SECONDS, kernel_name="python3").execute()
    for cell in document.cells:
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error"


def test_there_are_five():
    assert len(NOTEBOOKS) >= 5
