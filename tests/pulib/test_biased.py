"""SAR-EM against a naive implementation, features of the propensity for SAR-EM and LBE, and unidentified labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import expit
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from pulib import BiasedPUClassifier, LabelingBiasPUClassifier
from pulib.biased._em import posterior_of_positive
from pulib.exceptions import PUWarning
from tests.pulib.naive.biased import naive_sar_em


def biased_labels(n=1500, seed=0):
    """Two overlapping clouds; whether a positive is labeled depends on feature 1, which differs a little between classes."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    X = rng.normal(size=(n, 3)) + truth[:, None] * np.array([2.0, 1.0, 1.0])
    propensity = expit(3.0 * (X[:, 1] - 1.0))
    return X, (truth & (rng.random(n) < propensity)).astype(int), truth, propensity


def test_agrees_with_the_naive_implementation():
    n_iter = 4
    X, y, _, _ = biased_labels(60)
    model = BiasedPUClassifier(
        LogisticRegression(), propensity_estimator=LogisticRegression(), propensity_features=[1], max_iter=n_iter, tol=0
    )
    with pytest.warns(ConvergenceWarning, match=f"after max_iter={n_iter}"):
        model.fit(X, y)
    f, e = naive_sar_em(X, y, [1], n_iter)
    assert_allclose(model.predict_proba(X)[:, 1], f, atol=1e-4)
    assert_allclose(model.predict_propensity(X), e, atol=1e-4)
    assert model.prior_ == pytest.approx(f.mean(), abs=1e-4)
    assert model.label_frequency_ == pytest.approx(np.average(e, weights=f), abs=1e-4)
    likelihood = np.where(y == 1, np.log(f * e), np.log1p(-f * e)).mean()
    assert model.log_likelihoods_[-1] == pytest.approx(likelihood, abs=1e-4)


@pytest.mark.parametrize("rows", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(
    ("model", "atol"),
    [
        (BiasedPUClassifier(propensity_features=[1], max_iter=5, tol=1.0), 5e-3),  # depends on lbfgs's steps
        (LabelingBiasPUClassifier((5,), propensity_features=[1], random_state=0), 1e-8),
    ],
)
def test_integer_weights_equal_repeated_rows_dense_or_sparse(model, atol, rows):
    """Features are standardized by their weighted moments, and sparse rows as if they were centered."""
    X, y, _, _ = biased_labels(200)
    weights = np.random.default_rng(0).integers(0, 4, 200)
    repeated = np.repeat(np.arange(200), weights)
    expected = clone(model).fit(X[repeated], y[repeated]).decision_function(X)
    for same in (rows(X), rows(2 * X + 3)):
        assert_allclose(model.fit(same, y, sample_weight=weights).decision_function(same), expected, atol=atol)


def test_single_propensity_is_the_labeled_share_of_expected_positives():
    X, _, truth, _ = biased_labels(400)
    y = truth & (np.random.default_rng(1).random(len(truth)) < 0.5)
    never = KNeighborsClassifier(len(X) + 1)  # a propensity model that cannot be fitted
    model = BiasedPUClassifier(propensity_features=[], propensity_estimator=never).fit(X, y)
    f, e = model.predict_proba(X)[:, 1], model.predict_propensity(X)
    assert np.ptp(e) == 0
    assert_allclose(e[0], y.sum() / posterior_of_positive(f, e, y).sum(), atol=1e-3)


def test_frames_and_sparse_matrices_give_the_same_scores():
    pd = pytest.importorskip("pandas")
    X, y, _, _ = biased_labels(100)
    linear = {"estimator": LogisticRegression(), "propensity_estimator": LogisticRegression(), "tol": 1e-2}
    expected = BiasedPUClassifier(**linear, propensity_features=[1]).fit(X, y).predict_proba(X)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    assert_allclose(BiasedPUClassifier(**linear, propensity_features=["b"]).fit(frame, y).predict_proba(frame), expected)
    with config_context(transform_output="pandas"):
        found = LabelingBiasPUClassifier(propensity_features=["b"], random_state=0).fit(frame, y).predict_proba(frame)
    assert_allclose(LabelingBiasPUClassifier(propensity_features=[1], random_state=0).fit(X, y).predict_proba(X), found)
    rows = sparse.csr_matrix(X)
    assert_allclose(BiasedPUClassifier(**linear, propensity_features=[1]).fit(rows, y).predict_proba(rows), expected, atol=1e-4)
    halves = sparse.csr_matrix((np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr), rows.shape)
    once, twice = (LabelingBiasPUClassifier(random_state=0).fit(part, y).predict_proba(X) for part in (rows, halves))
    assert_allclose(once, twice)


@pytest.mark.parametrize(
    ("params", "rows", "message"),
    [
        ({"propensity_features": ["age"]}, np.asarray, r"propensity_features=\['age'\] are not columns of X, which has 3"),
        ({"hidden_layer_sizes": (5, 0)}, np.asarray, r"hidden_layer_sizes=\(5, 0\); expected positive integers"),
        ({}, lambda X: pytest.importorskip("pandas").DataFrame(X).replace(X[9, 0], np.nan), "Input X contains NaN"),
        ({}, lambda X: X * 1e160, r"LabelingBiasPUClassifier needs their squares"),
    ],
)
def test_bad_input_raises_an_error(params, rows, message):
    X, y, _, _ = biased_labels(50)
    with pytest.raises(ValueError, match=message):
        LabelingBiasPUClassifier(**params).fit(rows(X), y)


def test_labels_at_random_are_not_identified_without_a_constraint():
    """Both models may then share the label frequency in any way, and `fit` warns; given the constraint, it is found."""
    rng = np.random.default_rng(0)
    truth = rng.random(3000) < 0.5
    X = rng.normal(size=(3000, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    y = truth & (rng.random(3000) < 0.3)
    with pytest.warns(PUWarning, match="LabelingBiasPUClassifier: labels identify only the product"):
        free = LabelingBiasPUClassifier(random_state=0).fit(X, y)
    constrained = LabelingBiasPUClassifier(propensity_features=[], random_state=0).fit(X, y)
    assert abs(constrained.label_frequency_ - 0.3) < 0.05
    assert abs(constrained.prior_ - 0.5) < 0.05
    assert free.log_likelihoods_[-1] > constrained.log_likelihoods_[-1] - 2e-3  # explains the labels as well
