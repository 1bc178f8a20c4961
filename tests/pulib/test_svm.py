"""The SVM solver against LIBSVM, and the machines built on it against their parts."""

from functools import partial

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.svm import SVC

from pulib import BaggingSVC, ClassWeightedSVC, MappingConvergenceSVC, RobustEnsembleSVC, make_circle_noise
from pulib.kernels import Grid, ensemble_values
from pulib.svm._paths import Sample, Solutions
from pulib.svm._runs import solve_path
from pulib.svm._smo import Box, intercept, padded, solve
from tests.pulib.naive import svm as naive
from tests.sizes import size


def problem(seed, n, d, kind):
    """Return rows and signs; ``kind`` selects a degeneracy."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    y[0], y[-1] = 1.0, -1.0
    if kind == "duplicates":
        X = X[rng.integers(0, max(1, n // 3), n)]
    elif kind == "one_point":
        X[:] = X[0]
    elif kind == "grid":
        X = np.round(X)
    elif kind == "class_points":
        X[y > 0], X[y < 0] = X[0], X[-1]
    elif kind == "positive_point":
        X[y > 0] = X[0]
    return X, y


def gram(X, gamma):
    if gamma is None:
        return X @ X.T
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=-1))


@numba.njit
def solve_with_bias(K, diagonal, F, beta, box, tol):
    """Call the two helpers, which are compiled only within a kernel."""
    steps = solve(K, diagonal, F, beta, box, tol, 10_000_000)
    return steps, intercept(F, beta, box)


def dual_objective(beta, y, K):
    return beta @ y - 0.5 * beta @ K @ beta


def run_solver(K, y, c_positive, c_unlabeled, tol=1e-3):
    n, m = len(y), padded(len(y))
    Kp = np.zeros((n, m))
    Kp[:, :n] = K
    diagonal, signs, lower, upper = np.zeros((4, m))
    diagonal[:n], signs[:n] = np.diag(Kp), y
    upper[:n], lower[:n] = np.where(y > 0, c_positive, 0.0), np.where(y > 0, 0.0, -c_unlabeled)
    F, beta = signs.copy(), np.zeros(m)
    steps, bias = solve_with_bias(Kp, diagonal, F, beta, Box(lower, upper, np.empty(m), np.empty(m)), tol)
    return beta[:n], F[:n], bias, steps


KINDS = ["random", "duplicates", "one_point", "grid", "class_points", "positive_point"]


@settings(max_examples=size(60, 5))
# two rows; duplicates; all rows equal; both classes, or one, a single point; weak and strong penalties, and both at once
@example(0, 2, 1, "random", 4.0, 4.0, None)
@example(0, 2, 1, "one_point", -4.0, -4.0, 0.3)
@example(2, 60, 3, "duplicates", 4.0, 4.0, 0.3)
@example(3, 40, 2, "one_point", 4.0, 4.0, None)
@example(4, 40, 2, "class_points", 4.0, -4.0, 5.0)
@example(6, 40, 2, "positive_point", 4.0, 4.0, 0.01)
@example(1, 42, 1, "positive_point", 0.0, 1.0, 0.01)
@example(351, 60, 1, "duplicates", 2.0, 2.0, 0.01)
@given(
    st.integers(0, 10**6),
    st.integers(2, 60),
    st.integers(1, 5),
    st.sampled_from(KINDS),
    st.floats(-4, 4),
    st.floats(-4, 4),
    st.sampled_from([None, 0.01, 0.3, 5.0]),
)
def test_agrees_with_libsvm(seed, n, d, kind, log_p, log_u, gamma):
    """The dual objective is as large, bounds hold, and values differ no more than a violation of ``tol`` allows."""
    X, y = problem(seed, n, d, kind)
    K, c_p, c_u, tol = gram(X, gamma), 10.0**log_p, 10.0**log_u, 1e-4
    beta, own_F, bias, _ = run_solver(K, y, c_p, c_u, tol)
    expected, libsvm_bias = naive.libsvm(K, y, c_p, c_u, tol)
    assert abs(beta.sum()) <= 1e-9 * max(c_p, c_u) * len(y)
    assert beta.min() >= -c_u
    assert beta.max() <= c_p
    np.testing.assert_allclose(own_F, y - K @ beta, atol=1e-8 * max(1, c_p, c_u) * len(y))
    ours, theirs = dual_objective(beta, y, K), dual_objective(expected, y, K)
    assert ours >= theirs - 1e-4 * abs(theirs)
    if not np.any((beta > 1e-9 * c_p) & (beta < c_p * (1 - 1e-9)) | (beta < -1e-9 * c_u) & (beta > -c_u * (1 - 1e-9))):
        return  # without free rows, the bias is known only up to an interval
    values, reference = K @ beta + bias, K @ expected + libsvm_bias
    allowed = 1e-2 * np.ptp(reference) + 5e-3  # values hardly differ among some rows
    if max(c_p, c_u) >= 1e2:
        # primal less dual objective is at least half the squared distance to the optimal function (strong convexity)
        for own, at in ((beta, values), (expected, reference)):
            slack = np.maximum(0.0, 1 - y * at) @ np.where(y > 0, c_p, c_u)
            gap = own @ K @ own + slack - own @ y
            allowed += 2 * np.sqrt(2 * K.diagonal().max() * max(gap, 0.0))
    assert np.max(np.abs(values - reference)) <= allowed


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(3, 40), st.sampled_from(KINDS), st.lists(st.floats(-3, 3), min_size=2, max_size=5))
def test_path_of_penalties_agrees_with_single_fits(seed, n, kind, logs):
    X, y = problem(seed, n, 3, kind)
    K, m = gram(X, 0.5), padded(n)
    Kp, signs, diagonal = np.zeros((n, m)), np.zeros(m), np.zeros(m)
    Kp[:, :n], signs[:n], diagonal[:n] = K, y, np.diag(K)
    c_u = np.sort(10.0 ** np.array(logs))
    c_p = 3.0 * c_u
    k = len(logs)
    betas, Fs, work = np.empty((k, m)), np.empty((k, m)), np.empty((6, m))
    biases, steps, sources = np.empty(k), np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    sample, grid = Sample(Kp, diagonal, signs, np.abs(signs)), Grid(c_p, c_u, 1e-3, 10**7)
    solve_path(sample, grid, Solutions(betas, Fs, biases, steps, sources), work)
    for q in range(k):
        alone, *_ = run_solver(K, y, c_p[q], c_u[q])
        objective = dual_objective(betas[q, :n], y, K)
        assert objective == pytest.approx(dual_objective(alone, y, K), rel=2e-4)
        np.testing.assert_allclose(Fs[q, :n], y - K @ betas[q, :n], atol=1e-8 * max(1, c_p[q]) * n)
        if sources[q] >= 0:
            np.testing.assert_allclose(betas[q], betas[sources[q]], rtol=1e-12)


@pytest.mark.parametrize(("cls", "kernel"), [(BaggingSVC, "rbf"), (RobustEnsembleSVC, "linear")])
def test_members_of_ensembles_agree_with_libsvm(cls, kernel):
    X, truth = make_circle_noise(30, 80, random_state=3)
    y = truth.copy()
    y[:10] = 0
    ensemble = cls(n_estimators=12, C=0.8, gamma=0.4, kernel=kernel, n_unlabeled=40, random_state=5).fit(X, y)
    K = gram(X, None if kernel == "linear" else 0.4)
    penalties = ensemble.C_positive_, ensemble.C_unlabeled_
    expected = naive.ensemble_by_libsvm(K, ensemble.estimators_samples_, y == 1, *penalties)
    values = ensemble.member_values(X)
    # a resample may leave the bias undetermined if all its rows are at a bound
    close = np.max(np.abs(values - expected), axis=0) <= 1e-2 * np.ptp(expected, axis=0)
    assert close.mean() >= 0.9
    np.testing.assert_allclose(ensemble.decision_function(X), ensemble_values(values) - 0.5)


def test_other_kernels_agree_with_svc():
    kernel = partial(polynomial_kernel, gamma=0.05, coef0=0.1)
    X, y = make_circle_noise(20, 40, random_state=1)
    ours = ClassWeightedSVC(C_positive=2, C_unlabeled=0.5, kernel=kernel, tol=1e-5).fit(X, y)
    reference = SVC(C=1, class_weight={1: 2, 0: 0.5}, kernel="poly", gamma=0.05, coef0=0.1, tol=1e-5).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), reference.decision_function(X), atol=1e-2)
    constant, one = (ClassWeightedSVC(gamma=gamma).fit(np.ones_like(X), y) for gamma in ("scale", 1.0))
    np.testing.assert_array_equal(constant.decision_function(X), one.decision_function(X))


def test_kernel_matrix_in_single_precision_changes_little(monkeypatch):
    X, y = make_circle_noise(40, 100, random_state=0)
    double = ClassWeightedSVC(gamma=0.3, C_positive=5).fit(X, y).decision_function(X)
    monkeypatch.setattr("pulib.svm._kernels.DOUBLE_ROWS", 10)
    np.testing.assert_allclose(ClassWeightedSVC(gamma=0.3, C_positive=5).fit(X, y).decision_function(X), double, atol=5e-3)


def test_kernel_of_the_wrong_shape_raises_an_error():
    X, y = make_circle_noise(10, 20, random_state=0)
    with pytest.raises(ValueError, match=r"kernel=.* gave an array of shape \(3,\)"):
        ClassWeightedSVC(kernel=lambda A, B: np.zeros(3)).fit(X, y)


@pytest.mark.parametrize("max_rounds", [1, 2, 100])
def test_mapping_convergence_keeps_the_negatives_of_its_last_machine(max_rounds, monkeypatch):
    monkeypatch.setattr("pulib.svm._mapping_convergence.MAX_ROUNDS", max_rounds)
    X, y = make_circle_noise(70, 160, random_state=11)
    machine = MappingConvergenceSVC(C=10, negative_fraction=0.05).fit(X, y)
    assert machine.n_rounds_ <= max_rounds
    train = np.r_[np.flatnonzero(y == 1), machine.negative_]
    again = ClassWeightedSVC(C_positive=10, C_unlabeled=10).fit(X[train], y[train])
    np.testing.assert_allclose(again.decision_function(X), machine.decision_function(X), atol=0.02)
    if max_rounds == 1:  # one round: only the strong negatives of the mapping stage
        assert len(machine.negative_) == round(0.05 * np.sum(y == 0))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("machine", [ClassWeightedSVC(), RobustEnsembleSVC(3, random_state=0)])
def test_features_too_small_for_squares_raise_an_error(machine):
    X, y = make_circle_noise(20, 40, random_state=0)
    with pytest.raises(ValueError, match=r"largest absolute value in X is .*scale the features"):
        machine.fit(X * 1e-160, y)
