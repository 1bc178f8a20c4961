"""LIBLINEAR's class-weighted SVM: its optimum, and candidates of a search that share a path."""

import numpy as np
import pytest

from pulib import PUGridSearchCV, make_circle_noise
from studies.resvm.liblinear import ClassWeightedLinearSVC


@pytest.mark.parametrize(("penalties", "n_more"), [((3.0, 0.5), 0), ((100.0, 10.0), 200), ((0.1, 0.1), 0)])
def test_linear_machine_has_squared_slacks_and_no_bias(penalties, n_more):
    """Newton's step solves for the rows within the margin or for the features, whichever are fewer."""
    X, y = make_circle_noise(20, 60, random_state=2)
    X = np.hstack([X + 1.0, np.random.default_rng(2).normal(size=(80, n_more))])
    machine = ClassWeightedLinearSVC(C_positive=penalties[0], C_unlabeled=penalties[1]).fit(X, y)
    sign, penalty = np.where(y == 1, 1.0, -1.0), np.where(y == 1, *penalties)
    w = machine.coef_[0]
    slack = np.maximum(0.0, 1.0 - sign * (X @ w))
    # the gradient of |w|²/2 + Σ C ξ² is zero
    np.testing.assert_allclose(w, 2.0 * (penalty * slack * sign) @ X, atol=1e-9 * penalty.sum())
    np.testing.assert_allclose(machine.decision_function(X), X @ w)
    np.testing.assert_array_equal(machine.predict(X), (X @ w > 0).astype(int))


def test_candidates_of_the_linear_machine_share_a_path():
    X, y = make_circle_noise(30, 90, random_state=4)
    fold = np.arange(len(y)) % 5
    candidates = [{"C_positive": p, "C_unlabeled": u} for p in (10.0, 0.1, 1.0) for u in (0.1, 1.0)]
    shared = ClassWeightedLinearSVC()._predict_candidates(X, y == 1, fold, candidates, 2)
    for answers, candidate in zip(shared, candidates, strict=True):
        for f in range(5):
            alone = ClassWeightedLinearSVC(**candidate).fit(X[fold != f], y[fold != f])
            np.testing.assert_array_equal(answers[fold == f], alone.predict(X[fold == f]) == 1)
    search = PUGridSearchCV(ClassWeightedLinearSVC(), {"C_positive": [0.1, 1.0]}, cv=5, random_state=0).fit(X, y)
    assert search.shares_kernel_


def test_features_too_large_for_the_penalties_raise_an_error():
    X, y = make_circle_noise(20, 60, random_state=2)
    with pytest.raises(ValueError, match="leave no digits for the penalties; scale the features"):
        ClassWeightedLinearSVC(C_positive=1e9).fit(1e7 * np.hstack([X, X]), y)
