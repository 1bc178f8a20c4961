"""PU metrics against their definitions, and, on data with known truth, against what they estimate."""

import pickle
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib import (
    NaivePUClassifier,
    PUExtraTreesClassifier,
    PUGridSearchCV,
    pr_auc,
    proxy_accuracy,
    proxy_auc,
    pu_risk,
    pu_score,
)
from pulib.metrics import PUScorer
from pulib.metrics._formulas import LOSSES

PRIOR = 0.3


def shifted(rng, truth):
    """Scores of a mediocre classifier: normal around +0.7 on positives and -0.5 on negatives."""
    return rng.normal(size=len(truth)) + np.where(truth, 0.7, -0.5)


def two_samples(rng, n_labeled=60, n_unlabeled=90):
    truth = np.r_[np.ones(n_labeled, bool), rng.random(n_unlabeled) < PRIOR]
    return np.r_[np.ones(n_labeled, int), np.zeros(n_unlabeled, int)], shifted(rng, truth)


def one_sample(rng, n=150, label_frequency=0.5):
    """Rows of the population whose positives keep their label with a constant probability."""
    truth = rng.random(n) < PRIOR
    return (truth & (rng.random(n) < label_frequency)).astype(int), shifted(rng, truth)


SAMPLERS = {"two_sample": two_samples, "one_sample": one_sample}


@cache
def population(n=200_000):
    rng = np.random.default_rng(99)
    truth = rng.random(n) < PRIOR
    return truth, shifted(rng, truth)


def assert_unbiased(estimates, truth, truth_error):
    """Within 4 standard errors."""
    error = np.sqrt(np.var(estimates, ddof=1) / len(estimates) + truth_error**2)
    assert abs(np.mean(estimates) - truth) < 4 * error, (np.mean(estimates), truth, error)


@cache
def draws(scenario, n=200, **size):
    rng = np.random.default_rng(7)
    return [SAMPLERS[scenario](rng, **size) for _ in range(n)]


@pytest.mark.parametrize("scenario", SAMPLERS)
@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_risk_is_unbiased(loss, scenario):
    truth, scores = population()
    margins = np.where(truth, 1, -1) * scores
    losses = LOSSES[loss](margins)
    estimates = [pu_risk(y, s, prior=PRIOR, loss=loss, scenario=scenario) for y, s in draws(scenario)]
    assert_unbiased(estimates, losses.mean(), losses.std() / np.sqrt(len(losses)))


@pytest.mark.parametrize("scenario", SAMPLERS)
def test_risk_is_biased_in_the_other_scenario(scenario):
    # the test above can fail: with the scenarios exchanged, it does
    truth, scores = population()
    other = {"two_sample": "one_sample", "one_sample": "two_sample"}[scenario]
    size = {"n_unlabeled": 210} if scenario == "two_sample" else {}  # else more are labeled than π lets be
    estimates = [pu_risk(y, s, prior=PRIOR, scenario=other) for y, s in draws(scenario, **size)]
    with pytest.raises(AssertionError):
        assert_unbiased(estimates, np.mean((scores > 0) != truth), 0.0)


@pytest.mark.parametrize("scenario", SAMPLERS)
def test_proxies_are_unbiased(scenario):
    truth, scores = population()
    accuracies = [proxy_accuracy(y, (s > 0).astype(int), prior=PRIOR, scenario=scenario) for y, s in draws(scenario)]
    assert_unbiased(accuracies, np.mean((scores > 0) == truth), 0.001)
    if scenario == "two_sample":
        areas = [proxy_auc(y, s, prior=PRIOR) for y, s in draws(scenario)]
        assert_unbiased(areas, roc_auc_score(truth, scores), 0.001)


def test_proxy_auc_of_one_sample_approaches_the_area():
    # a ratio of random quantities: right in the limit of many rows
    y, scores = one_sample(np.random.default_rng(3), n=200_000)
    assert_allclose(proxy_auc(y, scores, prior=PRIOR, scenario="one_sample"), roc_auc_score(*population()), atol=0.005)


