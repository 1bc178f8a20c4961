"""Ada-PU as in its paper: three lists of weighted rows; each candidate stump is scored by summing its errors."""

import math
from itertools import pairwise

import numpy as np

SLACK = 1e-12


class NaiveAdaPU:
    """The three samples of eq. 7 and the steps of algorithms 1 and 2, one candidate at a time."""

    def __init__(self, X, positive, prior, scenario="two_sample"):
        population = ~positive if scenario == "two_sample" else np.full(len(X), True)
        n, m = np.sum(positive), np.sum(population)
        self.X = np.concatenate([X[positive], X[positive], X[population]])
        self.y = np.repeat([1, -1, -1], [n, n, m])
        self.weights = np.repeat([prior / n, -prior / n, 1 / m], [n, n, m])

    def votes(self, stump):
        feature, threshold, polarity = stump
        return np.where(self.X[:, feature] > threshold, polarity, -polarity)

    def absolute(self):
        return math.fsum(np.abs(self.weights))

    def errors(self, stump):
        """Return ε and ε_nn of eq. 8."""
        wrong = self.votes(stump) != self.y
        return math.fsum(self.weights[wrong]), math.fsum(self.weights[wrong & (self.y < 0)])

    def gain(self, stump):
        """Return Ê of eq. 11 in terms of the signed weights."""
        return math.fsum(self.weights * self.y * self.votes(stump))

    def best(self, candidates):
        """Return the least ε of admissible candidates, and the candidates that reach it up to rounding."""
        slack = SLACK * self.absolute()
        scored = [(self.errors(stump), stump) for stump in candidates]
        admissible = [(error, stump) for (error, negative), stump in scored if negative >= -slack]
        if not admissible:
            return math.inf, []
        least = min(error for error, _ in admissible)
        return least, [stump for error, stump in admissible if error <= least + 2 * slack]

    def update(self, stump, alpha, normalize):
        """Apply eq. 12 and, optionally, the division by the signed total."""
        self.weights = self.weights * np.exp(-alpha * self.y * self.votes(stump))
        if normalize:
            self.weights = self.weights / math.fsum(self.weights)


def all_thresholds(X):
    """Return stumps halfway between neighboring distinct values of every feature, with both polarities."""
    return [
        (feature, a + (b - a) / 2, polarity)
        for feature in range(X.shape[1])
        for a, b in pairwise(np.unique(X[:, feature]).tolist())
        for polarity in (+1, -1)
    ]
