"""Sums over pairs, losses and their derivatives, against the paper's formulas taken literally."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pulib.expansion._boost import Guess, JointRows, newton_step
from pulib.expansion._losses import ListedLoss
from pulib.expansion._ranked_pairs import RankedRows
from pulib.kernels import RankedLoss
from studies.pces.readings import SGBDotaClassifier as Reading
from tests.pulib.naive import expansion as naive

SPREADS = st.sampled_from([0.0, 1e-12, 1e-6, 1e-2, 1.0, 3.99, 4.01, 37.0, 1e3, 1e6])


def draw_rows(seed, n, n_ranks, spread, shift=0.0):
    rng = np.random.default_rng(seed)
    f = shift + spread * rng.random(n)
    return f, rng.integers(0, n_ranks, n).astype(float), rng.normal(size=(n, 2))


@settings(max_examples=30)
@given(
    st.integers(0, 99),
    st.integers(1, 20),
    st.integers(1, 8),
    st.sampled_from([0.0, 1e-12, 1.0, 40.0, 600.0]),
    st.integers(0, 2),
)
def test_exact_sums_are_the_pairs_added_up(seed, n, n_ranks, spread, derivative):
    f, scores, weights = draw_rows(seed, n, n_ranks, spread)
    got = RankedRows(scores).sums(f, weights, derivative, "exact")
    for ours, theirs in zip(got, naive.ranked_sums(f, scores, weights, derivative), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


@settings(max_examples=50)
@given(
    st.integers(0, 999), st.integers(1, 300), st.integers(1, 300), SPREADS, st.sampled_from([0.0, -3.0, 1e3]), st.integers(0, 2)
)
def test_fast_sums_agree_with_the_exact_ones(seed, n, n_ranks, spread, shift, derivative):
    f, scores, weights = draw_rows(seed, n, n_ranks, spread, shift)
    rows = RankedRows(scores)
    exact = rows.sums(f, weights, derivative, "exact")
    fast = rows.sums(f, weights, derivative, "fast")
    for a, b in zip(exact, fast, strict=True):
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-11 * max(1.0, np.abs(weights).sum()))


def test_sums_do_not_depend_on_the_number_of_threads():
    f, scores, weights = draw_rows(0, 700, 50, 5.0)
    rows = RankedRows(scores)
    one, three = (rows.sums(f, weights, 1, "exact", n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one, three)


def make_losses(seed=0, n=14):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, n).astype(float)
    positive = rng.random(n) < 0.4
    positive[:2] = True, False
    k = naive.signs(scores)
    f = rng.normal(size=n)
    return f, positive, scores, k


@pytest.mark.parametrize("method", ["exact", "fast"])
def test_losses_and_residuals_are_eq_4_to_8(method):
    f, positive, scores, k = make_losses()
    auc, preference = RankedLoss.auc(positive, method), RankedLoss.preference(scores, method)
    listed = ListedLoss.from_matrix(sparse.csr_array(k))
    assert auc.value(f) == pytest.approx(naive.auc_loss(f, positive), abs=1e-13)
    n_pairs = positive.sum() * (~positive).sum()
    np.testing.assert_allclose(-auc.gradient(f), naive.auc_residuals(f, positive) / n_pairs, atol=1e-13)
    np.testing.assert_allclose(-auc.gradient(f), -naive.numerical_gradient(lambda x: naive.auc_loss(x, positive), f), atol=1e-9)
    for loss in (preference, listed):
        assert loss.value(f) == pytest.approx(naive.preference_loss(f, k), abs=1e-13)
        np.testing.assert_allclose(-loss.gradient(f), 2 / len(f) ** 2 * naive.preference_residuals(f, k), atol=1e-13)
        numerical = naive.numerical_gradient(lambda x: naive.preference_loss(x, k), f)
        np.testing.assert_allclose(loss.gradient(f), numerical, atol=1e-9)


def test_hessian_products_are_the_gradient_differentiated():
    f, positive, scores, k = make_losses(1)
    V = np.random.default_rng(5).normal(size=(len(f), 3))
    h = 1e-5
    for loss in (RankedLoss.auc(positive), RankedLoss.preference(scores), ListedLoss.from_matrix(sparse.csr_array(k))):
        numerical = np.column_stack([(loss.gradient(f + h * v) - loss.gradient(f - h * v)) / (2 * h) for v in V.T])
        np.testing.assert_allclose(loss.hessian_product(f, V), numerical, atol=1e-9)


def test_newton_step_solves_eq_9():
    f, positive, scores, k = make_losses(2)
    H = np.random.default_rng(7).normal(size=(len(f), 2))
    joint = JointRows(np.arange(len(f)), (RankedLoss.auc(positive), RankedLoss.preference(scores)))
    weights, start = (1.0, 0.3), np.array([1.0, 0.3])

    def objective(beta):
        return naive.auc_loss(f + H @ beta, positive) + 0.3 * naive.preference_loss(f + H @ beta, k)

    delta = newton_step(joint, weights, f, H, start)
    G = naive.numerical_gradient(objective, start, 1e-4)
    J = naive.numerical_hessian(objective, start)
    np.testing.assert_allclose(J @ delta, -G, atol=1e-4 * np.abs(G).max())
    guess = Guess(start, f, H, joint)
    found = {step: Reading(step=step)._weigh_learners(guess) for step in ("newton", "printed", "initial", "damped")}
    np.testing.assert_allclose(found["newton"], start + delta)
    np.testing.assert_allclose(found["printed"], start - delta)
    np.testing.assert_array_equal(found["initial"], start)
    assert objective(found["damped"]) <= objective(start)


def test_a_line_search_keeps_the_ratio_of_the_weights_and_does_not_raise_the_loss():
    f, positive, scores, k = make_losses(6)
    joint = JointRows(np.arange(len(f)), (RankedLoss.auc(positive), RankedLoss.preference(scores)))
    start = np.array([1.0, 0.3])

    def objective(beta, H):
        return naive.auc_loss(f + H @ beta, positive) + 0.3 * naive.preference_loss(f + H @ beta, k)

    H = np.random.default_rng(10).normal(size=(len(f), 2))
    found = Reading(step="search")._weigh_learners(Guess(start, f, H, joint))
    assert found[1] == pytest.approx(0.3 * found[0])
    lengths = np.linspace(0, 10, 2001)
    assert objective(found, H) <= min(objective(length * start, H) for length in lengths) + 1e-3
    # learners that rank without a fault: the loss falls forever, and the search ends at its bound
    faultless = np.column_stack([positive.astype(float), scores])
    alone = Guess(np.array([1.0, 0.0]), np.zeros(len(f)), faultless, JointRows(joint.rows, (joint.losses[0], None)))
    found = Reading(step="search")._weigh_learners(alone)
    assert found[0] == pytest.approx(10.0, abs=0.02)
