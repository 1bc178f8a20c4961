"""Public functions have complete type hints; mypy, a step of CI, checks that they are correct."""

import ast
import importlib
import importlib.resources
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pulib


def public_modules():
    """Return the modules without an underscore anywhere in their path."""
    found = ["pulib"]
    for module in pkgutil.walk_packages(pulib.__path__, "pulib."):
        if not any(part.startswith("_") for part in module.name.split(".")):
            found.append(module.name)
    return found


def public_functions(module):
    """Yield pulib's public functions in a module and public methods of its classes, including constructors."""
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


@pytest.mark.parametrize("package", ["pulib", "pulib.datasets", "pulib.plots", "pulib.sampling"])
def test_stubs_export_the_lazily_loaded_names(package):
    """In a stub, only names imported as themselves (``x as x``) are public; the same list is ``__all__``."""
    stub = ast.parse((importlib.resources.files(package) / "__init__.pyi").read_text(encoding="ascii"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    names = [name for node in imports for name in node.names]
    assert [name.asname for name in names] == [name.name for name in names]
    assert sorted(name.name for name in names) == importlib.import_module(package).__all__


SCRIPT = """\
import numpy as np

from pulib import PUExtraTreesClassifier, estimate_prior
from pulib.metrics import PUScorer

X, y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 0]
prior: float = estimate_prior(X, y, method="best_bin", scenario="one_sample")
forest = PUExtraTreesClassifier(20, prior=prior, random_state=0)
forest.fit(X, y)
found: np.ndarray = forest.predict(X)
score: float = PUScorer("pu_score")(forest, X, y)
"""

#: Lines appended to the script, and the error in each.
MISTAKES = {
    "from pulib import estimate_priors": 'Module "pulib" has no attribute "estimate_priors"',
    'PUScorer("pu_score").call(forest, X, y)': '"PUScorer" has no attribute "call"',
    'PUExtraTreesClassifier(prior="a third")': 'Argument "prior" to "PUExtraTreesClassifier" has incompatible type "str"',
    "prior = estimate_prior(X, y, return_details=True)": 'expression has type "PriorEstimate", variable has type "float"',
}


@pytest.mark.slow
def test_mypy_of_a_user_reads_the_hints(tmp_path):
    """In strict mode on the installed package, mypy finds the mistakes and no errors in other lines or in pulib."""
    pytest.importorskip("mypy")
    (tmp_path / "script.py").write_text("\n".join([*SCRIPT.splitlines(), *MISTAKES, ""]), encoding="utf-8")
    root = str(Path(pulib.__path__[0]).parent)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"), "script.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": root, "MYPYPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"^(.+):(\d+): error: (.+)$", done.stdout, re.M)
    last = len(SCRIPT.splitlines())
    assert [place for *place, _ in found] == [["script.py", str(last + 1 + k)] for k in range(len(MISTAKES))], done.stdout
    assert all(message in text for message, (*_, text) in zip(MISTAKES.values(), found, strict=True)), done.stdout
    assert not done.stderr
