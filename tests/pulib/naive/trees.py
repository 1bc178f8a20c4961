"""Reference implementation of pulib.trees: risks by numerical minimization, trees by recursion on small lists."""

import math
from itertools import pairwise

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from pulib._random import next_uint64, random_below, random_double
from pulib._trees._grow import SWEEP_AFTER, SWEEP_ROWS

LOSS = {
    "quadratic": lambda v, y: (1.0 - v * y) ** 2,
    "logistic": lambda v, y: np.logaddexp(0.0, -v * y),
    "savage": lambda v, y: 4.0 * expit(-v * y) ** 2,
    "sigmoid": lambda v, y: expit(-v * y),
}


def partial_risk(v, risk, loss, w_p, w_n):
    negative = w_n * LOSS[loss](v, -1)
    return w_p * LOSS[loss](v, +1) + (max(0.0, negative) if risk == "nnpu" else negative)


def minimum_by_search(risk, loss, w_p, w_n):
    """Return the infimum of the partial risk over v: a grid to where every loss is flat or diverges, then a local search."""
    grid = np.concatenate([-np.geomspace(600.0, 1e-3, 200), [0.0], np.geomspace(1e-3, 600.0, 200)])
    values = [partial_risk(v, risk, loss, w_p, w_n) for v in grid]
    if partial_risk(600.0, risk, loss, w_p, w_n) < -2.0 * 8.0 * (w_p + abs(w_n)):  # below any bounded loss, and falling
        return -math.inf
    i = int(np.argmin(values))
    bounds = (grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)])
    found = minimize_scalar(
        partial_risk, args=(risk, loss, w_p, w_n), bounds=bounds, method="bounded", options={"xatol": 1e-10}
    )
    return min(found.fun, values[i])


def closed_form(risk, loss, w_p, w_n):
    """The paper's table of closed forms, in terms of v* = W_p / (W_p + W_n)."""
    w = w_p + w_n
    v = math.inf if w == 0 else w_p / w
    if w_p == 0:
        return 0.0
    if v > 1:
        if risk == "nnpu":
            return 0.0
        if loss == "quadratic":
            return -math.inf if w == 0 else 4 * w_p * (w_n / w)
        return {"logistic": -math.inf, "savage": 4 * w_n, "sigmoid": w_n}[loss]
    if loss == "sigmoid":
        return min(w_p, w_n)
    if v == 1:
        return 0.0
    if loss == "logistic":
        return -(w_p * math.log(w_p / w) + w_n * math.log(w_n / w))
    return 4 * w_p * (w_n / w)


