"""The nnPU step, written out: gradients of a linear model by hand, and Adam with coupled weight decay."""

from __future__ import annotations

import numpy as np


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def pu_risks(scores, labeled, prior):
    """R_p and R_n of the sigmoid loss, from lists of numbers."""
    positives = [g for g, is_p in zip(scores, labeled, strict=True) if is_p]
    unlabeled = [g for g, is_p in zip(scores, labeled, strict=True) if not is_p]
    r_p = prior * sum(sigmoid(-g) for g in positives) / max(len(positives), 1)
    r_n = sum(sigmoid(g) for g in unlabeled) / max(len(unlabeled), 1)
    r_n -= prior * sum(sigmoid(g) for g in positives) / max(len(positives), 1)
    return r_p, r_n


def linear_gradients(X, labeled, w, prior):
    """∇R_p and ∇R_n of g(x) = w·x under the sigmoid loss, row by row."""
    n_p, n_u = max(int(np.sum(labeled)), 1), max(int(np.sum(~labeled)), 1)
    grad_p, grad_n = np.zeros_like(w), np.zeros_like(w)
    for x, is_p in zip(X, labeled, strict=True):
        s = sigmoid(x @ w)
        slope = s * (1.0 - s)  # of both sigmoid(g) and, with the opposite sign, sigmoid(-g)
        if is_p:
            grad_p += -prior / n_p * slope * x
            grad_n += -prior / n_p * slope * x
        else:
            grad_n += slope * x / n_u
    return grad_p, grad_n


def nnpu_direction(X, labeled, w, prior, beta, gamma):
    """What the optimizer is given: ∇(R_p + R_n), or −γ ∇R_n where R_n < −β."""
    _, r_n = pu_risks(X @ w, labeled, prior)
    grad_p, grad_n = linear_gradients(X, labeled, w, prior)
    return -gamma * grad_n if r_n < -beta else grad_p + grad_n
