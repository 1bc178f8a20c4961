"""Sample weights count in every estimate of π and in the check of selection at random."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib import (
    AdaPUClassifier,
    ClassWeightedSVC,
    ElkanNotoClassifier,
    NaivePUClassifier,
    PUBaggingClassifier,
    PUCalibratedClassifier,
    PUDecisionTreeClassifier,
    PUExtraTreesClassifier,
    PUThresholdClassifier,
    UnbiasedPUClassifier,
    check_scar,
    estimate_prior,
    prior_interval,
)
from pulib._priors._bounds import permitted_share
from pulib._priors._build import METHODS
from pulib.exceptions import PUWarning

LINEAR = make_pipeline(StandardScaler(), LogisticRegression())
PRIOR = 0.1


def thinned_problem(seed=0, n=4000, n_labeled=350, d=4):
    """Negatives are thinned to a tenth and weigh 10: PRIOR of the population is positive, and half of the rows."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) < round(PRIOR * n)
    kept = truth | (rng.random(n) < 0.1)
    U = (rng.normal(size=(n, d)) + np.where(truth, 1.5, -0.8)[:, None])[kept]
    X = np.r_[rng.normal(size=(n_labeled, d)) + 1.5, U]
    y = np.repeat([1, 0], [n_labeled, len(U)])
    return X, y, np.r_[np.ones(n_labeled), np.where(truth, 1.0, 10.0)[kept]], np.r_[np.ones(n_labeled, bool), truth[kept]]


