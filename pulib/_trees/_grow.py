"""The kernel that grows one tree: recursive greedy risk minimization (algorithms 1, 4 and 5 of Wilton et al., 2022).

Bounded by memory at large nodes (a gather of n values per candidate feature) and by bookkeeping at the many small ones.  Large
nodes read columns; if all values of a node's rows fit into the cache, its whole subtree reads rows.  The kernel allocates
nothing: the caller passes the scratch arrays and room for the tree.

Nodes are numbered in preorder, and random numbers are drawn in that order: candidate features, thresholds as each feature is
judged, and the label of a leaf if both labels have the same risk.  Features are drawn until enough non-constant ones are found;
a small node that draws many constant ones sets all of them aside at once.
"""

from typing import NamedTuple

import numpy as np

from pulib._borrowed import borrowed
from pulib._compiled import helper, inlined, kernel
from pulib._memory import reserved
from pulib._random import next_uint64, random_below
from pulib._trees._data import FLOAT, WIDE, Data
from pulib._trees._judge import LARGER, LEFT, judge, split_rows
from pulib._trees._risks import UPU, node_risk
from pulib._trees._splits import set_constants_aside
from pulib._trees._stored import Marks, new_marks
from pulib._trees._tree import LEAF, UNDEFINED

BEST, RANDOM = range(2)

# A node of at most SWEEP_ROWS rows that has drawn more than SWEEP_AFTER constant features finds all constant ones at once.
SWEEP_ROWS = 256
SWEEP_AFTER = 8


