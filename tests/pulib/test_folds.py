"""One kind of splitter wherever rows are held out: ``cv`` of prior estimates, thresholds, and searches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold, cross_val_predict

from pulib import PUGridSearchCV, PUGroupKFold, PUThresholdClassifier, check_scar, estimate_prior, prior_interval


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    truth = np.r_[np.ones(60, bool), rng.random(240) < 0.4]
    X = rng.normal(size=(300, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    return X, np.r_[np.ones(60, int), np.zeros(240, int)], rng.integers(0, 25, 300)


def test_threshold_is_set_on_scores_from_any_splitter(rows):
    X, y, groups = rows
    cv = GroupKFold(3)
    scores = cross_val_predict(LogisticRegression(), X, y, groups=groups, cv=cv, method="decision_function")
    model = PUThresholdClassifier(LogisticRegression(), prior=0.25, cv=cv).fit(X, y, groups=groups)
    assert np.mean(scores[y == 0] > model.threshold_) == pytest.approx(0.25, abs=1 / 240)


def test_splits_are_equivalent_to_their_splitter(rows):
    X, y, _ = rows
    cv = StratifiedKFold(4)
    splits = list(cv.split(X, y))
    base = LogisticRegression()
    for method in ("best_bin", "elkan_noto", "tice"):
        own = {} if method == "tice" else {"classifier": base}
        assert estimate_prior(X, y, method, cv=cv, **own) == estimate_prior(X, y, method, cv=splits, **own)
    assert prior_interval(X, y, cv=cv) == prior_interval(X, y, cv=splits)
    assert check_scar(X, y, cv=cv).p_value == check_scar(X, y, cv=splits).p_value
    fits = [PUThresholdClassifier(base, prior=0.4, cv=one).fit(X, y) for one in (cv, splits)]
    assert fits[0].threshold_ == fits[1].threshold_


def test_elkan_noto_averages_scores_from_the_splitter(rows):
    X, y, _ = rows
    cv = StratifiedKFold(4)
    scores = cross_val_predict(LogisticRegression(), X, y, cv=cv, method="predict_proba")[:, 1]
    frequency = scores[y == 1].mean()  # in two samples: π = (1 - c) n_P / (c n_U)
    expected = (1 - frequency) / frequency * 60 / 240
    assert estimate_prior(X, y, "elkan_noto", classifier=LogisticRegression(), cv=cv) == pytest.approx(expected)


def test_groups_are_held_out_by_the_same_splitter_everywhere(rows):
    X, y, groups = rows
    base = LogisticRegression()
    own = PUThresholdClassifier(base, prior=0.4).fit(X, y, groups=groups)
    named = PUThresholdClassifier(base, prior=0.4, cv=PUGroupKFold(5)).fit(X, y, groups=groups)
    assert own.threshold_ == named.threshold_
    grid = {"estimator__C": [0.1, 1.0]}
    scores = [
        PUGridSearchCV(PUThresholdClassifier(base, prior=0.4), grid, cv=cv).fit(X, y, groups=groups).cv_results_
        for cv in (5, PUGroupKFold(5))
    ]
    assert_array_equal(scores[0]["mean_test_score"], scores[1]["mean_test_score"])


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (ShuffleSplit(2, random_state=0), "row .* is held out twice; expected folds that hold out each row once"),
        (PUGroupKFold(3), "groups=None: PUGroupKFold holds out whole groups"),
        ([(np.arange(150, 300), np.arange(150))], "cv: its splits: row 150 is never held out"),
    ],
)
def test_splitters_must_hold_out_each_row_once(rows, cv, message):
    X, y, _ = rows
    with pytest.raises(ValueError, match=message):
        estimate_prior(X, y, cv=cv)
    with pytest.raises(ValueError, match=message):
        PUThresholdClassifier(LogisticRegression(), cv=cv).fit(X, y)


def test_folds_without_one_class_to_train_on_raise_an_error(rows):
    X, y, _ = rows
    splits = [(np.flatnonzero(y == side), np.flatnonzero(y != side)) for side in (0, 1)]
    with pytest.raises(ValueError, match="all labeled rows, or all unlabeled ones, are held out in fold 0"):
        PUThresholdClassifier(LogisticRegression(), prior=0.4, cv=splits).fit(X, y)


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(0, 20))
@settings(max_examples=100)
def test_each_fold_has_labeled_rows_of_its_own_groups(seed, n_splits, more):
    rng = np.random.default_rng(seed)
    groups = np.concatenate([np.repeat(np.arange(n_splits + more), 2), rng.integers(n_splits + more, size=100)])
    y = np.zeros(len(groups), bool)
    y[np.arange(n_splits) * 2] = True  # as few groups with labeled rows as there are folds
    held_out = []
    for train, rest in PUGroupKFold(n_splits, random_state=seed).split(groups, y, groups):
        assert y[rest].any()
        assert not y[rest].all()
        assert not set(groups[train]) & set(groups[rest])
        held_out.extend(rest)
    assert sorted(held_out) == list(range(len(groups)))


def test_needs_as_many_groups_with_labeled_rows_as_folds():
    y, groups = np.arange(20) < 4, np.repeat(np.arange(10), 2)
    with pytest.raises(ValueError, match="2 of 10 groups have labeled rows"):
        list(PUGroupKFold(3).split(y, y, groups))
