"""Wide sparse matrices: columns that hold nothing cost nothing, and change nothing."""

import numpy as np
import pytest
from scipy import sparse

from pulib import AdaPUClassifier


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


def test_a_matrix_without_any_value_is_as_constant_as_a_dense_one():
    y = np.r_[1, 1, 0, 0, 0, 0]
    with pytest.warns(UserWarning, match="all features are constant"):
        model = AdaPUClassifier(3, prior=0.4).fit(sparse.csr_matrix((6, 50)), y)
    assert model.n_iter_ == 0
