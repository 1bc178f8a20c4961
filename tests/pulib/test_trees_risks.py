"""Closed forms of the risks against minimization over v, and the paper's theorem and propositions on random inputs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulib._trees._risks import LOSSES, RISKS, minimum_risk
from tests.pulib.naive.trees import LOSS, closed_form, minimum_by_search, partial_risk

COUNTS = st.integers(0, 40)
WEIGHTS = st.tuples(st.floats(1e-3, 2.0), st.floats(1e-3, 2.0))


def fast(risk, loss, w_p, w_n):
    return minimum_risk(RISKS.index(risk), LOSSES.index(loss), w_p, w_n)


def node_weights(risk, n_p, n_u, weights):
    """W_p and W_n of a node; where all rows are labeled, W_n is the negatives' own weight."""
    w_p = n_p * weights[0]
    return w_p, n_u * weights[0] if risk == "pn" else n_u * weights[1] - w_p


def assert_close(a, b, scale):
    if math.isinf(a) or math.isinf(b):
        assert a == b
    else:
        assert abs(a - b) <= 1e-7 * scale


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("loss", LOSSES)
@settings(deadline=None, max_examples=40)
@given(n_p=COUNTS, n_u=COUNTS, weights=WEIGHTS)
def test_closed_forms_are_the_minima(risk, loss, n_p, n_u, weights):
    if n_p + n_u == 0:
        return  # no such node
    w_p, w_n = node_weights(risk, n_p, n_u, weights)
    scale = w_p + abs(w_n)
    if risk == "upu" and -0.05 * w_p < w_n < 0.0 and loss in ("quadratic", "logistic"):
        return  # runs away too slowly for a search
    if risk == "upu" and loss == "quadratic" and 0 < w_p + w_n < 0.02 * w_p:
        return  # the minimum is beyond the search's range
    found = minimum_by_search(risk, loss, w_p, w_n)
    assert_close(fast(risk, loss, w_p, w_n), found, scale)
    assert_close(closed_form(risk, loss, w_p, w_n), found, scale)


@settings(deadline=None, max_examples=100)
@given(n_p=COUNTS, n_n=COUNTS)
def test_theorem_1(n_p, n_n):
    """Risk = 2 |S| w Gini, |S| w entropy."""
    if n_p + n_n == 0:
        return
    n, q = 100.0, n_p / (n_p + n_n)
    size = (n_p + n_n) / n
    gini = 1 - q**2 - (1 - q) ** 2
    entropy = -sum(p * math.log(p) for p in (q, 1 - q) if p > 0)
    np.testing.assert_allclose(fast("pn", "quadratic", n_p / n, n_n / n), 2 * size * gini, atol=1e-14)
    np.testing.assert_allclose(fast("pn", "logistic", n_p / n, n_n / n), size * entropy, atol=1e-14)


@settings(deadline=None, max_examples=100)
@given(n_p=COUNTS, n_u=COUNTS, weights=WEIGHTS)
def test_propositions_1_and_2_by_cases_of_v(n_p, n_u, weights):
    if n_p + n_u == 0:
        return
    w_p, w_n = node_weights("upu", n_p, n_u, weights)
    for loss in ("quadratic", "logistic"):
        upu, nnpu = fast("upu", loss, w_p, w_n), fast("nnpu", loss, w_p, w_n)
        if n_u == 0:
            assert (upu, nnpu) == (-math.inf, 0.0)
        elif w_n < 0:  # v* > 1
            assert nnpu == 0.0
            assert upu == -math.inf if loss == "logistic" else upu < 0.0
        else:
            assert upu == nnpu
            assert upu >= 0.0


@settings(deadline=None, max_examples=100)
@given(n_p=COUNTS, n_u=COUNTS, weights=WEIGHTS)
def test_proposition_3(n_p, n_u, weights):
    """Savage and quadratic agree wherever W_n >= 0, and for the non-negative estimator everywhere."""
    for risk in RISKS:
        w_p, w_n = node_weights(risk, n_p, n_u, weights)
        if n_p + n_u and (w_n >= 0 or risk == "nnpu"):
            assert fast(risk, "savage", w_p, w_n) == fast(risk, "quadratic", w_p, w_n)


@pytest.mark.parametrize("loss", LOSSES)
@settings(deadline=None, max_examples=60)
@given(n_p=COUNTS, n_u=COUNTS, weights=WEIGHTS)
def test_proposition_4(loss, n_p, n_u, weights):
    """Of -1 and +1 the better prediction is +1 exactly where v* > 1/2."""
    w_p, w_n = node_weights("upu", n_p, n_u, weights)
    if n_p + n_u == 0 or abs(w_p - w_n) < 1e-9:
        return
    v = math.inf if n_u == 0 else w_p / (w_p + w_n)
    for risk in ("upu", "nnpu"):
        better = partial_risk(+1, risk, loss, w_p, w_n) < partial_risk(-1, risk, loss, w_p, w_n)
        assert better == (v > 0.5)


@settings(deadline=None, max_examples=100)
@given(n_p=COUNTS, n_u=COUNTS, weights=WEIGHTS)
def test_proposition_5(n_p, n_u, weights):
    w_p, w_n = node_weights("upu", n_p, n_u, weights)
    if n_p + n_u:
        assert fast("upu", "sigmoid", w_p, w_n) == min(w_p, w_n)
        assert fast("nnpu", "sigmoid", w_p, w_n) == min(w_p, max(0.0, w_n))


@pytest.mark.parametrize("loss", LOSSES)
@settings(deadline=None, max_examples=60)
@given(left=st.tuples(COUNTS, COUNTS), right=st.tuples(COUNTS, COUNTS), weights=WEIGHTS)
def test_unbiased_risk_never_grows_by_a_split(loss, left, right, weights):
    """The unbiased partial risk is additive, so that splitting can only lower its minimum (section 3.2)."""
    if sum(left) == 0 or sum(right) == 0:
        return
    parts = [node_weights("upu", *part, weights) for part in (left, right)]
    whole = tuple(np.sum(parts, axis=0))
    split = sum(fast("upu", loss, *part) for part in parts)
    assert split <= fast("upu", loss, *whole) + 1e-9
    for v in (-1.3, 0.2, 2.0):
        non_negative = sum(partial_risk(v, "nnpu", loss, *part) for part in parts)
        assert non_negative >= partial_risk(v, "nnpu", loss, *whole) - 1e-9
    assert set(LOSS) == set(LOSSES)
