"""Kernels for one feature at one node: gather its values, find their range, count rows on the left, scan all thresholds.

Bounded by memory: a gather reads one value per row, from a column at large nodes and from rows at small ones, so that a subtree
of small nodes stays in the L2 cache.  Later steps read the gathered values in sequence (vectorized by the compiler).
``values.values`` holds the gathered values or their codes, labeled positives first.

The kernels take whole tuples (``data``, ``values``, ``scratch``), whose arrays are borrowed: reference counting cost more than
the work at a small node.  Positions are unsigned, so that loops over arrays that are not borrowed are vectorized too.
"""

import numpy as np

from pulib._borrowed import part
from pulib._compiled import helper
from pulib._trees._data import BIT, FLOAT, NARROW, WIDE
from pulib._trees._risks import node_risk
from pulib._trees._stored import set_stored_aside, unlike


@helper
def bit_of(data, column, row):
    """Return a 1-bit code from the column layout."""
    row = np.uint64(row)
    return (data.bit_columns[column, row >> np.uint64(3)] >> (row & np.uint64(7))) & np.uint64(1)


@helper(forceinline=True)
def gather(values, coded, data, by_rows, feature, members, start, stop, at):
    """Copy the feature's values, or codes, of ``members[start:stop]`` to ``values.values[at:]``.

    ``coded`` is ``values.coded``; as a separate argument, it lets the compiler drop the branches for codes.
    """
    begin = np.uint64(start)
    to = np.uint64(at)
    count = np.uint64(stop - start)
    column = np.uint64(data.slot[feature])
    if coded is None:
        if by_rows:
            for i in range(count):
                values.values[to + i] = data.float_rows[members[begin + i], column]
        else:
            for i in range(count):
                values.values[to + i] = data.float_columns[column, members[begin + i]]
    elif data.kind[feature] == NARROW:
        if by_rows:
            column += np.uint64(data.first_narrow)
            for i in range(count):
                values.values[to + i] = data.code_rows[members[begin + i], column]
        else:
            for i in range(count):
                values.values[to + i] = data.narrow_columns[column, members[begin + i]]
    elif data.kind[feature] == BIT:
        if by_rows:
            shift = column & np.uint64(7)
            column = np.uint64(data.first_bit) + (column >> np.uint64(3))
            for i in range(count):
                values.values[to + i] = (data.code_rows[members[begin + i], column] >> shift) & np.uint64(1)
        else:
            for i in range(count):
                values.values[to + i] = bit_of(data, column, members[begin + i])
    elif by_rows:
        for i in range(count):
            values.values[to + i] = data.wide_rows[members[begin + i], column]
    else:
        for i in range(count):
            values.values[to + i] = data.wide_columns[column, members[begin + i]]


@helper
def _in_order(bits, shift, mask):
    """Convert a float's bits to an integer with the same order, or back."""
    return bits ^ ((bits >> shift) & mask)


@helper
def value_range(values, coded, count):
    """Minimum and maximum of the first ``count`` values.

    Floats are compared by their bits: the compiler vectorizes a reduction over integers, but not one over floats, which might
    be NaN.
    """
    if coded is not None:
        low = values.values[0]
        high = low
        for i in range(np.uint64(1), np.uint64(count)):
            low = min(low, values.values[i])
            high = max(high, values.values[i])
        return low, high
    shift = values.shift[0]
    mask = values.shift[1]
    least = _in_order(values.bits[0], shift, mask)
    greatest = least
    for i in range(np.uint64(1), np.uint64(count)):
        value = _in_order(values.bits[i], shift, mask)
        least = min(least, value)
        greatest = max(greatest, value)
    values.key_bits[0] = _in_order(least, shift, mask)
    lowest = values.key[0]
    values.key_bits[0] = _in_order(greatest, shift, mask)
    return lowest, values.key[0]


@helper
def inner_range(values, count, low, high):
    """Second smallest and second largest distinct values, given the smallest and the largest (which differ)."""
    second_low = high
    second_high = low
    for i in range(np.uint64(count)):
        v = values.values[i]
        if v != low and v < second_low:
            second_low = v
        if v != high and v > second_high:
            second_high = v
    return second_low, second_high


