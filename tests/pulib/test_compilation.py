"""Kernels take few arguments and are compiled once: a second process finds them in the cache for any layout of its input."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sizes import NOT_COMPILED

ROOT = Path(__file__).parents[2]

# Warms up and prints the compiled functions with their types; "again" passes the same numbers in other layouts.
PROGRAM = """
import json, sys, tempfile
import numpy as np
from numba.core import event
from scipy import sparse

compiled = []

class Listener(event.Listener):
    def on_start(self, happened):
        function = happened.data["dispatcher"].py_func
        compiled.append((f"{function.__module__}.{function.__qualname__}", str(happened.data["args"])))

    def on_end(self, happened):
        pass

event.register("numba:compile", Listener())
from pulib import warm_up

def other_forms(X, dtype):
    X = X.astype(dtype)
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file.name, X)
        yield np.load(file.name, mmap_mode="r")
    yield np.asfortranarray(X)
    yield np.repeat(X, 2, axis=1)[:, ::2]
    yield X[::-1]
    fixed = sparse.csr_array(X)
    for part in (fixed.data, fixed.indices, fixed.indptr):
        part.flags.writeable = False
    yield fixed

warm_up.DTYPES = ("float64",)
if sys.argv[1] == "again":
    warm_up._forms = other_forms
warm_up.warm_up()
print(json.dumps(compiled))
"""


def compiled_functions():
    """Yield the place and the arguments of every function of the library with one of the compiler's decorators."""
    for file in sorted((ROOT / "pulib").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                names = {ast.unparse(getattr(decorator, "func", decorator)) for decorator in node.decorator_list}
                if names & {"kernel", "njit", "nb.njit", "numba.njit"}:
                    yield f"{file.relative_to(ROOT)}:{node.name}", node.args


def test_kernels_take_at_most_eight_arguments():
    counts = {place: len(args.posonlyargs + args.args + args.kwonlyargs) for place, args in compiled_functions()}
    assert len(counts) > 30, "kernels are found by their decorators"
    assert {place: count for place, count in counts.items() if count > 8} == {}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


def compiled(word, cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    run = [sys.executable, "-c", PROGRAM, word]
    done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    return [tuple(entry) for entry in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def at_first(cache):
    return compiled("first", cache)


@pytest.mark.slow
@pytest.mark.skipif(NOT_COMPILED, reason="NUMBA_DISABLE_JIT: nothing is compiled")
class TestFirstUse:
    def test_nothing_is_compiled_twice(self, at_first, cache):
        assert at_first  # the cache was empty
        assert compiled("again", cache) == []

    def test_no_kernel_formats_text(self, at_first):
        # code that formats two shapes for an error takes longer to compile than most kernels
        assert [name for name, _ in at_first if "unicode" in name] == []

    def test_literal_numbers_in_calls_cause_no_second_compilation(self, at_first):
        kinds = {}
        for name, types in at_first:
            if name.startswith("pulib."):
                kinds.setdefault((name, re.sub(r"Literal\[int\]\(-?\d+\)", "int64", types)), set()).add(types)
        assert [name for (name, _), seen in kinds.items() if len(seen) > 1] == []
