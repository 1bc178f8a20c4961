"""One sample whose labels are censored: every risk is unbiased, and estimators get better, not worse, with more labels."""

import inspect

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KernelDensity

from pulib._threshold import PriorThresholdMixin
from pulib.kernels import SampleWeights
from pulib.linear._problem import Problem
from pulib.utils import all_estimators

CLASSES = {name: cls for name, cls in all_estimators() if "scenario" in inspect.signature(cls.__init__).parameters}
#: By class, what its risk is not that of: the scenario says where scores are cut, or calibrated.
CUTS = {name for name, cls in CLASSES.items() if issubclass(cls, PriorThresholdMixin)}
CUTS |= {"CVIRClassifier", "DEDPULClassifier", "ElkanNotoClassifier", "PUCalibratedClassifier"}
#: VPU minimizes no PU risk; the batch solver's problem is tested below; the stream approaches its solution
#: (tests/pulib/test_linear_online.py).
OTHERWISE = {"UnbiasedPUClassifier", "OnlinePUClassifier", "VariationalPUClassifier"}
FEW_ROUNDS = {"n_estimators": 4}  # each fit is six of them, of which five are for the threshold
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
    assert accuracies[1] > max(0.85, accuracies[0] - 0.03)


def tree_weights(cls, y, scenario):
    """By how much each row counts as positive and as negative in the risk of a fixed tree."""
    positive = y == 1
    rule = cls(prior=PRIOR, scenario=scenario)._make_rule(PRIOR, int(positive.sum()), int((~positive).sum()), 1)
    as_positive = rule.weight_positive * positive
    return rule.weight_unit * as_positive, rule.weight_unit * (~positive + rule.weight_joined * positive - as_positive)


def boosting_weights(cls, y, scenario):
    first = np.argsort(y == 0, kind="stable")  # labeled rows come first there
    n_labeled = int((y == 1).sum())
    weights = SampleWeights.initial(PRIOR, n_labeled, len(y), scenario)
    as_positive, as_negative = np.zeros(len(y)), np.zeros(len(y))
    as_positive[first[:n_labeled]] = weights.as_positive[:n_labeled]
    as_negative[first] = weights.as_negative[: len(y)]
    return as_positive, as_negative


def network_weights(cls, y, scenario):
    P, U = cls(prior=PRIOR, scenario=scenario)._sampled_from(y == 1)
    as_positive = np.bincount(P, minlength=len(y)) * PRIOR / len(P)
    return as_positive, np.bincount(U, minlength=len(y)) / len(U) - as_positive


WEIGHTS = {
    "AdaPUClassifier": boosting_weights,
    "NeuralPUClassifier": network_weights,
    "PUDecisionTreeClassifier": tree_weights,
    "PUExtraTreesClassifier": tree_weights,
    "SelfPUClassifier": network_weights,
}


def censored_scores(rng, n=400, label_frequency=0.5):
    """True classes, scores of a fixed classifier that is often wrong, and censored labels."""
    truth = rng.random(n) < PRIOR
    return truth, rng.normal(size=n) + np.where(truth, 0.7, -0.7), (truth & (rng.random(n) < label_frequency)).astype(int)


def zero_one(z):
    return (z <= 0).astype(float)


def sigmoid(z):
    return 1 / (1 + np.exp(z))


def bias_in_standard_errors(risks, truths):
    difference = np.array(risks) - np.array(truths)  # of the same sample: its own noise cancels
    return np.mean(difference) / (np.std(difference, ddof=1) / np.sqrt(len(difference)))


@pytest.mark.parametrize("loss", [zero_one, sigmoid], ids=["zero_one", "sigmoid"])
@pytest.mark.parametrize("name", [name for name in CLASSES if name not in {*OTHERWISE, *CUTS}])
def test_risk_is_unbiased_on_censored_data(name, loss):
    rng = np.random.default_rng(3)
    found = {"one_sample": [], "two_sample": []}
    truths = []
    for _ in range(200):
        truth, scores, y = censored_scores(rng)
        truths.append(np.mean(loss(np.where(truth, scores, -scores))))
        for scenario, risks in found.items():
            as_positive, as_negative = WEIGHTS[name](CLASSES[name], y, scenario)
            risks.append(as_positive @ loss(scores) + as_negative @ loss(-scores))
    assert abs(bias_in_standard_errors(found["one_sample"], truths)) < 4
    # the test can fail: read as two samples, the same data give a biased risk
    assert abs(bias_in_standard_errors(found["two_sample"], truths)) > 6


def test_convex_risk_is_unbiased_on_censored_data(monkeypatch):
    # the problem that the estimator hands to its solver, at fixed weights, estimates the double hinge of the true labels
    from pulib.linear import _unbiased

    seen = []
    solve = _unbiased.minimize_pu_risk

    def listen(problem, **options):
        seen.append(problem)
        return solve(problem, **options)

    monkeypatch.setattr(_unbiased, "minimize_pu_risk", listen)
    rng, w, alpha = np.random.default_rng(3), np.array([0.8, 0.1]), 0.5
    found = {"one_sample": [], "two_sample": []}
    truths = []
    for _ in range(150):
        truth, x, y = censored_scores(rng)
        margins = np.where(truth, 1, -1) * (w[0] * x + w[1])
        truths.append(np.mean(np.maximum(-margins, np.maximum(0, 0.5 - 0.5 * margins))))
        for scenario, risks in found.items():
            CLASSES["UnbiasedPUClassifier"](prior=PRIOR, scenario=scenario, alpha=alpha).fit(x[:, None], y)
            assert isinstance(seen[-1], Problem)
            risks.append(seen[-1].value(w) - 0.5 * alpha * w @ w)
    assert abs(bias_in_standard_errors(found["one_sample"], truths)) < 4
    assert abs(bias_in_standard_errors(found["two_sample"], truths)) > 8


def test_every_estimator_that_knows_the_scenario_has_its_risk_tested():
    assert set(CLASSES) <= {*WEIGHTS, *OTHERWISE, *CUTS}


def test_every_estimator_that_takes_a_prior_knows_the_scenario():
    takes_prior = {name for name, cls in all_estimators() if "prior" in inspect.signature(cls.__init__).parameters}
    assert takes_prior <= set(CLASSES)
