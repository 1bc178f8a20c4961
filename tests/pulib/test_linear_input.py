"""What the linear classifiers make of a prior that is nearly 0, and what they say to bad input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from pulib.linear import OnlinePUClassifier, UnbiasedPUClassifier


@pytest.mark.parametrize("cls", [OnlinePUClassifier, UnbiasedPUClassifier])
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": 0}, "'alpha' parameter"),
        ({"loss": "hinge"}, "'loss' parameter"),
    ],
)
def test_bad_parameters_are_named(cls, params, message):
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1] * 3)
    with pytest.raises(ValueError, match=message):
        cls(**params).fit(X, y)


@pytest.mark.parametrize("params", [{"batch_size": 0}, {"batch_size": 1.5}, {"inner_steps": 0}])
def test_bad_stream_parameters_are_named(params):
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1] * 3)
    with pytest.raises(ValueError, match=f"'{next(iter(params))}' parameter"):
        OnlinePUClassifier(prior=0.3, **params).fit(X, y)


@pytest.mark.parametrize("estimator", [OnlinePUClassifier(prior=0.4, random_state=0), UnbiasedPUClassifier(prior=0.4)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_default_penalty_fits_the_rows_and_the_scale_of_the_features(estimator, form):
    rng = np.random.default_rng(0)
    truth = np.r_[np.ones(200, bool), rng.random(600) < 0.4]
    X, y = rng.normal(size=(800, 4)) + np.where(truth, 1.0, -1.0)[:, None], np.r_[np.ones(200), np.zeros(600)]
    clf = clone(estimator).fit(form(X), y)
    expected = 0.1 * (1 + np.mean((X**2).sum(axis=1))) * (0.4 / np.sqrt(200) + 0.5 / np.sqrt(600))
    assert clf.alpha_ == pytest.approx(expected)
    if estimator.__class__ is UnbiasedPUClassifier:
        large = clone(estimator).set_params(fit_intercept=False).fit(form(1e4 * X), y)
        small = clone(estimator).set_params(fit_intercept=False, alpha=large.alpha_ / 1e8).fit(form(X), y)
        np.testing.assert_allclose(1e4 * large.coef_, small.coef_, rtol=1e-2)
    assert clf.set_params(alpha=0.3).fit(form(X), y).alpha_ == 0.3


def test_a_stream_keeps_the_penalty_of_its_first_call():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), np.arange(400) % 4 == 0
    stream = OnlinePUClassifier(prior=0.3).partial_fit(X[:50], y[:50])
    first = stream.alpha_
    assert first == pytest.approx(0.1 * (1 + np.mean((X[:50] ** 2).sum(axis=1))) * (0.3 + 0.5) / np.sqrt(1000))
    assert stream.partial_fit(10 * X[50:], y[50:]).alpha_ == first
    assert stream.set_params(alpha=0.5).partial_fit(X, y).alpha_ == 0.5
