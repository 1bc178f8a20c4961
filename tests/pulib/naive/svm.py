"""Support vector machines the slow and obvious way."""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC


def dual_objective(beta: np.ndarray, y: np.ndarray, K: np.ndarray) -> float:
    """W(β) = Σ β_t y_t − ½ Σ_st β_s β_t K_st."""
    total = 0.0
    for t in range(len(y)):
        total += beta[t] * y[t]
        for s in range(len(y)):
            total -= 0.5 * beta[s] * beta[t] * K[s, t]
    return total


def solve(K, y, lower, upper, tol=1e-3, max_iter=100_000):
    """Sequential minimal optimization with second-order working sets, row by row; returns β and its gradient."""
    n = len(y)
    beta = [0.0] * n
    for _ in range(max_iter):
        F = [y[t] - sum(beta[s] * K[s][t] for s in range(n)) for t in range(n)]
        grow = [t for t in range(n) if beta[t] < upper[t]]
        shrink = [t for t in range(n) if beta[t] > lower[t]]
        if not grow or not shrink:
            break
        i = max(grow, key=lambda t: F[t])
        if F[i] - min(F[t] for t in shrink) < tol:
            break
        gains = {t: (F[i] - F[t]) ** 2 / max(K[i][i] + K[t][t] - 2 * K[i][t], 1e-12) for t in shrink if F[t] < F[i]}
        j = max(gains, key=gains.get)
        length = (F[i] - F[j]) / max(K[i][i] + K[j][j] - 2 * K[i][j], 1e-12)
        length = min(length, upper[i] - beta[i], beta[j] - lower[j])
        beta[i] += length
        beta[j] -= length
        if length == upper[i] - (beta[i] - length):
            beta[i] = upper[i]
        if length == (beta[j] + length) - lower[j]:
            beta[j] = lower[j]
    F = np.array([y[t] - sum(beta[s] * K[s][t] for s in range(n)) for t in range(n)])
    return np.array(beta), F


def libsvm(K, y, c_positive, c_unlabeled, tol=1e-3):
    """scikit-learn's SVC on a kernel matrix: coefficients y α of all rows, and the bias."""
    machine = SVC(kernel="precomputed", C=1.0, class_weight={1: c_positive, -1: c_unlabeled}, tol=tol, cache_size=50)
    machine.fit(K, y.astype(int))
    beta = np.zeros(len(y))
    beta[machine.support_] = machine.dual_coef_[0]
    return beta, float(machine.intercept_[0])


def ensemble_value(values) -> float:
    """Eq. 2.5 for one row, from the members' values."""
    n = len(values)
    share = (n + sum(int(v > 0) - int(v < 0) for v in values)) / (2 * n)
    if share == 1:
        return 1 + sum(values)
    if share == 0:
        return sum(values)
    return share


def ensemble_by_libsvm(K, samples, positive, c_positive, c_unlabeled, test_rows, tol=1e-3):
    """Values ψ of all members on some rows of K, each member fitted by LIBSVM on its own resample, copies and all."""
    out = []
    for rows in samples:
        y = np.where(positive[rows], 1.0, -1.0)
        beta, bias = libsvm(K[np.ix_(rows, rows)], y, c_positive, c_unlabeled, tol)
        out.append(K[np.ix_(test_rows, rows)] @ beta + bias)
    return np.array(out).T
