"""Thresholds for a target precision, recall, number of rows, or cost, against the hidden true labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from pulib import PUThresholdClassifier
from pulib.exceptions import PUWarning
from pulib.reductions._targets import Cuts, check_target
from tests.pulib.test_thresholds import PRIOR, draw

TARGETS = [("precision", 0.95), ("recall", 0.8), ("rows", 300), ("rows", 0.1), ("cost", (5, 1)), ("cost", (1, 5))]


def reached(target, called, truth):
    if target[0] == "precision":
        return truth[called].mean()
    if target[0] == "recall":
        return called[truth].mean()
    if target[0] == "rows":
        return called.mean()
    return target[1][0] * np.mean(called & ~truth) + target[1][1] * np.mean(~called & truth)


WANTED = [(("precision", 0.95), "two_sample"), (("recall", 0.8), "one_sample"), (("cost", (1, 5)), "one_sample")]


@pytest.mark.parametrize(("target", "scenario"), [*WANTED, (("rows", 0.1), "one_sample")], ids=str)
def test_targets_are_reached_on_new_rows(target, scenario):
    found, best, within = [], [], 0
    for seed in range(2):
        X, y, _, _ = draw(seed, scenario)
        X_new, _, truth, posterior = draw(seed + 100, "one_sample", n=8000)
        model = PUThresholdClassifier(LogisticRegression(), prior=PRIOR, scenario=scenario, target=target).fit(X, y)
        found.append(reached(target, model.predict(X_new) == 1, truth))
        if target[0] == "cost":
            false_positive, false_negative = target[1]
            best.append(reached(target, posterior > false_positive / (false_positive + false_negative), truth))
        low, high = model.target_interval_
        assert low < model.target_estimate_ < high
        within += low <= found[-1] <= high
    # the model fitted to all rows calls slightly more or fewer rows positive than those of the folds
    assert within >= (1 if target[0] == "rows" else 2)
    if target[0] == "cost":
        assert np.mean(found) < 1.08 * np.mean(best)
    else:
        assert np.mean(found) == pytest.approx(target[1], rel=0.07)


@pytest.mark.parametrize("target", [("precision", 0.8), ("cost", (1, 5))], ids=str)
def test_intervals_hold_with_ten_labels(target):
    X_new, _, truth, _ = draw(10**6, "one_sample", n=20_000)
    within = 0
    for seed in range(8):
        X, y, _, _ = draw(seed, n=800, n_labeled=10)
        model = PUThresholdClassifier(LogisticRegression(), prior=PRIOR, target=target).fit(X, y)
        low, high = model.target_interval_
        within += low <= reached(target, model.predict(X_new) == 1, truth) <= high
    assert within >= 7


@config_context(transform_output="pandas")  # the learner's own transformers still return arrays
def test_target_moves_the_threshold_but_not_the_probabilities():
    X, y, _, _ = draw(3)
    plain = PUThresholdClassifier(LogisticRegression(), prior=PRIOR).fit(X, y)
    assert not hasattr(plain, "target_interval_")
    model = PUThresholdClassifier(LogisticRegression(), prior=PRIOR, target=("precision", 0.9)).fit(X, y)
    assert model.threshold_ > plain.threshold_
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(model.predict(X) == 1, model.decision_function(X) > 0)
    assert model.target_estimate_ == pytest.approx(0.9, abs=0.03)
    model.set_params(target=None).fit(X, y)
    assert model.threshold_ == plain.threshold_
    assert not hasattr(model, "target_interval_")


def test_warns_with_the_greatest_precision_if_the_target_is_out_of_reach():
    X, y, truth, _ = draw(5, gap=0.2)
    with pytest.warns(
        PUWarning, match=r"no threshold reaches target=\('precision', 0.99\).*greatest precision is estimated at 0\.\d"
    ):
        model = PUThresholdClassifier(LogisticRegression(), prior=PRIOR, target=("precision", 0.99)).fit(X, y)
    assert 0.3 < model.target_estimate_ < 0.9
    assert truth[500:][model.predict(X[500:]) == 1].mean() > 0.4
    with pytest.warns(PUWarning, match="no threshold reaches"):
        PUThresholdClassifier(DummyClassifier(), prior=PRIOR, target=("precision", 0.9)).fit(X, y)


def test_estimated_prior_widens_the_interval_and_weights_count():
    X, y, _, _ = draw(6, gap=1.2)
    target = ("precision", 0.9)
    widths = []
    for prior in (PRIOR, None):
        low, high = PUThresholdClassifier(LogisticRegression(), prior=prior, target=target).fit(X, y).target_interval_
        widths.append(high - low)
    assert widths[1] > widths[0]
    weights = np.where(y == 1, 1.0, 2.0)
    one, other = (
        PUThresholdClassifier(LogisticRegression(), prior=PRIOR, target=("rows", k)).fit(X, y, sample_weight=w)
        for k, w in ((300, None), (600, weights))
    )
    assert np.mean(one.predict(X[500:])) == pytest.approx(np.mean(other.predict(X[500:])), abs=0.02)


def test_groups_widen_the_interval():
    rng = np.random.default_rng(0)
    X, y, _, _ = draw(7, n=600, n_labeled=100)
    X, y, groups = np.repeat(X, 8, axis=0), np.repeat(y, 8), np.repeat(np.arange(len(y)), 8)
    X = X + 0.01 * rng.normal(size=X.shape)
    model = PUThresholdClassifier(LogisticRegression(), prior=PRIOR, target=("recall", 0.8))
    widths = [np.ptp(model.fit(X, y, groups=own).target_interval_) for own in (None, groups)]
    assert widths[1] > 1.5 * widths[0]


WRONG = [("precision", 0), ("recall", True), ("rows", 0), ("rows", 1.5), ("rows", 10**6), ("cost", 3), ("cost", (0, 0))]
WRONG += [("cost", (1, -1)), ("f1", 0.5), ("precision",), ("precision", float("nan"))]


@pytest.mark.parametrize("target", WRONG)
def test_bad_targets_raise_an_error(target):
    X, y, _, _ = draw(0, n=100, n_labeled=50)
    with pytest.raises(ValueError, match=r"target=.*expected"):
        PUThresholdClassifier(LogisticRegression(), prior=PRIOR, target=target).fit(X, y)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=4, max_size=40), st.sampled_from(TARGETS), st.booleans())
def test_threshold_reaches_its_estimate_for_any_scores(made, target, one_sample):
    scores, positive = np.array([float(score) for score, _ in made]), np.array([labeled for _, labeled in made])
    if positive.all() or not positive.any():
        return
    counted = np.ones(len(scores), bool) if one_sample else ~positive
    weights = np.ones(len(scores))
    if target == ("rows", 300):
        target = ("rows", 1)
    cuts = Cuts(scores, positive, counted)
    threshold, estimate = cuts.best(check_target(target), 0.3, weights)
    assert np.isfinite(threshold)
    called = scores > threshold
    if target[0] == "recall":
        assert called[positive].mean() == pytest.approx(estimate)
        assert estimate >= target[1]
        greater = scores[scores > threshold]
        assert np.mean(scores[positive] > greater.min()) < target[1]
    elif target[0] == "rows":
        assert called[counted].mean() == pytest.approx(estimate)
    elif target[0] == "precision":
        assert estimate <= 1
        assert called.any()
    else:
        assert 0 <= estimate <= 0.3 * target[1][1] + 1e-12
    drawn = cuts.drawn(check_target(target), np.full(5, 0.3), weights, None, np.random.default_rng(0))
    assert len(drawn) == 5
    assert np.isfinite(drawn).all()
