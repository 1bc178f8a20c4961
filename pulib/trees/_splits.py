"""Kernels that judge one feature at one node: gather its values, find their range, count what falls left, scan all thresholds.

Bounded by memory: a gather reads one value per row, from a column where the node is large and from rows where it is small, so
that a subtree of small nodes stays in the second-level cache.  What follows reads the gathered values in sequence (and is
vectorized by the compiler).  ``scratch.values`` holds the gathered values, first those of labeled positives.

The kernels take whole tuples (``data``, ``scratch``) and index their arrays in place: taking an array out of a tuple costs two
atomic reference counts, which is more than a small node's work.  Positions are unsigned: an index that might be negative costs
a test per element, and the vectorization of the loop.
"""

import numba as nb
import numpy as np

from pulib._compiled import helper
from pulib.trees._risks import node_risk


@nb.njit(cache=True, nogil=True)
def gather(data, by_rows, feature, members, start, stop, scratch, at):
    """Copy the feature's values of ``members[start:stop]`` to ``scratch.values[at:]``."""
    begin = np.uint64(start)
    to = np.uint64(at)
    column = np.uint64(feature)
    if by_rows:
        for i in range(np.uint64(stop - start)):
            scratch.values[to + i] = data.rows[members[begin + i], column]
    else:
        for i in range(np.uint64(stop - start)):
            scratch.values[to + i] = data.columns[column, members[begin + i]]


@helper
def _in_order(bits, shift, mask):
    """Bits of a floating-point number as an integer with the same order (and back)."""
    return bits ^ ((bits >> shift) & mask)


@helper
def value_range(data, scratch, count):
    """Least and greatest of the first ``count`` values.

    Those of floating-point numbers are found among their bits: as a reduction over integers the loop is vectorized, which one
    over numbers that might be NaN is not.
    """
    if data.codes:
        low = scratch.values[0]
        high = low
        for i in range(np.uint64(1), np.uint64(count)):
            low = min(low, scratch.values[i])
            high = max(high, scratch.values[i])
        return low, high
    shift = scratch.shift[0]
    mask = scratch.shift[1]
    least = _in_order(scratch.bits[0], shift, mask)
    greatest = least
    for i in range(np.uint64(1), np.uint64(count)):
        value = _in_order(scratch.bits[i], shift, mask)
        least = min(least, value)
        greatest = max(greatest, value)
    scratch.key_bits[0] = _in_order(least, shift, mask)
    lowest = scratch.key[0]
    scratch.key_bits[0] = _in_order(greatest, shift, mask)
    return lowest, scratch.key[0]


@helper
def inner_range(scratch, count, low, high):
    """The second least and the second greatest distinct value, given the least and the greatest (which differ)."""
    second_low = high
    second_high = low
    for i in range(np.uint64(count)):
        v = scratch.values[i]
        if v != low and v < second_low:
            second_low = v
        if v != high and v > second_high:
            second_high = v
    return second_low, second_high


@helper
def count_left(scratch, start, stop, key):
    """How many of ``values[start:stop]`` are at most ``key``."""
    count = np.int32(0)
    for i in range(np.uint64(start), np.uint64(stop)):
        count = np.int32(count + np.int32(scratch.values[i] <= key))  # 32 bits: twice the lanes
    return np.int64(count)


@helper
def set_constants_aside(data, by_rows, labeled, unlabeled, node, unseen, scratch):
    """Find all features in ``features[constants:unseen]`` that are constant at the node and move them to the front.

    By rows, each row is compared with the first one as a whole.  Returns the new number of known constants.
    """
    start_p, stop_p, start_u, stop_u, constants = node
    d = data.n_features
    first = labeled[start_p]
    for j in range(d):
        scratch.differs[j] = 0
    if by_rows:
        for i in range(start_p + 1, stop_p):
            row = labeled[i]
            for j in range(np.uint64(d)):
                scratch.differs[j] |= np.uint8(data.rows[row, j] != data.rows[first, j])
        for i in range(start_u, stop_u):
            row = unlabeled[i]
            for j in range(np.uint64(d)):
                scratch.differs[j] |= np.uint8(data.rows[row, j] != data.rows[first, j])
    else:
        for position in range(constants, unseen):
            feature = scratch.features[position]
            value = data.columns[feature, first]
            differs = False
            for i in range(start_p + 1, stop_p):
                differs |= data.columns[feature, labeled[i]] != value
            for i in range(start_u, stop_u):
                differs |= data.columns[feature, unlabeled[i]] != value
            scratch.differs[feature] = differs
    for position in range(constants, unseen):
        feature = scratch.features[position]
        other = scratch.features[constants]
        differs = scratch.differs[feature]
        scratch.features[constants] = other if differs else feature
        scratch.features[position] = feature if differs else other
        constants += 1 - np.int64(differs)
    return constants