@helper
def count_left(values, start, stop, key):
    """Number of ``values[start:stop]`` that are at most ``key``."""
    count = np.int32(0)
    for i in range(np.uint64(start), np.uint64(stop)):
        count = np.int32(count + np.int32(values.values[i] <= key))  # 32 bits: twice the lanes
    return np.int64(count)


@helper
def value_of(data, coded, feature, v):
    """Return the number that a gathered value represents."""
    if coded is None:
        return np.float64(v)
    if not data.exact:
        return data.table[data.table_start[feature] + np.int64(v)]
    return np.float64(v)


@helper
def place_threshold(values, coded, data, feature, t, low, high):
    """Convert a threshold to the type of the data, so that ``low <= key < high`` despite rounding.

    ``values.key[0]`` receives the value, or the code, to compare with; the return value is the threshold to store.  For
    integers 0..255 the stored threshold keeps its fraction, because x <= t and x <= floor(t) are equivalent.
    """
    lowest = value_of(data, coded, feature, low)
    highest = value_of(data, coded, feature, high)
    if not (t >= lowest and t < highest):
        t = lowest
    if coded is None:
        values.key[0] = t
        if values.key[0] >= high:
            values.key[0] = low
        return np.float64(values.key[0])
    if data.exact:
        values.key[0] = np.int64(t)
        return t
    if data.single:
        t = np.float64(np.float32(t))
    if t >= highest:
        t = lowest
    # find the last code whose value is at most t; `below` always qualifies, `above` never does
    start = data.table_start[feature]
    below = np.int64(low)
    above = np.int64(high)
    while above - below > 1:
        middle = (below + above) >> 1
        if data.table[start + middle] <= t:
            below = middle
        else:
            above = middle
    values.key[0] = below
    return t


@helper
def set_constants_aside(data, coded, floating, missing, stored, by_rows, labeled, unlabeled, node, unseen, scratch):
    """Move all features in ``features[constants:unseen]`` that are constant at the node to the front.

    With ``by_rows``, whole rows are compared with the first one.  ``coded``, ``floating`` and ``stored`` are fields of
    ``data``.  Returns the new number of known constants.
    """
    if stored is not None:
        return set_stored_aside(stored, scratch.marks, missing, labeled, unlabeled, node, unseen, scratch.features)
    start_p, stop_p, start_u, stop_u, constants = node
    first = labeled[start_p]
    if by_rows:
        for j in range(len(scratch.differs)):
            scratch.differs[j] = 0
        _mark_differing(data, coded, floating, missing, labeled, start_p, stop_p, first, scratch)
        _mark_differing(data, coded, floating, missing, unlabeled, start_u, stop_u, first, scratch)
    for position in range(constants, unseen):
        feature = scratch.features[position]
        other = scratch.features[constants]
        slot = np.int64(data.slot[feature])
        if not by_rows:
            differs = _column_differs(data, coded, floating, missing, feature, labeled, start_p, stop_p, first)
            differs |= _column_differs(data, coded, floating, missing, feature, unlabeled, start_u, stop_u, first)
        elif coded is None:
            differs = scratch.differs[slot] != 0
        elif data.kind[feature] == NARROW:
            differs = scratch.differs[data.first_narrow + slot] != 0
        elif data.kind[feature] == BIT:
            differs = (scratch.differs[data.first_bit + (slot >> 3)] >> (slot & 7)) & 1 != 0
        elif data.kind[feature] == WIDE:
            differs = (scratch.differs[2 * slot] | scratch.differs[2 * slot + 1]) != 0
        else:
            differs = scratch.differs[data.code_rows.shape[1] + slot] != 0
        scratch.features[constants] = other if differs else feature
        scratch.features[position] = feature if differs else other
        constants += 1 - np.int64(differs)
    return constants


@helper
def _mark_differing(data, coded, floating, missing, members, start, stop, first, scratch):
    """Mark which bytes of codes, and after them which floats, differ from those of the row ``first``."""
    width = np.uint64(0)
    if coded is not None:
        width = np.uint64(data.code_rows.shape[1])
    for i in range(start, stop):
        row = members[i]
        if coded is not None:
            for j in range(width):
                scratch.differs[j] |= data.code_rows[row, j] ^ data.code_rows[first, j]
        if floating is not None:
            for j in range(np.uint64(data.float_rows.shape[1])):
                scratch.differs[width + j] |= np.uint8(unlike(data.float_rows[row, j], data.float_rows[first, j], missing))


