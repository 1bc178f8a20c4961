"""One sample whose labels are censored: every estimator that knows the scenario gets better, not worse, with more labels."""

import inspect

import numpy as np
import pytest

from pulib.utils import all_estimators

CLASSES = {name: cls for name, cls in all_estimators() if "scenario" in inspect.signature(cls.__init__).parameters}
SMALLER = {"n_estimators": 30, "epochs": 20}
# full steps let boosting run after few rows, in any scenario
OF_CLASS = {"AdaPUClassifier": {"learning_rate": 0.02}}
PRIOR = 0.5


def accuracy(cls, scenario, label_frequency, seed):
    rng = np.random.default_rng(seed)
    truth = rng.random(1600) < PRIOR
    X = rng.normal(size=(1600, 4)) + np.where(truth, 0.9, -0.9)[:, None]
    train = np.arange(1600) < 600
    y = (truth & (rng.random(1600) < label_frequency)).astype(int)
    accepted = inspect.signature(cls.__init__).parameters
    params = {key: value for key, value in {**SMALLER, "random_state": 0}.items() if key in accepted}
    params |= OF_CLASS.get(cls.__name__, {})
    fitted = cls(prior=PRIOR, scenario=scenario, **params).fit(X[train], y[train])
    return np.mean((fitted.predict(X[~train]) == 1) == truth[~train])


@pytest.mark.parametrize("name", CLASSES)
def test_more_labels_do_not_hurt(name):
    few, many = (np.mean([accuracy(CLASSES[name], "one_sample", c, seed) for seed in range(2)]) for c in (0.2, 0.8))
    assert many > 0.85
    assert many > few - 0.02


def test_the_other_scenario_is_worse():
    # with most labels known, hardly a positive is left among the unlabeled: read as two samples, that contradicts the prior
    cls = CLASSES["PUExtraTreesClassifier"]
    right, wrong = (
        np.mean([accuracy(cls, scenario, 0.9, seed) for seed in range(2)]) for scenario in ("one_sample", "two_sample")
    )
    assert right > wrong
