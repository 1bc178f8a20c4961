"""Rare positives: the ranking is learned separately from the threshold, which stays at π."""

import pickle
import warnings
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from pulib import (
    AdaPUClassifier,
    OnlinePUClassifier,
    PUDecisionTreeClassifier,
    PUExtraTreesClassifier,
    PUThresholdClassifier,
    UnbiasedPUClassifier,
)
from pulib._calibration import fit_share
from pulib._training_prior import RARE
from pulib._trees._tree import LEAF
from pulib.boosting._held_out_risk import HeldOutRisk
from pulib.boosting._stump import Stump
from pulib.exceptions import PUWarning
from pulib.kernels import SampleWeights
from pulib.trees import fit_part, join_parts
from pulib.trees._shares import SMOOTHING, labeled_shares, unit_of
from studies.opu.readings import OnlinePUClassifier as Reading
from tests.pulib.naive import linear
from tests.pulib.naive.rare import balanced_risk
from tests.sizes import size

SCENARIOS = ("two_sample", "one_sample")
PRIORS = st.floats(0.01, 0.6)
LEARNERS = {
    "forest": PUExtraTreesClassifier(size(40, 20)),
    "tree": PUDecisionTreeClassifier(),
    "boosting": AdaPUClassifier(),
    "batch": UnbiasedPUClassifier(),
    "online": OnlinePUClassifier(),
}
#: Least AUC on two clouds that an oracle ranks at 0.972; a single tree can only rank its leaves.
AREAS = {"forest": 0.93, "tree": 0.72, "boosting": 0.92, "batch": 0.95, "online": 0.95}