def small_problem(seed, n=30):
    rng = np.random.default_rng(seed)
    truth = np.r_[np.ones(n // 2, bool), rng.random(n) < 0.4]
    X = rng.normal(size=(len(truth), 2)) + np.where(truth, 1.5, -1.5)[:, None]
    return X, np.repeat([1, 0], [n // 2, n]), rng


#: Errors of the methods without weights: TIcE's is by design, Elkan and Noto's is due to overlapping classes.
OFF = {"tice": 0.09, "elkan_noto": 0.12, "km2": 0.06}
#: Methods that use weights in the same way as another one.
ALIKE = {"best_bin_binomial", "best_bin_paper", "km1"}


@pytest.mark.parametrize(
    "method", [pytest.param(m, marks=[pytest.mark.slow] * (m == "km2")) for m in METHODS if m not in ALIKE]
)
def test_every_method_estimates_the_weighted_share(method):
    X, y, weights, _ = thinned_problem()
    common = {"max_samples": 100 if method == "km2" else 3000, "classifier": LINEAR}
    estimate = estimate_prior(X, y, method, sample_weight=weights, **common)
    assert abs(estimate - PRIOR) < OFF.get(method, 0.03)
    assert estimate_prior(X, y, method, **common) > 0.35


LEARNERS = {
    "tree": PUDecisionTreeClassifier(random_state=0),
    "forest": PUExtraTreesClassifier(20, random_state=0),
    "Ada-PU": AdaPUClassifier(20, random_state=0),
    "uPU": UnbiasedPUClassifier(random_state=0),
    "naive": NaivePUClassifier(LINEAR, prior="estimate"),
    "bagging": PUBaggingClassifier(n_estimators=10, prior="estimate", random_state=0),
    "Elkan and Noto": ElkanNotoClassifier(LINEAR),
    "threshold": PUThresholdClassifier(ExtraTreesClassifier(30, min_samples_leaf=10, random_state=0)),
    "calibrated": PUCalibratedClassifier(LINEAR),
    "SVM": ClassWeightedSVC(prior="estimate"),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_estimates_the_weighted_share(name, recwarn):
    X, y, weights, truth = thinned_problem()
    model = LEARNERS[name].fit(X, y, sample_weight=weights)
    assert not any("scores take few values" in str(warning.message) for warning in recwarn)
    assert abs(model.prior_ - PRIOR) < 0.05
    unlabeled = y == 0
    called = model.predict(X[unlabeled])
    assert np.average(called == truth[unlabeled], weights=weights[unlabeled]) > 0.93


@settings(max_examples=3)
@given(st.integers(0, 10**6), st.sampled_from(["best_bin", "elkan_noto", "tice"]), st.sampled_from([0.25, 4.0]))
def test_zeros_omit_rows_and_a_common_factor_has_no_effect(seed, method, factor):
    X, y, rng = small_problem(seed)
    weights = rng.integers(0, 4, len(y)).astype(float)
    weights[:3] = weights[-3:] = 1.0
    kept = weights > 0
    common = {"method": method, "classifier": LINEAR}
    expected = estimate_prior(X[kept], y[kept], sample_weight=weights[kept], **common)
    assert estimate_prior(X, y, sample_weight=weights, **common) == expected
    assert estimate_prior(X, y, sample_weight=factor * weights, **common) == pytest.approx(expected, rel=1e-9)
    equal, none = (estimate_prior(X[kept], y[kept], sample_weight=w, **common) for w in (3.0, None))
    assert equal == none


def test_intervals_depend_on_the_effective_number_of_rows():
    X, y, weights, _ = thinned_problem()
    alike, weighted = (prior_interval(X, y, sample_weight=w) for w in (None, weights))
    assert weighted.low < PRIOR < weighted.high
    uneven = np.where(np.arange(len(y)) % 10 == 0, 50.0, 1.0)  # as informative as a tenth of the rows
    few = prior_interval(X, y, sample_weight=uneven)
    assert few.high - few.low > 1.5 * (alike.high - alike.low)


def test_few_labels_are_counted_by_their_effective_number():
    X, y, _, _ = thinned_problem(n_labeled=60)
    weights = np.ones(len(y))
    weights[:5] = 1000.0
    with pytest.warns(PUWarning, match="from 5 labels only"):
        estimate_prior(X, y, sample_weight=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PUWarning)
        estimate_prior(X, y, sample_weight=np.where(y == 1, 1.0, 20.0))  # weights of other rows do not matter


def test_bounds_of_weighted_scores_agree_with_repeated_scores():
    rng = np.random.default_rng(0)
    positive = np.arange(3000) < 600
    scores = rng.normal(size=3000) + 2 * positive
    weights = np.full(3000, 2.0)
    twice = np.repeat(np.arange(3000), 2)
    assert permitted_share(scores, positive, weights=weights) == pytest.approx(
        permitted_share(scores[twice], positive[twice]), abs=2e-3
    )


def test_scar_check_accepts_weights():
    X, y, weights, _ = thinned_problem()
    check = check_scar(X, y, sample_weight=weights, classifier=LINEAR)
    assert check.label_frequency == pytest.approx(350 / 750, abs=0.06)  # 400 positives of the population are unlabeled
    rng = np.random.default_rng(1)
    n = 1500
    U = rng.normal(size=(n, 2)) + np.where(np.arange(n) < 700, 2.5, -2.5)[:, None] * [1, 0]
    right = U[:, 1] > 0
    kept = ~right | (rng.random(n) < 0.2)  # labels are random; only unlabeled rows were thinned
    labeled = rng.normal(size=(400, 2)) + np.array([2.5, 0.0])
    X = np.r_[labeled, U[kept]]
    y, weights = np.repeat([1, 0], [400, kept.sum()]), np.r_[np.ones(400), np.where(right, 5.0, 1.0)[kept]]
    assert check_scar(X, y, classifier=LINEAR).p_value < 0.01
    assert check_scar(X, y, classifier=LINEAR, sample_weight=weights).p_value > 0.05


@pytest.mark.parametrize("function", [estimate_prior, prior_interval, check_scar])
@pytest.mark.parametrize(
    ("weights", "common", "message"),
    [
        (lambda y: np.where(y == 1, 0.0, 1.0), {}, "labeled rows have weight 0"),
        (lambda y: 1.0 + y % 2 + np.arange(len(y)) % 3, {"classifier": KNeighborsClassifier()}, "takes no sample_weight"),
    ],
)
def test_bad_weights_raise_an_error(function, weights, common, message):
    X, y, _ = small_problem(0)
    with pytest.raises(ValueError, match=message):
        function(X, y, sample_weight=weights(y), **common)
