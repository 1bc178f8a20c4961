"""Slow, obvious twins of :mod:`pulib.expansion`: the paper's sums pair by pair, and table 1 line by line."""

import math

import numpy as np

from pulib._random import new_state, random_below, random_double


def sigmoid(x, derivative=0):
    """The sigmoid or one of its derivatives at one number."""
    s = 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))
    r = 1.0 / (1.0 + math.exp(x)) if x <= 0 else math.exp(-x) / (1.0 + math.exp(-x))
    return [s, s * r, s * r * (r - s)][derivative]


def ranked_sums(f, scores, weights, derivative):
    before, after = np.zeros_like(weights), np.zeros_like(weights)
    for i in range(len(f)):
        for j in range(len(f)):
            g = sigmoid(f[i] - f[j], derivative)
            if scores[j] < scores[i]:
                before[i] += weights[j] * g
            if scores[j] > scores[i]:
                after[i] += weights[j] * g
    return before, after


def auc_loss(f, positive):
    """Eq. 4."""
    above, below = np.flatnonzero(positive), np.flatnonzero(~positive)
    return 1.0 - sum(sigmoid(f[a] - f[b]) for a in above for b in below) / (len(above) * len(below))


def preference_loss(f, k):
    """Eq. 5 for a matrix k of signs."""
    n = len(f)
    return 1.0 - sum(sigmoid((f[a] - f[b]) * k[a, b]) for a in range(n) for b in range(n)) / n**2


def signs(scores):
    return np.sign(scores[:, None] - scores[None, :])


def auc_residuals(f, positive):
    """Eq. 6 and 7, without the factor behind the proportionality sign."""
    out = np.zeros(len(f))
    for i in range(len(f)):
        for j in range(len(f)):
            if positive[i] and not positive[j]:
                out[i] += sigmoid(f[i] - f[j], 1)
            if positive[j] and not positive[i]:
                out[i] -= sigmoid(f[j] - f[i], 1)
    return out


def preference_residuals(f, k):
    """Eq. 8 with the sign of a descent direction, without the factor behind the proportionality sign."""
    n = len(f)
    return np.array([sum(k[i, a] * sigmoid((f[i] - f[a]) * k[i, a], 1) for a in range(n)) for i in range(n)])


def numerical_gradient(function, x, h=1e-5):
    out = np.empty(len(x))
    for i in range(len(x)):
        e = np.zeros(len(x))
        e[i] = h
        out[i] = (function(x + e) - function(x - e)) / (2 * h)
    return out


def boost(X, positive, scores, learner, weight, drop_fraction, T, nu):
    """Table 1 with every row labeled and judged, base learners on all rows, and a numerical Newton step.  Returns F_T."""
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
        J = np.array(
            [numerical_gradient(lambda b, c=c: numerical_gradient(objective, b, 1e-3)[c], start, 1e-3) for c in range(len(G))]
        )
        F = F + nu * H @ (start - np.linalg.solve(J, G))
    return F


def count_neighbors(X, codes, seeds, max_depth):
    """Negatives and positives that share a leaf with each row, summed over completely random trees."""
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
