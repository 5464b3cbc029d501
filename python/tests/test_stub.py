"""The stub of the module names what the module has."""

import ast
import pathlib

import ricochet
from ricochet import _core


def test_the_stub_is_that_of_the_module():
    stub = pathlib.Path(ricochet.__file__).with_name("_core.pyi")
    named = {
        node.name for node in ast.parse(stub.read_text()).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))
    }
    assert named == {name for name in dir(_core) if not name.startswith("_")}
    for node in ast.parse(stub.read_text()).body:
        fields = getattr(getattr(_core, getattr(node, "name", ""), None), "_fields", ())
        if fields:
            properties = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            assert set(fields) <= properties, node.name