def test_nonnegative_risk_cuts_the_negative_part():
    y, scores = np.array([1, 1, 0, 0]), np.array([2.0, 2.0, -3.0, -3.0])
    positive_part = PRIOR * np.mean(LOSSES["logistic"](scores[:2]))
    assert pu_risk(y, scores, prior=PRIOR, loss="logistic") < positive_part
    assert_allclose(pu_risk(y, scores, prior=PRIOR, loss="logistic", risk="nnpu"), positive_part)


def test_zero_one_risk_and_proxy_accuracy_are_two_sides():
    rng = np.random.default_rng(4)
    for scenario, sampler in SAMPLERS.items():
        y, scores = sampler(rng)
        scores[:3] = 0.0  # a score of 0 is a negative answer
        accuracy = proxy_accuracy(y, (scores > 0).astype(int), prior=PRIOR, scenario=scenario)
        assert_allclose(accuracy, 1 - pu_risk(y, scores, prior=PRIOR, scenario=scenario))


@pytest.mark.parametrize("name", ["sigmoid", "logistic", "savage"])
def test_losses_do_not_overflow(name):
    with np.errstate(over="raise", invalid="raise"):
        values = LOSSES[name](np.array([-1e6, -50.0, 0.0, 50.0]))
    assert np.all(np.isfinite(values))
    assert np.all(np.diff(values) <= 0)


binary = hnp.arrays(np.int64, st.integers(2, 40), elements=st.integers(0, 1))


@settings(deadline=None, max_examples=50)
@given(binary, st.data())
def test_pu_score_by_counting(y, data):
    y[:2] = 0, 1
    answers = data.draw(hnp.arrays(np.int64, len(y), elements=st.integers(0, 1)))
    n_labeled = sum(1 for label in y if label == 1)
    found = sum(1 for label, answer in zip(y, answers, strict=True) if label == 1 and answer == 1)
    answered = sum(1 for answer in answers if answer == 1)
    expected = (found / n_labeled) ** 2 / (answered / len(y)) if answered else 0.0
    assert_allclose(pu_score(y, answers), expected)


@settings(deadline=None, max_examples=50)
@given(binary, st.data())
def test_areas(y, data):
    y[:2] = 0, 1
    scores = data.draw(hnp.arrays(np.float64, len(y), elements=st.integers(-3, 3)))
    assert_allclose(pr_auc(y, scores, "average_precision"), average_precision_score(y, scores))
    assert 0 <= pr_auc(y, scores) <= 1 + 1e-12
    # no skill: the line from (0, 1) to (1, π), and the step at π
    assert_allclose(pr_auc(y, np.zeros(len(y))), (1 + np.mean(y)) / 2)
    assert_allclose(pr_auc(y, np.zeros(len(y)), "average_precision"), np.mean(y))
    # Mann and Whitney's count
    pairs = [np.sign(a - b) / 2 + 0.5 for a in scores[y == 1] for b in scores[y == 0]]
    assert_allclose(proxy_auc(y, scores), np.mean(pairs))


def test_trapezoid_by_hand():
    # points (recall, precision): (0, 1), (1/2, 1), (1/2, 1/2), (1, 2/3)
    assert_allclose(pr_auc([1, 0, 1], [3.0, 2.0, 1.0]), 0.5 + 0.5 * (1 / 2 + 2 / 3) / 2)


