"""Wide sparse matrices for the trees, stored by their non-zeros.

Trees are identical, bit for bit, to those on the dense floats.  Gathering a feature looks up its non-zeros among the node's
rows, or the node's rows among its non-zeros, whichever are fewer.  Bounded by these searches, and at small nodes by the
non-zeros of the node's rows, which show at once which features vary there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pulib._compiled import frozen, helper


class Stored(NamedTuple):
    """The stored values of a sparse matrix, by columns and by rows, each in ascending order."""

    column_starts: np.ndarray  # (n_features + 1,) int64
    rows: np.ndarray  # (n_values,) uint32: the row of each value, by columns
    values: np.ndarray  # (n_values,) float32 or float64
    row_starts: np.ndarray  # (n + 1,) int64
    features: np.ndarray  # (n_values,) uint32: the feature of each value, by rows
    row_values: np.ndarray  # (n_values,)


class Marks(NamedTuple):
    """Working memory of one thread: a summary of each feature at a node; shape (n_features,)."""

    times: np.ndarray  # int32: number of the node's rows with a stored value; 0 between nodes
    first: np.ndarray  # the first stored value
    differs: np.ndarray  # uint8: whether another stored value differs


def stored_values(X: Any) -> Stored:
    """Store a float matrix, given in canonical CSC form, in both orders."""
    by_rows = sparse.csr_array(X)
    return Stored(
        column_starts=frozen(X.indptr.astype(np.int64)),
        rows=frozen(X.indices.astype(np.uint32)),
        values=frozen(X.data),
        row_starts=frozen(by_rows.indptr.astype(np.int64)),
        features=frozen(by_rows.indices.astype(np.uint32)),
        row_values=frozen(by_rows.data),
    )


def new_marks(stored: Stored, n_features: int) -> Marks:
    return Marks(np.zeros(n_features, np.int32), np.empty(n_features, stored.values.dtype), np.empty(n_features, np.uint8))


@helper
def _first_at_least(numbers, start, stop, wanted):
    """First position in ascending ``numbers[start:stop]`` of a number at least as large as ``wanted``; ``stop`` if none."""
    low = start
    high = stop
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@helper
def _place_stored(values, stored, feature, members, start, stop, at, filled, count):
    """Write the stored values of ascending ``members[start:stop]`` to ``values.values[at:]``, which holds zeros elsewhere.

    ``filled``, passed and returned, says whether the zeros for the node's ``count`` rows have been written.
    """
    first = stored.column_starts[feature]
    last = stored.column_starts[feature + 1]
    if last - first <= stop - start:
        place = start
        for e in range(first, last):
            row = stored.rows[e]
            place = _first_at_least(members, place, stop, row)
            while place < stop and members[place] == row:
                filled = _fill(values, filled, count)
                values.values[at + place - start] = stored.values[e]
                place += 1
            if place == stop:
                break
        return filled
    e = first
    for place in range(start, stop):
        e = _first_at_least(stored.rows, e, last, members[place])
        if e == last:
            break
        if stored.rows[e] == members[place]:
            filled = _fill(values, filled, count)
            values.values[at + place - start] = stored.values[e]
    return filled


@helper
def _fill(values, filled, count):
    if not filled:
        for i in range(np.uint64(count)):
            values.values[i] = 0
    return True


@helper
def gather_stored(values, stored, feature, labeled, unlabeled, node):
    """Gather a feature's values at a node, labeled rows first; return False, and write nothing, if none is stored."""
    start_p, stop_p, start_u, stop_u = node
    n_p = stop_p - start_p
    count = n_p + stop_u - start_u
    filled = _place_stored(values, stored, feature, labeled, start_p, stop_p, np.int64(0), count < 0, count)
    return _place_stored(values, stored, feature, unlabeled, start_u, stop_u, n_p, filled, count)


@helper
def _mark_rows(stored, marks, missing, members, start, stop):
    for i in range(start, stop):
        row = members[i]
        for e in range(stored.row_starts[row], stored.row_starts[row + 1]):
            feature = stored.features[e]
            value = stored.row_values[e]
            if marks.times[feature] == 0:
                marks.first[feature] = value
                marks.differs[feature] = 0
            elif unlike(value, marks.first[feature], missing):
                marks.differs[feature] = 1
            marks.times[feature] += 1


@helper
def _unmark_rows(stored, marks, members, start, stop):
    for i in range(start, stop):
        row = members[i]
        for e in range(stored.row_starts[row], stored.row_starts[row + 1]):
            marks.times[stored.features[e]] = 0


@helper
def unlike(a, b, missing):
    """Whether two floats differ; NaN equals NaN."""
    if missing is None:
        return a != b
    return a != b and (a == a or b == b)


@helper
def set_stored_aside(stored, marks, missing, labeled, unlabeled, node, unseen, features):
    """Move all features in ``features[constants:unseen]`` that are constant at the node to the front.

    ``node`` ends with the number of known constants.  Returns the new number.
    """
    start_p, stop_p, start_u, stop_u, constants = node
    count = stop_p - start_p + stop_u - start_u
    _mark_rows(stored, marks, missing, labeled, start_p, stop_p)
    _mark_rows(stored, marks, missing, unlabeled, start_u, stop_u)
    for position in range(constants, unseen):
        feature = features[position]
        times = marks.times[feature]
        varies = times > 0
        if varies and marks.differs[feature] == 0:
            varies = times < count and marks.first[feature] != 0.0
        if not varies:
            features[position] = features[constants]
            features[constants] = feature
            constants += 1
    _unmark_rows(stored, marks, labeled, start_p, stop_p)
    _unmark_rows(stored, marks, unlabeled, start_u, stop_u)
    return constants
