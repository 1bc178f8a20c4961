"""SGBDota, AUC boosting and GetEnsemble: table 1 against its twin, and what users rely on."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.linear_model import LinearRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from pulib import AUCBoostingClassifier, GetEnsembleClassifier, SGBDotaClassifier
from pulib.datasets import CLUSTERS, PATHS, make_expanding_clusters
from pulib.expansion._dota import DROP_FRACTIONS
from pulib.expansion._get_ensemble import positive_share
from pulib.expansion._rank_boosting import best_cut, rows_for_auc
from studies.pces.readings import SGBDotaClassifier as Reading
from tests.pulib.naive import expansion as naive
from tests.sizes import size


def make_rows(n=200, seed=0):
    X, codes = make_expanding_clusters(n, random_state=seed)
    return X, (codes == 1).astype(int), codes


def stump():
    return DecisionTreeRegressor(max_depth=1, random_state=0)


@pytest.mark.parametrize(("weight", "drop_fraction"), [(1.0, 0.0), (0.3, 0.6), (2.0, 1.0)])
def test_table_1_line_by_line(weight, drop_fraction):
    X, y, _ = make_rows(24)
    scores = np.round(X[:, 0] - X[:, 1], 1)
    model = SGBDotaClassifier(
        4,
        preference_weight=weight,
        drop_fraction=drop_fraction,
        learning_rate=0.1,
        subsample=1.0,
        estimator=LinearRegression(),
    ).fit(X, y, preference=scores)
    expected = naive.boost(X, y == 1, scores, LinearRegression, weight, drop_fraction, 4, 0.1)
    np.testing.assert_allclose(model.decision_function(X) + model.offset_, expected, rtol=2e-3, atol=2e-3)


def test_auc_boosting_against_its_twin():
    X, y, _ = make_rows(24)
    model = AUCBoostingClassifier(4, learning_rate=0.1, subsample=1.0, estimator=stump()).fit(X, y)
    expected = naive.boost(X.astype(np.float32), y == 1, None, stump, 0.0, 0.0, 4, 0.1)
    np.testing.assert_allclose(model.decision_function(X) + model.offset_, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("off", [{"preference": None}, {"preference_weight": 0.0}, {"preference": np.full(200, np.nan)}])
def test_without_preferences_it_is_auc_boosting(off):
    X, y, _ = make_rows()
    reference = AUCBoostingClassifier(10, random_state=3).fit(X, y)
    model = SGBDotaClassifier(10, random_state=3, **off).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), reference.decision_function(X))
    np.testing.assert_array_equal(model.estimator_weights_, reference.estimator_weights_)


def test_pairs_and_scores_tell_the_same():
    X, y, _ = make_rows(100)
    s = X[:, 0]
    pairs = sparse.csr_array(np.sign(s[:, None] - s[None, :]))
    a, b = (
        SGBDotaClassifier(5, drop_fraction=0.3, estimator=LinearRegression(), random_state=0).fit(X, y, form)
        for form in (s, pairs)
    )
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-8)


def test_rows_for_auc():
    positive = np.array([True, False, False, False, False, False])
    known = np.array([True, True, True, True, True, False])
    standing = np.array([9.0, 4, 3, 3, np.nan, 1])
    kept = {p: rows_for_auc(positive, known, standing, p).tolist() for p in (0.0, 0.3, 0.4, 1.0)}
    # of the three judged negatives one is dropped from 1/3 on; ties at the cut stay; the unjudged one always does
    assert kept == {0.0: [0, 1, 2, 3, 4], 0.3: [0, 1, 2, 3, 4], 0.4: [0, 2, 3, 4], 1.0: [0, 2, 3, 4]}


def test_auto_takes_the_fraction_that_fits_the_preferences_best():
    X, y, _ = make_rows()
    auto = SGBDotaClassifier(8, random_state=0).fit(X, y)
    assert set(auto.preference_losses_) == set(DROP_FRACTIONS)
    assert auto.preference_loss_ == min(auto.preference_losses_.values())
    alone = SGBDotaClassifier(8, drop_fraction=auto.drop_fraction_, random_state=0).fit(X, y)
    np.testing.assert_array_equal(alone.decision_function(X), auto.decision_function(X))


def test_missing_labels_and_missing_preferences():
    n = size(300, 100)
    X, y, codes = make_rows(n)
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(n) < 0.3, np.nan, y)
    scores = np.where(rng.random(n) < 0.3, np.nan, -np.hypot(X[:, 0] - 0.82, X[:, 1] - 0.52))
    model = SGBDotaClassifier(20, random_state=0).fit(X, labels, scores)
    assert roc_auc_score(codes > 0, model.decision_function(X)) > 0.75
    # either is used where it is: hiding all labels but those of judged rows changes the model
    hidden = SGBDotaClassifier(20, random_state=0).fit(X, np.where(np.isnan(scores), np.nan, labels), scores)
    assert np.any(hidden.decision_function(X) != model.decision_function(X))
    # no row has both: the weights stay at their initial guess
    disjoint = SGBDotaClassifier(3, learning_rate=0.5, preference_weight=0.3, drop_fraction=0.0, random_state=0)
    disjoint.fit(X, np.where(np.arange(n) < n // 2, y, np.nan), np.where(np.arange(n) < n // 2, np.nan, scores))
    np.testing.assert_allclose(disjoint.estimator_weights_, 0.5 * np.array([[1.0, 0.3]] * 3))


@pytest.mark.parametrize(
    ("preference", "step"),
    [("density_difference", "damped"), ("neighborhood", "search"), (lambda X, y: X[:, 0], "initial")],
)
def test_it_ranks_by_the_preferences_given(preference, step):
    X, y, codes = make_rows(size(300, 100))
    model = Reading(20, preference=preference, step=step, random_state=0).fit(X, y)
    assert roc_auc_score(codes > 0, model.decision_function(X)) > 0.7


@pytest.mark.parametrize("names", PATHS)
def test_the_ranking_falls_along_both_paths_of_figure_2(names):
    X, y, _ = make_rows(600)
    model = SGBDotaClassifier(30, drop_fraction=0.3, random_state=0).fit(X, y)
    corners = np.array([next(c.center for c in CLUSTERS if c.name == name) for name in names])
    steps = np.linspace(0, 1, 20)[:, None]
    way = np.concatenate([start + steps * (stop - start) for start, stop in pairwise(corners)])
    beside = np.random.default_rng(0).uniform(-0.05, 0.05, size=(25, 1, 2))
    scores = model.decision_function((way + beside).reshape(-1, 2)).reshape(25, len(way))
    assert spearmanr(np.arange(len(way)), scores.mean(axis=0)).statistic < -0.95


def test_best_cut_separates_what_can_be_separated():
    f = np.array([0.1, 0.2, 0.8, 0.9])
    assert best_cut(f, np.array([False, False, True, True])) == pytest.approx(0.5)
    assert best_cut(f, np.array([True, True, True, False])) > 0.9, "no cut beats chance: none is held to be positive"
    assert best_cut(np.full(4, -0.3), np.array([True, True, True, False])) > -0.3


@pytest.mark.parametrize(
    ("model", "n"),
    [(AUCBoostingClassifier(10, random_state=0), 2), (SGBDotaClassifier(10, drop_fraction=0.3, random_state=0), 50)],
)
def test_rows_that_all_tie_are_negative_whatever_their_number(model, n):
    X, y = np.ones((n, 2)), np.r_[1, np.zeros(n - 1)]
    scores = model.fit(X, y).decision_function(X)
    assert np.all(scores < -1e-12)
    assert not model.predict(X).any()


@pytest.mark.parametrize(
    ("model", "tree"),
    [
        (AUCBoostingClassifier(5, random_state=0), DecisionTreeRegressor(max_features=1)),
        (GetEnsembleClassifier(3, random_state=0), DecisionTreeClassifier(max_features=1)),
    ],
)
def test_seeds_reach_learners_inside_a_pipeline(model, tree):
    X, y, _ = make_rows(80)
    model.set_params(estimator=make_pipeline(StandardScaler(), tree))
    np.testing.assert_array_equal(model.fit(X, y).decision_function(X), model.fit(X, y).decision_function(X))


def test_get_ensemble_expands_into_positive_leaves():
    """Within a chain, a tree's labels are the ones before it plus the negatives in its predecessor's positive leaves."""
    X, y, codes = make_rows(400)
    wide = DecisionTreeClassifier(min_samples_leaf=20)
    model = GetEnsembleClassifier(5, estimator=wide, random_state=0).fit(X, y)
    assert max(len(chain) for chain in model.estimators_) > 1
    for chain in model.estimators_:
        shares = [tree.tree_.value[0, 0, list(tree.classes_).index(True)] for tree in chain]
        assert np.all(np.diff(shares) > 0), "the positive class has to grow from tree to tree"
    assert roc_auc_score(codes > 0, model.decision_function(X)) > 0.7
    expected = np.mean(
        [np.mean([positive_share(t, X.astype(np.float32)) for t in c], axis=0) for c in model.estimators_], axis=0
    )
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected)
