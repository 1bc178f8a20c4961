"""The kernel that grows one tree: recursive greedy risk minimization (algorithms 1, 4 and 5 of Wilton et al., 2022).

Bounded by memory at large nodes (a gather of n values per candidate feature) and by bookkeeping at small ones, of which there
are many more.  Large nodes read columns; once all values of a node's rows fit into the cache, its whole subtree reads rows.
No allocation inside: the caller hands in the scratch arrays and room for the tree.

Nodes are numbered in preorder, random numbers are drawn in that order: candidate features, their thresholds as each feature
is judged, and a coin for a leaf whose two labels are equally good.  Features are drawn until enough non-constant ones have been
found; a small node that meets many constant ones sets all of them aside at once.
"""

from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, inlined, kernel
from pulib._random import between, next_uint64, random_below, random_double
from pulib.trees._risks import UPU, node_risk
from pulib.trees._splits import (
    best_threshold_codes,
    best_threshold_sorted,
    count_left,
    gather,
    inner_range,
    partition,
    place_threshold,
    set_constants_aside,
    value_range,
)
from pulib.trees._tree import LEAF, UNDEFINED

BEST, RANDOM = range(2)

# A node of at most so many rows that has drawn more than so many constant features looks for all constant ones at once.
SWEEP_ROWS = 256
SWEEP_AFTER = 8


class Data(NamedTuple):
    """The training matrix in one or both layouts, read-only; an absent one has no elements.

    ``row_limit``: nodes of at most so many rows read ``rows`` (n, d), larger ones ``columns`` (d, n).
    ``codes``: 1 if the values are integers 0..255 kept in 8 bits.
    """

    rows: np.ndarray
    columns: np.ndarray
    n_features: int
    row_limit: int
    codes: int


class Rule(NamedTuple):
    """What makes a split good and when to stop.

    Weights are in units of one unlabeled row: ``W_p = weight_positive * n_p``, ``W_p + W_n = n_u + weight_joined * n_p``.
    ``weight_unit`` turns them into probabilities.
    """

    risk: int
    loss: int
    weight_positive: float
    weight_joined: float
    weight_unit: float
    splitter: int
    n_candidates: int
    n_thresholds: int
    inner_thresholds: int
    max_depth: int
    min_samples_leaf: int


class Scratch(NamedTuple):
    """Working memory of one thread; ``values``, ``key`` and ``best_key`` have the type of the data.

    ``bits`` and ``key_bits`` are the same memory as ``values`` and ``key``, read as integers of the same size.
    """

    values: np.ndarray  # (n,)
    key: np.ndarray  # (1,)
    best_key: np.ndarray  # (1,)
    bits: np.ndarray  # (n,)
    key_bits: np.ndarray  # (1,)
    shift: np.ndarray  # (2,): what turns bits into integers of the same order
    spare: np.ndarray  # (n,) uint32
    features: np.ndarray  # (d,) uint32
    differs: np.ndarray  # (d,) uint8
    counts: np.ndarray  # (2, 256) int64
    stack: np.ndarray  # (n + 1, 8) int64: open nodes


def new_scratch(data: Data, n_rows: int) -> Scratch:
    """Scratch for trees of at most ``n_rows`` rows (the lists of labeled and unlabeled rows together)."""
    dtype = data.rows.dtype
    values, key = np.empty(n_rows, dtype), np.empty(1, dtype)
    integer = dtype if dtype.kind == "u" else np.dtype(f"i{dtype.itemsize}")
    return Scratch(
        values=values,
        key=key,
        best_key=np.empty(1, dtype),
        bits=values.view(integer),
        key_bits=key.view(integer),
        shift=np.array([8 * integer.itemsize - 1, np.iinfo(integer).max], integer),
        spare=np.empty(n_rows, np.uint32),
        features=np.empty(data.n_features, np.uint32),
        differs=np.empty(data.n_features, np.uint8),
        counts=np.empty((2, 256), np.int64),
        stack=np.empty((n_rows + 1, 8), np.int64),
    )


