"""Preferences: densities, propagation, and every form that users give them in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from pulib import density_preference, neighborhood_preference
from pulib.datasets import make_expanding_clusters
from pulib.expansion._density import count_neighbors
from pulib.expansion._preferences import resolve_preference
from pulib.expansion._propagation import neighborhood_matrix, propagate, simplex_weights
from pulib.kernels import draw_seeds
from tests.pulib.naive import expansion as naive


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 99), st.integers(1, 25), st.integers(1, 4), st.integers(0, 6), st.booleans())
def test_density_kernel_against_its_twin(seed, n, d, max_depth, ties):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, d)).astype(float) if ties else rng.normal(size=(n, d))
    codes = rng.integers(-1, 2, n)
    seeds = draw_seeds(seed, 3)
    counts = np.zeros((n, 2), dtype=np.int64)
    count_neighbors(X, codes, seeds, max_depth, counts)
    np.testing.assert_array_equal(counts, naive.count_neighbors(X, codes, seeds, max_depth))


def test_densities_rank_the_clusters():
    X, codes = make_expanding_clusters(600, random_state=0)
    y = (codes == 1).astype(int)
    positive = density_preference(X, y, random_state=0)
    difference = density_preference(X, y, kind="difference", random_state=0)
    right, left = X[:, 0] > 0.75, X[:, 0] < 0.25
    for scores in (positive, difference):
        assert scores[right].mean() > scores[left].mean() + 0.05
        assert scores.shape == (600,)
    np.testing.assert_array_equal(positive, density_preference(X, y, random_state=0))
    assert np.all(difference <= positive)
    # rows without a label count for neither class
    y = y.astype(float)
    y[y == 0] = np.where(np.arange((y == 0).sum()) % 2, 0.0, np.nan)
    np.testing.assert_array_equal(density_preference(X, y, random_state=0), positive)


def test_density_rejects_unknown_kind():
    with pytest.raises(ValueError, match="kind='negative'"):
        density_preference(np.zeros((4, 1)), [0, 1, 0, 1], kind="negative")


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 999), st.integers(1, 7))
def test_simplex_weights_against_a_general_solver(seed, k):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(k, 4))
    gram = A @ A.T + 1e-2 * np.eye(k)
    w = np.empty(k)
    simplex_weights(gram, 1e-12, 10_000, w)
    assert w.sum() == pytest.approx(1.0, abs=1e-12)
    assert (w >= 0).all()
    constraint = {"type": "eq", "fun": lambda v: v.sum() - 1}
    theirs = minimize(lambda v: v @ gram @ v, np.full(k, 1 / k), bounds=[(0, 1)] * k, constraints=constraint, method="SLSQP").x
    theirs /= theirs.sum()  # its weights sum to one but for rounding
    assert w @ gram @ w <= theirs @ gram @ theirs + 1e-9


def test_propagation_agrees_with_a_direct_solve():
    rng = np.random.default_rng(1)
    X = np.r_[rng.normal(size=(80, 3)), np.zeros((8, 3))]  # with rows that are equal
    W = neighborhood_matrix(X, 6, 1e-3)
    np.testing.assert_allclose(W.sum(axis=1), 1.0, atol=1e-10)
    assert W.data.min() >= 0
    assert (W.diagonal() == 0).all()
    labels = (rng.random(88) < 0.2).astype(float)
    for alpha in (0.5, 0.99, 0.9999):
        direct = np.linalg.solve(np.eye(88) - alpha * W.toarray(), (1 - alpha) * labels)
        np.testing.assert_allclose(propagate(W, labels, alpha), direct, rtol=0, atol=1e-9)


def test_neighborhood_spreads_along_the_chain_of_neighbors():
    X = np.c_[np.arange(30.0), np.zeros(30)]
    scores = neighborhood_preference(X, np.arange(30) < 3, n_neighbors=2)
    assert np.all(np.diff(scores[2:]) < 0)
    with pytest.raises(ValueError, match=r"alpha=1\.0"):
        neighborhood_preference(X, np.arange(30) < 3, alpha=1.0)


def test_forms_of_a_users_preferences():
    X = np.arange(5.0)[:, None]
    y = np.array([0.0, 0, 0, 1, 1])
    scores = np.array([3.0, np.nan, 1.0, 2.0, 2.0])
    given_scores = resolve_preference(scores, X, y, None)
    np.testing.assert_array_equal(given_scores.available, [True, False, True, True, True])
    k = np.sign(scores[:, None] - scores[None, :])
    pairs = sparse.csr_array(np.triu(np.nan_to_num(k)))  # one triangle tells all
    by_pairs = resolve_preference(pairs, X, y, None)
    np.testing.assert_array_equal(by_pairs.available, given_scores.available)
    np.testing.assert_array_equal(by_pairs.standing, [3, np.nan, -3, 0, 0])
    called = resolve_preference(lambda X, y: X[:, 0] + y, X, y, None)
    np.testing.assert_array_equal(called.standing, X[:, 0] + y)
    f = np.array([0.3, 9.9, -1.0, 0.2, 0.5])
    rows = np.flatnonzero(given_scores.available)
    losses = [form.loss(rows, "auto") for form in (given_scores, by_pairs)]
    np.testing.assert_allclose(losses[0].gradient(f[rows]), losses[1].gradient(f[rows]), atol=1e-14)
    assert losses[0].value(f[rows]) == pytest.approx(losses[1].value(f[rows]), abs=1e-14)
    assert resolve_preference(None, X, y, None) is None


@pytest.mark.parametrize(
    ("form", "dtype"),
    [(np.asarray, bool), (sparse.csr_array, np.uint64), (sparse.csr_array, np.int8), (np.asarray, np.float32)],
)
def test_pairs_of_any_type_of_number(form, dtype):
    better = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 0]])
    found = resolve_preference(form(better.astype(dtype)), np.zeros((3, 1)), np.array([1, 0, 0]), 0)
    np.testing.assert_array_equal(found.pairs.toarray(), [[0, 1, 1], [-1, 0, 0], [-1, 0, 0]])
    np.testing.assert_array_equal(found.standing, [2, -1, -1])


def test_contradicting_pairs_cancel():
    pairs = sparse.csr_array(([1.0, 1.0, 1.0], ([0, 1, 2], [1, 0, 1])), shape=(3, 3))
    resolved = resolve_preference(pairs, np.zeros((3, 1)), np.array([0.0, 1, 0]), None)
    np.testing.assert_array_equal(resolved.available, [False, True, True])


@pytest.mark.parametrize(
    ("preference", "message"),
    [
        (np.zeros(3), r"shape \(3,\)"),
        (np.zeros((4, 5)), r"shape \(4, 5\)"),
        (np.array([0.0, np.inf, 0, 0]), "infinite"),
        (np.full((4, 4), np.nan), "NaN"),
    ],
)
def test_bad_preferences_are_named(preference, message):
    with pytest.raises(ValueError, match=message):
        resolve_preference(preference, np.zeros((4, 1)), np.array([0.0, 0, 1, 1]), None)
