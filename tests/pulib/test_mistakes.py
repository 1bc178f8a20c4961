"""Likely mistakes: each message names the argument, the value, what was expected, and what to do."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from pulib import (
    AUCBoostingClassifier,
    BiasedPUClassifier,
    ClassWeightedSVC,
    ElkanNotoClassifier,
    NaivePUClassifier,
    PUGridSearchCV,
    PUThresholdClassifier,
    SGBDotaClassifier,
    UnbiasedPUClassifier,
    check_scar,
    proxy_accuracy,
    proxy_auc,
)
from pulib._base import PUClassifierMixin
from pulib.exceptions import PUWarning
from pulib.metrics import PUScorer

RNG = np.random.default_rng(0)
TRUTH = RNG.random(200) < 0.4
X = RNG.normal(size=(200, 3)) + np.where(TRUTH, 1.0, -1.0)[:, None]
Y = (TRUTH & (RNG.random(200) < 0.5)).astype(int)
HOLES = np.where(np.arange(600).reshape(200, 3) == 4, np.nan, X)
ONE_LABEL = (np.arange(200) == np.argmax(TRUTH)).astype(int)
NAIVE = NaivePUClassifier(LogisticRegression())
GRID = {"estimator__C": [0.1, 1.0]}


def linear(**params):
    return UnbiasedPUClassifier(**{"prior": 0.4, "scenario": "one_sample", **params})


@pytest.mark.parametrize(
    ("mistake", "parts"),
    [
        (lambda: linear(prior=40).fit(X, Y), ["'prior'", "(0.0, 1.0)", "Got 40", "pass prior=0.4"]),
        (lambda: linear(scenario="case-control").fit(X, Y), ["'scenario'", "two_sample", "one_sample", "Got 'case-control'"]),
        (lambda: linear().fit(X, np.where(Y, "P", "U")), ["'P' and 'U'", "pos_label='P'", "1 (labeled) and 0 (unlabeled)"]),
        (lambda: linear().fit(X, Y + 1), ["1 and 2", "pos_label=1", "pos_label=2"]),
        (lambda: linear(pos_label="P").fit(X, np.where(Y, "P", "U")), ["needs unlabeled_label=", "Pass unlabeled_label='U'"]),
        (lambda: linear(pos_label="Q").fit(X, np.where(Y, "P", "U")), ["pos_label='Q'", "'P', 'U'", "pass another"]),
        (lambda: linear().fit(X, np.where(Y, 1, np.where(TRUTH, 0, -1))), ["3 kinds", "-1, 0, 1", "known negatives"]),
        (lambda: linear().fit(X, np.ones(200)), ["one class only (1.0)", "unlabeled rows are both needed", "Include the rows"]),
        (lambda: linear().fit(HOLES, Y), ["X contains NaN", "UnbiasedPUClassifier", "SimpleImputer"]),
        (lambda: NAIVE.fit(HOLES, Y), ["X contains NaN", "NaivePUClassifier", "SimpleImputer", "PUExtraTreesClassifier"]),
        (
            lambda: linear().fit(pd.DataFrame(X).assign(day=pd.date_range("2020", periods=200)).rename(columns=str), Y),
            ["column 'day' contains dates", "UnbiasedPUClassifier needs numbers", "days since"],
        ),
        (lambda: linear().fit(SimpleNamespace(collect=None), Y), ["is a SimpleNamespace", "pass X.collect()"]),
        (lambda: check_scar(X, Y, groups=Y[:-1]), ["groups has the shape (199,)", "each of the 200 rows"]),
        (
            lambda: linear().fit(pd.DataFrame(X).assign(city=np.where(TRUTH, "Rome", "Oslo")).rename(columns=str), Y),
            ["column 'city' contains text ('", "UnbiasedPUClassifier needs numbers", "OneHotEncoder"],
        ),
        (lambda: ElkanNotoClassifier(LogisticRegression()).fit(X, ONE_LABEL), ["1 labeled and 199", "Label more rows"]),
        (lambda: PUGridSearchCV(NAIVE, GRID, cv=2).fit(X, ONE_LABEL), ["fold", "there are 1", "smaller cv", "label more rows"]),
        (lambda: SGBDotaClassifier(2).fit(sparse.csr_array(X), Y), ["Sparse", "dense", "toarray"]),
        (lambda: PUScorer("proxy_acc"), ["metric='proxy_acc'", "'proxy_accuracy'"]),
        (lambda: PUScorer("proxy_accuracy")(NAIVE.fit(X, Y), X, Y), ["needs a prior", "no prior_", "pulib.estimate_prior"]),
        (lambda: proxy_accuracy(Y, np.full(200, 0.1), prior=0.4), ["y_pred contains 0.1", "(0, 1)", "not scores"]),
        (lambda: proxy_auc(Y, X[:, 0], prior=0.05, scenario="one_sample"), ["prior=0.05", "share of labeled rows", "larger"]),
    ],
)
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_errors(mistake, parts):
    with pytest.raises((ValueError, TypeError)) as error:
        mistake()
    assert [part for part in parts if part not in str(error.value)] == []


@pytest.mark.parametrize(
    ("mistake", "parts"),
    [
        (lambda: linear().fit(X, (np.arange(200) % 10 != 0).astype(int)), ["90% of the rows", "reversed", "pos_label="]),
        (lambda: linear(prior=0.05).fit(X, Y), ["prior=0.05", "share of labeled rows", "Check π", "two_sample"]),
        (lambda: linear(prior=None).fit(X, ONE_LABEL), ["from 1 labels only", "prior_interval", "Pass prior="]),
        (lambda: linear(prior=None).fit(*load_breast_cancer(return_X_y=True)), ["contain hardly any positives", "true labels"]),
        (lambda: linear().fit(0 * X, Y).predict(X), ["UnbiasedPUClassifier", "every row negative", "0.4", "features vary"]),
        (
            lambda: PUThresholdClassifier(LogisticRegression(), prior=0.4).fit(0 * X, Y).predict(0 * X),
            ["PUThresholdClassifier calls every row", "check π", "features vary"],
        ),
        (
            lambda: NaivePUClassifier(LogisticRegression(), prior=0.3).fit(RNG.normal(size=(200, 2)), Y),
            ["NaivePUClassifier: if a share π = 0.3", "negative would be wrong for 30%", "rank rows by decision_function"],
        ),
        (lambda: BiasedPUClassifier(max_iter=2).fit(X, Y), ["BiasedPUClassifier", "Name the features", "another learner"]),
        (lambda: NAIVE.fit(X, Y).predict(X), ["without prior", "Pass prior=π", "decision_function"]),
        (lambda: GridSearchCV(linear(), {"alpha": [0.1, 1.0]}, cv=2).fit(X, Y), ["looks like PU labels", "PUScorer"]),
    ],
)
def test_warnings(mistake, parts):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PUWarning)
        mistake()
    messages = [str(warning.message) for warning in caught if warning.category is PUWarning]
    assert any(all(part in message for part in parts) for message in messages), messages


def test_warning_does_not_suggest_a_threshold_that_is_already_set():
    model = PUThresholdClassifier(LogisticRegression(), prior=0.4).fit(0 * X, Y)
    with pytest.warns(PUWarning) as caught:
        model.predict(0 * X)
    assert "with PUThresholdClassifier" not in str(caught[0].message)


class Calls(PUClassifierMixin, BaseEstimator):
    """Scores rows by their first feature, with a given π."""

    def __init__(self, prior):
        self.prior_ = prior
        self.classes_ = np.array([0, 1])

    def decision_function(self, X):
        return X[:, 0]


@pytest.mark.parametrize("prior", [0.1, 0.9])
def test_warns_if_too_few_predictions_are_of_the_rarer_class(prior):
    """Warns below a third of the rows that π implies, unless chance explains it; if there are none, from ten implied on."""
    rarer = 1.0 if prior < 0.5 else -1.0
    for n, found, warns in ((1000, 20, True), (1000, 40, False), (100, 0, True), (100, 3, False), (50, 0, False)):
        X = np.full((n, 1), -rarer)
        X[:found] = rarer
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PUWarning)
            Calls(prior).predict(X)
        assert len(caught) == warns, (n, found)
        if warns:
            kind, other = ("positive", "negative") if prior < 0.5 else ("negative", "positive")
            assert (f"{found} of {n} rows {kind}" if found else f"every row {other}") in str(caught[0].message)


def test_search_accepts_missing_values_that_a_pipeline_imputes():
    filled = make_pipeline(SimpleImputer(), linear())
    search = PUGridSearchCV(filled, {"unbiasedpuclassifier__alpha": [0.1, 1.0]}, cv=2).fit(HOLES, Y)
    assert np.isfinite(search.decision_function(HOLES)).all()
    for learner, grid in ((linear(), {"alpha": [0.1, 1.0]}), (ClassWeightedSVC(), {"C_positive": [0.1, 1.0]})):
        with pytest.raises(ValueError, match="X contains NaN"):
            PUGridSearchCV(learner, grid, cv=2).fit(HOLES, Y)


@pytest.mark.parametrize("learner", [AUCBoostingClassifier, SGBDotaClassifier])
def test_auc_boosting_with_a_prior_accepts_frames_without_a_warning(learner):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = learner(3, prior=0.4, random_state=0).fit(frame, Y)
        *_, last = model.staged_decision_function(frame)
    np.testing.assert_array_equal(model.predict(frame), last > 0)
    assert model.threshold_ != 0


def test_useful_ranking_does_not_warn():
    """At the threshold set by π, there are fewer errors than with constant predictions."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", PUWarning)
        NaivePUClassifier(LogisticRegression(), prior=0.4, scenario="one_sample").fit(X, Y).predict(X)
