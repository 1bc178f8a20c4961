"""The pruned tree against its rule, node by node, and under scikit-learn's checks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from studies.pces.pruned_tree import PrunedTreeRegressor


@parametrize_with_checks([PrunedTreeRegressor(random_state=0)])
def test_scikit_learn(estimator, check):
    check(estimator)


def naive_prediction(tree, node, held, y_held, grown, y_grown, small):
    """Return the pruned subtree's prediction function and its squared error on the held-out rows."""
    everything = np.concatenate([y_grown, y_held])
    error = np.sum((y_held - y_grown.mean()) ** 2)
    as_leaf = (lambda x: everything.mean()), error
    if tree.children_left[node] == -1 or tree.impurity[node] < small:
        return as_leaf
    feature, threshold = tree.feature[node], tree.threshold[node]
    sides = []
    for child, keep in ((tree.children_left[node], np.less_equal), (tree.children_right[node], np.greater)):
        held_in, grown_in = keep(held[:, feature], threshold), keep(grown[:, feature], threshold)
        sides.append(naive_prediction(tree, child, held[held_in], y_held[held_in], grown[grown_in], y_grown[grown_in], small))
    (left, left_error), (right, right_error) = sides
    if left_error + right_error >= error:
        return as_leaf
    return (lambda x: left(x) if x[feature] <= threshold else right(x)), left_error + right_error


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**31), n=st.integers(3, 60), d=st.integers(1, 4), share=st.floats(0.1, 0.6))
def test_splits_that_do_not_help_held_out_rows_are_pruned(seed, n, d, share):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, size=(n, d)).astype(np.float32)
    y = X[:, 0] + rng.normal(size=n)  # no two errors are equal, so rounding does not matter
    fitted = PrunedTreeRegressor(prune_share=share, random_state=seed).fit(X, y)
    order, cut = np.random.RandomState(seed).permutation(n), int(share * n)
    held, grown = order[:cut], order[cut:]
    small = fitted.min_variance * fitted._tree.impurity[0]
    expected, _ = naive_prediction(fitted._tree, 0, X[held], y[held], X[grown], y[grown], small)
    np.testing.assert_allclose(fitted.predict(X), [expected(x) for x in X], rtol=1e-9)


def test_pure_noise_leaves_few_leaves():
    rng = np.random.default_rng(0)
    X, noise = rng.random((300, 3)), rng.normal(size=300)
    leaves = [PrunedTreeRegressor(random_state=seed).fit(X, noise).n_leaves_ for seed in range(20)]
    assert np.median(leaves) < 20  # about a hundred are grown
