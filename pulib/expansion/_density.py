"""Kernel that counts the rows in the same random region as a row, by completely random trees.

A tree splits the rows on a feature drawn at random among those that vary, at a cut drawn uniformly over the feature's range
in the node, until a depth or a size is reached (Liu, Ting, Yu and Zhou, 2008).  Only the counts per leaf are kept.  Bounded by
memory: each level of a tree reads one feature value per row, in random order.
"""

import numpy as np

from pulib._compiled import helper, kernel
from pulib._random import random_below, random_double, seed_state


@helper
def _draw_split(X, rows, start, stop, features, state):
    """Draw a feature that varies among ``rows[start:stop]``, and a cut in its range; the feature is -1 if none varies."""
    left = len(features)
    while left > 0:
        at = random_below(state, left)
        feature = features[at]
        low = X[rows[start], feature]
        high = low
        for a in range(start + 1, stop):
            value = X[rows[a], feature]
            low = min(low, value)
            high = max(high, value)
        if high > low:
            cut = low + (high - low) * random_double(state)
            # rounding must not move the cut up to the greatest value: both sides keep a row
            return feature, cut if cut < high else low
        left -= 1
        features[at], features[left] = features[left], features[at]
    return -1, 0.0


@kernel
def count_neighbors(X, codes, seeds, max_depth, counts):
    """Add to ``counts``, int64 of shape (n, 2), the negatives and positives in each row's leaf, over one tree per seed.

    ``X`` is float64 of shape (n, d); ``codes`` is 0 for a negative, 1 for a positive, and -1 for rows that are not counted.
    A node at ``max_depth``, of one row, or of equal rows is a leaf.
    """
    n, d = X.shape
    rows = np.empty(n, dtype=np.int64)
    features = np.empty(d, dtype=np.int64)
    stack = np.empty((n + 1, 3), dtype=np.int64)
    state = np.empty(2, dtype=np.uint64)
    for seed in seeds:
        seed_state(seed, state)
        for j in range(d):
            features[j] = j
        for i in range(n):
            rows[i] = i
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, 0
        height = 1
        while height > 0:
            height -= 1
            start, stop, depth = stack[height, 0], stack[height, 1], stack[height, 2]
            feature = -1
            cut = 0.0
            if depth < max_depth and stop - start > 1:
                feature, cut = _draw_split(X, rows, start, stop, features, state)
            if feature < 0:
                n_positive = 0
                n_negative = 0
                for a in range(start, stop):
                    n_positive += codes[rows[a]] == 1
                    n_negative += codes[rows[a]] == 0
                for a in range(start, stop):
                    counts[rows[a], 0] += n_negative
                    counts[rows[a], 1] += n_positive
                continue
            middle = start
            for a in range(start, stop):
                if X[rows[a], feature] <= cut:
                    rows[a], rows[middle] = rows[middle], rows[a]
                    middle += 1
            stack[height, 0], stack[height, 1], stack[height, 2] = start, middle, depth + 1
            height += 1
            stack[height, 0], stack[height, 1], stack[height, 2] = middle, stop, depth + 1
            height += 1
