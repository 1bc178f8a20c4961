"""The linear classifiers under scikit-learn's own checks, and what they say to bad input."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulib.linear import OnlinePUClassifier, UnbiasedPUClassifier

ESTIMATORS = [
    OnlinePUClassifier(),
    OnlinePUClassifier(prior=0.1, loss="logistic", batch_size=0.05, inner_steps=3, stream_weighting="unbiased"),
    OnlinePUClassifier(prior=0.1, loss="square", alpha=0.1, batch_size=4),
    UnbiasedPUClassifier(),
    UnbiasedPUClassifier(prior=0.1, loss="logistic", basis="gaussian", n_basis=20),
    UnbiasedPUClassifier(prior=0.1, loss="square"),
]


@pytest.mark.jit("fits every estimator hundreds of times")
@parametrize_with_checks(ESTIMATORS)
def test_sklearn_checks(estimator, check):
    if estimator.prior is None and getattr(check, "func", check).__name__ == "check_classifiers_train":
        estimator.set_params(prior=0.1)  # the estimate is too low there for the accuracy that is asked for: see the next test
    check(estimator)


@pytest.mark.parametrize("estimator", [OnlinePUClassifier(random_state=0), UnbiasedPUClassifier(random_state=0)])
def test_without_positives_among_the_unlabeled_the_prior_is_nearly_0_and_believed(estimator):
    """Why a prior is given in check_classifiers_train: two clouds, one all labeled and the other without positives."""
    X, y = make_blobs(300, random_state=0)
    X, y = StandardScaler().fit_transform(X[y < 2]), y[y < 2]
    fitted = clone(estimator).fit(X, y)
    assert fitted.prior_ < 0.02  # the truth is 0
    told = clone(estimator).set_params(prior=0.1).fit(X, y)
    assert np.mean(fitted.predict(X) == 1) < np.mean(told.predict(X) == 1)  # what is labeled makes 0.5 of these rows
    assert np.mean(told.predict(X) == y) > 0.9


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
