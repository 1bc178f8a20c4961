"""UnbiasedPUClassifier: minima against an independent solver, certificates, and the default penalty."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from pulib.exceptions import PUWarning
from pulib.linear import OnlinePUClassifier, UnbiasedPUClassifier
from pulib.linear._basis import resolve_gamma
from pulib.linear._losses import LOSS_CODES
from pulib.linear._normal_equations import solve_by_factors, solve_curved
from pulib.linear._problem import Problem
from tests.pulib.naive import linear as naive

LOSSES = sorted(LOSS_CODES)


def draw(seed, n, d):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.5
    X = rng.normal(size=(n, d)) + np.where(truth, 0.7, -0.7)[:, None]
    y = (truth & (rng.random(n) < 0.5)).astype(int)
    y[:2] = 1, 0
    return X, y, truth


def weights(clf):
    return np.append(clf.coef_[0], clf.intercept_)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 40),
    d=st.integers(1, 5),
    loss=st.sampled_from(LOSSES),
    alpha=st.sampled_from([1e-2, 0.1, 3.0]),
    prior=st.sampled_from([0.2, 0.6]),
    intercept=st.booleans(),
)
def test_minimum_agrees_with_independent_solvers(seed, n, d, loss, alpha, prior, intercept):
    X, y, _ = draw(seed, n, d)
    clf = UnbiasedPUClassifier(prior=prior, loss=loss, alpha=alpha, fit_intercept=intercept, tol=1e-9).fit(X, y)
    bias = float(intercept)
    ours = naive.objective(weights(clf), X, y, loss, prior, alpha, bias)
    assert ours == pytest.approx(clf.objective_, rel=1e-9, abs=1e-12)
    value = lambda w: naive.objective(w, X, y, loss, prior, alpha, bias)  # noqa: E731
    solvers = ("BFGS", "Powell", "Nelder-Mead")
    reference = min(minimize(value, np.zeros(d + 1), method=solver, options={"maxiter": 5000}).fun for solver in solvers)
    scale = max(1.0, abs(ours))
    assert ours <= reference + 1e-6 * scale
    assert ours - clf.dual_gap_ <= reference + 1e-6 * scale  # the certificate bounds the minimum from below
    assert clf.dual_gap_ <= 1e-9 * scale


@pytest.mark.parametrize("loss", ["double_hinge", "logistic"])  # the square loss has one exact step
def test_certificate_holds_if_the_solver_stops_early(loss):
    X, y, _ = draw(1, 300, 6)
    model = UnbiasedPUClassifier(prior=0.4, loss=loss, alpha=1e-3, tol=1e-10)
    best = model.fit(X, y).objective_
    with pytest.warns(ConvergenceWarning, match="stopped at dual_gap_"):
        early = model.set_params(max_iter=1).fit(X, y)
    assert best <= early.objective_ <= best + early.dual_gap_
    assert early.dual_gap_ > 1e-6


@pytest.mark.parametrize("loss", LOSSES)
def test_csr_and_dense_float32_agree(loss):
    X, y, _ = draw(3, 150, 8)
    X[np.abs(X) < 0.5] = 0
    model = UnbiasedPUClassifier(prior=0.4, loss=loss, alpha=0.05, tol=1e-10)
    dense, csr, single = (clone(model).fit(rows, y) for rows in (X, sparse.csr_matrix(X), X.astype(np.float32)))
    np.testing.assert_allclose(weights(csr), weights(dense), atol=1e-4)
    np.testing.assert_allclose(weights(single), weights(dense), atol=1e-4)
    np.testing.assert_allclose(csr.decision_function(sparse.csr_matrix(X)), csr.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_wide_problems_use_products_only(loss, monkeypatch):
    X, y, _ = draw(4, 60, 12)
    model = UnbiasedPUClassifier(prior=0.4, loss=loss, alpha=0.05, tol=1e-10)
    factored = clone(model).fit(X, y)
    monkeypatch.setattr("pulib.linear._normal_equations.WIDEST_FACTORED", 3)
    products = model.fit(X, y)
    np.testing.assert_allclose(weights(products), weights(factored), atol=1e-6)
    assert products.dual_gap_ <= 1e-9


def test_unscaled_features_need_newton_steps_on_the_dual():
    """If coordinate ascent is slow, the second solver takes over; the gap certifies the result either way."""
    rng = np.random.default_rng(0)
    X = 100 * rng.normal(size=(100, 5))
    y = (np.arange(100) < 33).astype(int)
    clf = UnbiasedPUClassifier(prior=0.4, alpha=1e-2).fit(X, y)
    assert clf.n_iter_ > 2000  # sweeps alone did not converge
    assert clf.dual_gap_ <= 1e-6
    assert clone(clf).fit(sparse.csr_array(X), y).objective_ == pytest.approx(clf.objective_, abs=2e-6)


def with_a_column_of(times, n=80):
    X, y, _ = draw(7, n, 3)
    return np.column_stack([X, times + 1e-4 * times * np.random.default_rng(7).random(n)]), y


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("loss", "times"), [("double_hinge", 2e3), ("square", 1.6e9), ("logistic", 1e6)])
def test_converges_with_a_feature_of_large_values(loss, times):
    X, y = with_a_column_of(times)
    with pytest.warns(PUWarning, match=r"very different scales: 3 .*StandardScaler"):
        clf = UnbiasedPUClassifier(prior=0.33, loss=loss, alpha=1e-2, random_state=0).fit(X, y)
    without = clone(clf).fit(X[:, :3], y)
    assert clf.dual_gap_ <= 1e-6 * max(1, abs(clf.objective_))
    assert clf.objective_ <= without.objective_ + 1e-6, "w may ignore the feature"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("loss", "form"), [("square", np.asarray), ("logistic", sparse.csr_array)])
def test_converges_with_duplicated_features_of_large_values(loss, form):
    X, y, _ = draw(8, 80, 3)
    clf = UnbiasedPUClassifier(prior=0.3, loss=loss, alpha=1e-2, random_state=0).fit(form(np.c_[X, X] * 1e8), y)
    assert clf.objective_ == pytest.approx(clone(clf).fit(form(np.sqrt(2) * X * 1e8), y).objective_, abs=1e-6)


@pytest.mark.parametrize("m", [3, 5000])
def test_solving_by_factors_agrees_with_solving_by_products(m):
    rng = np.random.default_rng(m)
    problem = Problem(rng.normal(size=(m, 6)), np.zeros(7), alpha=0.1, loss="square")
    curvatures, target = rng.random(m), rng.normal(size=7)
    expected = solve_curved(problem, curvatures, target)
    np.testing.assert_allclose(solve_by_factors(problem, curvatures, target), expected, rtol=1e-9)


def test_stopped_early_it_is_no_worse_than_zero_weights():
    X, y = with_a_column_of(1.6e9)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        clf = UnbiasedPUClassifier(prior=0.33, alpha=1e-2, max_iter=10, random_state=0).fit(X, y)
    assert clf.objective_ <= 0.5
    best = clone(clf).set_params(max_iter=UnbiasedPUClassifier().max_iter).fit(X, y)
    assert clf.objective_ - clf.dual_gap_ <= best.objective_ + 1e-6


@pytest.mark.jit("thousands of sweeps over 300 rows")
@pytest.mark.parametrize("loss", LOSSES)
def test_warning_does_not_suggest_iterations_that_would_not_help(loss):
    X, y = with_a_column_of(1.6e9, 300)
    with pytest.warns(ConvergenceWarning, match="iterations; raise alpha or scale the features"):
        UnbiasedPUClassifier(prior=0.33, loss=loss, alpha=1e-9, tol=1e-15, max_iter=20_000, random_state=0).fit(X, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernel_width_is_the_same_for_sparse_and_dense_rows(dtype):
    rng = np.random.default_rng(10)
    X = (rng.normal(size=(500, 4)) + 3000).astype(dtype)
    holes = np.where(rng.random((500, 4)) < 0.1, dtype(0), X)
    for rows in (X, holes):
        assert resolve_gamma("scale", sparse.csr_matrix(rows)) == pytest.approx(resolve_gamma("scale", rows), rel=1e-9)


@pytest.mark.parametrize(
    ("clf", "form"),
    [
        (OnlinePUClassifier(prior=0.4), sparse.csr_array),
        *((UnbiasedPUClassifier(prior=0.4), form) for form in (np.asarray, sparse.csr_array)),
    ],
)
def test_default_penalty_depends_on_row_counts_and_feature_scale(clf, form):
    rng = np.random.default_rng(0)
    truth = np.r_[np.ones(200, bool), rng.random(600) < 0.4]
    X, y = rng.normal(size=(800, 4)) + np.where(truth, 1.0, -1.0)[:, None], np.r_[np.ones(200), np.zeros(600)]
    expected = 0.1 * (1 + np.mean((X**2).sum(axis=1))) * (0.4 / np.sqrt(200) + 0.5 / np.sqrt(600))
    assert clf.fit(form(X), y).alpha_ == pytest.approx(expected)
    assert clone(clf).set_params(alpha=0.3).fit(form(X), y).alpha_ == 0.3
