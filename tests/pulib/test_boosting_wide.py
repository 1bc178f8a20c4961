"""Wide sparse matrices: columns that hold nothing cost nothing, and change nothing."""

import numpy as np
import pytest
from scipy import sparse

from pulib import AdaPUClassifier
from pulib._random import new_state
from pulib.boosting._stump import draw_thresholds, ranges_of
from pulib.kernels import encode


def problem(seed, n=80, d=700, density=0.02):
    rng = np.random.default_rng(seed)
    X = sparse.random(n, d, density=density, format="csr", random_state=seed, dtype=np.float64)
    y = (np.arange(n) < n // 3).astype(int)
    X = X.tolil()
    X[:, 5:9] = rng.normal(y[:, None] * 1.0, 1.0, (n, 4))
    return X.tocsr(), y


FITTED = ("estimator_errors_", "estimator_weights_", "estimator_features_", "estimator_thresholds_", "estimator_polarities_")


@pytest.mark.parametrize("params", [{}, {"n_thresholds": 1}, {"splitter": "best"}, {"max_bins": 4}, {"n_iter_no_change": 3}])
def test_a_sparse_matrix_gives_the_stumps_of_its_dense_form(params):
    X, y = problem(len(params))
    model = AdaPUClassifier(8, **{"prior": 0.4, "n_iter_no_change": None, "random_state": 1, **params})
    left, right = (model.__class__(**model.get_params()).fit(rows, y) for rows in (X, X.toarray()))
    assert left.n_iter_ > 1 or "n_iter_no_change" in params
    for name in FITTED:
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))
    np.testing.assert_array_equal(left.decision_function(X), right.decision_function(X.toarray()))


def test_missing_values_in_a_matrix_with_empty_columns():
    X, y = problem(7)
    dense = X.toarray()
    dense[y == 1, 7] = np.where(np.arange(y.sum()) % 3, np.nan, 1.0)
    model = AdaPUClassifier(8, prior=0.4, n_iter_no_change=None, random_state=1)
    left, right = (model.__class__(**model.get_params()).fit(rows, y) for rows in (sparse.csr_matrix(dense), dense))
    for name in (*FITTED, "estimator_missing_above_"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))
    assert np.isin(7, left.estimator_features_)
    assert left.estimator_missing_above_.any()


def test_columns_without_values_have_no_codes_and_keep_their_random_numbers():
    X, y = problem(3, n=40, d=300, density=0.004)
    parts = [
        encode(rows, np.arange(len(y)), slice(None), max_bins=None, equal_width=True, run=lambda f, xs: list(map(f, xs)))
        for rows in (X.tocsc(), X.toarray())
    ]
    drawn = []
    for data in parts:
        thresholds = np.empty((3, len(data.codes)))
        cuts = np.empty(thresholds.shape, np.int64)
        draw_thresholds(new_state(9), ranges_of(data), thresholds, cuts)
        drawn.append(thresholds[:, : data.n_features])
    few, all_of_them = parts
    assert few.n_features == len(np.unique(X.indices)) < all_of_them.n_features / 2
    np.testing.assert_array_equal(drawn[0], drawn[1][:, few.source])


def test_a_matrix_without_any_value_is_as_constant_as_a_dense_one():
    y = np.r_[1, 1, 0, 0, 0, 0]
    with pytest.warns(UserWarning, match="all features are constant"):
        model = AdaPUClassifier(3, prior=0.4).fit(sparse.csr_matrix((6, 50)), y)
    assert model.n_iter_ == 0