def draw(n, prior, n_labeled, seed, scenario="one_sample", d=12, k=5, shift=1.2):
    """Return rows, PU labels, and true labels: two clouds that differ in ``k`` of ``d`` features."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) < round(prior * n)
    y = (np.arange(n) < n_labeled) if scenario == "one_sample" else np.zeros(n, bool)
    if scenario == "two_sample":
        truth, y = np.r_[np.ones(n_labeled, bool), truth], np.r_[np.ones(n_labeled, bool), y]
    X = rng.normal(size=(len(truth), d))
    X[:, -k:] += shift * truth[:, None]
    order = rng.permutation(len(truth))
    return X[order], y[order].astype(int), truth[order]


def fitted(name, prior, X, y, scenario="one_sample", **params):
    return clone(LEARNERS[name]).set_params(prior=prior, scenario=scenario, random_state=3, **params).fit(X, y)


@given(
    prior=PRIORS,
    training_prior=PRIORS,
    scenario=st.sampled_from(SCENARIOS),
    n=st.tuples(st.integers(1, 20), st.integers(1, 90)),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_tree_nodes_have_the_balanced_weights(prior, training_prior, scenario, n, shares):
    """A node's W_p and W_n are the risk's two terms with losses of 1 in the node and 0 elsewhere."""
    (n_p, n_u), d = n, 3
    in_node = [round(share * count) for share, count in zip(shares, n, strict=True)]
    here = np.r_[np.arange(n_p) < in_node[0], np.arange(n_u) < in_node[1]].astype(float)
    labeled = np.arange(n_p + n_u) < n_p
    population = ~labeled if scenario == "two_sample" else np.ones_like(labeled)
    tree = PUDecisionTreeClassifier(scenario=scenario)
    rule = tree._make_rule(prior, n_p, n_u, d, training_prior=training_prior)
    w_p = rule.weight_positive * in_node[0]
    w_n = in_node[1] + rule.weight_joined * in_node[0] - w_p
    nothing = np.zeros_like(here)
    naive = (prior, training_prior, labeled, population)
    assert w_p * rule.weight_unit == pytest.approx(balanced_risk(*naive, here, nothing), abs=1e-12)
    assert w_n * rule.weight_unit == pytest.approx(balanced_risk(*naive, nothing, here), abs=1e-12)
    assert tree._make_rule(prior, n_p, n_u, d, training_prior=prior) == tree._make_rule(prior, n_p, n_u, d)


@settings(max_examples=40)
@given(prior=PRIORS, training_prior=PRIORS, scenario=st.sampled_from(SCENARIOS), seed=st.integers(0, 999))
def test_ada_pu_starts_with_the_balanced_weights(prior, training_prior, scenario, seed):
    """ε of any predictions is the zero-one risk; early stopping uses the same risk, clipped at zero."""
    rng = np.random.default_rng(seed)
    n_p, n = 7, 40
    labeled, counts, answers = np.arange(n) < n_p, rng.integers(1, 4, n).astype(float), rng.random(n) < 0.4
    population = ~labeled if scenario == "two_sample" else np.ones_like(labeled)
    weights = SampleWeights.initial(prior, n_p, n, scenario, counts, training_prior)
    as_positive = weights.as_positive[:n_p] @ ~answers[:n_p]
    as_negative = weights.as_negative[:n] @ answers
    naive = (prior, training_prior, labeled, population)
    losses = [(~answers).astype(float), answers.astype(float)]
    assert as_positive + as_negative == pytest.approx(balanced_risk(*naive, *losses, counts), abs=1e-12)
    usual = SampleWeights.initial(prior, n_p, n, scenario, counts)
    same = SampleWeights.initial(prior, n_p, n, scenario, counts, prior)
    assert usual.as_negative.tobytes() == same.as_negative.tobytes()
    stump = Stump(0, 0.5, 0, 1, 0.1, 0.1, 0, False)
    held_out = HeldOutRisk(answers[:, None].astype(float), labeled, counts, prior, scenario, 5, training_prior)
    held_out.add(stump, 1.0)
    negative_part = balanced_risk(*naive, np.zeros(n), losses[1], counts)
    expected = balanced_risk(*naive, losses[0], np.zeros(n), counts) + max(negative_part, 0.0)
    assert held_out.risks == [pytest.approx(expected, abs=1e-12)]


LOSSES = ("double_hinge", "square", "logistic")
PAIRS = pytest.mark.parametrize(("loss", "scenario"), list(zip(LOSSES, cycle(SCENARIOS), strict=False)))


@PAIRS
def test_batch_learner_minimizes_the_balanced_risk(loss, scenario):
    X, y, _ = draw(300, 0.1, 20, seed=5, scenario=scenario, d=4, k=2)
    counts = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    model = UnbiasedPUClassifier(prior=0.1, training_prior=0.4, scenario=scenario, loss=loss, alpha=0.05, tol=1e-9)
    model.fit(X, y, sample_weight=counts)
    population = y == 0 if scenario == "two_sample" else np.ones(len(y), bool)

    def objective(w):
        g = X @ w[:-1] + w[-1]
        losses = linear.loss(g, loss), linear.loss(-g, loss)
        return balanced_risk(0.1, 0.4, y == 1, population, *losses, counts) + 0.025 * w @ w

    w = np.append(model.coef_[0], model.intercept_ + model.threshold_)
    assert objective(w) == pytest.approx(model.objective_, abs=1e-9)
    rng = np.random.default_rng(0)
    assert all(objective(w + 0.05 * rng.normal(size=len(w))) > objective(w) for _ in range(20))


@PAIRS
def test_stream_follows_gradients_of_the_balanced_risk(loss, scenario):
    """Algorithm 1, row by row from the formulas."""
    X, y, _ = draw(60, 0.1, 6, seed=8, scenario=scenario, d=3, k=2)
    prior, training, alpha = 0.1, 0.45, 0.2
    model = Reading(
        prior=prior, training_prior=training, scenario=scenario, loss=loss, alpha=alpha, projection=None, random_state=4
    ).fit(X, y)
    k = (1 - training) / (1 - prior)
    w, seen = np.zeros(X.shape[1] + 1), [0, 0]
    for t, i in enumerate(np.random.RandomState(4).permutation(len(y)), start=1):
        seen[1 - y[i]] += 1
        total = sum(seen) + 2.0
        row = np.append(X[i], 1.0)
        slope = linear.slope(row @ w, loss)
        of_labeled = -training + (training - k * prior) * slope
        if scenario == "two_sample":
            step = total / (seen[0] + 1) * of_labeled if y[i] else total / (seen[1] + 1) * k * slope
        else:
            step = k * slope + (total / (seen[0] + 1) * of_labeled if y[i] else 0.0)
        w = (1 - 1 / t) * w - step / (alpha * t) * row
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_ + model.threshold_), w, atol=1e-4)


def test_training_prior_below_the_prior_raises_an_error_if_not_convex():
    X, y, _ = draw(200, 0.3, 20, seed=0)
    with pytest.raises(ValueError, match=r"training_prior=0\.1 is less than the prior 0\.3.*'auto'"):
        UnbiasedPUClassifier(prior=0.3, training_prior=0.1).fit(X, y)


def test_shares_of_labeled_rows_shrink_toward_the_parent():
    X, y, _ = draw(400, 0.05, 12, seed=2)
    tree = fitted("tree", 0.05, X, y).tree_
    naive, todo = {}, [(0, y.mean())]
    while todo:
        node, above = todo.pop()
        rows = tree.n_labeled[node] + tree.n_unlabeled[node]
        naive[node] = above if node == 0 else (tree.n_labeled[node] + SMOOTHING * above) / (rows + SMOOTHING)
        if tree.children_left[node] != LEAF:
            todo += [(tree.children_left[node], naive[node]), (tree.children_right[node], naive[node])]
    np.testing.assert_allclose(labeled_shares(tree), [naive[node] for node in range(tree.node_count)], rtol=1e-12)


def test_score_of_a_forest_is_the_mean_share_of_its_trees():
    X, y, _ = draw(600, 0.04, 15, seed=3)
    forest = fitted("forest", 0.04, X, y, n_estimators=7)
    shares = [labeled_shares(member.tree_)[leaves] for member, leaves in zip(forest, forest.apply(X).T, strict=True)]
    np.testing.assert_allclose(forest.decision_function(X), np.mean(shares, axis=0) - forest.threshold_, atol=1e-8)
    assert unit_of(10**7) * 10**7 <= 2**31 - 1


@pytest.mark.jit("thousands of rows")
@pytest.mark.parametrize(
    ("name", "scenario"),
    [("forest", "two_sample"), ("batch", "two_sample"), *((name, "one_sample") for name in ("tree", "boosting", "online"))],
)
def test_rare_positives_are_ranked_and_counted(name, scenario):
    prior, n = 0.006, 15_000
    X, y, _ = draw(n, prior, 50, seed=11, scenario=scenario)
    X_new, _, truth = draw(n, prior, 0, seed=12)
    model = fitted(name, prior, X, y, scenario)
    scores = model.decision_function(X_new)
    assert roc_auc_score(truth, scores) > AREAS[name]
    called = int((scores > 0).sum())
    assert 0.4 * truth.sum() < called < 2.0 * truth.sum()
    assert truth[scores > 0].mean() > 20 * prior
    np.testing.assert_array_equal(model.predict(X_new), (scores > 0).astype(int))
    if hasattr(model, "predict_proba"):
        p = model.predict_proba(X_new)[:, 1]
        assert p.min() >= 0
        assert p.max() <= 1
        np.testing.assert_array_equal(p > 0.5, scores > 0)
        assert 0.5 * prior < p.mean() < 2.0 * prior
        assert (np.diff(p[np.argsort(scores, kind="stable")]) >= 0).all()


@pytest.mark.jit("thousands of rows")
def test_forest_ranks_its_own_unlabeled_rows():
    X, y, truth = draw(9_000, 0.008, 50, seed=31)
    own = y == 0
    model = fitted("forest", 0.008, X, y, bootstrap=True, oob_score=True)
    for scores in (model.decision_function(X), model.oob_decision_function_):
        assert roc_auc_score(truth[own], scores[own]) > 0.85
        assert 0.4 * truth.sum() < (scores > 0).sum() < 2.0 * truth.sum()


@pytest.mark.parametrize("name", LEARNERS)
def test_common_positives_are_learned_as_in_the_papers(name):
    """From RARE on, "auto" has no effect; with π' = π, only the threshold differs."""
    X, y, _ = draw(600, 0.125, 30, seed=41)
    assert RARE == 0.125
    auto, papers = fitted(name, RARE, X, y), fitted(name, RARE, X, y, training_prior=None)
    assert auto.decision_function(X).tobytes() == papers.decision_function(X).tobytes()
    assert auto.training_prior_ == RARE
    assert not hasattr(auto, "threshold_")
    if name != "tree" and name != "forest":
        same = fitted(name, RARE, X, y, training_prior=RARE)
        np.testing.assert_allclose(same.decision_function(X) + same.threshold_, papers.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_losses_that_rank_at_any_prior_train_at_the_given_one(loss):
    X, y, _ = draw(600, 0.02, 10, seed=42)
    for name in ("batch", "online"):
        auto, papers = (fitted(name, 0.02, X, y, loss=loss, training_prior=prior) for prior in ("auto", None))
        assert auto.decision_function(X).tobytes() == papers.decision_function(X).tobytes()
    gaussian, papers = (fitted("batch", 0.02, X, y, basis="gaussian", training_prior=prior) for prior in ("auto", None))
    np.testing.assert_allclose(gaussian.decision_function(X) + gaussian.threshold_, papers.decision_function(X), atol=1e-9)
    assert 6 <= (gaussian.decision_function(X) > 0).sum() <= 24
    given = fitted("batch", 0.02, X, y, loss="logistic", training_prior=0.5)
    np.testing.assert_array_equal(given.predict_proba(X)[:, 1] > 0.5, given.decision_function(X) > 0)


def test_warm_starts_parts_and_pickles_of_a_forest_agree():
    X, y, _ = draw(500, 0.04, 12, seed=51)
    whole = fitted("forest", 0.04, X, y, n_estimators=9)
    grown = fitted("forest", 0.04, X, y, n_estimators=4, warm_start=True).set_params(n_estimators=9).fit(X, y)
    parts = [fit_part(clone(whole), X, y, part, 2) for part in range(2)]
    joined = join_parts(parts, X, y)
    for other in (grown, joined, pickle.loads(pickle.dumps(whole))):
        assert other.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
        assert other.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()
    with pytest.raises(ValueError, match=r"training_prior='auto' with prior_=0\.04.*join_parts\(parts, X, y\)"):
        join_parts(parts)


def test_stream_keeps_its_first_training_prior():
    X, y, _ = draw(3000, 0.02, 40, seed=58)
    first, rest = slice(0, 2000), slice(2000, None)
    model = fitted("online", 0.02, X[first], y[first])
    threshold = model.threshold_
    model.partial_fit(X[rest], y[rest])
    assert (model.training_prior_, model.threshold_) == (0.2, threshold)
    begun = OnlinePUClassifier(prior=0.02).partial_fit(X, y)
    assert begun.training_prior_ == 0.02
    assert not hasattr(begun, "threshold_")
    with pytest.warns(PUWarning, match=r"training_prior=0\.5 has no effect.*Begin with fit"):
        OnlinePUClassifier(prior=0.02, training_prior=0.5).partial_fit(X, y)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 9999),
    prior=st.floats(0.01, 0.4),
    joined=st.booleans(),
    weighted=st.booleans(),
    distinct=st.sampled_from([2, 5, 10_000]),
    shift=st.floats(0, 4),
)
def test_fit_share_counts_a_share_of_the_population(seed, prior, joined, weighted, distinct, shift):
    rng = np.random.default_rng(seed)
    positive = np.arange(500) < 40
    scores = np.round(rng.normal(size=500) + shift * (positive | (rng.random(500) < prior)), 1 if distinct < 10 else 6)
    weights = rng.integers(1, 4, 500).astype(float) if weighted else None
    rising, threshold = fit_share(scores, positive, prior, joined, weights)
    population = np.ones(500, bool) if joined else ~positive
    of_population = np.ones(500) if weights is None else weights
    p = rising.predict(scores)
    assert ((p >= 0) & (p <= 1)).all()
    np.testing.assert_array_equal(p > 0.5, scores > threshold)
    assert (np.diff(p[np.argsort(scores, kind="stable")]) >= 0).all()
    above = np.average(scores[population] > threshold, weights=of_population[population])
    values, places = np.unique(scores[population], return_inverse=True)
    steps = np.bincount(places, of_population[population]) / of_population[population].sum()
    assert abs(above - prior) <= steps.max() + 1e-9
    if len(values) > 20 and above <= prior:
        assert np.average(p[population], weights=of_population[population]) == pytest.approx(prior, rel=0.05)
    scaled, _ = fit_share(1024 * scores, positive, prior, joined, weights)
    np.testing.assert_allclose(scaled.predict(1024 * scores), p, rtol=1e-9)


