"""Fast trees against naive trees, split by split, also with missing values; risks in closed form."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pulib._random import new_state
from pulib._trees._risks import LOSSES, RISKS, minimum_risk
from pulib.kernels import draw_seeds
from pulib.trees import PUDecisionTreeClassifier
from pulib.trees._base import n_candidate_features
from tests.pulib.naive.trees import NaiveTree, closed_form, minimum_by_search

FIELDS = {
    "children_left": "left",
    "children_right": "right",
    "feature": "feature",
    "threshold": "threshold",
    "n_labeled": "n_labeled",
    "n_unlabeled": "n_unlabeled",
    "value": "value",
    "missing_go_to_left": "to_left",
}


def make_problem(seed, n=120, d=6, dtype=np.float64, levels=None):
    """Overlapping classes, a constant feature, repeated rows, and labeled rows, most of which are also unlabeled rows."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.5
    X = rng.normal(size=(n, d)) + truth[:, None]
    if levels:
        X = np.clip(np.round(X * levels / 6 + levels / 2), 0, levels)
    X[:, d // 2] = 3.0
    labeled = np.flatnonzero(truth)[: max(1, truth.sum() // 4)]
    X = np.concatenate([np.delete(X, labeled[::3], axis=0), X[labeled]]).astype(dtype)
    y = (np.arange(len(X)) >= len(X) - len(labeled)).astype(int)
    order = rng.permutation(len(y))
    return X[order], y[order]


def assert_same_tree(a, b):
    for name, x, y in zip(a._fields, a, b, strict=True):
        np.testing.assert_array_equal(x, y, err_msg=name)


class InnerThresholds(PUDecisionTreeClassifier):
    """Draws thresholds from the range of the released code."""

    def _draws_inner_thresholds(self):
        return True


#: Missing values with all thresholds and, below, with drawn thresholds.
HOLES = {"seed": 8, "n": 90, "d": 5, "kind": (np.float64, None), "risk": "pn", "loss": "quadratic", "splitter": "best"}
HOLES |= {"scenario": "two_sample", "released": False, "prior": 0.5, "missing": 0.2, "n_constant": 0}
HOLES |= {"options": {"n_thresholds": 1, "max_depth": None, "min_samples_leaf": 1, "max_features": None}}


@example(**HOLES)
@example(**HOLES | {"risk": "nnpu", "splitter": "random"})
@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(4, 90),
    d=st.integers(1, 9),
    kind=st.sampled_from([(np.float64, None), (np.uint8, 4), (np.uint8, 255), (np.float64, 3)]),
    risk=st.sampled_from(RISKS),
    loss=st.sampled_from(LOSSES),
    splitter=st.sampled_from(["random", "best"]),
    scenario=st.sampled_from(["two_sample", "one_sample"]),
    released=st.booleans(),
    options=st.fixed_dictionaries(
        {
            "n_thresholds": st.integers(1, 4),
            "max_depth": st.sampled_from([None, 1, 3]),
            "min_samples_leaf": st.integers(1, 6),
            "max_features": st.sampled_from(["sqrt", None, 2]),
        }
    ),
    prior=st.sampled_from([0.2, 0.5, 0.83]),
    missing=st.sampled_from([0, 0, 0.2, 0.8]),
    n_constant=st.sampled_from([0, 0, 25]),
)
def test_fast_tree_equals_the_naive_tree(
    seed, n, d, kind, risk, loss, splitter, scenario, released, options, prior, missing, n_constant
):
    dtype, levels = kind
    X, y = make_problem(seed, n, d, dtype, levels)
    if missing and dtype == np.float64 and levels is None:  # only one type, since missing values need another compilation
        X[np.random.default_rng(seed).random(X.shape) < missing] = np.nan
    X, d = np.hstack([X, np.ones((len(X), n_constant), dtype)]), d + n_constant
    if len(np.unique(y)) < 2:
        return
    tree = (InnerThresholds if released else PUDecisionTreeClassifier)(
        prior=prior, scenario=scenario, risk=risk, loss=loss, splitter=splitter, random_state=seed, **options
    ).fit(X, y)
    naive = NaiveTree(
        risk=risk,
        loss=loss,
        splitter=splitter,
        n_candidates=n_candidate_features(options["max_features"], d),
        n_thresholds=options["n_thresholds"],
        threshold_range="released" if released else "uniform",
        max_depth=options["max_depth"] or 10**6,
        min_samples_leaf=options["min_samples_leaf"],
    )
    n_p, n_u = int(y.sum()), int((y == 0).sum())
    if risk == "pn":
        weights = (1.0, 1.0, 1.0 / (n_p + n_u))
    elif scenario == "two_sample":
        weights = (prior * n_u / n_p, 0.0, 1.0 / n_u)
    else:
        weights = (prior * (n_p + n_u) / n_p, 1.0, 1.0 / (n_p + n_u))
    X_seen = X.astype(np.uint8) if levels and not np.isnan(X).any() else X  # integers 0..255 are kept as codes
    nodes = naive.grow(X_seen, y == 1, weights, new_state(draw_seeds(seed, 1)[0]))
    assert tree.tree_.node_count == len(nodes)
    for ours, theirs in FIELDS.items():
        np.testing.assert_array_equal(getattr(tree.tree_, ours), [node[theirs] for node in nodes], err_msg=ours)
    np.testing.assert_allclose(tree.tree_.risk, [node["risk"] for node in nodes], rtol=1e-12, atol=1e-15)


COUNTS = st.integers(0, 40)
WEIGHTS = st.tuples(st.floats(1e-3, 2.0), st.floats(1e-3, 2.0))


def node_weights(risk, n_p, n_u, weights):
    """Return W_p and W_n of a node; with true labels, W_n is the negatives' own weight."""
    w_p = n_p * weights[0]
    return w_p, n_u * weights[0] if risk == "pn" else n_u * weights[1] - w_p


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=40)
@given(n_p=COUNTS, n_u=COUNTS, weights=WEIGHTS)
def test_closed_forms_equal_the_minima(risk, loss, n_p, n_u, weights):
    """Those of the propositions, and of a search over v unless the minimum is too far away."""
    if n_p + n_u == 0:
        return  # no such node
    w_p, w_n = node_weights(risk, n_p, n_u, weights)
    scale = w_p + abs(w_n)
    found = minimum_risk(RISKS.index(risk), LOSSES.index(loss), w_p, w_n)
    assert found == pytest.approx(closed_form(risk, loss, w_p, w_n), abs=1e-7 * scale)
    if risk == "upu" and -0.05 * w_p < w_n < 0.0 and loss in ("quadratic", "logistic"):
        return  # diverges too slowly for a search
    if risk == "upu" and loss == "quadratic" and 0 < w_p + w_n < 0.02 * w_p:
        return  # the minimum is beyond the search's range
    assert found == pytest.approx(minimum_by_search(risk, loss, w_p, w_n), abs=1e-7 * scale)
