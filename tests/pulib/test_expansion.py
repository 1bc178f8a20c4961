"""SGBDota, AUC boosting, and GetEnsemble against naive table 1, pair sums, and losses; formats of preferences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LinearRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from pulib import (
    AUCBoostingClassifier,
    GetEnsembleClassifier,
    PUBaggingClassifier,
    SGBDotaClassifier,
    density_preference,
    neighborhood_preference,
)
from pulib.datasets import make_expanding_clusters
from pulib.expansion._density import count_neighbors
from pulib.expansion._get_ensemble import positive_share
from pulib.expansion._losses import ListedLoss
from pulib.expansion._preferences import resolve_preference
from pulib.expansion._propagation import neighborhood_matrix, propagate, simplex_weights
from pulib.expansion._rank_boosting import best_cut, rows_for_auc
from pulib.expansion._ranked_pairs import RankedRows
from pulib.kernels import RankedLoss, draw_seeds
from tests.pulib.naive import expansion as naive
from tests.sizes import size


def make_rows(n=200, seed=0):
    X, codes = make_expanding_clusters(n, random_state=seed)
    return X, (codes == 1).astype(int), codes


def stump():
    return DecisionTreeRegressor(max_depth=1, random_state=0)


@pytest.mark.parametrize(("weight", "drop_fraction"), [(0.3, 0.6), (2.0, 1.0)])
def test_table_1_line_by_line(weight, drop_fraction):
    X, y, _ = make_rows(24)
    scores = np.round(X[:, 0] - X[:, 1], 1)
    options = {"preference_weight": weight, "drop_fraction": drop_fraction, "learning_rate": 0.1, "subsample": 1.0}
    model = SGBDotaClassifier(4, estimator=LinearRegression(), **options).fit(X, y, preference=scores)
    expected = naive.boost(X, y == 1, scores, LinearRegression, weight, drop_fraction, 4, 0.1)
    np.testing.assert_allclose(model.decision_function(X) + model.offset_, expected, rtol=2e-3, atol=2e-3)


def test_auc_boosting_agrees_with_the_naive_implementation():
    X, y, _ = make_rows(24)
    model = AUCBoostingClassifier(4, learning_rate=0.1, subsample=1.0, estimator=stump()).fit(X, y)
    expected = naive.boost(X.astype(np.float32), y == 1, None, stump, 0.0, 0.0, 4, 0.1)
    np.testing.assert_allclose(model.decision_function(X) + model.offset_, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("off", [{"preference": None}, {"preference_weight": 0.0}, {"preference": np.full(200, np.nan)}])
def test_sgbdota_without_preferences_is_auc_boosting(off):
    X, y, _ = make_rows()
    reference = AUCBoostingClassifier(10, random_state=3).fit(X, y)
    model = SGBDotaClassifier(10, random_state=3, **off).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), reference.decision_function(X))
    np.testing.assert_array_equal(model.estimator_weights_, reference.estimator_weights_)


def test_rows_for_auc():
    positive = np.array([True, False, False, False, False, False])
    known = np.array([True, True, True, True, True, False])
    standing = np.array([9.0, 4, 3, 3, np.nan, 1])
    kept = {p: rows_for_auc(positive, known, standing, p).tolist() for p in (0.0, 0.3, 0.4, 1.0)}
    # of three judged negatives, one is dropped from 1/3 on; ties at the cut and the unjudged row always stay
    assert kept == {0.0: [0, 1, 2, 3, 4], 0.3: [0, 1, 2, 3, 4], 0.4: [0, 2, 3, 4], 1.0: [0, 2, 3, 4]}


def test_missing_labels_and_missing_preferences():
    n = size(300, 100)
    X, y, codes = make_rows(n)
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(n) < 0.3, np.nan, y)
    scores = np.where(rng.random(n) < 0.3, np.nan, -np.hypot(X[:, 0] - 0.82, X[:, 1] - 0.52))
    model = SGBDotaClassifier(20, random_state=0).fit(X, labels, scores)
    assert roc_auc_score(codes > 0, model.decision_function(X)) > 0.75
    # those without a label set no threshold
    auc, kept = AUCBoostingClassifier(5, prior=0.5, random_state=0), ~np.isnan(labels)
    found = auc.fit(X, labels).decision_function(X)
    np.testing.assert_array_equal(found, auc.fit(X[kept], labels[kept]).decision_function(X))
    # rows with only a label count too: hiding the labels of unjudged rows changes the model
    hidden = SGBDotaClassifier(20, random_state=0).fit(X, np.where(np.isnan(scores), np.nan, labels), scores)
    assert np.any(hidden.decision_function(X) != model.decision_function(X))
    # no row has both: the weights stay at their initial guess
    disjoint = SGBDotaClassifier(3, learning_rate=0.5, preference_weight=0.3, drop_fraction=0.0, random_state=0)
    disjoint.fit(X, np.where(np.arange(n) < n // 2, y, np.nan), np.where(np.arange(n) < n // 2, np.nan, scores))
    np.testing.assert_allclose(disjoint.estimator_weights_, 0.5 * np.array([[1.0, 0.3]] * 3))


def test_best_cut_separates_classes_if_possible():
    f = np.array([0.1, 0.2, 0.8, 0.9])
    assert best_cut(f, np.array([False, False, True, True])) == pytest.approx(0.5)
    assert best_cut(f, np.array([True, True, True, False])) > 0.9, "if no cut beats chance, no row is positive"
    assert best_cut(np.full(4, -0.3), np.array([True, True, True, False])) > -0.3


@pytest.mark.parametrize(
    ("model", "n"),
    [(AUCBoostingClassifier(10, random_state=0), 2), (SGBDotaClassifier(10, drop_fraction=0.3, random_state=0), 50)],
)
def test_all_rows_are_negative_if_all_scores_tie(model, n):
    X, y = np.ones((n, 2)), np.r_[1, np.zeros(n - 1)]
    scores = model.fit(X, y).decision_function(X)
    assert np.all(scores < -1e-12)
    assert not model.predict(X).any()


@pytest.mark.parametrize(
    ("model", "tree"),
    [
        (AUCBoostingClassifier(5), DecisionTreeRegressor(max_features=1)),
        (GetEnsembleClassifier(3), DecisionTreeClassifier(max_features=1)),
        (PUBaggingClassifier(n_estimators=5), DecisionTreeClassifier(max_features=1)),
    ],
)
def test_seeds_reach_learners_inside_a_pipeline(model, tree):
    X, y, _ = make_rows(80)
    model.set_params(estimator=make_pipeline(StandardScaler(), tree))
    one, again, other = (model.set_params(random_state=seed).fit(X, y).decision_function(X) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


def test_get_ensemble_expands_into_positive_leaves():
    """In a chain, a tree's positives are its predecessor's plus the negatives in the predecessor's positive leaves."""
    X, y, codes = make_rows(400)
    wide = DecisionTreeClassifier(min_samples_leaf=20)
    model = GetEnsembleClassifier(5, estimator=wide, random_state=0).fit(X, y)
    assert max(len(chain) for chain in model.estimators_) > 1
    for chain in model.estimators_:
        positive = [tree.tree_.value[0, 0, list(tree.classes_).index(True)] for tree in chain]
        assert np.all(np.diff(positive) > 0), "the positive class must grow from tree to tree"
    assert roc_auc_score(codes > 0, model.decision_function(X)) > 0.7
    shares = [np.mean([positive_share(tree, X.astype(np.float32)) for tree in chain], axis=0) for chain in model.estimators_]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], np.mean(shares, axis=0))


