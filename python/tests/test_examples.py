"""Every example of the documentation strings runs."""

import doctest
import importlib
import pkgutil

import pytest

import ricochet
from conftest import example_file

OPTIONAL = {"torch", "jax"}
MODULES = [
    each.name for each in pkgutil.iter_modules(ricochet.__path__) if each.name not in OPTIONAL | {"_core", "__main__"}
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(f"ricochet.{name}")
    failed, _ = doctest.testmod(module, extraglobs={"example": example_file})
    assert failed == 0


def test_what_is_public_has_a_description():
    for name in ricochet.__all__:
        assert getattr(ricochet, name).__doc__, name
