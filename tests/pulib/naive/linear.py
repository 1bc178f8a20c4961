"""The linear PU methods by their formulas: one row at a time, dense, in plain Python and NumPy."""

import math

import numpy as np


def loss(z, name):
    """ℓ(z)."""
    z = np.asarray(z, dtype=float)
    if name == "double_hinge":
        return np.maximum(-z, np.maximum(0, 0.5 - 0.5 * z))
    if name == "square":
        return 0.25 * (z - 1) ** 2 - 0.25
    return np.logaddexp(0, -z)


def slope(g, name):
    """d/dg ℓ(−g); at a kink, the derivative from the right."""
    if name == "double_hinge":
        return 0.0 if g < -1 else 0.5 if g < 1 else 1.0
    if name == "square":
        return 0.5 * (g + 1)
    return 0.5 * (1 + np.tanh(g / 2))


def project(w, radius):
    """Return the nearest point of the ball."""
    norm = np.linalg.norm(w)
    return w if norm <= radius else w * radius / norm


def weights(n_labeled, n_unlabeled, unbiased, joined=False):
    """Return the factors of a labeled and an unlabeled row's loss, given the numbers of both so far."""
    if not unbiased:
        return 1.0, 1.0
    total = n_labeled + n_unlabeled + 2
    return total / (n_labeled + 1), 1.0 if joined else total / (n_unlabeled + 1)


def pull(label, g, name, prior, of_labeled, of_unlabeled, joined):
    """Return the derivative of a row's loss with respect to its score."""
    total = -prior * of_labeled if label == 1 else 0.0
    return total + (slope(g, name) * of_unlabeled if joined or label != 1 else 0.0)


def extended(
    X, y, name, prior, lam, batch_size, inner_steps=1, gamma=0.0, radius=np.inf, unbiased=False, joined=False, bias=1.0
):
    """Return the weights after every batch of section 4.2, or of algorithm 1 for batches of one row.

    ``gamma=None`` is the default γ. Batches have at most ``batch_size`` rows, and their sizes differ by at most one.
    """
    Z = np.column_stack([np.asarray(X, dtype=float), np.full(len(X), bias)])
    curvature = {"double_hinge": 0.5, "square": 0.5, "logistic": 0.25}[name]
    w = np.zeros(Z.shape[1])
    path = []
    n = [0, 0]
    for t, rows in enumerate(np.array_split(np.arange(len(Z)), math.ceil(len(Z) / batch_size)), start=1):
        batch, labels = Z[rows], y[rows]
        n[0] += sum(labels == 1)
        n[1] += sum(labels != 1)
        of_labeled, of_unlabeled = weights(*n, unbiased, joined)
        conservative = (lam / math.sqrt(len(batch)) if gamma is None else gamma) + lam * t
        squares = sum(z @ z for z, label in zip(batch, labels, strict=True) if joined or label != 1)
        bound = curvature * of_unlabeled * squares / len(batch)
        start = w
        for k in range(1, inner_steps + 1):
            gradient = lam * w + conservative * (w - start)
            for z, label in zip(batch, labels, strict=True):
                gradient = gradient + pull(label, w @ z, name, prior, of_labeled, of_unlabeled, joined) * z / len(batch)
            length = 1 / (lam * t) if inner_steps == 1 else 1 / (lam + conservative + bound)
            if inner_steps > 1 and name == "double_hinge":
                length = min(length, 2 / ((lam + conservative) * (k + 1)))
            w = project(w - length * gradient, radius)
        path.append(w)
    return np.array(path)


def objective(w, X, y, name, prior, lam, bias=1.0):
    """Equation 5 with the L2 penalty."""
    Z = np.column_stack([np.asarray(X, dtype=float), np.full(len(X), bias)])
    g = Z @ w
    return -prior * g[y == 1].mean() + loss(-g[y != 1], name).mean() + lam / 2 * w @ w
