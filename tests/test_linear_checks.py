"""The linear classifiers under scikit-learn's own checks, and what they say to bad input."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulib.linear import OnlinePUClassifier, UnbiasedPUClassifier

# The checks' unlabeled rows hold no positives, so that a prior far from 0 is wrong there.
ESTIMATORS = [
    OnlinePUClassifier(),
    OnlinePUClassifier(prior=0.1, loss="logistic", batch_size=0.05, inner_steps=3, stream_weighting="unbiased"),
    OnlinePUClassifier(prior=0.1, loss="square", alpha=0.1, batch_size=4),
    UnbiasedPUClassifier(),
    UnbiasedPUClassifier(prior=0.1, loss="logistic", basis="gaussian", n_basis=20),
    UnbiasedPUClassifier(prior=0.1, loss="square"),
]


NO_POSITIVES_TO_FIND = (
    "the check's unlabeled rows hold no positives; the estimated prior says so (about 0.01), and a classifier that believes it "
    "answers 'negative' more often than the check allows"
)


def expected_failures(estimator):
    return {"check_classifiers_train": NO_POSITIVES_TO_FIND} if estimator.prior is None else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_sklearn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("cls", [OnlinePUClassifier, UnbiasedPUClassifier])
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"prior": 1.0}, "'prior' parameter"),
        ({"prior": -0.1}, "'prior' parameter"),
        ({"alpha": 0}, "'alpha' parameter"),
        ({"loss": "hinge"}, "'loss' parameter"),
    ],
)
def test_bad_parameters_are_named(cls, params, message):
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1] * 3)
    with pytest.raises(ValueError, match=message):
        cls(**params).fit(X, y)


@pytest.mark.parametrize("params", [{"batch_size": 0}, {"batch_size": 1.5}, {"inner_steps": 0}, {"projection": "cube"}])
def test_bad_stream_parameters_are_named(params):
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1] * 3)
    with pytest.raises(ValueError, match=f"'{next(iter(params))}' parameter"):
        OnlinePUClassifier(prior=0.3, **params).fit(X, y)


@pytest.mark.parametrize("cls", [OnlinePUClassifier, UnbiasedPUClassifier])
def test_three_kinds_of_labels_are_refused(cls):
    with pytest.raises(ValueError, match="3 kinds of labels"):
        cls(prior=0.3).fit(np.arange(12.0).reshape(6, 2), [0, 1, 2, 0, 1, 2])
