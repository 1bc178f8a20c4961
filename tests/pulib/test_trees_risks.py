"""Closed forms of the risks against the paper's propositions, written out, and minimization over v."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulib._trees._risks import LOSSES, RISKS, minimum_risk
from tests.pulib.naive.trees import closed_form, minimum_by_search

COUNTS = st.integers(0, 40)
WEIGHTS = st.tuples(st.floats(1e-3, 2.0), st.floats(1e-3, 2.0))


def node_weights(risk, n_p, n_u, weights):
    """W_p and W_n of a node; where all rows are labeled, W_n is the negatives' own weight."""
    w_p = n_p * weights[0]
    return w_p, n_u * weights[0] if risk == "pn" else n_u * weights[1] - w_p


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=40)
@given(n_p=COUNTS, n_u=COUNTS, weights=WEIGHTS)
def test_closed_forms_are_the_minima(risk, loss, n_p, n_u, weights):
    """Those of the propositions, and what a search over v finds, where the minimum is not too far away."""
    if n_p + n_u == 0:
        return  # no such node
    w_p, w_n = node_weights(risk, n_p, n_u, weights)
    scale = w_p + abs(w_n)
    found = minimum_risk(RISKS.index(risk), LOSSES.index(loss), w_p, w_n)
    assert found == pytest.approx(closed_form(risk, loss, w_p, w_n), abs=1e-7 * scale)
    if risk == "upu" and -0.05 * w_p < w_n < 0.0 and loss in ("quadratic", "logistic"):
        return  # runs away too slowly for a search
    if risk == "upu" and loss == "quadratic" and 0 < w_p + w_n < 0.02 * w_p:
        return  # the minimum is beyond the search's range
    assert found == pytest.approx(minimum_by_search(risk, loss, w_p, w_n), abs=1e-7 * scale)