@settings(max_examples=25)
@given(st.integers(0, 99), st.integers(1, 25), st.integers(1, 4), st.integers(0, 6), st.booleans())
def test_density_kernel_agrees_with_the_naive_implementation(seed, n, d, max_depth, ties):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, d)).astype(float) if ties else rng.normal(size=(n, d))
    codes = rng.integers(-1, 2, n)
    seeds = draw_seeds(seed, 3)
    counts = np.zeros((n, 2), dtype=np.int64)
    count_neighbors(X, codes, seeds, max_depth, counts)
    np.testing.assert_array_equal(counts, naive.count_neighbors(X, codes, seeds, max_depth))


def test_density_preference_ignores_rows_without_a_label():
    X, codes = make_expanding_clusters(300, random_state=0)
    y = (codes == 1).astype(float)
    scores = density_preference(X, y, random_state=0)
    y[y == 0] = np.where(np.arange((y == 0).sum()) % 2, 0.0, np.nan)
    np.testing.assert_array_equal(density_preference(X, y, random_state=0), scores)


@settings(max_examples=20)
@given(st.integers(0, 999), st.integers(1, 7))
def test_simplex_weights_agree_with_a_general_solver(seed, k):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(k, 4))
    gram = A @ A.T + 1e-2 * np.eye(k)
    w = np.empty(k)
    simplex_weights(gram, 1e-12, 10_000, w)
    assert w.sum() == pytest.approx(1.0, abs=1e-12)
    assert (w >= 0).all()
    constraint = {"type": "eq", "fun": lambda v: v.sum() - 1}
    theirs = minimize(lambda v: v @ gram @ v, np.full(k, 1 / k), bounds=[(0, 1)] * k, constraints=constraint, method="SLSQP").x
    theirs /= theirs.sum()  # its weights sum to one only up to rounding
    assert w @ gram @ w <= theirs @ gram @ theirs + 1e-9


