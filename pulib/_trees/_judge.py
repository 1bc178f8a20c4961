"""Kernels that judge one feature at one node: whether it varies there, and its best split.

Rows without a value (NaN, or its code) go to the side that gives the lower risk.  If no column has missing values,
``data.missing`` is None, and the code for them is not compiled.
"""

import numpy as np

from pulib._compiled import helper, inlined
from pulib._random import between, random_double
from pulib._trees._risks import node_risk
from pulib._trees._splits import (
    BINS_PER_ROW,
    best_threshold_codes,
    best_threshold_sorted,
    count_left,
    gather,
    inner_range,
    partition,
    place_threshold,
    value_of,
    value_range,
)
from pulib._trees._stored import gather_stored

#: Where rows without a value go: to the side with the lower risk, or to the larger child if the node has no such rows.
RIGHT, LEFT, LARGER = range(3)


@helper(forceinline=True)
def judge(values, counts, missing, stored, data, rule, by_rows, feature, labeled, unlabeled, node, state, best):
    """Whether a feature varies at a node, and the risk and threshold of its best split if the risk is below ``best``.

    ``missing`` and ``stored`` are fields of ``data``; as separate arguments, they let the compiler drop branches for None.
    """
    if values is None:
        return False, best, 0.0
    start_p, stop_p, start_u, stop_u = node
    n_p = stop_p - start_p
    n_u = stop_u - start_u
    if stored is None:
        gather(values, values.coded, data, by_rows, feature, labeled, start_p, stop_p, np.int64(0))
        gather(values, values.coded, data, by_rows, feature, unlabeled, start_u, stop_u, n_p)
    elif not gather_stored(values, stored, feature, labeled, unlabeled, node):
        return False, best, 0.0
    if missing is not None and missing[feature] >= 0:
        return _judge_missing(values, counts, data, rule, feature, n_p, n_u, missing[feature], state, best)
    low, high = value_range(values, values.coded, n_p + n_u)
    if low == high:
        return False, best, 0.0
    if counts is None:
        risk, t = _judge_random(values, data, rule, feature, low, high, n_p, n_u, state, best)
    else:
        risk, t = _judge_best(values, counts, data, rule, feature, low, high, n_p, n_u, best)
    return True, risk, t


@inlined
def _random_range(values, data, rule, feature, low, high, count):
    """Bounds of random thresholds, as values rather than codes."""
    a = value_of(data, values.coded, feature, low)
    b = value_of(data, values.coded, feature, high)
    if rule.inner_thresholds:
        second_low, second_high = inner_range(values, count, low, high)
        a = between(a, value_of(data, values.coded, feature, second_low), 0.4)
        b = between(value_of(data, values.coded, feature, second_high), b, 0.6)
    return a, b


@inlined
def _judge_random(values, data, rule, feature, low, high, n_p, n_u, state, best):
    """Draw thresholds in the range of the gathered values; return the best risk below ``best`` and its threshold."""
    a, b = _random_range(values, data, rule, feature, low, high, n_p + n_u)
    best_t = 0.0
    for _ in range(rule.n_thresholds):
        t = place_threshold(values, values.coded, data, feature, between(a, b, random_double(state)), low, high)
        key = values.key[0]
        left_p = count_left(values, np.int64(0), n_p, key)
        left_u = count_left(values, n_p, n_p + n_u, key)
        risk = node_risk(rule, left_p, left_u) + node_risk(rule, n_p - left_p, n_u - left_u)
        if risk < best:
            best = risk
            best_t = t
            values.best_key[0] = key
    return best, best_t


@helper
def _scan(values, coded, counts, data, rule, feature, low, high, n_p, n_u, away):
    """Find the best of all thresholds; ``away`` as in :func:`best_threshold_codes`."""
    if coded is not None and np.int64(high) - np.int64(low) <= max(np.int64(255), BINS_PER_ROW * (n_p + n_u)):
        return best_threshold_codes(values, counts, data, feature, n_p, n_u, away, low, high, rule)
    return best_threshold_sorted(values, data, feature, n_p, n_u, away, rule)


@inlined
def _judge_best(values, counts, data, rule, feature, low, high, n_p, n_u, best):
    """Find the best of all thresholds whose risk is below ``best``."""
    away = (np.int64(0), np.int64(0), n_p, n_u)
    found = _scan(values, values.coded, counts, data, rule, feature, low, high, n_p, n_u, away)
    if found[0] < best:
        values.best_key[0] = values.key[0]
        return found
    return best, 0.0


@helper
def _is_missing(coded, v, code):
    if coded is None:
        return v != v
    return np.int64(v) == code


@helper
def _close_ranks(values, start, stop, at, code):
    """Move the values that are not missing to ``values.values[at:]``, in order, and return the end."""
    for i in range(start, stop):
        v = values.values[i]
        if not _is_missing(values.coded, v, code):
            values.values[at] = v
            at += 1
    return at