@inlined
def _judge_random(rule, data, scratch, low, high, n_p, n_u, state, best):
    """Draw thresholds in the range of the gathered values; the best children's risk below ``best``, as the scans return it."""
    a = np.float64(low)
    b = np.float64(high)
    if rule.inner_thresholds:
        second_low, second_high = inner_range(scratch, n_p + n_u, low, high)
        a = between(a, np.float64(second_low), 0.4)
        b = between(np.float64(second_high), b, 0.6)
    best_t = 0.0
    for _ in range(rule.n_thresholds):
        t = place_threshold(between(a, b, random_double(state)), low, high, scratch, data.codes)
        key = scratch.key[0]
        left_p = count_left(scratch, np.int64(0), n_p, key)
        left_u = count_left(scratch, n_p, n_p + n_u, key)
        risk = node_risk(rule, left_p, left_u) + node_risk(rule, n_p - left_p, n_u - left_u)
        if risk < best:
            best = risk
            best_t = t
            scratch.best_key[0] = key
    return best, best_t


@inlined
def _judge_best(rule, data, scratch, low, high, n_p, n_u, best):
    """The best of all thresholds, if its children's risk is below ``best``."""
    if data.codes:
        found = best_threshold_codes(scratch, n_p, n_u, low, high, rule)
    else:
        found = best_threshold_sorted(scratch, n_p, n_u, rule)
    if found[0] < best:
        scratch.best_key[0] = scratch.key[0]
        return found
    return best, 0.0


@inlined
def _find_split(rule, data, scratch, labeled, unlabeled, node, by_rows, state):
    """Judge non-constant features until enough have been seen.

    ``node`` is (labeled start, labeled stop, unlabeled start, unlabeled stop, number of features known to be constant).
    ``features[:known]`` is kept: a constant feature stays constant below, and siblings rely on their parent's prefix only.
    Returns ``(feature or -1, threshold, number of features known to be constant)``.
    """
    start_p, stop_p, start_u, stop_u, constants = node
    n_p = stop_p - start_p
    n_u = stop_u - start_u
    best = np.inf
    best_feature = -1
    best_t = 0.0
    unseen = data.n_features  # features[constants:unseen] have not been drawn at this node
    judged = 0
    sweep_at = constants + SWEEP_AFTER + 1 if n_p + n_u <= SWEEP_ROWS else -1
    while judged < rule.n_candidates and constants < unseen:
        j = constants + random_below(state, unseen - constants)
        feature = np.int64(scratch.features[j])
        gather(data, by_rows, feature, labeled, start_p, stop_p, scratch, np.int64(0))
        gather(data, by_rows, feature, unlabeled, start_u, stop_u, scratch, n_p)
        low, high = value_range(data, scratch, n_p + n_u)
        if low == high:
            scratch.features[j] = scratch.features[constants]
            scratch.features[constants] = feature
            constants += 1
            if constants == sweep_at:
                node = (start_p, stop_p, start_u, stop_u, constants)
                constants = set_constants_aside(data, by_rows, labeled, unlabeled, node, unseen, scratch)
            continue
        unseen -= 1
        scratch.features[j] = scratch.features[unseen]
        scratch.features[unseen] = feature
        judged += 1
        if rule.splitter == RANDOM:
            risk, t = _judge_random(rule, data, scratch, low, high, n_p, n_u, state, best)
        else:
            risk, t = _judge_best(rule, data, scratch, low, high, n_p, n_u, best)
        if risk < best:
            best = risk
            best_feature = feature
            best_t = t
    return best_feature, best_t, constants


