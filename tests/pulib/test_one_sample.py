"""One censored sample: learners that cut scores improve with more labels; tests/pulib/naive covers the risks of others."""

import inspect

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KernelDensity

from pulib._threshold import PriorThresholdMixin
from pulib.utils import all_estimators

CLASSES = {name: cls for name, cls in all_estimators() if "scenario" in inspect.signature(cls.__init__).parameters}
#: Classes whose risk ignores the scenario, which only decides where scores are cut or calibrated.
CUTS = {name for name, cls in CLASSES.items() if issubclass(cls, PriorThresholdMixin)}
CUTS |= {"CVIRClassifier", "DEDPULClassifier", "ElkanNotoClassifier", "PUCalibratedClassifier"}
FEW_ROUNDS = {"n_estimators": 4}  # each fit trains six models, five of them for the threshold
BASE = {"estimator": LogisticRegression()}
PARAMS = {
    **dict.fromkeys(["AUCBoostingClassifier", "GetEnsembleClassifier"], FEW_ROUNDS),
    **dict.fromkeys(["DEDPULClassifier", "ElkanNotoClassifier", "NaivePUClassifier"], BASE),
    **dict.fromkeys(["PUCalibratedClassifier", "PUThresholdClassifier", "TwoStepPUClassifier"], BASE),
    "SGBDotaClassifier": {**FEW_ROUNDS, "drop_fraction": 0.3},
    "OneClassPUClassifier": {"estimator": KernelDensity()},
    "CVIRClassifier": {"epochs": 20, "body_params": {"width": 40}},
}
PRIOR = 0.5


@pytest.mark.parametrize("name", sorted(CUTS))
def test_more_labels_do_not_hurt(name):
    rng = np.random.default_rng(0)
    truth = rng.random(1200) < PRIOR
    X = rng.normal(size=(1200, 4)) + np.where(truth, 0.9, -0.9)[:, None]
    train, draws = np.arange(1200) < 300, rng.random(1200)
    params = {"scenario": "one_sample", "prior": PRIOR, "n_estimators": 15, "random_state": 0, **PARAMS.get(name, {})}
    model = CLASSES[name]()
    model.set_params(**{key: value for key, value in params.items() if key in model.get_params(deep=False)})
    accuracies = []
    for label_frequency in (0.2, 0.8):
        model.fit(X[train], (truth & (draws < label_frequency))[train])
        accuracies.append(np.mean((model.predict(X[~train]) == 1) == truth[~train]))
        if hasattr(model, "predict_proba"):  # scikit-learn's scores of probabilities reject 1 + 2e-16
            assert 0 <= model.predict_proba(X).min() <= model.predict_proba(X).max() <= 1
    assert accuracies[1] > max(0.85, accuracies[0] - 0.03)


def test_every_estimator_with_a_prior_has_a_scenario():
    takes_prior = {name for name, cls in all_estimators() if "prior" in inspect.signature(cls.__init__).parameters}
    assert takes_prior <= set(CLASSES)