def test_propagation_agrees_with_a_direct_solve():
    rng = np.random.default_rng(1)
    X = np.r_[rng.normal(size=(80, 3)), np.zeros((8, 3))]  # including equal rows
    W = neighborhood_matrix(X, 6, 1e-3)
    np.testing.assert_allclose(W.sum(axis=1), 1.0, atol=1e-10)
    assert W.data.min() >= 0
    assert (W.diagonal() == 0).all()
    labels = (rng.random(88) < 0.2).astype(float)
    for alpha in (0.5, 0.99, 0.9999):
        direct = np.linalg.solve(np.eye(88) - alpha * W.toarray(), (1 - alpha) * labels)
        np.testing.assert_allclose(propagate(W, labels, alpha), direct, rtol=0, atol=1e-9)


def test_neighborhoods_do_not_depend_on_a_scale():
    X, y = np.random.default_rng(2).normal(size=(40, 2)), np.arange(40) < 8
    for scale in (2.0**600, 2.0**-600):  # whose squares are infinite or 0
        np.testing.assert_array_equal(neighborhood_preference(X * scale, y), neighborhood_preference(X, y))


def test_formats_of_user_preferences():
    X = np.arange(5.0)[:, None]
    y = np.array([0.0, 0, 0, 1, 1])
    scores = np.array([3.0, np.nan, 1.0, 2.0, 2.0])
    given_scores = resolve_preference(scores, X, y, None)
    np.testing.assert_array_equal(given_scores.available, [True, False, True, True, True])
    k = np.sign(scores[:, None] - scores[None, :])
    pairs = sparse.csr_array(np.triu(np.nan_to_num(k)))  # one triangle suffices
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


@pytest.mark.parametrize(("form", "dtype"), [(np.asarray, bool), (sparse.coo_matrix, np.uint64)])
def test_pairs_of_any_dtype(form, dtype):
    better = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 0]])
    found = resolve_preference(form(better.astype(dtype)), np.zeros((3, 1)), np.array([1, 0, 0]), 0)
    np.testing.assert_array_equal(found.pairs.toarray(), [[0, 1, 1], [-1, 0, 0], [-1, 0, 0]])
    np.testing.assert_array_equal(found.standing, [2, -1, -1])
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    SGBDotaClassifier(2, preference=form(np.tri(60).astype(dtype)), prior=0.4).fit(X, y)  # in folds, too


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
def test_bad_preferences_raise_an_error(preference, message):
    with pytest.raises(ValueError, match=message):
        resolve_preference(preference, np.zeros((4, 1)), np.array([0.0, 0, 1, 1]), None)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda X, y: density_preference(X, y, kind="negative"), "'kind' parameter"),
        (lambda X, y: density_preference(X, y, n_trees=0), "'n_trees' parameter"),
        (lambda X, y: density_preference(X, y[:3]), "inconsistent numbers of samples"),
        (lambda X, y: neighborhood_preference(X, y, alpha=1.0), "'alpha' parameter"),
        (lambda X, y: SGBDotaClassifier().fit(X, y, preference="near"), "'name' parameter"),
    ],
)
def test_bad_preference_parameters_raise_an_error(run, message):
    with pytest.raises(ValueError, match=message):
        run(np.zeros((4, 1)), [0, 1, 0, 1])


