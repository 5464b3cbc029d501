"""Every example of the documentation strings runs."""

import doctest
import inspect
import types

import pytest

import ricochet
from conftest import example_file

#: Their examples would need a ROS bag, and an archive that is not part of the repository.
WITHOUT = {"read_bag", "read_iam"}


@pytest.mark.parametrize("name", ricochet.__all__)
def test_examples_run(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    public = getattr(ricochet, name)
    assert public.__doc__
    found = doctest.DocTestFinder().find(public, name, module=False, globs={"example": example_file})
    if isinstance(public, types.FunctionType) and name not in WITHOUT:
        assert any(each.examples for each in found), f"{name} has no example"
    runner = doctest.DocTestRunner()
    for each in found:
        runner.run(each)
    assert runner.failures == 0


def test_the_package_stays_small():
    """At most 24 files per folder, and every module says what it is for."""
    import pathlib

    root = pathlib.Path(inspect.getfile(ricochet)).parent
    for folder in [root, *(each for each in root.iterdir() if each.is_dir())]:
        assert len([each for each in folder.iterdir() if each.suffix in (".py", ".pyi")]) <= 24
    for module in root.rglob("*.py"):
        assert module.read_text().startswith('"""'), module