@helper
def _judge_missing(values, counts, data, rule, feature, n_p, n_u, code, state, best):
    """Do :func:`judge` for gathered values some of which may be missing.

    Each threshold is tried with missing values on the right, then on the left.  A split of missing from present values has
    threshold infinity; it is tried if all thresholds are scanned, or if the present values are equal.
    """
    kept_p = _close_ranks(values, np.int64(0), n_p, np.int64(0), code)
    kept = _close_ranks(values, n_p, n_p + n_u, kept_p, code)
    kept_u = kept - kept_p
    if kept == 0:
        return False, best, 0.0
    low, high = value_range(values, values.coded, kept)
    if kept == n_p + n_u:
        if low == high:
            return False, best, 0.0
        if counts is None:
            risk, t = _judge_random(values, data, rule, feature, low, high, n_p, n_u, state, best)
        else:
            risk, t = _judge_best(values, counts, data, rule, feature, low, high, n_p, n_u, best)
        if risk < best:
            values.side[0] = LARGER
        return True, risk, t
    best_t = 0.0
    if low == high or counts is not None:
        if low != high:
            best, best_t = _scan_side(values, counts, data, rule, feature, low, high, kept_p, kept_u, n_p, n_u, RIGHT, best)
        risk = node_risk(rule, kept_p, kept_u) + node_risk(rule, n_p - kept_p, n_u - kept_u)
        if risk < best:
            best = risk
            best_t = np.inf
            values.best_key[0] = high
            values.side[0] = RIGHT
        if low != high:
            risk, t = _scan_side(values, counts, data, rule, feature, low, high, kept_p, kept_u, n_p, n_u, LEFT, best)
            if risk < best:
                best = risk
                best_t = t
        return True, best, best_t
    a, b = _random_range(values, data, rule, feature, low, high, kept)
    for _ in range(rule.n_thresholds):
        t = place_threshold(values, values.coded, data, feature, between(a, b, random_double(state)), low, high)
        key = values.key[0]
        left_p = count_left(values, np.int64(0), kept_p, key)
        left_u = count_left(values, kept_p, kept, key)
        for side in range(2):
            if side == LEFT:
                left_p += n_p - kept_p
                left_u += n_u - kept_u
            risk = node_risk(rule, left_p, left_u) + node_risk(rule, n_p - left_p, n_u - left_u)
            if risk < best:
                best = risk
                best_t = t
                values.best_key[0] = key
                values.side[0] = side
    return True, best, best_t


@helper
def _scan_side(values, counts, data, rule, feature, low, high, kept_p, kept_u, n_p, n_u, side, best):
    """Find the best of all thresholds with missing values on one side."""
    away = (side * (n_p - kept_p), side * (n_u - kept_u), n_p, n_u)
    if counts is None:  # never happens, but has to compile
        return best, 0.0
    found = _scan(values, values.coded, counts, data, rule, feature, low, high, kept_p, kept_u, away)
    if found[0] < best:
        values.best_key[0] = values.key[0]
        values.side[0] = side
        return found
    return best, 0.0


@helper(forceinline=True)
def split_rows(values, missing, stored, data, by_rows, feature, labeled, unlabeled, node, spare):
    """Move the rows that go left to the front.

    Returns the starts of the right child among labeled and among unlabeled rows, and where rows without a value go.
    """
    if values is None:
        return np.int64(0), np.int64(0), np.int64(LARGER)
    start_p, stop_p, start_u, stop_u = node
    n_p = stop_p - start_p
    key = values.best_key[0]
    if stored is None:
        gather(values, values.coded, data, by_rows, feature, labeled, start_p, stop_p, np.int64(0))
        gather(values, values.coded, data, by_rows, feature, unlabeled, start_u, stop_u, n_p)
    else:
        gather_stored(values, stored, feature, labeled, unlabeled, node)
    if missing is not None and missing[feature] >= 0 and values.side[0] != LARGER:
        to_left = values.side[0] == LEFT
        code = missing[feature]
        middle_p = _partition_missing(values, labeled, start_p, stop_p, np.int64(0), key, code, to_left, spare)
        middle_u = _partition_missing(values, unlabeled, start_u, stop_u, n_p, key, code, to_left, spare)
        return middle_p, middle_u, np.int64(values.side[0])
    middle_p = partition(values, labeled, start_p, stop_p, np.int64(0), key, spare)
    middle_u = partition(values, unlabeled, start_u, stop_u, n_p, key, spare)
    return middle_p, middle_u, np.int64(LARGER)


@helper
def _partition_missing(values, members, start, stop, at, key, code, to_left, spare):
    """Do :func:`partition` with missing values on one side."""
    left = start
    right = 0
    for i in range(stop - start):
        row = members[start + i]
        v = values.values[at + i]
        if to_left if _is_missing(values.coded, v, code) else v <= key:
            members[left] = row
            left += 1
        else:
            spare[right] = row
            right += 1
    for i in range(right):
        members[left + i] = spare[i]
    return np.int64(left)
