"""LBE: a known propensity is recovered where it can be, and a warning says where it cannot."""

import numpy as np
import pytest
from scipy.special import expit

from pulib import (
    BiasedPUClassifier,
    LabelingBiasPUClassifier,
)
from pulib.exceptions import PUWarning


def biased_labels(n=3000, seed=0):
    """Classes by the first column, labeling by the second."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.5
    X = np.c_[rng.normal(size=n) + np.where(truth, 1.5, -1.5), rng.normal(size=n)]
    propensity = expit(1.5 * X[:, 1])
    return X, truth & (rng.random(n) < propensity), truth, propensity


@pytest.mark.parametrize(("sizes", "error"), [((), 0.05), ((8,), 0.2)])
def test_a_known_propensity_is_recovered(sizes, error):
    """By logistic models; a network of the class may take part of the labeling for its own."""
    X, y, truth, propensity = biased_labels()
    model = LabelingBiasPUClassifier(sizes, propensity_features=[1], max_iter=50, random_state=0).fit(X, y)
    assert np.mean(np.abs(model.predict_propensity(X) - propensity)) < error
    assert np.corrcoef(model.predict_propensity(X), propensity)[0, 1] > 0.95
    assert model.log_likelihoods_[-1] > model.log_likelihoods_[0]
    if sizes:
        return
    assert np.mean(model.predict(X) == truth) > 0.88
    assert abs(model.prior_ - 0.5) < 0.05


def test_its_fixed_point_is_that_of_sar_em():
    X, y, _, _ = biased_labels(1500)
    exact = BiasedPUClassifier(propensity_features=[1]).fit(X, y)
    steps = LabelingBiasPUClassifier(propensity_features=[1], random_state=0).fit(X, y)
    assert abs(exact.log_likelihoods_[-1] - steps.log_likelihoods_[-1]) < 2e-3
    assert np.mean(np.abs(exact.predict_proba(X) - steps.predict_proba(X))) < 0.05


def test_labels_at_random_are_not_identified_without_a_constraint():
    """Both models may then share the label frequency in any way, which a warning says; told so, it is found."""
    rng = np.random.default_rng(0)
    truth = rng.random(3000) < 0.5
    X = rng.normal(size=(3000, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    y = truth & (rng.random(3000) < 0.3)
    with pytest.warns(PUWarning, match="LabelingBiasPUClassifier: labels identify only the product"):
        free = LabelingBiasPUClassifier(random_state=0).fit(X, y)
    told = LabelingBiasPUClassifier(propensity_features=[], random_state=0).fit(X, y)
    assert abs(told.label_frequency_ - 0.3) < 0.05
    assert abs(told.prior_ - 0.5) < 0.05
    assert free.log_likelihoods_[-1] > told.log_likelihoods_[-1] - 2e-3  # as good an account of the labels
