"""Regret against the naive path of a stream, and the best weights in a ball against SciPy."""

import numpy as np
import pytest
from scipy.optimize import minimize

from pulib.kernels import Problem
from studies.opu.readings import OnlinePUClassifier as Reading
from studies.opu.regret import best_in_ball, regret_curve
from tests.pulib.naive import linear as naive


def stream(seed, n, d):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    X = np.clip(rng.normal(size=(n, d)) + np.where(truth, 0.5, -0.5)[:, None], -2, 2)
    return X, (truth & (rng.random(n) < 0.6)).astype(int)


def charge(w, X, y, loss, prior, lam, of_labeled=1.0, of_unlabeled=1.0):
    """Return f_I(w) for the rows of a batch."""
    g = np.column_stack([X, np.ones(len(X))]) @ w
    return np.mean(np.where(y == 1, -prior * of_labeled * g, of_unlabeled * naive.loss(-g, loss))) + lam / 2 * w @ w


@pytest.mark.parametrize(
    ("loss", "batch_size", "weighting"), [("double_hinge", 1, "unbiased"), ("square", 8, "unbiased"), ("logistic", 8, "paper")]
)
def test_regret_curve_agrees_with_the_naive_path(loss, batch_size, weighting):
    X, y = stream(0, 96, 3)
    lam, prior, T, unbiased = 0.1, 0.3, 96 // batch_size, weighting == "unbiased"
    clf = Reading(prior=prior, loss=loss, alpha=lam, batch_size=batch_size, stream_weighting=weighting)
    curve = regret_curve(clf, X, y, np.arange(96), [T // 3, T])
    path = naive.extended(X, y, loss, prior, lam, batch_size, radius=lam**-0.5, unbiased=unbiased)
    path = np.vstack([np.zeros(4), path])
    parts = []
    for t in range(T):
        p, so_far = slice(t * batch_size, (t + 1) * batch_size), y[: (t + 1) * batch_size]
        parts.append((X[p], y[p], loss, prior, lam, *naive.weights(sum(so_far == 1), sum(so_far == 0), unbiased)))
    before = sum(charge(path[t], *part) for t, part in enumerate(parts))
    after = sum(charge(path[t + 1], *part) for t, part in enumerate(parts))
    of_rows = np.repeat([part[5:] for part in parts], batch_size, axis=0).T
    total = lambda w: T * charge(w, X[: T * batch_size], y[: T * batch_size], loss, prior, lam, *of_rows)  # noqa: E731
    assert total(path[T]) == pytest.approx(sum(charge(path[T], *part) for part in parts))
    options = {"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-7, "fatol": 1e-9}
    best = minimize(total, minimize(total, np.zeros(4), method="Powell").x, method="Nelder-Mead", options=options).fun
    assert curve.regret[-1] == pytest.approx(before - best, abs=1e-4)
    assert curve.regret_after[-1] == pytest.approx(after - best, abs=1e-4)


def test_best_in_ball_if_the_constraint_is_active():
    X, y = stream(2, 200, 2)
    Z = np.column_stack([X, np.ones(200)])
    problem = Problem(X[y == 0], 0.9 * Z[y == 1].mean(axis=0), alpha=0.01, loss="square")
    w, lower = best_in_ball(problem, 0.3)
    assert np.linalg.norm(w) == pytest.approx(0.3, rel=1e-5)
    free, _ = best_in_ball(problem, np.inf)
    assert np.linalg.norm(free) > 0.3
    ball = {"type": "ineq", "fun": lambda v: 0.09 - v @ v}
    direct = minimize(problem.value, w * 0.5, constraints=ball, method="SLSQP", options={"ftol": 1e-12}).fun
    assert lower <= direct + 1e-9
    assert lower == pytest.approx(direct, abs=1e-5)
    assert problem.value(w) == pytest.approx(direct, abs=1e-5)
