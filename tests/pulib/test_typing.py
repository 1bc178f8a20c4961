"""What is public has type hints throughout; mypy, a step of CI, checks that they are true."""

import importlib
import importlib.resources
import inspect
import pkgutil

import pytest

import pulib


def public_modules():
    """Modules without an underscore anywhere on their path."""
    found = ["pulib"]
    for module in pkgutil.walk_packages(pulib.__path__, "pulib."):
        if not any(part.startswith("_") for part in module.name.split(".")):
            found.append(module.name)
    return found


def public_functions(module):
    """Functions of a module and methods of its classes, as far as they are ours and have no underscore; constructors too."""
    for name in dir(module):
        value = getattr(module, name)
        if name.startswith("_") or not getattr(value, "__module__", "").startswith("pulib"):
            continue
        if inspect.isclass(value):
            for member in dir(value):
                method = inspect.getattr_static(value, member)
                method = getattr(method, "__func__", getattr(method, "fget", method))
                if (member == "__init__" or not member.startswith("_")) and inspect.isfunction(inspect.unwrap(method)):
                    yield f"{name}.{member}", inspect.unwrap(method)
        elif inspect.isfunction(inspect.unwrap(value)):
            yield name, inspect.unwrap(value)


@pytest.mark.parametrize("name", public_modules())
def test_public_functions_have_hints(name):
    module = importlib.import_module(name)
    missing = []
    for path, function in public_functions(module):
        if not function.__module__.startswith("pulib"):
            continue  # inherited from scikit-learn
        signature = inspect.signature(function)
        missing += [
            f"{path}: {p.name}"
            for p in signature.parameters.values()
            if p.annotation is p.empty and p.name not in ("self", "cls")
        ]
        if signature.return_annotation is signature.empty and not path.endswith("__init__"):
            missing.append(f"{path}: what it returns")
    assert not missing


def test_hints_are_found_where_pulib_is_installed():
    assert (importlib.resources.files("pulib") / "py.typed").is_file()
