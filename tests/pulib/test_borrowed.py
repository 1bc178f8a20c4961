"""Borrowed arrays hold what the arrays hold that they were borrowed from."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from pulib._borrowed import borrowed, part
from pulib._compiled import helper, kernel


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


@kernel
def sort_part(values, start, stop):
    part(borrowed(values), start, stop).sort()


@kernel
def largest_field(records):
    records = borrowed(records)
    best = records[0]["key"]
    for k in range(len(records)):
        if records[k]["key"] > best:
            best = records[k]["key"]
        records[k]["seen"] = True
    return best


GRID = np.arange(30, dtype=np.float64).reshape(5, 6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize(
    "view",
    [lambda a: a, np.asfortranarray, lambda a: a[:, ::2], lambda a: a[::-1], lambda a: a[1:3, 2:5]],
    ids=["rows", "columns", "every other column", "reversed", "a window"],
)
def test_elements_are_read_and_written_in_every_layout(view, dtype):
    grid = view(GRID.astype(dtype))
    expected = grid * dtype(3)
    sums = grid.sum(axis=1)
    vector = np.zeros(len(grid), dtype)
    add_and_scale(Outer(vector, Inner(grid, 3), None))
    np.testing.assert_array_equal(vector, sums)
    np.testing.assert_array_equal(grid, expected)


def test_a_member_that_may_be_absent():
    vector = np.zeros(5)
    add_and_scale(Outer(vector, Inner(GRID.copy(), 2.0), np.arange(5.0)))
    np.testing.assert_array_equal(vector, np.arange(5.0))


def test_a_part_is_the_array_s_own_memory():
    values = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    sort_part(values, 1, 4)
    assert values.tolist() == [5.0, 2.0, 3.0, 4.0, 1.0]
    sort_part(values, 2, 2)
    assert values.tolist() == [5.0, 2.0, 3.0, 4.0, 1.0]


def test_records():
    records = np.zeros(4, np.dtype([("key", np.int16), ("seen", np.bool_)], align=True))
    records["key"] = [3, 9, -1, 4]
    assert largest_field(records) == 9
    assert records["seen"].all()
