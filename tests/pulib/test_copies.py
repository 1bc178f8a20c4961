"""Equal rows share a fold wherever folds are made, and near-copies cause one warning."""

import warnings
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from pulib import (
    AdaPUClassifier,
    ClassWeightedSVC,
    ElkanNotoClassifier,
    NaivePUClassifier,
    PUBaggingClassifier,
    PUCalibratedClassifier,
    PUDecisionTreeClassifier,
    PUExtraTreesClassifier,
    PUGridSearchCV,
    PUThresholdClassifier,
    UnbiasedPUClassifier,
)
from pulib._equal_rows import equal_rows, folds_of_units, rows_held_out_together
from pulib._folds import held_out_folds
from pulib.exceptions import PUWarning

SHIFT = np.array([1.0, 1.0, 0.5, 0.0, 0.0])
PRIOR = 0.3


def with_copies(n=2000, n_labeled=250, seed=1, near=0.0):
    """U is a whole table; P consists of (near-)copies of some of its positives."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) < round(PRIOR * n)
    U = rng.normal(size=(n, 5)) + np.where(truth, 1.0, -1.0)[:, None] * SHIFT
    P = U[rng.choice(np.flatnonzero(truth), n_labeled, replace=False)]
    X = np.r_[P + near * rng.normal(size=P.shape), U]
    return X, np.repeat([1, 0], [n_labeled, n]), np.r_[np.ones(n_labeled, bool), truth]


def quietly(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        return function(*args, **kwargs)


small_rows = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 40), st.integers(1, 3)), elements=st.sampled_from([0.0, -0.0, 1, 2.5])
)


@settings(max_examples=40)
@given(small_rows)
def test_equal_rows_of_any_format_share_a_number(X):
    pd = pytest.importorskip("pandas")
    keys = [tuple(row) for row in X + 0.0]
    expected = [keys.index(key) for key in keys]  # the first row that is equal
    forms = (X, np.asfortranarray(X), X.astype(np.float32), sparse.csr_matrix(X), pd.DataFrame(X), X.tolist(), X[:, :, None])
    for rows in forms:
        units = equal_rows(rows)
        if units is None:
            assert len(set(keys)) == len(keys)
        else:
            first = [int(np.argmax(units == unit)) for unit in units]
            assert first == expected
            assert_array_equal(np.unique(units), np.arange(len(set(keys))))


@pytest.mark.parametrize(("dtype", "d"), [(np.uint8, 7), (np.int64, 33), (np.float32, 1), (np.float64, 7), (bool, 33)])
def test_different_rows_are_not_confused(dtype, d):
    rows = np.arange(2 if dtype is bool else 200)[:, None].astype(dtype) * np.eye(1, d, dtype=dtype)
    assert equal_rows(rows) is None
    assert equal_rows(np.r_[rows, rows[:1]])[-1] == 0


@settings(max_examples=50)
@given(small_rows, st.integers(0, 2**31), st.integers(2, 5))
def test_equal_rows_share_a_fold(X, seed, n_folds):
    positive = np.random.default_rng(seed).random(len(X)) < 0.4
    if min(positive.sum(), (~positive).sum()) < 2:
        return
    units = equal_rows(X)
    folds = held_out_folds(positive, n_folds, seed % 100, equal=units)
    assert_array_equal(np.sort(np.concatenate([held_out for _, held_out in folds])), np.arange(len(X)))
    whole = units is not None and folds_of_units(positive, units, n_folds, seed % 100) is not None
    for train, held_out in folds:
        assert positive[train].any()
        assert not positive[train].all()
        if whole:
            assert not set(units[train]) & set(units[held_out])
    if not whole:  # the folds without grouping: there are fewer groups than folds, or one class would be in one fold only
        least = min(positive.sum(), (~positive).sum())
        splitter = StratifiedKFold(min(n_folds, least), shuffle=True, random_state=seed % 100)
        for (_, held_out), (_, expected) in zip(folds, splitter.split(X, positive), strict=True):
            assert_array_equal(held_out, expected)


class Strict(ClassifierMixin, BaseEstimator):
    """Fails if asked to score a row that it was fitted to."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        counted = slice(None) if sample_weight is None else np.asarray(sample_weight) > 0
        self.seen_ = {row.tobytes() for row in np.asarray(X, float)[counted]}
        return self

    def decision_function(self, X):
        assert not any(row.tobytes() in self.seen_ for row in np.asarray(X, float)), "trained on a copy of a scored row"
        return np.asarray(X)[:, 0].astype(float)

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] > 0).astype(int)]