def test_fit_share_with_scores_that_all_tie():
    rising, threshold = fit_share(np.zeros(50), np.arange(50) < 5, 0.1, True)
    assert threshold == 0.0
    assert (rising.predict(np.zeros(3)) <= 0.5).all()


@pytest.mark.jit("thousands of rows")
def test_papers_algorithm_warns_and_names_what_would_rank():
    X, y, _ = draw(8000, 0.006, 30, seed=61)
    model = fitted("batch", 0.006, X, y, training_prior=None)
    with pytest.warns(PUWarning, match="training_prior='auto'"):
        model.predict(X[y == 0])
    with pytest.warns(PUWarning, match="precision and recall are both about"):
        PUThresholdClassifier(model, prior=0.006).fit(X, y)


@pytest.mark.parametrize("name", LEARNERS)
def test_unlabeled_rows_without_a_positive(name):
    """Two separate clouds, one fully labeled: π is almost zero, yet labeled rows must be predicted positive."""
    rng = np.random.default_rng(7)
    y = np.repeat([1, 0], [120, 90])
    X = rng.normal(size=(210, 3)) + np.where(y, 2.5, -2.5)[:, None]
    model = clone(LEARNERS[name]).set_params(random_state=0).fit(X, y)
    assert model.prior_ < RARE
    assert np.mean(model.predict(X) == y) > 0.9


