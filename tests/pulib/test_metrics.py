"""PU metrics by their definitions; function, scorer, and interval give the same value, error, and warning."""

import pickle
import warnings
from functools import cache
from itertools import cycle

import numpy as np
import pytest
import sklearn
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import TunedThresholdClassifierCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pulib
from pulib import PUExtraTreesClassifier, PUGridSearchCV, pr_auc, proxy_accuracy, proxy_auc, pu_risk, pu_score
from pulib import metrics as pu
from pulib.exceptions import PUWarning
from pulib.metrics import PUPrecisionRecallDisplay, PUScorer, score_bounds, score_interval
from pulib.metrics._formulas import FORMULAS, LOSSES
from pulib.metrics._registry import FUNCTIONS, call
from pulib.reductions._base import positive_score
from tests.pulib.naive.metrics import recall_at_k

PRIOR = 0.3


def shifted(rng, truth):
    """Scores of a mediocre classifier: normal around +0.7 on positives and -0.5 on negatives."""
    return rng.normal(size=len(truth)) + np.where(truth, 0.7, -0.5)


def two_samples(rng, n_labeled=60, n_unlabeled=90):
    truth = np.r_[np.ones(n_labeled, bool), rng.random(n_unlabeled) < PRIOR]
    return np.r_[np.ones(n_labeled, int), np.zeros(n_unlabeled, int)], shifted(rng, truth)


def one_sample(rng, n=150, label_frequency=0.5):
    """Return labels and scores of a population whose positives are labeled with constant probability."""
    truth = rng.random(n) < PRIOR
    return (truth & (rng.random(n) < label_frequency)).astype(int), shifted(rng, truth)


SAMPLERS = {"two_sample": two_samples, "one_sample": one_sample}


@cache
def population(n=200_000):
    rng = np.random.default_rng(99)
    truth = rng.random(n) < PRIOR
    return truth, shifted(rng, truth)


@pytest.mark.parametrize(("loss", "scenario"), list(zip(sorted(LOSSES), cycle(SAMPLERS), strict=False)))
def test_risk_is_unbiased(loss, scenario):
    truth, scores = population()
    losses, rng = LOSSES[loss](np.where(truth, 1, -1) * scores), np.random.default_rng(7)
    draws = [SAMPLERS[scenario](rng) for _ in range(200)]
    estimates = [pu_risk(y, s, prior=PRIOR, loss=loss, scenario=scenario) for y, s in draws]
    error = np.sqrt(np.var(estimates, ddof=1) / 200 + losses.var() / len(losses))
    assert abs(np.mean(estimates) - losses.mean()) < 4 * error


def test_zero_one_risk_is_one_minus_proxy_accuracy():
    rng = np.random.default_rng(4)
    for scenario, sampler in SAMPLERS.items():
        y, scores = sampler(rng)
        scores[:3] = 0.0  # a score of 0 is a negative prediction
        accuracy = proxy_accuracy(y, (scores > 0).astype(int), prior=PRIOR, scenario=scenario)
        assert_allclose(accuracy, 1 - pu_risk(y, scores, prior=PRIOR, scenario=scenario))


@pytest.mark.parametrize("name", ["sigmoid", "logistic", "savage"])
def test_losses_do_not_overflow(name):
    with np.errstate(over="raise", invalid="raise"):
        values = LOSSES[name](np.array([-1e6, -50.0, 0.0, 50.0]))
    assert np.all(np.isfinite(values))
    assert np.all(np.diff(values) <= 0)


binary = hnp.arrays(np.int64, st.integers(2, 40), elements=st.integers(0, 1))


@settings(max_examples=50)
@given(binary, st.data())
def test_pu_score_by_counting(y, data):
    y[:2] = 0, 1
    answers = data.draw(hnp.arrays(np.int64, len(y), elements=st.integers(0, 1)))
    expected = answers[y == 1].mean() ** 2 / answers.mean() if answers.any() else 0.0
    assert_allclose(pu_score(y, answers), expected)