@helper
def _column_differs(data, coded, floating, missing, feature, members, start, stop, first):
    column = data.slot[feature]
    differs = False
    if coded is not None:
        if data.kind[feature] == NARROW:
            for i in range(start, stop):
                differs |= data.narrow_columns[column, members[i]] != data.narrow_columns[column, first]
        elif data.kind[feature] == BIT:
            for i in range(start, stop):
                differs |= bit_of(data, column, members[i]) != bit_of(data, column, first)
        elif data.kind[feature] == WIDE:
            for i in range(start, stop):
                differs |= data.wide_columns[column, members[i]] != data.wide_columns[column, first]
    if floating is not None and data.kind[feature] == FLOAT:
        for i in range(start, stop):
            differs |= unlike(data.float_columns[column, members[i]], data.float_columns[column, first], missing)
    return differs


# Clearing and scanning a whole histogram of codes pays off up to this many bins per row.
BINS_PER_ROW = 4


@helper
def best_threshold_codes(values, counts, data, feature, n_p, n_u, away, low, high, rule):
    """Find the best of all thresholds between neighboring codes, using a histogram.

    ``away`` is (labeled rows without a value that go left, unlabeled ones, all labeled rows, all unlabeled rows).  Returns
    ``(children's risk, threshold)`` of the first best one; ``values.key[0]`` receives the value to compare with.
    """
    first = np.int64(low)
    last = np.int64(high)
    for b in range(first, last + 1):
        counts[0, b] = 0
        counts[1, b] = 0
    for i in range(n_p):
        counts[0, np.int64(values.values[i])] += 1
    for i in range(n_p, n_p + n_u):
        counts[1, np.int64(values.values[i])] += 1
    best = np.inf
    best_t = np.float64(0.0)
    left_p = away[0] + counts[0, first]
    left_u = away[1] + counts[1, first]
    below = first
    for b in range(first + 1, last + 1):
        if counts[0, b] == 0 and counts[1, b] == 0:
            continue
        risk = node_risk(rule, left_p, left_u) + node_risk(rule, away[2] - left_p, away[3] - left_u)
        if risk < best:
            best = risk
            best_t = _midway(values, data, feature, below, b)
        left_p += counts[0, b]
        left_u += counts[1, b]
        below = b
    return best, best_t


@helper
def _midway(values, data, feature, below, above):
    """Place the threshold halfway between two neighboring values."""
    t = 0.5 * value_of(data, values.coded, feature, below) + 0.5 * value_of(data, values.coded, feature, above)
    return place_threshold(values, values.coded, data, feature, t, below, above)


@helper
def best_threshold_sorted(values, data, feature, n_p, n_u, away, rule):
    """Find the best of all thresholds: sort labeled and unlabeled values separately, then merge them (algorithm 2).

    Returns the same as :func:`best_threshold_codes`, in O(n log n).
    """
    labeled = part(values.values, 0, n_p)
    unlabeled = part(values.values, n_p, n_p + n_u)
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
        left_p = away[0] + i
        left_u = away[1] + j
        risk = node_risk(rule, left_p, left_u) + node_risk(rule, away[2] - left_p, away[3] - left_u)
        if risk < best:
            following = labeled[i] if j == n_u or (i < n_p and labeled[i] <= unlabeled[j]) else unlabeled[j]
            best = risk
            best_t = _midway(values, data, feature, current, following)


@helper
def partition(values, members, start, stop, at, key, spare):
    """Move the rows with ``values[at + i] <= key`` to the front of ``members[start:stop]``, keeping their order.

    The children then gather rows in ascending order, which the hardware prefetches.
    """
    begin = np.uint64(start)
    first = np.uint64(at)
    left = begin
    for i in range(np.uint64(stop - start)):
        row = members[begin + i]
        members[left] = row  # branch-free: the wrong write is overwritten
        spare[begin + i - left] = row
        left += np.uint64(values.values[first + i] <= key)
    for i in range(np.uint64(stop) - left):
        members[left + i] = spare[i]
    return np.int64(left)
