"""Weights of rows: equal ones change nothing, whole ones are rows that are repeated, zeros are rows that are left out."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from pulib import AdaPUClassifier, UnbiasedPUClassifier
from pulib.boosting._held_out import hold_out
from pulib.metrics import pu_risk
from tests.pulib.naive.boosting import NaiveAdaPU
from tests.pulib.naive.linear import loss as pu_loss
from tests.pulib.test_boosting import follow, make_problem, quiet_fit

paper_adapu = partial(AdaPUClassifier, 10, prior=0.4, learning_rate=1.0, n_iter_no_change=None, random_state=0)
linear = partial(UnbiasedPUClassifier, prior=0.4, alpha=0.1, tol=1e-12, random_state=0)
LEARNERS = {
    "Ada-PU": paper_adapu,
    "Ada-PU, best": partial(paper_adapu, splitter="best"),
    "Ada-PU, one sample": partial(paper_adapu, scenario="one_sample", prior=0.5),
    **{f"linear, {loss}": partial(linear, loss=loss) for loss in ("square", "logistic", "double_hinge")},
    "linear, one sample": partial(linear, scenario="one_sample", prior=0.5),
}
CLOSE = {"rtol": 1e-6, "atol": 1e-9}


@pytest.fixture(params=LEARNERS)
def learner(request):
    return LEARNERS[request.param]


def weighted_problem(seed=0):
    X, y = make_problem(seed)
    return X, y, np.random.default_rng(seed).integers(0, 4, len(y))


def scores(model, X):
    return model.decision_function(X)


def test_equal_weights_are_none(learner):
    X, y, _ = weighted_problem()
    expected = scores(learner().fit(X, y), X)
    for equal in (1.0, 3.0):
        np.testing.assert_allclose(scores(learner().fit(X, y, sample_weight=equal), X), expected, **CLOSE)


def test_whole_weights_are_repeated_rows_and_zeros_are_rows_left_out(learner):
    X, y, weights = weighted_problem()
    repeated = np.repeat(np.arange(len(y)), weights)
    expected = scores(learner().fit(X[repeated], y[repeated]), X)
    np.testing.assert_allclose(scores(learner().fit(X, y, sample_weight=weights), X), expected, **CLOSE)
    kept = weights > 0
    expected = scores(learner().fit(X[kept], y[kept]), X)
    np.testing.assert_allclose(scores(learner().fit(X, y, sample_weight=kept.astype(float)), X), expected, **CLOSE)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (lambda y: np.where(y == 1, -1.0, 1.0), "[Nn]egative values"),
        (lambda y: np.where(y == 1, np.nan, 1.0), "contains NaN"),
        (lambda y: np.where(y == 1, np.inf, 1.0), "contains infinity"),
        (lambda y: y, "sample_weight: all 120 unlabeled rows have weight 0"),
        (lambda y: 1 - y, "sample_weight: all 20 labeled rows have weight 0"),
        (lambda y: np.ones(len(y) - 1), "sample_weight.shape"),
    ],
)
def test_bad_weights_are_refused(learner, weights, message):
    X, y, _ = weighted_problem()
    with pytest.raises(ValueError, match=message):
        learner().fit(X, y, sample_weight=weights(y))


@settings(deadline=None, max_examples=20)
@given(
    seed=st.integers(0, 2**31),
    options=st.fixed_dictionaries(
        {
            "splitter": st.sampled_from(["random", "best"]),
            "scenario": st.sampled_from(["two_sample", "one_sample"]),
            "learning_rate": st.sampled_from([0.1, 1.0]),
        }
    ),
)
def test_weighted_rounds_of_ada_pu_are_the_naive_ones(seed, options):
    X, y = make_problem(seed)
    weights = np.random.default_rng(seed).gamma(1.0, size=len(y))
    model = paper_adapu().set_params(random_state=seed, **options)
    quiet_fit(model, X, y, weights)
    follow(model, X, y, 0.4, NaiveAdaPU(X, y == 1, 0.4, model.scenario, weights))


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
def test_ada_pu_stops_by_the_weighted_risk(scenario):
    """That of the rows held out, each as often as it counts."""
    X, y, _ = weighted_problem()
    weights = 1 + np.arange(len(y)) % 3
    model = quiet_fit(AdaPUClassifier(8, prior=0.5, scenario=scenario, random_state=0), X, y, weights)
    held_out = hold_out(y == 1, 0.1, 0)
    repeated = np.repeat(np.flatnonzero(held_out), weights[held_out])
    for stage, risk in zip(model.staged_decision_function(X[repeated]), model.held_out_risks_, strict=False):
        expected = pu_risk(y[repeated], stage, prior=0.5, risk="nnpu", scenario=scenario)
        assert risk == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
@pytest.mark.parametrize("loss", ["square", "logistic", "double_hinge"])
def test_the_weighted_linear_risk_is_minimal(form, scenario, loss):
    """Minimized by scipy, as it reads."""
    X, y, _ = weighted_problem(3)
    counts = np.random.default_rng(3).gamma(1.0, size=len(y))
    Z = np.column_stack([X, np.ones(len(y))])
    population = (y == 0) | (scenario == "one_sample")

    def risk(w):
        labeled = np.average(Z[y == 1] @ w, weights=counts[y == 1])
        losses = pu_loss(-Z[population] @ w, loss)
        return -0.4 * labeled + np.average(losses, weights=counts[population]) + 0.05 * w @ w

    model = linear(loss=loss, scenario=scenario, tol=1e-9).fit(form(X), y, sample_weight=counts)
    assert model.objective_ == pytest.approx(risk(np.append(model.coef_, model.intercept_)), abs=1e-12)
    assert model.objective_ <= minimize(risk, np.zeros(5), method="Powell", options={"xtol": 1e-9, "ftol": 1e-14}).fun + 1e-6


def test_a_fitting_penalty_counts_rows_by_their_effective_number():
    X, y, _ = weighted_problem()
    auto = partial(UnbiasedPUClassifier, prior=0.4)
    plain = auto().fit(X, y).alpha_
    assert auto().fit(X, y, sample_weight=7.0).alpha_ == pytest.approx(plain)
    assert auto().fit(X, y, sample_weight=np.where(np.arange(len(y)) % 2, 1.0, 5.0)).alpha_ > 1.05 * plain
