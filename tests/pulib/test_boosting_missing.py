"""Missing values and sparse rows in Ada-PU."""

import numpy as np
import pytest
from scipy import sparse

from pulib import AdaPUClassifier
from tests.pulib.test_boosting import make_problem, quiet_fit

SHARED = {"prior": 0.4, "learning_rate": 0.5, "n_iter_no_change": None, "random_state": 0}


def with_holes(seed, share=0.2):
    X, y = make_problem(seed, n=300, d=5, n_labeled=60, levels=9)
    rng = np.random.default_rng(seed)
    holes = rng.random(X.shape) < share
    holes[:, 0] |= (y == 1) & (rng.random(len(y)) < 0.5)  # being missing tells something
    holes[:, 4] = False
    return np.where(holes, np.nan, X), y


def test_missing_values_lie_below_or_above_all_others_whichever_is_better():
    """The same as every column that has some twice: with a value below all others in their place, and with one above."""
    X, y = with_holes(0)
    model = quiet_fit(AdaPUClassifier(20, splitter="best", **SHARED), X, y)
    below, above = np.where(np.isnan(X), -100.0, X), np.where(np.isnan(X), 100.0, X)[:, :4]
    spelled_out = quiet_fit(AdaPUClassifier(20, splitter="best", **SHARED), np.hstack([below, above]), y)
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
    model = quiet_fit(AdaPUClassifier(5, **SHARED | {"n_iter_no_change": 5, "prior": 0.35}, **params), X, y)
    assert model.estimator_features_[0] == 1
    assert np.all(np.sign(model.decision_function(X)) == np.where(truth, 1, -1))
    again = quiet_fit(
        AdaPUClassifier(5, n_jobs=2, **SHARED | {"n_iter_no_change": 5, "prior": 0.35}, **params), X.astype(np.float32), y
    )
    np.testing.assert_array_equal(again.estimator_features_, model.estimator_features_)


@pytest.mark.parametrize(("form", "missing"), [(sparse.csr_matrix, False), (sparse.csc_array, True)])
def test_sparse_rows_are_dense_ones(form, missing):
    X, y = with_holes(5) if missing else make_problem(5, n=300, d=20, levels=9)
    X = np.where(np.random.default_rng(5).random(X.shape) < 0.5, 0, X)
    dense = quiet_fit(AdaPUClassifier(10, prior=0.4, random_state=0), X, y)
    model = quiet_fit(AdaPUClassifier(10, prior=0.4, random_state=0), form(X), y)
    np.testing.assert_array_equal(model.estimator_thresholds_, dense.estimator_thresholds_)
    np.testing.assert_array_equal(model.held_out_risks_, dense.held_out_risks_)
    np.testing.assert_array_equal(model.decision_function(form(X)), dense.decision_function(X))


def test_what_does_not_fit_is_refused_before_memory_is_asked_for():
    X = sparse.csr_array((np.ones(10**6), (np.arange(10**6), np.arange(10**6))))
    with pytest.raises(MemoryError, match=r"GiB of memory.*UnbiasedPUClassifier"):
        AdaPUClassifier(prior=0.4).fit(X, np.arange(10**6) < 5)