@pytest.mark.parametrize("labels", [(-1, 1), (False, True), ("a", "b"), ("unlabeled", "known"), (None, 1)])
def test_label_conventions(labels):
    y, scores = two_samples(np.random.default_rng(6))
    answers = (scores > 0).astype(int)
    other, other_answers = np.array(labels)[y], np.array(labels)[answers]
    told = {"pos_label": labels[1]}
    assert pu_score(other, other_answers, **told) == pu_score(y, answers)
    assert proxy_accuracy(other, other_answers, prior=PRIOR, **told) == proxy_accuracy(y, answers, prior=PRIOR)
    assert proxy_auc(other, scores, **told) == proxy_auc(y, scores)
    assert pu_risk(other, scores, prior=PRIOR, **told) == pu_risk(y, scores, prior=PRIOR)
    assert pr_auc(other, scores, **told) == pr_auc(y, scores)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pu_score([1, 1], [1, 1]), "one class only"),
        (lambda: pu_score([1, 0], [1, 2]), "y_pred contains .*2"),
        (lambda: pu_score([1, 0], [1, 0, 1]), "inconsistent numbers"),
        (lambda: proxy_accuracy([1, 0], [1, 0], prior=1.0), "'prior' parameter"),
        (lambda: proxy_auc([1, 1, 0], [1, 2, 3], prior=0.5, scenario="one_sample"), r"prior=0\.5 is below .* 0\.666667"),
        (lambda: pu_risk([1, 0], [1.0, np.nan], prior=0.5), "scores contains nan"),
        (lambda: pu_risk([1, 0], [1.0], prior=0.5), "scores has 1 entries and y has 2"),
        (lambda: pu_risk([1, 0], ["a", "b"], prior=0.5), "scores has dtype"),
        (lambda: pu_risk([1, 0], [1.0, 2.0], prior=0.5, loss="hinge"), "'loss' parameter"),
        (lambda: pr_auc([1, 0, 2], [1, 2, 3]), "3 kinds of labels"),
        (lambda: pr_auc([1, 0], [1, 2], method="simpson"), "'method' parameter"),
        (lambda: PUScorer("accuracy"), "metric='accuracy'"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


class TestScorer:
    @pytest.fixture
    def data(self):
        rng = np.random.default_rng(11)
        truth = np.r_[np.ones(60, bool), rng.random(120) < PRIOR]
        return rng.normal(size=(180, 3)) + np.where(truth, 1, -1)[:, None], np.r_[np.ones(60, int), np.zeros(120, int)]

    def test_takes_the_estimators_prior_and_scenario(self, data):
        class Fixed(BaseEstimator):
            scenario, prior_ = "one_sample", 0.45

            def decision_function(self, X):
                return X[:, 0]

            def predict(self, X):
                return (X[:, 0] > 0).astype(int)

        X, y = data
        expected = -pu_risk(y, X[:, 0], prior=0.45, scenario="one_sample")
        assert PUScorer("pu_risk")(Fixed(), X, y) == expected
        assert PUScorer("pu_risk", scenario="two_sample")(Fixed(), X, y) != expected

    def test_looks_into_pipelines_and_searches(self, data):
        X, y = data
        forest = PUExtraTreesClassifier(5, prior=0.45, scenario="one_sample", max_depth=3, random_state=0)
        search = PUGridSearchCV(make_pipeline(StandardScaler(), forest), {"puextratreesclassifier__max_depth": [3]}, cv=3)
        search = search.fit(X, y)
        pipeline = search.best_estimator_
        alone, rows = pipeline[-1], pipeline[0].transform(X)
        for metric in ("proxy_accuracy", "pu_risk"):
            expected = PUScorer(metric)(alone, rows, y)
            assert expected != PUScorer(metric, scenario="two_sample")(alone, rows, y)
            assert [PUScorer(metric)(model, X, y) for model in (pipeline, search, make_pipeline(search))] == [expected] * 3

    def test_without_any_prior(self, data):
        X, y = data
        model = NaivePUClassifier(LogisticRegression()).fit(X, y)
        with pytest.raises(ValueError, match=r"PUScorer\('proxy_accuracy'\) needs a prior: NaivePUClassifier has no prior_"):
            PUScorer("proxy_accuracy")(model, X, y)

    def test_pickles_and_shows_itself(self):
        scorer = pickle.loads(pickle.dumps(PUScorer("pu_risk", prior=0.3, loss="sigmoid")))
        assert repr(scorer) == "PUScorer('pu_risk', prior=0.3, loss='sigmoid')"