@helper
def place_threshold(t, low, high, scratch, exact):
    """Bring a threshold to the type of the data, so that ``low <= key < high`` whatever the rounding.

    ``scratch.key[0]`` receives the value to compare with; the return value is the threshold to store.  Integer codes keep the
    fraction of the stored threshold (``exact``), as x <= t and x <= floor(t) are the same for them.
    """
    if not (t >= low and t < high):
        t = np.float64(low)
    scratch.key[0] = t
    if scratch.key[0] >= high:
        scratch.key[0] = low
    if exact:
        return t
    return np.float64(scratch.key[0])


@helper
def best_threshold_codes(scratch, n_p, n_u, low, high, rule):
    """All thresholds between neighboring codes, from a histogram of at most 256 bins.

    Returns ``(children's risk, threshold)`` of the first best one; ``scratch.key[0]`` receives the value to compare with.
    """
    first = np.int64(low)
    last = np.int64(high)
    counts = scratch.counts
    for b in range(first, last + 1):
        counts[0, b] = 0
        counts[1, b] = 0
    for i in range(n_p):
        counts[0, np.int64(scratch.values[i])] += 1
    for i in range(n_p, n_p + n_u):
        counts[1, np.int64(scratch.values[i])] += 1
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
    scratch.key[0] = best_t
    return best, best_t


@helper
def best_threshold_sorted(scratch, n_p, n_u, rule):
    """All thresholds between neighboring values: sorts the labeled and the unlabeled values apart, then merges (algorithm 2).

    The same return value as :func:`best_threshold_codes`; O(n log n).
    """
    labeled = scratch.values[:n_p]
    unlabeled = scratch.values[n_p : n_p + n_u]
    labeled.sort()
    unlabeled.sort()
    best = np.inf
    best_t = np.float64(0.0)
    i = 0
    j = 0
    while True:
        current = labeled[i] if j == n_u or (i < n_p and labeled[i] <= unlabeled[j]) else unlabeled[j]
        while i < n_p and labeled[i] == current:
            i += 1
        while j < n_u and unlabeled[j] == current:
            j += 1
        if i + j == n_p + n_u:
            return best, best_t
        risk = node_risk(rule, i, j) + node_risk(rule, n_p - i, n_u - j)
        if risk < best:
            following = labeled[i] if j == n_u or (i < n_p and labeled[i] <= unlabeled[j]) else unlabeled[j]
            best = risk
            best_t = place_threshold(
                0.5 * np.float64(current) + 0.5 * np.float64(following), current, following, scratch, np.int64(0)
            )


@helper
def partition(members, start, stop, at, key, scratch):
    """Move the rows with ``values[at + i] <= key`` to the front of ``members[start:stop]``, keeping their order.

    Rows in ascending order keep the gathers of the children in ascending order, which the hardware prefetches.
    """
    begin = np.uint64(start)
    first = np.uint64(at)
    one = np.uint64(1)
    left = begin
    right = np.uint64(0)
    for i in range(np.uint64(stop - start)):
        row = members[begin + i]
        goes_left = np.uint64(scratch.values[first + i] <= key)
        members[left] = row  # without a branch: the losing write is overwritten
        scratch.spare[right] = row
        left += goes_left
        right += one - goes_left
    for i in range(right):
        members[left + i] = scratch.spare[i]
    return np.int64(left)
