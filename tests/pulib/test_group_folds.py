"""Folds of groups that keep labeled rows in each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from pulib import NaivePUClassifier, PUGridSearchCV
from pulib.metrics import PUScorer
from pulib.model_selection import PUGroupKFold


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(0, 20))
@settings(max_examples=100, deadline=None)
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


def test_searches_and_scores_take_it():
    rng = np.random.default_rng(0)
    groups, y = np.repeat(np.arange(20), 10), np.repeat([1, 0], [40, 160])  # four places have labels
    X = rng.normal(size=(200, 2)) + y[:, None]
    model = NaivePUClassifier(LogisticRegression())
    with pytest.raises(ValueError, match="PUGroupKFold"):
        PUGridSearchCV(model, {"estimator__C": [0.1, 1]}, scoring="proxy_auc", cv=5).fit(X, y, groups=groups)
    search = PUGridSearchCV(model, {"estimator__C": [0.1, 1]}, scoring="pu_score", cv=PUGroupKFold(4))
    assert search.fit(X, y, groups=groups).n_splits_ == 4
    scores = cross_val_score(model, X, y, cv=PUGroupKFold(4), groups=groups, scoring=PUScorer("pu_score"))
    assert np.isfinite(scores).all()


def test_refused():
    y, groups = np.arange(20) < 4, np.repeat(np.arange(10), 2)
    with pytest.raises(ValueError, match="groups=None"):
        list(PUGroupKFold().split(y, y))
    with pytest.raises(ValueError, match="2 of 10 groups have labeled rows"):
        list(PUGroupKFold(3).split(y, y, groups))
