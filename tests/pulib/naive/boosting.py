"""Ada-PU as the paper writes it: three lists of weighted rows, every candidate stump scored by adding up its errors."""

import math
from itertools import pairwise

import numpy as np

SLACK = 1e-12


class NaiveAdaPU:
    """The three samples of eq. 7 and what algorithms 1 and 2 do with them, one candidate at a time."""

    def __init__(self, X, positive, prior, scenario="two_sample", counts=None):
        self.rows = [(x, +1) for x in X[positive]] + [(x, -1) for x in X[positive]]
        counts = np.ones(len(X)) if counts is None else counts
        labeled = [prior * count / counts[positive].sum() for count in counts[positive]]
        self.weights = labeled + [-weight for weight in labeled]
        population = ~positive if scenario == "two_sample" else np.full(len(X), True)
        self.rows += [(x, -1) for x in X[population]]
        self.weights += [count / counts[population].sum() for count in counts[population]]

    @staticmethod
    def vote(stump, x):
        feature, threshold, polarity = stump
        return polarity if x[feature] > threshold else -polarity

    def total(self):
        return math.fsum(self.weights)

    def absolute(self):
        return math.fsum(abs(w) for w in self.weights)

    def errors(self, stump):
        """ε and ε_nn of eq. 8."""
        wrong_positive, wrong_negative = [], []
        for (x, y), w in zip(self.rows, self.weights, strict=True):
            if self.vote(stump, x) != y:
                (wrong_positive if y > 0 else wrong_negative).append(w)
        return math.fsum(wrong_positive + wrong_negative), math.fsum(wrong_negative)

    def gain(self, stump):
        """Ê of eq. 11, in terms of the signed weights."""
        return math.fsum(w * y * self.vote(stump, x) for (x, y), w in zip(self.rows, self.weights, strict=True))

    def best(self, candidates):
        """The candidates that are admissible and whose ε is the least, up to rounding; and that ε."""
        slack = SLACK * self.absolute()
        scored = [(self.errors(stump), stump) for stump in candidates]
        admissible = [(error, stump) for (error, negative), stump in scored if negative >= -slack]
        if not admissible:
            return math.inf, []
        least = min(error for error, _ in admissible)
        return least, [stump for error, stump in admissible if error <= least + 2 * slack]

    def update(self, stump, alpha, normalize):
        """Eq. 12, and the division by the signed total."""
        self.weights = [
            w * math.exp(-alpha * y * self.vote(stump, x)) for (x, y), w in zip(self.rows, self.weights, strict=True)
        ]
        if normalize:
            total = self.total()
            self.weights = [w / total for w in self.weights]

    def exponential_loss(self, scores, absolute=False):
        """Σ w0 exp(−y H) for H of each row of the three samples, or the sum of the terms' absolute values."""
        terms = [w * math.exp(-y * h) for (_, y), w, h in zip(self.rows, self.weights, scores, strict=True)]
        return math.fsum(map(abs, terms) if absolute else terms)


def all_thresholds(X):
    """Every feature, halfway between neighboring distinct values, both polarities."""
    return [
        (feature, a + (b - a) / 2, polarity)
        for feature in range(X.shape[1])
        for a, b in pairwise(np.unique(X[:, feature]).tolist())
        for polarity in (+1, -1)
    ]


def sums_above(codes, weights, cut):
    """Weights of the rows whose code exceeds the cut, added up in Python's integers."""
    return sum(int(w) for c, w in zip(codes, weights, strict=False) if c > cut)