class Rule(NamedTuple):
    """The split criterion and the stopping rule.

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


class Values(NamedTuple):
    """The values of one feature at a node, all of one type: floats, or codes (those of 1 bit in 8).

    ``bits`` and ``key_bits`` are the same memory as ``values`` and ``key``, read as integers of the same size.
    """

    values: np.ndarray  # (n,)
    key: np.ndarray  # (1,)
    best_key: np.ndarray  # (1,)
    side: np.ndarray  # (1,) int8: where rows without a value go at the best split
    bits: np.ndarray  # (n,)
    key_bits: np.ndarray  # (1,)
    shift: np.ndarray  # (2,): shift and mask that turn bits into integers of the same order
    coded: int | None  # 1 for codes; None, a compile-time constant, for floats


class Scratch(NamedTuple):
    """Working memory of one thread.

    ``floats`` or ``codes`` is None if no column has that form; the code for it is then not compiled.
    """

    floats: Values | None
    codes: Values | None
    spare: np.ndarray  # (n,) uint32
    features: np.ndarray  # (d,) uint32
    differs: np.ndarray  # (bytes of codes + number of floats in a row,) uint8
    counts: np.ndarray | None  # (2, codes of a column) int64 with splitter="best", else None
    stack: np.ndarray  # (n + 1, 8) int64: open nodes
    marks: Marks | None  # None unless the matrix is stored by its non-zeros


def _new_values(dtype: np.dtype, n_rows: int) -> Values:
    values, key = np.empty(n_rows, dtype), np.empty(1, dtype)
    integer = dtype if dtype.kind == "u" else np.dtype(f"i{dtype.itemsize}")
    return Values(
        values=values,
        key=key,
        best_key=np.empty(1, dtype),
        side=np.empty(1, np.int8),
        bits=values.view(integer),
        key_bits=key.view(integer),
        shift=np.array([8 * integer.itemsize - 1, np.iinfo(integer).max], integer),
        coded=1 if dtype.kind == "u" else None,
    )


def new_scratch(data: Data, rule: Rule, n_rows: int) -> Scratch:
    """Scratch for trees of at most ``n_rows`` rows (the lists of labeled and unlabeled rows together)."""
    kinds = set(data.kind.tolist())
    code, n_codes = (np.dtype(np.uint16), 1 << 16) if WIDE in kinds else (np.dtype(np.uint8), 1 << 8)
    return Scratch(
        floats=_new_values(data.float_rows.dtype, n_rows) if FLOAT in kinds else None,
        codes=_new_values(code, n_rows) if kinds != {FLOAT} else None,
        spare=np.empty(n_rows, np.uint32),
        features=np.empty(data.n_features, np.uint32),
        differs=np.empty(sum(part.shape[1] for part in (data.code_rows, data.float_rows) if part is not None), np.uint8),
        counts=np.empty((2, n_codes), np.int64) if rule.splitter == BEST else None,
        stack=reserved((n_rows + 1, 8), np.int64),
        marks=None if data.stored is None else new_marks(data.stored, data.n_features),
    )


@inlined
def _find_split(data, missing, stored, rule, scratch, labeled, unlabeled, node, constants, by_rows, state):
    """Judge features until enough non-constant ones have been seen.

    ``node`` is (labeled start, labeled stop, unlabeled start, unlabeled stop), ``constants`` the number of features known to be
    constant.  ``features[:constants]`` is kept: a constant feature stays constant below, and siblings use only their parent's
    prefix.  Returns ``(feature or -1, threshold, number of features known to be constant)``.
    """
    size = node[1] - node[0] + node[3] - node[2]
    best = np.inf
    best_feature = -1
    best_t = 0.0
    unseen = data.n_features  # features[constants:unseen] have not been drawn at this node
    judged = 0
    sweep_at = constants + SWEEP_AFTER + 1 if size <= SWEEP_ROWS else -1
    while judged < rule.n_candidates and constants < unseen:
        j = constants + random_below(state, unseen - constants)
        feature = np.int64(scratch.features[j])
        if data.kind[feature] == FLOAT:
            varies, risk, t = judge(
                scratch.floats,
                scratch.counts,
                missing,
                stored,
                data,
                rule,
                by_rows,
                feature,
                labeled,
                unlabeled,
                node,
                state,
                best,
            )
        else:
            varies, risk, t = judge(
                scratch.codes,
                scratch.counts,
                missing,
                stored,
                data,
                rule,
                by_rows,
                feature,
                labeled,
                unlabeled,
                node,
                state,
                best,
            )
        if not varies:
            scratch.features[j] = scratch.features[constants]
            scratch.features[constants] = feature
            constants += 1
            if constants == sweep_at:
                start_p, stop_p, start_u, stop_u = node
                known = (start_p, stop_p, start_u, stop_u, constants)
                constants = set_constants_aside(
                    data, data.coded, data.floating, missing, stored, by_rows, labeled, unlabeled, known, unseen, scratch
                )
            continue
        unseen -= 1
        scratch.features[j] = scratch.features[unseen]
        scratch.features[unseen] = feature
        judged += 1
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
    tree.missing_go_to_left[node] = False
    tree.risk[node] = risk * rule.weight_unit
    weight = n_u + rule.weight_joined * n_p
    tree.weight[node] = weight * rule.weight_unit
    tree.n_labeled[node] = n_p
    tree.n_unlabeled[node] = n_u
    lead = 2.0 * rule.weight_positive * n_p - weight  # v* > 1/2, without the division
    tree.value[node] = 1 if lead > 0.0 else (-1 if lead < 0.0 else 0)


@helper
def _is_terminal(rule, n_p, n_u, risk, depth):
    """Whether purity, depth, size or risk make a node a leaf.

    A node without labeled or without unlabeled rows is terminal for every estimator: v* is the same throughout its subtree, so
    no split changes a prediction or a risk (with the unbiased estimator, nodes without labeled rows have risk 0, not -inf).
    """
    if n_p == 0 or n_u == 0 or depth >= rule.max_depth or n_p + n_u <= rule.min_samples_leaf:
        return True
    return risk == -np.inf if rule.risk == UPU else risk <= 0.0


@helper
def _push(stack, place, start_p, stop_p, start_u, stop_u, constants, depth, parent, is_right):
    """Push an open node onto the stack."""
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
        Row numbers, with repeats for a bootstrap sample or weights; reordered in place.
    scratch : Scratch
    tree : Tree
        Room for ``2 * (len(labeled) + len(unlabeled)) - 1`` nodes; filled.
    state : uint64 array of shape (2,)

    Returns
    -------
    node_count : int
    """
    data, labeled, unlabeled = borrowed(data), borrowed(labeled), borrowed(unlabeled)
    scratch, tree, state = borrowed(scratch), borrowed(tree), borrowed(state)
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
        rows = (start_p, stop_p, start_u, stop_u)
        if not _is_terminal(rule, n_p, n_u, risk, depth):
            feature, t, constants = _find_split(
                data, data.missing, data.stored, rule, scratch, labeled, unlabeled, rows, constants, by_rows, state
            )
        if feature < 0:
            if tree.value[node] == 0:
                tree.value[node] = 1 if next_uint64(state) >> np.uint64(63) else -1
            continue
        tree.feature[node] = feature
        tree.threshold[node] = t
        if data.kind[feature] == FLOAT:
            middle_p, middle_u, side = split_rows(
                scratch.floats, data.missing, data.stored, data, by_rows, feature, labeled, unlabeled, rows, scratch.spare
            )
        else:
            middle_p, middle_u, side = split_rows(
                scratch.codes, data.missing, data.stored, data, by_rows, feature, labeled, unlabeled, rows, scratch.spare
            )
        n_left = middle_p - start_p + middle_u - start_u
        tree.missing_go_to_left[node] = 2 * n_left > n_p + n_u if side == LARGER else side == LEFT
        _push(stack, size, middle_p, stop_p, middle_u, stop_u, constants, depth + 1, node, 1)
        _push(stack, size + 1, start_p, middle_p, start_u, middle_u, constants, depth + 1, node, 0)
        size += 2
    return count