@helper
def _write_node(tree, node, rule, n_p, n_u, risk):
    tree.children_left[node] = LEAF
    tree.children_right[node] = LEAF
    tree.feature[node] = UNDEFINED
    tree.threshold[node] = UNDEFINED
    tree.risk[node] = risk * rule.weight_unit
    weight = n_u + rule.weight_joined * n_p
    tree.weight[node] = weight * rule.weight_unit
    tree.n_labeled[node] = n_p
    tree.n_unlabeled[node] = n_u
    lead = 2.0 * rule.weight_positive * n_p - weight  # v* > 1/2, without the division
    tree.value[node] = 1 if lead > 0.0 else (-1 if lead < 0.0 else 0)


@helper
def _is_terminal(rule, n_p, n_u, risk, depth):
    """Purity, depth, size.

    A node without labeled or without unlabeled rows is terminal for every estimator: below it v* is everywhere the same, so no
    split changes a prediction or a risk (the unbiased estimator gives nodes without labeled rows risk 0, not -inf).
    """
    if n_p == 0 or n_u == 0 or depth >= rule.max_depth or n_p + n_u <= rule.min_samples_leaf:
        return True
    return risk == -np.inf if rule.risk == UPU else risk <= 0.0


@helper
def _push(stack, place, start_p, stop_p, start_u, stop_u, constants, depth, parent, is_right):
    """Note an open node: its rows, its known constants, its depth, its parent and whether it is a right child."""
    stack[place, 0] = start_p
    stack[place, 1] = stop_p
    stack[place, 2] = start_u
    stack[place, 3] = stop_u
    stack[place, 4] = constants
    stack[place, 5] = depth
    stack[place, 6] = parent
    stack[place, 7] = is_right


@kernel
def grow_tree(data, rule, labeled, unlabeled, scratch, tree, state):
    """Grow one tree.

    Parameters
    ----------
    data : Data
    rule : Rule
    labeled, unlabeled : uint32 arrays
        Row numbers, repeated where the sample has repeats; reordered in place.
    scratch : Scratch
    tree : Tree
        Room for ``2 * (len(labeled) + len(unlabeled)) - 1`` nodes; filled.
    state : uint64 array of shape (2,)

    Returns
    -------
    node_count : int
    """
    for j in range(data.n_features):
        scratch.features[j] = j
    stack = scratch.stack
    _push(stack, 0, 0, len(labeled), 0, len(unlabeled), 0, 0, -1, 0)
    size = 1
    count = 0
    while size > 0:
        size -= 1
        start_p, stop_p, start_u, stop_u = stack[size, 0], stack[size, 1], stack[size, 2], stack[size, 3]
        constants, depth, parent, is_right = stack[size, 4], stack[size, 5], stack[size, 6], stack[size, 7]
        n_p = stop_p - start_p
        n_u = stop_u - start_u
        node = count
        count += 1
        if parent >= 0:
            if is_right:
                tree.children_right[parent] = node
            else:
                tree.children_left[parent] = node
        risk = node_risk(rule, n_p, n_u)
        _write_node(tree, node, rule, n_p, n_u, risk)
        feature = -1
        by_rows = n_p + n_u <= data.row_limit
        if not _is_terminal(rule, n_p, n_u, risk, depth):
            where = (start_p, stop_p, start_u, stop_u, constants)
            feature, t, constants = _find_split(rule, data, scratch, labeled, unlabeled, where, by_rows, state)
        if feature < 0:
            if tree.value[node] == 0:
                tree.value[node] = 1 if next_uint64(state) >> np.uint64(63) else -1
            continue
        tree.feature[node] = feature
        tree.threshold[node] = t
        key = scratch.best_key[0]
        gather(data, by_rows, feature, labeled, start_p, stop_p, scratch, np.int64(0))
        gather(data, by_rows, feature, unlabeled, start_u, stop_u, scratch, n_p)
        middle_p = partition(labeled, start_p, stop_p, np.int64(0), key, scratch)
        middle_u = partition(unlabeled, start_u, stop_u, n_p, key, scratch)
        _push(stack, size, middle_p, stop_p, middle_u, stop_u, constants, depth + 1, node, 1)
        _push(stack, size + 1, start_p, middle_p, start_u, middle_u, constants, depth + 1, node, 0)
        size += 2
    return count