@pytest.mark.parametrize(
    "model",
    [
        PUThresholdClassifier(Strict()),
        PUCalibratedClassifier(Strict()),
        ElkanNotoClassifier(Strict()),
        ElkanNotoClassifier(Strict(), hold_out=0.25, random_state=0),
        NaivePUClassifier(Strict(), prior="estimate", oob_score=True),
        PUBaggingClassifier(Strict(), 5, prior="estimate", random_state=0),
        PUThresholdClassifier(Strict(), unlabeled_label=0),
    ],
)
def test_no_model_scores_a_copy_of_a_training_row(model):
    X, y, _ = with_copies(400, 60)
    if model.get_params().get("unlabeled_label") is not None:
        X, y = np.r_[X, X[-20:]], np.r_[y, np.full(20, -1)]  # known negatives with copies in the table
    for weights in (None, np.random.default_rng(0).integers(0, 3, len(y))):
        quietly(clone(model).fit, X, y, sample_weight=weights)


@pytest.mark.parametrize("cv", [None, 4])
def test_searches_keep_copies_together(cv):
    X, y, _ = with_copies(400, 60)
    search = PUGridSearchCV(Strict(), {}, scoring="proxy_auc", cv=cv, refit=False)
    quietly(search.fit, X, y)
    assert search.n_splits_ == (cv or 10)


@pytest.mark.parametrize("prior", [PRIOR, None])
def test_given_prior_groups_rows_only_if_positives_are_copies(prior):
    X, y, _ = with_copies(400, 60)
    assert rows_held_out_together(X, y == 1, prior) is not None
    few_copies = np.r_[X[60:], X[60:70]]
    found = rows_held_out_together(few_copies, np.arange(len(few_copies)) < 60, prior)
    assert (found is None) == (prior is not None)
    categories = np.round(X)
    assert (rows_held_out_together(categories, y == 1, prior) is None) == (prior is not None)


FOREST = RandomForestClassifier(20, random_state=0)
NEAR = {
    "threshold": (PUThresholdClassifier(FOREST, prior=PRIOR), "groups= to PUThresholdClassifier"),
    "SVM": (ClassWeightedSVC(prior=PRIOR), "groups= to the fit of PUThresholdClassifier"),
    "forest, bags": (PUExtraTreesClassifier(20, prior=PRIOR, bootstrap=True, oob_score=True, random_state=0), "groups= to PUE"),
    "forest, rare": (PUExtraTreesClassifier(20, prior=0.1, random_state=0), "groups= to PUExtra"),
    "tree, rare": (PUDecisionTreeClassifier(prior=0.1, random_state=0), "PUThresholdClassifier"),
    "Ada-PU, rare": (AdaPUClassifier(20, prior=0.1, random_state=0), "groups= to AdaPU"),
    "uPU, rare": (UnbiasedPUClassifier(prior=0.1, random_state=0), "PUThresholdClassifier"),
    "uPU, estimated": (UnbiasedPUClassifier(random_state=0), "groups= to pulib.estimate_prior"),
}


@pytest.mark.parametrize(("name", "near"), list(zip(NEAR, cycle([1e-6, 1e-2]), strict=False)))
def test_warns_once_about_near_copies(name, near):
    model, remedy = NEAR[name]
    X, y, _ = with_copies(1000, near=near)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clone(model).fit(X, y)
    (warned,) = (str(each.message) for each in caught if "Rows look repeated" in str(each.message))
    assert remedy in warned
    assert {each.filename for each in caught} == {__file__}