SPREADS = st.sampled_from([0.0, 1e-12, 1e-6, 1e-2, 1.0, 3.99, 4.01, 37.0, 1e3, 1e6])


def draw_rows(seed, n, n_ranks, spread, shift=0.0):
    rng = np.random.default_rng(seed)
    f = shift + spread * rng.random(n)
    return f, rng.integers(0, n_ranks, n).astype(float), rng.normal(size=(n, 2))


@settings(max_examples=30)
@given(
    st.integers(0, 99),
    st.integers(1, 20),
    st.integers(1, 8),
    st.sampled_from([0.0, 1e-12, 1.0, 40.0, 600.0]),
    st.integers(0, 2),
)
def test_exact_sums_equal_sums_over_pairs(seed, n, n_ranks, spread, derivative):
    f, scores, weights = draw_rows(seed, n, n_ranks, spread)
    got = RankedRows(scores).sums(f, weights, derivative, "exact")
    for ours, theirs in zip(got, naive.ranked_sums(f, scores, weights, derivative), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


@settings(max_examples=50)
@given(
    st.integers(0, 999), st.integers(1, 300), st.integers(1, 300), SPREADS, st.sampled_from([0.0, -3.0, 1e3]), st.integers(0, 2)
)
def test_fast_sums_agree_with_exact_sums(seed, n, n_ranks, spread, shift, derivative):
    f, scores, weights = draw_rows(seed, n, n_ranks, spread, shift)
    rows = RankedRows(scores)
    exact = rows.sums(f, weights, derivative, "exact")
    fast = rows.sums(f, weights, derivative, "fast")
    for a, b in zip(exact, fast, strict=True):
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-11 * max(1.0, np.abs(weights).sum()))


def test_sums_do_not_depend_on_the_number_of_threads():
    f, scores, weights = draw_rows(0, 700, 50, 5.0)
    rows = RankedRows(scores)
    one, three = (rows.sums(f, weights, 1, "exact", n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one, three)


def make_losses(seed=0, n=14):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, n).astype(float)
    positive = rng.random(n) < 0.4
    positive[:2] = True, False
    k = naive.signs(scores)
    f = rng.normal(size=n)
    return f, positive, scores, k


@pytest.mark.parametrize("method", ["exact", "fast"])
def test_losses_and_residuals_match_equations_4_to_8(method):
    f, positive, scores, k = make_losses()
    auc, preference = RankedLoss.auc(positive, method), RankedLoss.preference(scores, method)
    listed = ListedLoss.from_matrix(sparse.csr_array(k))
    assert auc.value(f) == pytest.approx(naive.auc_loss(f, positive), abs=1e-13)
    n_pairs = positive.sum() * (~positive).sum()
    np.testing.assert_allclose(-auc.gradient(f), naive.auc_residuals(f, positive) / n_pairs, atol=1e-13)
    for loss in (preference, listed):
        assert loss.value(f) == pytest.approx(naive.preference_loss(f, k), abs=1e-13)
        np.testing.assert_allclose(-loss.gradient(f), 2 / len(f) ** 2 * naive.preference_residuals(f, k), atol=1e-13)


def test_hessian_products_match_numerical_derivatives():
    f, positive, scores, k = make_losses(1)
    V = np.random.default_rng(5).normal(size=(len(f), 3))
    h = 1e-5
    for loss in (RankedLoss.auc(positive), RankedLoss.preference(scores), ListedLoss.from_matrix(sparse.csr_array(k))):
        numerical = np.column_stack([(loss.gradient(f + h * v) - loss.gradient(f - h * v)) / (2 * h) for v in V.T])
        np.testing.assert_allclose(loss.hessian_product(f, V), numerical, atol=1e-9)
