"""Borrowed arrays read and write the elements of the original arrays."""

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

from pulib import PUExtraTreesClassifier, _borrowed, _kernel_cache
from pulib._borrowed import borrowed
from pulib._compiled import helper, kernel
from tests.sizes import NOT_COMPILED
from tests.test_packaging import requirements


class Inner(NamedTuple):
    grid: np.ndarray
    factor: float


class Outer(NamedTuple):
    vector: np.ndarray
    inner: Inner
    absent: Any


@helper
def scale_row(inner, row):
    for j in range(np.uint64(inner.grid.shape[1])):
        inner.grid[row, j] *= inner.factor


@helper
def instead(others, i, value):
    if others is None:
        return value
    return others[i]


@kernel
def add_and_scale(outer):
    outer = borrowed(outer)
    vector, inner = outer.vector, outer.inner
    for i in range(len(vector)):
        for j in range(inner.grid.shape[1]):
            vector[i] += inner.grid[i, j]
        scale_row(inner, np.int32(i))
        vector[i] = instead(outer.absent, i, vector[i])


GRID = np.arange(30, dtype=np.float64).reshape(5, 6)


@pytest.mark.parametrize(
    ("view", "dtype"),
    [
        (lambda a: a, np.float64),
        (np.asfortranarray, np.float64),
        (lambda a: a[::-1, ::2], np.int32),
        (lambda a: a[1:3, 2:5], np.float64),
    ],
)
def test_elements_are_read_and_written_in_every_layout(view, dtype):
    grid = view(GRID.astype(dtype))
    expected, sums = grid * dtype(3), grid.sum(axis=1)
    vector = np.zeros(len(grid), dtype)
    add_and_scale(Outer(vector, Inner(grid, 3), None))
    np.testing.assert_array_equal(vector, sums)
    np.testing.assert_array_equal(grid, expected)


def test_optional_member():
    vector = np.zeros(5)
    add_and_scale(Outer(vector, Inner(GRID.copy(), 2.0), np.arange(5.0)))
    np.testing.assert_array_equal(vector, np.arange(5.0))


#: Program that fits a forest and prints its scores after removing one of Numba's private interfaces.
WITHOUT = """
import sys
import numba.misc.appdirs
{remove}
import numpy as np
from pulib import PUExtraTreesClassifier, _borrowed, _kernel_cache
from pulib._compiled import kernel
X = np.random.default_rng(0).normal(size=(60, 3))
forest = PUExtraTreesClassifier(2, prior=0.4, random_state=0).fit(X, (X[:, 0] > 0).astype(int))
plain = _borrowed.borrowed is _borrowed._itself, _kernel_cache.USABLE
print(plain, forest.decision_function(X).tobytes().hex())
"""


@pytest.mark.slow
@pytest.mark.skipif(NOT_COMPILED, reason="NUMBA_DISABLE_JIT")
@pytest.mark.parametrize(
    ("remove", "plain"),
    [
        ("", "(False, True)"),
        ('sys.modules["pulib._borrowed_arrays"] = None', "(True, True)"),  # as if its imports failed
        ("del numba.misc.appdirs.AppDirs", "(False, False)"),
    ],
    ids=["unchanged", "no borrowing", "no kernel cache"],
)
def test_forests_are_the_same_without_a_private_interface_of_numba(remove, plain, tmp_path):
    """Later versions of Numba may lack it; ``pulib._borrowed.TRIED`` is the version that this was tried with."""
    code = WITHOUT.format(remove=remove)
    environment = os.environ | ({"NUMBA_CACHE_DIR": str(tmp_path)} if remove else {})
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    X = np.random.default_rng(0).normal(size=(60, 3))
    forest = PUExtraTreesClassifier(2, prior=0.4, random_state=0).fit(X, (X[:, 0] > 0).astype(int))
    assert done.stdout.split(") ")[0] + ")" == plain
    assert done.stdout.split()[-1] == forest.decision_function(X).tobytes().hex()


def test_numba_version_of_the_private_interfaces_is_supported():
    supported = next(requirement for requirement in requirements() if requirement.name == "numba").specifier
    assert _borrowed.TRIED == _kernel_cache.TRIED
    assert _borrowed.TRIED in supported
