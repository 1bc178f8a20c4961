"""Reference implementation of :mod:`pulib.expansion`: the paper's sums pair by pair, and table 1 line by line."""

import math

import numpy as np
from scipy.special import expit

from pulib._random import new_state, random_below, random_double


def sigmoid(x, derivative=0):
    s, r = expit(x), expit(-x)
    return [s, s * r, s * r * (r - s)][derivative]


def ranked_sums(f, scores, weights, derivative):
    g, k = sigmoid(f[:, None] - f, derivative), signs(scores)
    return (g * (k > 0)) @ weights, (g * (k < 0)) @ weights


def auc_loss(f, positive):
    """Eq. 4."""
    return 1.0 - sigmoid(f[positive][:, None] - f[~positive]).mean()


def preference_loss(f, k):
    """Eq. 5 for a matrix k of signs."""
    return 1.0 - sigmoid((f[:, None] - f) * k).mean()


def signs(scores):
    return np.sign(scores[:, None] - scores)


def auc_residuals(f, positive):
    """Eq. 6 and 7, without the factor behind the proportionality sign."""
    pairs = sigmoid(f[:, None] - f, 1) * (positive[:, None] & ~positive)
    return pairs.sum(axis=1) - pairs.sum(axis=0)


def preference_residuals(f, k):
    """Eq. 8 with the sign of a descent direction, without the factor behind the proportionality sign."""
    return (k * sigmoid((f[:, None] - f) * k, 1)).sum(axis=1)


def numerical_gradient(function, x, h=1e-5):
    return np.array([(function(x + e) - function(x - e)) / (2 * h) for e in h * np.eye(len(x))])


def numerical_hessian(function, x, h=1e-3):
    return numerical_gradient(lambda b: numerical_gradient(function, b, h), x, h)


def boost(X, positive, scores, learner, weight, drop_fraction, T, nu):
    """Return F_T of table 1, with every row labeled and judged, base learners on all rows, and a numerical Newton step."""
    n = len(X)
    rows = np.arange(n)
    if scores is not None:
        negatives = sorted(rows[~positive], key=lambda i: scores[i])
        kept = negatives[: max(1, len(negatives) - math.floor(drop_fraction * len(negatives) + 1e-9))]
        cut = scores[kept[-1]]
        rows = np.array([i for i in rows if positive[i] or scores[i] <= cut])
    k = None if scores is None else signs(scores)
    F = np.zeros(n)
    n_positive = positive[rows].sum()
    for _ in range(T):
        factor = len(rows) / (n_positive * (len(rows) - n_positive))
        h = [learner().fit(X[rows], factor * auc_residuals(F[rows], positive[rows])).predict(X)]
        start = [1.0]
        if scores is not None:
            h.append(learner().fit(X, 2.0 / n * preference_residuals(F, k)).predict(X))
            start.append(weight)
        H = np.column_stack(h)

        def objective(beta, F=F, H=H):
            f = (F + H @ beta)[rows]
            loss = auc_loss(f, positive[rows])
            return loss if k is None else loss + weight * preference_loss(f, k[np.ix_(rows, rows)])

        start = np.array(start)
        G = numerical_gradient(objective, start, 1e-3)
        F = F + nu * H @ (start - np.linalg.solve(numerical_hessian(objective, start), G))
    return F


def count_neighbors(X, codes, seeds, max_depth):
    """Count the negatives and positives that share a leaf with each row, over completely random trees."""
    counts = np.zeros((len(X), 2), dtype=np.int64)

    def draw(rows, state, features):
        left = len(features)
        while left:
            at = random_below(state, left)
            feature = features[at]
            low, high = min(X[i, feature] for i in rows), max(X[i, feature] for i in rows)
            if high > low:
                cut = low + (high - low) * random_double(state)
                return feature, cut if cut < high else low
            left -= 1
            features[at], features[left] = features[left], features[at]
        return None

    for seed in seeds:
        state, features = new_state(seed), list(range(X.shape[1]))
        open_nodes = [(list(range(len(X))), 0)]
        while open_nodes:
            rows, depth = open_nodes.pop()
            split = draw(rows, state, features) if depth < max_depth and len(rows) > 1 else None
            if split is None:
                for i in rows:
                    counts[i] += [sum(codes[j] == c for j in rows) for c in (0, 1)]
            else:
                for side in ([i for i in rows if X[i, split[0]] <= split[1]], [i for i in rows if X[i, split[0]] > split[1]]):
                    open_nodes.append((side, depth + 1))
    return counts