class NaiveTree:
    """A PU tree by recursion over lists of rows; ``nodes`` in preorder.

    It draws from the same stream of random numbers as the kernel, in the order stated in the kernel's docstring.
    """

    def __init__(self, *, risk, loss, splitter, n_candidates, n_thresholds, threshold_range, max_depth, min_samples_leaf):
        self.risk, self.loss, self.splitter = risk, loss, splitter
        self.n_candidates, self.n_thresholds, self.threshold_range = n_candidates, n_thresholds, threshold_range
        self.max_depth, self.min_samples_leaf = max_depth, min_samples_leaf

    def grow(self, X, positive, weights, state):
        """Grow a tree; ``weights`` are a labeled row's as positive and in W_p + W_n, and the unit of both."""
        self.X, self.positive, self.state = X, positive, state
        self.w_p, self.w_joined, self.unit = weights
        self.features = list(range(X.shape[1]))
        self.nodes = []
        self._grow(np.arange(len(X)), 0, 0)
        return self.nodes

    def _risk(self, rows):
        n_p = int(self.positive[rows].sum())
        w_p = self.w_p * n_p
        return closed_form(self.risk, self.loss, w_p, (len(rows) - n_p) + self.w_joined * n_p - w_p)

    def _grow(self, rows, constants, depth):
        n_p = int(self.positive[rows].sum())
        n_u = len(rows) - n_p
        risk = self._risk(rows)
        node = {"risk": risk * self.unit, "n_labeled": n_p, "n_unlabeled": n_u, "feature": -2, "threshold": -2.0}
        node["to_left"] = False
        number = len(self.nodes)
        self.nodes.append(node)
        pure = risk == -math.inf if self.risk == "upu" else risk == 0
        small = len(rows) <= self.min_samples_leaf
        split = None
        if not (pure or small or depth >= self.max_depth or n_p == 0 or n_u == 0):
            split, constants = self._find_split(rows, constants)
        lead = 2 * self.w_p * n_p - (n_u + self.w_joined * n_p)
        node["value"] = int(np.sign(lead))
        if split is None:
            if lead == 0:
                node["value"] = 1 if next_uint64(self.state) >> np.uint64(63) else -1
            node["left"] = node["right"] = -1
            return number
        feature, threshold, side = split
        node["feature"], node["threshold"], node["to_left"] = feature, threshold, side
        column = self.X[rows, feature]
        goes_left = (column <= threshold) | ((column != column) & side)
        node["left"] = self._grow(rows[goes_left], constants, depth + 1)
        node["right"] = self._grow(rows[~goes_left], constants, depth + 1)
        return number

    def _find_split(self, rows, constants):
        features, unseen = self.features, len(self.features)
        best, split, judged = math.inf, None, 0
        sweep_at = constants + SWEEP_AFTER + 1 if len(rows) <= SWEEP_ROWS else -1
        while judged < self.n_candidates and constants < unseen:
            j = constants + random_below(self.state, unseen - constants)
            feature = features[j]
            column = self.X[rows, feature]
            gone = column != column
            values = np.unique(column[~gone])
            if len(values) == 0 or (len(values) == 1 and not gone.any()):
                features[j], features[constants] = features[constants], feature
                constants += 1
                if constants == sweep_at:
                    constants = self._set_constants_aside(rows, constants, unseen)
                continue
            unseen -= 1
            features[j], features[unseen] = features[unseen], feature
            judged += 1
            for t, side in self._candidates(values, gone.any()):
                goes_left = (column <= t) | (gone & side)
                risk = self._risk(rows[goes_left]) + self._risk(rows[~goes_left])
                if risk < best:
                    best, split = risk, (feature, t, side if gone.any() else 2 * goes_left.sum() > len(rows))
        return split, constants

    def _candidates(self, values, missing):
        """Return thresholds, each with whether rows with a missing value go left."""
        if not missing:
            return [(t, False) for t in self._thresholds(values)]
        apart = [(math.inf, False)]
        if len(values) == 1:
            return apart
        thresholds = self._thresholds(values)
        if self.splitter == "best":
            return [(t, False) for t in thresholds] + apart + [(t, True) for t in thresholds]
        return [(t, side) for t in thresholds for side in (False, True)]

    def _set_constants_aside(self, rows, constants, unseen):
        features = self.features
        for position in range(constants, unseen):
            if len(np.unique(self.X[rows, features[position]])) == 1:
                features[position], features[constants] = features[constants], features[position]
                constants += 1
        return constants

    def _thresholds(self, values):
        exact = values.dtype == np.uint8
        v = values.astype(np.float64)

        def fit(t, low, high):
            """Return the threshold as the data's type can hold it, with at least one value on each side."""
            t = t if low <= t < high else low
            if exact:
                return t
            return float(values.dtype.type(t)) if values.dtype.type(t) < high else low

        if self.splitter == "best":
            return [fit(0.5 * a + 0.5 * b, a, b) for a, b in pairwise(v)]
        low, high = v[0], v[-1]
        if self.threshold_range == "released":
            low = low + 0.4 * (v[1] - low)
            high = v[-2] + 0.6 * (high - v[-2])
        return [fit(low + random_double(self.state) * (high - low), v[0], v[-1]) for _ in range(self.n_thresholds)]
