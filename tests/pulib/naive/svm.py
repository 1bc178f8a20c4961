"""Simple reference implementations of the support vector machines."""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC


def libsvm(K, y, c_positive, c_unlabeled, tol=1e-3):
    """Fit scikit-learn's SVC to a kernel matrix; return the coefficients y α of all rows and the bias."""
    machine = SVC(kernel="precomputed", C=1.0, class_weight={1: c_positive, -1: c_unlabeled}, tol=tol, cache_size=50)
    machine.fit(K, y.astype(int))
    beta = np.zeros(len(y))
    beta[machine.support_] = machine.dual_coef_[0]
    return beta, float(machine.intercept_[0])


def ensemble_by_libsvm(K, samples, positive, c_positive, c_unlabeled, tol=1e-3):
    """Return ψ of all members on the rows of K; LIBSVM fits each member to its own resample, copies included."""
    out = []
    for rows in samples:
        y = np.where(positive[rows], 1.0, -1.0)
        beta, bias = libsvm(K[np.ix_(rows, rows)], y, c_positive, c_unlabeled, tol)
        out.append(K[:, rows] @ beta + bias)
    return np.array(out).T