@settings(max_examples=50)
@given(binary, st.data())
def test_areas(y, data):
    y[:2] = 0, 1
    scores = data.draw(hnp.arrays(np.float64, len(y), elements=st.integers(-3, 3)))
    assert_allclose(pr_auc(y, scores, "average_precision"), average_precision_score(y, scores))
    assert 0 <= pr_auc(y, scores) <= 1 + 1e-12
    # no skill: the line from (0, 1) to (1, π), and the step at π
    assert_allclose(pr_auc(y, np.zeros(len(y))), (1 + np.mean(y)) / 2)
    assert_allclose(pr_auc(y, np.zeros(len(y)), "average_precision"), np.mean(y))
    assert proxy_auc(y, scores) == roc_auc_score(y, scores)  # to the bit


OPTIONS = {"proxy_precision_at_k": {"k": 0.25}, "proxy_lift_at_k": {"k": 3}, "pu_risk": {"loss": "sigmoid"}}


class Replay(ClassifierMixin, BaseEstimator):
    def predict(self, X):
        return X[:, 0].astype(int)

    def decision_function(self, X):
        return X[:, 1]


def outcome(run):
    """Return the value or error, and the warnings except those about few labels, which only intervals give."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = run()
        except ValueError as error:
            return "error", str(error).partition(";")[0], None
    messages = {str(warning.message) for warning in caught if warning.category is PUWarning}
    return "value", value, {message for message in messages if "intervals hold from about" not in message}


def by_function(metric, y, answers, scores, prior, scenario, weights=None):
    values = answers if FORMULAS[metric].of == "predictions" else scores
    common = {"prior": prior, "scenario": scenario, "sample_weight": weights}
    return outcome(lambda: call(metric, y, values, **common, **OPTIONS.get(metric, {})))


def three_ways(metric, y, answers, scores, prior, scenario, weights=None):
    formula, options = FORMULAS[metric], OPTIONS.get(metric, {})
    common = {"prior": prior, "scenario": scenario, "sample_weight": weights}
    values = answers if formula.of == "predictions" else scores
    scorer, X = PUScorer(metric, prior=prior, scenario=scenario, **options), np.column_stack([answers, scores])
    return (
        by_function(metric, y, answers, scores, prior, scenario, weights),
        outcome(lambda: formula.sign * scorer(Replay(), X, y, sample_weight=weights)),
        outcome(lambda: score_interval(y, values, metric, n_bootstrap=10, **common, **options).score),
    )


@pytest.mark.parametrize("metric", sorted(FORMULAS))
@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**31),
    shape=st.tuples(st.integers(1, 12), st.integers(1, 20)),
    prior=st.sampled_from(["below", "share", "above", 0.05, 0.9]),
    answered=st.sampled_from([0.0, 0.3, 1.0]),
    scenario=st.sampled_from(sorted(SAMPLERS)),
    weighted=st.booleans(),
)
@example(seed=1, shape=(6, 14), prior="share", answered=0.3, scenario="one_sample", weighted=False)
@example(seed=2, shape=(60, 140), prior="below", answered=0.3, scenario="one_sample", weighted=False)
@example(seed=3, shape=(6, 14), prior=0.3, answered=0.0, scenario="two_sample", weighted=False)
def test_function_scorer_and_interval_agree(metric, seed, shape, prior, answered, scenario, weighted):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], shape)
    scores = rng.integers(-2, 3, len(y)).astype(float)
    answers = (rng.random(len(y)) < answered).astype(int)
    weights = rng.integers(1, 4, len(y)).astype(float) if weighted else None
    share = np.average(y, weights=weights)
    prior = {"below": 0.6 * share, "share": share, "above": 0.5 + 0.5 * share}.get(prior, prior)
    function, scorer, interval = three_ways(metric, y, answers, scores, prior, scenario, weights)
    assert function == scorer == interval
    chance = 3 * np.sqrt(prior * (1 - prior) / len(y)) + 1 / len(y)
    contradicted = scenario == "one_sample" and FORMULAS[metric].prior != "unused" and prior < share - chance and not weighted
    too_many = metric == "proxy_lift_at_k" and np.sum((y == 0) | (scenario == "one_sample")) < 3 and not weighted
    if contradicted or too_many:
        assert function[0] == "error"
    elif not weighted:
        assert function[0] == "value"
        assert np.isfinite(function[1])


def test_every_metric_is_public_and_tunes_thresholds_or_raises_an_error():
    assert set(FORMULAS) == set(FUNCTIONS)
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [30, 90])
    X = rng.normal(size=(120, 2)) + y[:, None]
    for metric, formula in FORMULAS.items():
        assert getattr(pulib, metric, FUNCTIONS[metric]) is getattr(pu, metric) is FUNCTIONS[metric]
        scorer = PUScorer(metric, prior=0.4, **OPTIONS.get(metric, {}))
        tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=2)
        if formula.of == "predictions":
            answers = tuned.fit(X, y).predict(X)
            assert np.isfinite(call(metric, y, answers, prior=0.4, scenario="two_sample"))
        else:
            with pytest.raises(ValueError, match="depends on scores"):
                tuned.fit(X, y)


@pytest.mark.parametrize("metric", sorted(FORMULAS))
@pytest.mark.parametrize("scenario", sorted(SAMPLERS))
def test_integer_weights_equal_repeated_rows(metric, scenario):
    rng = np.random.default_rng(5)
    y, scores = np.repeat([1, 0], [20, 50]), np.round(rng.normal(size=70), 1)
    weights = rng.integers(0, 4, 70)
    repeated = np.repeat(np.arange(70), weights)
    values = (scores > 0.2).astype(int) if FORMULAS[metric].of == "predictions" else scores
    common = {"prior": 0.6, "scenario": scenario, **OPTIONS.get(metric, {})}
    expected = call(metric, y[repeated], values[repeated], **common)
    assert_allclose(call(metric, y, values, sample_weight=weights, **common), expected, rtol=1e-12)


@settings(max_examples=50)
@given(st.integers(0, 2**31), st.sampled_from(sorted(SAMPLERS)))
def test_rates_by_counting(seed, scenario):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], rng.integers(1, 9, 2))
    answers, scores, prior = rng.integers(0, 2, len(y)), rng.integers(0, 4, len(y)), 0.95
    population = (y == 0) | (scenario == "one_sample")
    r, q, n = answers[y == 1].mean(), answers[population].mean(), population.sum()
    common = {"prior": prior, "scenario": scenario}
    assert_allclose(pu.proxy_accuracy(y, answers, **common), 2 * prior * r - prior + 1 - q)
    assert_allclose(pu.proxy_precision(y, answers, **common), min(1.0, prior * r / q) if q else float(r > 0))
    k = int(rng.integers(1, n + 1))
    lift = recall_at_k(scores[y == 1], scores[population], k) / (k / n)
    assert_allclose(pu.proxy_lift_at_k(y, scores, k, scenario=scenario), lift)
    assert_allclose(pu.proxy_lift_at_k(y, scores, float(k / n), scenario=scenario), lift)
    assert_allclose(pu.proxy_precision_at_k(y, scores, k, **common), min(1.0, prior * lift))


class TestContradictions:
    """Estimates above 100% cause a warning and are not clipped silently."""

    y = np.repeat([1, 0], [80, 700])
    answers = np.repeat([1, 0], [80 + 40, 660])  # every labeled row and 40 others; π implies 280
    scores = np.r_[np.full(80, 2.0), np.full(40, 2.0), np.linspace(-3, 1, 660)]

    @pytest.mark.parametrize(
        "metric", ["proxy_accuracy", "proxy_precision", "proxy_f1", "proxy_auc", "proxy_average_precision"]
    )
    def test_each_metric_warns(self, metric):
        _, value, (message,) = by_function(metric, self.y, self.answers, self.scores, 0.4, "two_sample")
        assert message.startswith(metric)
        assert "Either prior is wrong, labels were not drawn at random" in message
        if metric in ("proxy_accuracy", "proxy_auc"):
            assert value > 1.15  # not clipped
            assert "is above 1 (100%)" in message

    def test_other_functions_warn(self):
        with pytest.warns(PUWarning, match="pu_risk cannot be right|pu_risk is below 0"):
            assert pu.pu_risk(self.y, self.scores, prior=0.4) < -0.1
        with pytest.warns(PUWarning, match="pu_risk is below 0, which is impossible"):
            pu.pu_risk(self.y, 20 * np.where(self.answers, 1.0, -1.0), prior=0.4, loss="sigmoid")
        with pytest.warns(PUWarning, match="proxy_precision_at_k rests on a precision above 1"):
            assert pu.proxy_precision_at_k(self.y, self.scores, 40, prior=0.4) == 1.0
        with pytest.warns(PUWarning, match="proxy_average_precision"):
            PUPrecisionRecallDisplay.from_predictions(self.y, self.scores, prior=0.4, n_bootstrap=10)
        with pytest.warns(PUWarning, match="false negatives alone would be more rows than are called negative"):
            pu.proxy_accuracy(self.y, np.ones_like(self.y) - self.y * (np.arange(780) < 75), prior=0.3)

    @pytest.mark.parametrize("scenario", sorted(SAMPLERS))
    def test_random_labels_and_the_true_prior_do_not_warn(self, scenario):
        rng = np.random.default_rng(8)
        for _ in range(10):
            truth = rng.random(500) < 0.3
            scores = rng.normal(size=500) + 2.5 * truth
            y = (truth & (rng.random(500) < 0.4)).astype(int)
            if scenario == "two_sample":
                y, scores = np.append(np.ones(60, int), np.zeros(500, int)), np.append(rng.normal(2.5, size=60), scores)
            for metric in FORMULAS:
                warned = by_function(metric, y, (scores > 1.25).astype(int), scores, 0.3, scenario)[2]
                assert not any("Either prior is wrong" in message for message in warned), warned
            scores = rng.normal(size=350) + 9 * np.r_[np.ones(50, bool), rng.random(300) < 0.9]  # few negatives: a noisy area
            assert not any("Either" in text for text in by_function("proxy_auc", self.y[30:380], 0, scores, 0.9, scenario)[2])

    def test_search_warns_once(self):
        X = np.column_stack([self.answers, self.scores])
        grid = {"fit_intercept": [True, False]}
        search = PUGridSearchCV(LogisticRegression(), grid, scoring=PUScorer("proxy_accuracy", prior=0.4), cv=3, n_jobs=2)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            search.fit(X, self.y)
        messages = [str(warning.message) for warning in caught if warning.category is PUWarning]
        assert len(messages) == 1
        assert "proxy_accuracy is above 1" in messages[0]


class TestScorer:
    def setup_method(self):
        rng = np.random.default_rng(11)
        self.y = np.repeat([1, 0], [40, 120])
        self.X = rng.normal(size=(160, 2)) + self.y[:, None]

    def test_weights_reach_the_scorer_if_requested(self):
        with sklearn.config_context(enable_metadata_routing=True):
            model = LogisticRegression().set_fit_request(sample_weight=False)
            common = {"cv": 2, "params": {"sample_weight": np.arange(160) % 4 + 1.0}, "error_score": "raise"}
            scorer = PUScorer("proxy_recall").set_score_request(sample_weight=True)
            weighted = cross_validate(model, self.X, self.y, scoring=scorer, **common)["test_score"]
            plain = cross_validate(model, self.X, self.y, scoring=PUScorer("proxy_recall"), cv=2)["test_score"]
            assert not np.allclose(weighted, plain)
            with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
                cross_validate(model, self.X, self.y, scoring=PUScorer("proxy_recall"), **common)
        with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
            PUScorer("proxy_recall").set_score_request(sample_weight=True)

    def test_weights_affect_tuned_thresholds(self):
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = PUScorer("proxy_f1", prior=0.4).set_score_request(sample_weight=True)
            model = LogisticRegression().set_fit_request(sample_weight=False)
            heavy = np.where((self.y == 1) & (self.X[:, 0] < 1), 100.0, 1.0)
            tuned = TunedThresholdClassifierCV(model, scoring=scorer, cv=2)
            cuts = [tuned.fit(self.X, self.y, sample_weight=w).best_threshold_ for w in (np.ones(160), heavy)]
            assert cuts[0] > cuts[1]

    def test_reads_prior_and_scenario_of_estimators_in_pipelines_and_searches(self):
        X, y = self.X, self.y
        forest = PUExtraTreesClassifier(5, prior=0.45, scenario="one_sample", max_depth=3, random_state=0)
        search = PUGridSearchCV(make_pipeline(StandardScaler(), forest), {"puextratreesclassifier__max_depth": [3]}, cv=3)
        pipeline = search.fit(X, y).best_estimator_
        alone, rows = pipeline[-1], pipeline[0].transform(X)
        expected = -pu_risk(y, alone.decision_function(rows), prior=0.45, scenario="one_sample")
        assert PUScorer("pu_risk")(alone, rows, y) == expected
        assert PUScorer("pu_risk", scenario="two_sample")(alone, rows, y) != expected
        assert [PUScorer("pu_risk")(model, X, y) for model in (pipeline, search, make_pipeline(search))] == [expected] * 3

    def test_other_classifiers_whose_first_class_is_positive(self):
        usual, reverse = LogisticRegression().fit(self.X, self.y), LogisticRegression().fit(self.X, 2 - self.y)
        found = PUScorer("proxy_auc", pos_label=1)(reverse, self.X, 2 - self.y)
        assert found == pytest.approx(PUScorer("proxy_auc")(usual, self.X, self.y))
        assert_allclose(positive_score(reverse, self.X), usual.decision_function(self.X), atol=1e-3)

    def test_pickle_and_repr(self):
        scorer = pickle.loads(pickle.dumps(PUScorer("pu_risk", prior=0.3, loss="sigmoid")))
        assert repr(scorer) == "PUScorer('pu_risk', prior=0.3, loss='sigmoid')"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda y, s: pu_score([1, 1], [1, 1]), "one class only"),
        (lambda y, s: pu_score(y, [1, 0]), "inconsistent numbers"),
        (lambda y, s: proxy_accuracy(y, y, prior=1.0), "'prior' parameter"),
        (lambda y, s: pu_risk(y, [np.nan] * 6, prior=0.5), "scores contains nan"),
        (lambda y, s: pu_risk(y, [1.0], prior=0.5), "scores has 1 entries and y has 6"),
        (lambda y, s: pu_risk(y, ["a"] * 6, prior=0.5), "scores has dtype"),
        (lambda y, s: pr_auc([0, 1, 2, 0, 0, 0], s), "3 kinds of labels"),
        (lambda y, s: PUScorer("proxy_lift_at_k"), "needs k"),
        (lambda y, s: PUScorer("proxy_f1", k=2), "proxy_f1 takes no k"),
        (lambda y, s: pu.proxy_lift_at_k(y, s, 0), "'k' parameter"),
        (lambda y, s: pu.proxy_lift_at_k(y, s, 5), r"k=5 is more than the 4 unlabeled rows.*a share"),
        (lambda y, s: pu.proxy_precision_at_k(y, s, 7, prior=0.5, scenario="one_sample"), "k=7 is more than the 6 rows"),
        (lambda y, s: pu.proxy_lift_at_k(y, s, 2, sample_weight=y), "all 4 unlabeled rows have weight 0"),
        (lambda y, s: pu.proxy_lift_at_k(y, s, 2, sample_weight=np.full(6, 1e-180)), "largest weight of labeled"),
        (lambda y, s: score_interval(y, s, "proxy_lift_at_k"), "needs k"),
        (lambda y, s: score_interval(y, y, "proxy_f1"), "proxy_f1 needs a prior"),
        (lambda y, s: score_interval(y, y, "proxy_recall", groups=[1, 2]), "inconsistent numbers"),
        (lambda y, s: score_interval(y, y, "proxy_recall", groups=[1, 2, 3, 4, np.nan, np.nan]), "contains 2 missing values"),
        (lambda y, s: score_interval(y, y, "proxy_f1", prior=50), "prior=50; expected a number in"),
        (lambda y, s: score_bounds(y, y, "proxy_f1", prior=0.1), "makes 0 positives"),
    ],
)
def test_bad_input_raises_an_error(run, message):
    with pytest.raises(ValueError, match=message):
        run(np.array([1, 1, 0, 0, 0, 0]), np.arange(6.0))
