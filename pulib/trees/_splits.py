"""Kernels that judge one feature at one node: gather its values, find their range, count what falls left, scan all thresholds.

Bounded by memory: a gather reads one value per row, from a column where the node is large and from rows where it is small, so
that a subtree of small nodes stays in the second-level cache.  What follows reads the gathered values in sequence (and is
vectorized by the compiler).  The first ``n_p`` values are of labeled positives, the others of unlabeled rows.
"""

import numba as nb
import numpy as np

from pulib.trees._risks import node_risk


@nb.njit(cache=True, nogil=True)
def gather(data, by_rows, feature, members, start, stop, values, at):
    """Copy the feature's values of ``members[start:stop]`` to ``values[at:]``."""
    count = stop - start
    if by_rows:
        rows = data.rows
        for i in range(count):
            values[at + i] = rows[members[start + i], feature]
    else:
        column = data.columns[feature]
        for i in range(count):
            values[at + i] = column[members[start + i]]


@nb.njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})  # the values have been checked to be finite
def value_range(values, count):
    """Least and greatest of the first ``count`` values."""
    low = values[0]
    high = values[0]
    for i in range(1, count):
        low = min(low, values[i])
        high = max(high, values[i])
    return low, high


@nb.njit(cache=True, nogil=True)
def inner_range(values, count, low, high):
    """The second least and the second greatest distinct value, given the least and the greatest (which differ)."""
    second_low = high
    second_high = low
    for i in range(count):
        v = values[i]
        if v != low and v < second_low:
            second_low = v
        if v != high and v > second_high:
            second_high = v
    return second_low, second_high


@nb.njit(cache=True, nogil=True)
def count_left(values, start, stop, key):
    """How many of ``values[start:stop]`` are at most ``key``."""
    count = np.int32(0)
    for i in range(start, stop):
        count = np.int32(count + np.int32(values[i] <= key))  # 32 bits: twice the lanes
    return np.int64(count)


@nb.njit(cache=True, nogil=True)
def place_threshold(t, low, high, key, exact):
    """Bring a threshold to the type of the data, so that ``low <= key < high`` whatever the rounding.

    ``key[0]`` receives the value to compare with; the return value is the threshold to store.  Integer codes keep the
    fraction of the stored threshold (``exact``), as x <= t and x <= floor(t) are the same for them.
    """
    if not (t >= low and t < high):
        t = np.float64(low)
    key[0] = t
    if key[0] >= high:
        key[0] = low
    if exact:
        return t
    return np.float64(key[0])


@nb.njit(cache=True, nogil=True)
def best_threshold_codes(values, n_p, n_u, low, high, rule, counts, key):
    """All thresholds between neighboring codes, from a histogram of at most 256 bins.

    Returns ``(children's risk, threshold)`` of the first best one; ``key[0]`` receives the value to compare with.
    """
    first = np.int64(low)
    last = np.int64(high)
    for b in range(first, last + 1):
        counts[0, b] = 0
        counts[1, b] = 0
    for i in range(n_p):
        counts[0, np.int64(values[i])] += 1
    for i in range(n_p, n_p + n_u):
        counts[1, np.int64(values[i])] += 1
    best = np.inf
    best_t = np.float64(first)
    left_p = counts[0, first]
    left_u = counts[1, first]
    below = first
    for b in range(first + 1, last + 1):
        if counts[0, b] == 0 and counts[1, b] == 0:
            continue
        risk = node_risk(rule, left_p, left_u) + node_risk(rule, n_p - left_p, n_u - left_u)
        if risk < best:
            best = risk
            best_t = 0.5 * (below + b)
        left_p += counts[0, b]
        left_u += counts[1, b]
        below = b
    key[0] = best_t
    return best, best_t


@nb.njit(cache=True, nogil=True)
def best_threshold_sorted(values, n_p, n_u, rule, key):
    """All thresholds between neighboring values: sorts the labeled and the unlabeled values apart, then merges (algorithm 2).

    The same return value as :func:`best_threshold_codes`; O(n log n).
    """
    values[:n_p].sort()
    values[n_p : n_p + n_u].sort()
    best = np.inf
    best_t = np.float64(0.0)
    i = 0
    j = 0
    end = n_p + n_u
    while True:
        current = values[i] if j == n_u or (i < n_p and values[i] <= values[n_p + j]) else values[n_p + j]
        while i < n_p and values[i] == current:
            i += 1
        while j < n_u and values[n_p + j] == current:
            j += 1
        if i + j == end:
            return best, best_t
        risk = node_risk(rule, i, j) + node_risk(rule, n_p - i, n_u - j)
        if risk < best:
            following = values[i] if j == n_u or (i < n_p and values[i] <= values[n_p + j]) else values[n_p + j]
            best = risk
            best_t = place_threshold(0.5 * np.float64(current) + 0.5 * np.float64(following), current, following, key, False)
    return best, best_t


@nb.njit(cache=True, nogil=True)
def partition(members, start, stop, values, at, key, spare):
    """Move the rows with ``values[at + i] <= key`` to the front of ``members[start:stop]``, keeping their order.

    Rows in ascending order keep the gathers of the children in ascending order, which the hardware prefetches.
    """
    left = start
    right = 0
    for i in range(stop - start):
        row = members[start + i]
        goes_left = np.int64(values[at + i] <= key)
        members[left] = row  # without a branch: the losing write is overwritten
        spare[right] = row
        left += goes_left
        right += 1 - goes_left
    for i in range(right):
        members[left + i] = spare[i]
    return left
