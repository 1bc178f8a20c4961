"""Gradient boosting on the PU risk: derivatives, missing values, weights, and groups."""

import sys

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from pulib import PUGradientBoostingClassifier
from pulib.boosting._risk_trees import PURisk
from tests.pulib.test_reductions import clouds

pytest.importorskip("xgboost")


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
@pytest.mark.parametrize("shift", [0.0, 4.0])
def test_gradient_matches_the_risk(scenario, shift):
    """Where the risk of negatives is positive, and where it is clipped at zero."""
    rng = np.random.default_rng(1)
    positive, weights = np.arange(12) < 5, rng.uniform(0.5, 2.0, 12)
    scores = rng.normal(size=12) + np.where(positive, shift, -shift)
    risk = PURisk(positive, weights, 0.45, scenario)
    assert (risk.negative_part(scores) > 0) == (shift == 0)
    gradient, curvature = risk.derivatives(scores)
    np.testing.assert_allclose(gradient, approx_fprime(scores, risk.value, 1e-7), atol=1e-6)
    assert (curvature > 0).all()
    if shift:
        assert not gradient[~positive].any()


def test_missing_values_and_held_out_scores():
    X, y, truth = clouds(300, 600, distance=2.4)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = PUGradientBoostingClassifier(30, prior=0.4, random_state=0).fit(X, y)
    assert model.score(X, truth) > 0.93
    assert np.mean(model.oob_decision_function_[y == 0] > 0) == pytest.approx(0.4, abs=0.01)
    with pytest.raises(ValueError, match=r"values as large as 1e\+39; PUGradientBoosting.* single precision"):
        model.predict(np.full(X.shape, 1e39))


def test_weights_and_groups_reach_the_folds():
    X, y, _ = clouds(300, 600, distance=2.4)
    weights, groups = np.where(np.arange(len(y)) % 7 == 0, 0.0, 1.0), np.arange(len(y)) // 2
    model = PUGradientBoostingClassifier(20, prior=0.4, random_state=0).fit(X, y, sample_weight=weights, groups=groups)
    assert np.array_equal(np.isnan(model.oob_decision_function_), weights == 0)
    kept = weights > 0
    again = PUGradientBoostingClassifier(20, prior=0.4, random_state=0).fit(X[kept], y[kept], groups=groups[kept])
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()


def test_error_without_xgboost_names_the_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    X, y, _ = clouds(30, 60)
    with pytest.raises(ImportError, match=r"PUGradientBoostingClassifier needs xgboost, .*pip install -e '\.\[boosting\]'"):
        PUGradientBoostingClassifier(prior=0.4).fit(X, y)
