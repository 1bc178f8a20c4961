"""The data that Ada-PU searches: codes and kernels against simple sums, missing values, and sparse rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse
from sklearn.base import clone

from pulib import AdaPUClassifier
from pulib.boosting._binning import aligned_zeros, padded
from pulib.boosting._sums_above import sum_above, sums_above
from pulib.kernels import encode
from tests.pulib.test_boosting import make_problem

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SHARED = {"prior": 0.4, "learning_rate": 0.5, "n_iter_no_change": None, "random_state": 0}
FITTED = ("estimator_errors_", "estimator_weights_", "estimator_features_", "estimator_thresholds_", "estimator_polarities_")


def run(function, items):
    return [function(item) for item in items]


@settings(max_examples=40)
@given(
    X=arrays.arrays(
        st.sampled_from([np.float64, np.float32, np.uint8, np.int64]),
        arrays.array_shapes(min_dims=2, max_dims=2, max_side=40),
        elements=st.integers(0, 100),
    ),
    max_bins=st.sampled_from([None, 2, 5]),
    equal_width=st.booleans(),
)
def test_codes_preserve_the_order_of_values(X, max_bins, equal_width):
    order = np.random.default_rng(0).permutation(len(X))
    data = encode(X, order, slice(None), max_bins=max_bins, equal_width=equal_width, run=run)
    assert data.codes.shape == (padded(X.shape[1], 8), padded(len(X), 64))
    assert data.codes.ctypes.data % 64 == 0
    for feature, column in enumerate(X[order].T):
        codes, edges = data.codes[feature, : len(X)], data.edges[data.starts[feature] : data.starts[feature + 1]]
        assert data.n_codes[feature] == len(edges) <= (max_bins or len(X))
        np.testing.assert_array_equal(codes, [sum(edge < value for edge in edges) for value in column])
        if data.exact[feature]:
            np.testing.assert_array_equal(edges, np.unique(column))
        for code in range(len(edges) - 1):
            np.testing.assert_array_equal(codes > code, column > data.threshold_between(feature, code))


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**31),
    kind=st.sampled_from([np.uint8, np.uint16, np.uint32]),
    n=st.integers(1, 200),
    groups=st.integers(1, 3),
    part=st.floats(0, 1),
)
def test_sums_above_cuts(seed, kind, n, groups, part):
    rng = np.random.default_rng(seed)
    codes = aligned_zeros((8 * groups, padded(n, 64)), kind)
    most = min(np.iinfo(kind).max, 70_000)
    codes[:, :n] = rng.integers(0, most, (8 * groups, n), endpoint=True)
    weights = aligned_zeros((padded(max(1, int(part * n)), 64),), np.int64)
    weights[: int(part * n)] = rng.integers(-(2**55), 2**55, int(part * n))
    cuts = rng.integers(0, most, 8 * groups, endpoint=True).astype(kind)
    sums = np.full(8 * groups, -1)
    sums_above(codes, weights, cuts, 0, 8 * groups, sums)
    expected = ((codes[:, : len(weights)] > cuts[:, None]) * weights).sum(axis=1).tolist()
    assert sums.tolist() == expected
    assert [sum_above(row, weights, cut) for row, cut in zip(codes, cuts, strict=True)] == expected


def test_bins_hold_equal_numbers_of_rows():
    X = np.random.default_rng(0).normal(size=(400, 1))
    data = encode(X, np.arange(400), slice(None), max_bins=4, equal_width=False, run=run)
    assert np.bincount(data.codes[0, :400]).tolist() == [100] * 4


def with_holes(seed, share=0.2):
    X, y = make_problem(seed, n=300, d=5, n_labeled=60, levels=9)
    rng = np.random.default_rng(seed)
    holes = rng.random(X.shape) < share
    holes[:, 0] |= (y == 1) & (rng.random(len(y)) < 0.5)  # missingness is informative
    holes[:, 4] = False
    return np.where(holes, np.nan, X), y


def test_missing_values_go_below_or_above_all_others_whichever_is_better():
    """Equivalent to two copies of each column with missing values: one filled with a low value, one with a high value."""
    X, y = with_holes(0)
    model = AdaPUClassifier(20, splitter="best", **SHARED).fit(X, y)
    below, above = np.where(np.isnan(X), -100.0, X), np.where(np.isnan(X), 100.0, X)[:, :4]
    spelled_out = AdaPUClassifier(20, splitter="best", **SHARED).fit(np.hstack([below, above]), y)
    np.testing.assert_array_equal(model.estimator_errors_, spelled_out.estimator_errors_)
    np.testing.assert_array_equal(model.estimator_features_, spelled_out.estimator_features_ % 5)
    np.testing.assert_array_equal(model.estimator_missing_above_, spelled_out.estimator_features_ >= 5)
    assert len(set(model.estimator_missing_above_)) == 2
    np.testing.assert_array_equal(model.decision_function(X), spelled_out.decision_function(np.hstack([below, above])))
    np.testing.assert_array_equal(list(model.staged_decision_function(X))[-1], model.decision_function(X))


@pytest.mark.parametrize("params", [{}, {"splitter": "best", "max_bins": 4}])
def test_random_thresholds_and_bins_with_missing_values(params):
    X, y = with_holes(3)
    truth = (y == 1) | (np.random.default_rng(3).random(len(y)) < 0.4)
    X = np.column_stack([np.zeros(len(y)), np.where(truth, np.nan, 2.0), np.random.default_rng(3).normal(size=len(y))])
    model = AdaPUClassifier(5, **SHARED | {"n_iter_no_change": 5, "prior": 0.35}, **params).fit(X, y)
    assert model.estimator_features_[0] == 1
    assert np.all(np.sign(model.decision_function(X)) == np.where(truth, 1, -1))
    again = clone(model).set_params(n_jobs=2).fit(X.astype(np.float32), y)
    np.testing.assert_array_equal(again.estimator_features_, model.estimator_features_)


def test_bins_of_weighted_rows_with_missing_values_match_repeated_rows():
    X, y = with_holes(4)
    weights = np.random.default_rng(4).integers(1, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    model = AdaPUClassifier(8, splitter="best", max_bins=4, **SHARED)
    weighted, plain = clone(model).fit(X, y, weights), model.fit(X[repeated], y[repeated])
    np.testing.assert_array_equal(weighted.estimator_features_, plain.estimator_features_)
    np.testing.assert_allclose(weighted.estimator_thresholds_, plain.estimator_thresholds_)


@pytest.mark.parametrize(
    ("form", "params"),
    [
        (sparse.csr_matrix, {"n_iter_no_change": 3}),
        (sparse.csc_array, {"n_thresholds": 1}),
        (sparse.csr_array, {"splitter": "best", "max_bins": 4}),
    ],
)
def test_sparse_rows_match_dense_rows_even_if_most_columns_are_empty(form, params):
    X, y = with_holes(5)
    X = np.where(np.random.default_rng(5).random(X.shape) < 0.5, 0, X)
    X = np.hstack([X, sparse.random(len(y), 700, density=0.02, random_state=1).toarray()])
    model = AdaPUClassifier(8, **{"prior": 0.4, "n_iter_no_change": None, "random_state": 1, **params})
    left, right = clone(model).fit(form(X), y), model.fit(X, y)
    assert left.n_iter_ >= 1
    for name in FITTED:
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))
    np.testing.assert_array_equal(left.decision_function(form(X)), right.decision_function(X))


def test_warns_that_an_empty_sparse_matrix_is_constant():
    with pytest.warns(UserWarning, match="all features are constant"):
        model = AdaPUClassifier(3, prior=0.4).fit(sparse.csr_matrix((6, 50)), np.r_[1, 1, 0, 0, 0, 0])
    assert model.n_iter_ == 0
