"""The fast trees against the naive ones, split by split; risks in closed form; missing values as in scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

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
    """Overlapping classes, a constant feature, repeated rows, and labeled rows of which most are unlabeled ones too."""
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
    """The range of the released code."""

    def _draws_inner_thresholds(self):
        return True


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
def test_fast_tree_is_the_naive_tree(
    seed, n, d, kind, risk, loss, splitter, scenario, released, options, prior, missing, n_constant
):
    dtype, levels = kind
    X, y = make_problem(seed, n, d, dtype, levels)
    if missing and dtype == np.float64 and levels is None:  # one type: missing values are compiled for
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


def test_missing_values_go_where_they_go_in_scikit_learns_trees():
    """Fully labeled, with the quadratic loss, the risk of a node is Gini's impurity times its weight (theorem 1)."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(900, 5)).astype(np.float32).astype(np.float64)  # scikit-learn's trees are of single precision
    y = (X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=900) > 0).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[(rng.random(900) < 0.5) & (y == 1), 2] = np.nan  # being missing tells something
    ours = PUDecisionTreeClassifier(risk="pn", max_depth=3, random_state=0).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    inner = theirs.tree_.children_left >= 0
    assert theirs.tree_.missing_go_to_left[inner].any()
    assert np.isinf(theirs.tree_.threshold[inner]).any()
    for name in ("children_left", "children_right", "feature"):
        np.testing.assert_array_equal(getattr(ours.tree_, name), getattr(theirs.tree_, name), err_msg=name)
    np.testing.assert_array_equal(ours.tree_.missing_go_to_left[inner], theirs.tree_.missing_go_to_left[inner])
    np.testing.assert_allclose(ours.tree_.threshold, theirs.tree_.threshold, rtol=1e-6)
    X_new = rng.normal(size=(500, 5)).astype(np.float32).astype(np.float64)
    X_new[rng.random(X_new.shape) < 0.3] = np.nan
    np.testing.assert_array_equal(ours.apply(X_new), theirs.apply(X_new))


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