@pytest.mark.parametrize("given", [0.4, "auto", None])
def test_warns_that_training_prior_has_no_effect_with_known_negatives(given):
    X = np.random.default_rng(3).normal(size=(300, 4))
    y = np.repeat([1, 0, -1], [30, 240, 30])
    X[y == 1] += 1.5
    model = UnbiasedPUClassifier(prior=0.05, unlabeled_label=0, training_prior=given, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert sum("has no effect with known negatives" in str(w.message) for w in caught) == (given == 0.4)
    plain = clone(model).set_params(training_prior=None).fit(X, y)
    assert np.array_equal(model.coef_, plain.coef_)


@pytest.mark.parametrize(("n_labels", "prior", "holds_out"), [(60, 0.02, False), (200, 0.02, True), (60, 0.3, True)])
def test_few_labels_of_rare_positives_do_not_stop_boosting(n_labels, prior, holds_out):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(n_labels + 1000, 3))
    X[:n_labels, 0] += 1.5
    y = (np.arange(len(X)) < n_labels).astype(int)
    model = AdaPUClassifier(20, prior=prior, n_iter_no_change=2, random_state=0).fit(X, y)
    assert hasattr(model, "held_out_risks_") == holds_out
    assert holds_out or model.n_iter_ == 20
    longer = AdaPUClassifier(20, prior=prior, n_iter_no_change=2, random_state=0, warm_start=True).fit(X, y)
    assert longer.set_params(n_estimators=25).fit(X, y).n_iter_ >= model.n_iter_


def test_calibration_needs_two_labeled_rows():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) < 1
    forest = PUExtraTreesClassifier(10, prior=0.1, bootstrap=True, random_state=0)
    with pytest.raises(ValueError, match=r"two labeled and two unlabeled rows.*of 1 labeled rows 0 are out of bag"):
        forest.set_params(calibration="sigmoid").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        forest.set_params(calibration=None).fit(X, y).predict_proba(X)
