"""Regret: the curve against a direct sum over the naive path, the theorems' bounds, the growth as log T."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from pulib.linear import OnlinePUClassifier, regret_curve
from pulib.linear._problem import Problem
from pulib.linear._regret import best_in_ball
from studies.opu.readings import OnlinePUClassifier as Reading
from tests.pulib.naive import linear as naive
from tests.sizes import size

LOSSES = ["double_hinge", "square", "logistic"]


def stream(seed, n, d):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    X = np.clip(rng.normal(size=(n, d)) + np.where(truth, 0.5, -0.5)[:, None], -2, 2)
    return X, (truth & (rng.random(n) < 0.6)).astype(int)


def charge(w, X, y, loss, prior, lam, of_labeled=1.0, of_unlabeled=1.0):
    """f_I(w) for the rows of a batch."""
    g = np.column_stack([X, np.ones(len(X))]) @ w
    return np.mean(np.where(y == 1, -prior * of_labeled * g, of_unlabeled * naive.loss(-g, loss))) + lam / 2 * w @ w


@pytest.mark.parametrize(
    ("loss", "batch_size", "weighting"), [("double_hinge", 1, "unbiased"), ("square", 8, "unbiased"), ("logistic", 8, "paper")]
)
def test_curve_is_the_sum_over_the_naive_path(loss, batch_size, weighting):
    X, y = stream(0, 96, 3)
    lam, prior, T, unbiased = 0.1, 0.3, 96 // batch_size, weighting == "unbiased"
    clf = Reading(prior=prior, loss=loss, alpha=lam, batch_size=batch_size, stream_weighting=weighting)
    curve = regret_curve(clf, X, y, np.arange(96), [T // 3, T])
    if batch_size == 1:
        path = naive.basic(X, y, loss, prior, lam, radius=lam**-0.5, unbiased=unbiased)
    else:
        path = naive.extended(X, y, loss, prior, lam, batch_size, radius=lam**-0.5, unbiased=unbiased)
    path = np.vstack([np.zeros(4), path])
    parts = []
    for t in range(T):
        p, so_far = slice(t * batch_size, (t + 1) * batch_size), y[: (t + 1) * batch_size]
        parts.append((X[p], y[p], loss, prior, lam, *naive.weights(sum(so_far == 1), sum(so_far == 0), unbiased)))
    before = sum(charge(path[t], *part) for t, part in enumerate(parts))
    after = sum(charge(path[t + 1], *part) for t, part in enumerate(parts))
    weights = np.repeat([part[5:] for part in parts], batch_size, axis=0).T
    total = lambda w: T * charge(w, X[: T * batch_size], y[: T * batch_size], loss, prior, lam, *weights)  # noqa: E731
    assert total(path[T]) == pytest.approx(sum(charge(path[T], *part) for part in parts))
    options = {"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-7, "fatol": 1e-9}
    best = minimize(total, minimize(total, np.zeros(4), method="Powell").x, method="Nelder-Mead", options=options).fun
    assert curve.regret[-1] == pytest.approx(before - best, abs=1e-4)
    assert curve.regret_after[-1] == pytest.approx(after - best, abs=1e-4)


@settings(deadline=None, max_examples=12)
@given(
    seed=st.integers(0, 10_000),
    d=st.integers(1, 6),
    loss=st.sampled_from(LOSSES),
    alpha=st.sampled_from([1e-3, 1e-2, 0.1, 1.0]),
    prior=st.sampled_from([0.2, 0.5]),
)
def test_theorem_1(seed, d, loss, alpha, prior):
    X, y = stream(seed, 400, d)
    curve = regret_curve(OnlinePUClassifier(prior=prior, loss=loss, alpha=alpha), X, y, np.arange(400), [1, 5, 50, 400])
    assert (curve.regret <= curve.bound).all()


@settings(deadline=None, max_examples=size(12, 2))
@given(
    seed=st.integers(0, 10_000), loss=st.sampled_from(LOSSES), alpha=st.sampled_from([1e-2, 0.1]), b=st.sampled_from([5, 20])
)
def test_theorem_2(seed, loss, alpha, b):
    X, y = stream(seed, 800, 4)
    clf = OnlinePUClassifier(prior=0.3, loss=loss, alpha=alpha, batch_size=b, inner_steps=200)
    curve = regret_curve(clf, X, y, np.arange(800), [1, 8, 800 // b])
    assert (curve.regret_after <= curve.bound).all()
    assert (curve.regret <= curve.bound).all()


def test_regret_grows_as_log_t():
    X, y = stream(1, 10_000, 5)
    clf = OnlinePUClassifier(prior=0.3, loss="double_hinge", alpha=0.1)
    steps = [100, 1000, 10_000]
    regret = regret_curve(clf, X, y, np.arange(10_000), steps).regret
    first, second = np.diff(regret)
    assert regret[0] > 0
    assert second < 2.5 * first  # linear growth would make it ten times, growth as the square root 3.2 times
    assert regret[2] / steps[2] < 0.05 * regret[0] / steps[0]


def test_best_in_ball_where_the_ball_binds():
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


def test_what_the_theorems_do_not_cover_is_refused():
    X, y = stream(3, 50, 2)
    for clf in (OnlinePUClassifier(), OnlinePUClassifier(prior=0.3, scenario="one_sample")):
        with pytest.raises(ValueError, match="the theorems are about"):
            regret_curve(clf, X, y, np.arange(50), [10])
    with pytest.raises(ValueError, match="order has 50"):
        regret_curve(OnlinePUClassifier(prior=0.3, batch_size=10), X, y, np.arange(50), [6])
