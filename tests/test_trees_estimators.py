"""PU trees as scikit-learn estimators: the common checks, input types, warm start, saving, importances, errors."""

import tracemalloc

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulib.trees import PUDecisionTreeClassifier, PUExtraTreesClassifier
from pulib.trees._base import n_candidate_features
from pulib.trees._data import is_mapped, prepare_data
from pulib.trees._importances import risk_reductions
from tests.sizes import size
from tests.test_trees import assert_same_tree, make_problem

ESTIMATORS = [
    PUExtraTreesClassifier(n_estimators=5),
    PUExtraTreesClassifier(n_estimators=5, prior=0.5, bootstrap=True, splitter="best"),
    PUDecisionTreeClassifier(),
    PUDecisionTreeClassifier(risk="pn", loss="logistic"),
]


@pytest.mark.jit("fits every estimator hundreds of times")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def assert_same_forest(a, b):
    assert len(a) == len(b)
    for x, y in zip(a, b, strict=True):
        assert_same_tree(x.tree_, y.tree_)


@pytest.mark.parametrize(("loss", "criterion"), [("quadratic", "gini"), ("savage", "gini"), ("logistic", "entropy")])
def test_pn_tree_is_scikit_learns(loss, criterion):
    """Theorem 1: the same splits, and risk reductions that are the impurity reductions times 2 |S| w (|S| w for entropy)."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(600, 5))
    y = (X[:, 0] + 0.7 * X[:, 1] ** 2 + rng.normal(scale=0.7, size=600) > 0.4).astype(int)
    ours = PUDecisionTreeClassifier(risk="pn", loss=loss, max_depth=4, random_state=0).fit(X, y).tree_
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=4, random_state=0).fit(X, y).tree_
    np.testing.assert_array_equal(ours.feature, theirs.feature)
    np.testing.assert_array_equal(ours.children_right, theirs.children_right)
    inner = ours.feature >= 0
    np.testing.assert_allclose(ours.threshold[inner], theirs.threshold[inner], rtol=1e-6)  # theirs are of 32-bit values
    scale = 2.0 if criterion == "gini" else np.log(2.0)  # their entropy is in bits
    weight = theirs.weighted_n_node_samples / 600
    np.testing.assert_allclose(ours.weight, weight)
    np.testing.assert_allclose(ours.risk, scale * weight * theirs.impurity, atol=1e-12)
    their_risk = scale * weight * theirs.impurity
    reduction = their_risk[inner] - their_risk[theirs.children_left[inner]] - their_risk[theirs.children_right[inner]]
    np.testing.assert_allclose(risk_reductions(ours)[inner], reduction, atol=1e-12)
    assert np.all(reduction > 0)


@pytest.mark.jit("a forest of 50 trees")
def test_pn_forest_scores_like_scikit_learns():
    from sklearn.datasets import load_digits
    from sklearn.ensemble import ExtraTreesClassifier

    X, y = load_digits(return_X_y=True)
    y = y % 2
    ours = PUExtraTreesClassifier(50, risk="pn", random_state=0).fit(X[:1000], y[:1000])
    theirs = ExtraTreesClassifier(50, random_state=0).fit(X[:1000], y[:1000])
    assert abs(ours.score(X[1000:], y[1000:]) - theirs.score(X[1000:], y[1000:])) < 0.02
    sizes = [np.mean([tree.tree_.node_count for tree in forest.estimators_]) for forest in (ours, theirs)]
    assert abs(sizes[0] / sizes[1] - 1) < 0.25


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_map_is_read_in_place(tmp_path, dtype, order):
    X, y = make_problem(3, n=400, d=12, dtype=dtype, levels=200 if dtype == np.uint8 else None)
    stored = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=dtype, shape=X.shape, fortran_order=order == "F")
    stored[:] = X
    stored.flush()
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    data = prepare_data(mapped)
    assert is_mapped(mapped)
    used = data.rows if order == "C" else data.columns
    assert np.shares_memory(used, mapped)
    assert (data.columns if order == "C" else data.rows).size == 0
    forest = PUExtraTreesClassifier(6, prior=0.5, random_state=1)
    scores = forest.fit(X, y).decision_function(X)
    again = PUExtraTreesClassifier(6, prior=0.5, random_state=1).fit(mapped, y)
    assert_same_forest(forest, again)
    np.testing.assert_array_equal(again.decision_function(mapped), scores)


@pytest.mark.jit("two million values")
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_memory(tmp_path, dtype):
    """Beside the data: one transposed copy of it, or none for a memory map, and little per row."""
    n, d = 2000, 1000
    X = np.random.default_rng(0).integers(0, 256, (n, d)).astype(dtype) / dtype(1 if dtype == np.uint8 else 7)
    X = X.astype(dtype)
    y = np.repeat([0, 1], [n - 100, 100])
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    forest = PUExtraTreesClassifier(2, prior=0.5, random_state=0)
    forest.fit(X, y).predict(X)  # compiled by now
    tracemalloc.start()
    try:
        forest.fit(X, y)
        in_memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.clear_traces()
        tracemalloc.reset_peak()
        forest.fit(mapped, y).predict(mapped)
        from_disk = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    per_row = 300 * n
    assert X.nbytes < in_memory < X.nbytes + per_row
    assert from_disk < per_row


def test_layouts_and_types_give_the_same_forest():
    X, y = make_problem(4, n=size(3000, 400), d=40, levels=60)  # large enough for nodes that read columns
    reference = PUExtraTreesClassifier(4, prior=0.5, random_state=1).fit(X, y)
    assert prepare_data(X.astype(np.uint8), row_bytes=1000).row_limit == 25
    forms = [X.astype(np.float32), X.astype(np.uint8), np.asfortranarray(X), X.astype(int), sparse.csr_matrix(X), X.tolist()]
    forms += [X[:, ::-1][:, ::-1], sparse.csc_array(X)]
    for form in forms:
        assert_same_forest(reference, PUExtraTreesClassifier(4, prior=0.5, random_state=1).fit(form, y))
        np.testing.assert_array_equal(reference.predict_proba(X), reference.predict_proba(form))
    with_bool = PUExtraTreesClassifier(4, prior=0.5, random_state=1)
    assert_same_forest(with_bool.fit(X > 30, y), PUExtraTreesClassifier(4, prior=0.5, random_state=1).fit((X > 30) * 1.0, y))


@pytest.mark.parametrize("row_bytes", [0, 2000, 10**9])
def test_rows_and_columns_give_the_same_tree(row_bytes, monkeypatch):
    X, y = make_problem(5, n=900, d=12)
    reference = PUDecisionTreeClassifier(prior=0.5, splitter="random", max_features=3, random_state=1).fit(X, y)
    monkeypatch.setattr("pulib.trees._base.prepare_data", lambda X: prepare_data(X, row_bytes=row_bytes))
    again = PUDecisionTreeClassifier(prior=0.5, splitter="random", max_features=3, random_state=1).fit(X, y)
    assert_same_tree(reference.tree_, again.tree_)


def test_warm_start_grows_the_same_forest():
    X, y = make_problem(6)
    whole = PUExtraTreesClassifier(8, prior=0.5, random_state=2).fit(X, y)
    forest = PUExtraTreesClassifier(3, prior=0.5, random_state=2, warm_start=True).fit(X, y)
    first = forest.estimators_[0]
    forest.set_params(n_estimators=8).fit(X, y)
    assert forest.estimators_[0] is first
    assert_same_forest(whole, forest)
    np.testing.assert_array_equal(whole.decision_function(X), forest.decision_function(X))
    with pytest.raises(ValueError, match="n_estimators=2 is less than the 8 trees"):
        forest.set_params(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but PUExtraTreesClassifier is expecting"):
        forest.set_params(n_estimators=9).fit(X[:, :2], y)
    assert forest.decision_function(X).tobytes() == whole.decision_function(X).tobytes()


def test_there_is_no_prior_where_none_was_used():
    X, y = make_problem(6)
    for trees in (PUExtraTreesClassifier(2, prior=0.5), PUDecisionTreeClassifier(prior=0.5)):
        assert trees.fit(X, y).prior_ == 0.5
        assert not hasattr(trees.set_params(risk="pn").fit(X, y), "prior_")


@pytest.mark.parametrize(
    ("share", "n_features", "expected"), [(0.07, 100, 7), (0.14, 100, 14), (0.55, 100, 55), (0.071, 100, 8), (1e-12, 5, 1)]
)
def test_shares_of_features_are_rounded_up_but_not_past_whole_numbers(share, n_features, expected):
    assert n_candidate_features(share, n_features) == expected


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")  # scikit-learn sums X to check it
@pytest.mark.parametrize("threshold_range", ["uniform", "released"])
def test_thresholds_are_uniform_where_the_range_is_beyond_the_greatest_number(threshold_range):
    x = np.random.default_rng(0).uniform(-1, 1, 400)[:, None]
    y = (x[:, 0] > 0).astype(int)
    options = {"risk": "pn", "splitter": "random", "threshold_range": threshold_range, "max_depth": 3, "random_state": 0}
    near, far = (PUDecisionTreeClassifier(**options).fit(x * scale, y).tree_ for scale in (1.0, 1.7e308))
    assert far.n_node_samples.tolist() == near.n_node_samples.tolist()


def test_save_and_load(tmp_path):
    X, y = make_problem(7)
    forest = PUExtraTreesClassifier(5, prior=0.5, random_state=2).fit(X, y)
    joblib.dump(forest, tmp_path / "forest.joblib")
    loaded = joblib.load(tmp_path / "forest.joblib", mmap_mode="r")
    np.testing.assert_array_equal(loaded.decision_function(X), forest.decision_function(X))
    assert_same_forest(loaded, forest)
    unfitted = joblib.load(joblib.dump(PUExtraTreesClassifier(), tmp_path / "unfitted.joblib")[0])
    assert not hasattr(unfitted, "estimators_")


def test_bootstrap_draws_each_kind_from_its_own():
    X, y = make_problem(8)
    forest = PUExtraTreesClassifier(5, prior=0.5, bootstrap=True, random_state=0).fit(X, y)
    for tree in forest:
        assert tree.tree_.n_labeled[0] == y.sum()
        assert tree.tree_.n_unlabeled[0] == (y == 0).sum()
    plain = PUExtraTreesClassifier(5, prior=0.5, random_state=0).fit(X, y)
    assert any(a.tree_.node_count != b.tree_.node_count for a, b in zip(forest, plain, strict=True))


def test_votes_leaves_and_paths_agree():
    X, y = make_problem(9)
    forest = PUExtraTreesClassifier(7, prior=0.5, random_state=0).fit(X, y)
    leaves = forest.apply(X)
    votes = np.column_stack([tree.tree_.value[leaves[:, i]] for i, tree in enumerate(forest)])
    np.testing.assert_allclose(forest.decision_function(X), votes.mean(axis=1))
    np.testing.assert_allclose(forest.predict_proba(X)[:, 1], (votes > 0).mean(axis=1))
    path, ends = forest.decision_path(X)
    assert path.shape == (len(X), ends[-1])
    for i, tree in enumerate(forest):
        own = path[:, ends[i] : ends[i + 1]].toarray().astype(bool)
        np.testing.assert_array_equal(own, tree.decision_path(X).toarray().astype(bool))
        counts = own[y == 1].sum(axis=0)
        np.testing.assert_array_equal(counts, tree.tree_.n_labeled)
        np.testing.assert_array_equal(own[y == 0].sum(axis=0), tree.tree_.n_unlabeled)
    assert set(np.unique(votes)) <= {-1, 1}


def test_importances_add_up():
    """Without infinite risks, a tree's reductions telescope to the root's risk less the leaves'."""
    X, y = make_problem(10)
    forest = PUExtraTreesClassifier(4, prior=0.5, random_state=0).fit(X, y)
    for tree in forest:
        arrays = tree.tree_
        leaves = arrays.children_left < 0
        total = arrays.risk[0] - arrays.risk[leaves].sum()
        np.testing.assert_allclose(tree.risk_reduction_importances().sum(), total)
        inner = ~leaves
        expected = np.zeros(X.shape[1])
        np.add.at(expected, arrays.feature[inner], risk_reductions(arrays)[inner] / arrays.weight[inner])
        np.testing.assert_allclose(tree.risk_reduction_importances(normalized=True), expected)
    mean = np.mean([tree.feature_importances_ for tree in forest], axis=0)
    np.testing.assert_allclose(forest.feature_importances_, mean)
    assert forest.feature_importances_[3] == 0  # the constant one
    unbiased = PUExtraTreesClassifier(4, prior=0.5, risk="upu", random_state=0).fit(X, y)
    assert np.all(np.isfinite(unbiased.feature_importances_))


def test_one_sample_counts_labeled_rows_as_population():
    X, y = make_problem(11)
    tree = PUDecisionTreeClassifier(prior=0.5, scenario="one_sample", random_state=0).fit(X, y).tree_
    np.testing.assert_allclose(tree.weight[0], 1.0)
    np.testing.assert_allclose(tree.weight, (tree.n_labeled + tree.n_unlabeled) / len(y))
    two = PUDecisionTreeClassifier(prior=0.5, random_state=0).fit(X, y).tree_
    np.testing.assert_allclose(two.weight, two.n_unlabeled / (y == 0).sum())


def test_stops():
    X, y = make_problem(12)
    stump = PUDecisionTreeClassifier(prior=0.5, max_depth=1, random_state=0).fit(X, y)
    assert (stump.get_depth(), stump.get_n_leaves()) == (1, 2)
    tree = PUDecisionTreeClassifier(prior=0.5, min_samples_leaf=20, random_state=0).fit(X, y).tree_
    inner = tree.feature >= 0
    assert np.all(tree.n_node_samples[inner] > 20)
    flat = PUExtraTreesClassifier(3, prior=0.5, random_state=0).fit(np.ones((20, 2)), np.repeat([0, 1], 10))
    assert all(member.tree_.node_count == 1 for member in flat)


def test_ties_are_broken_at_random_but_by_the_seed():
    X, y = np.zeros((4, 1)), np.array([0, 0, 1, 1])  # W_p = 1/2 of the weight: v* = 1/2
    values = [PUDecisionTreeClassifier(prior=0.5, random_state=seed).fit(X, y).tree_.value[0] for seed in range(40)]
    assert set(values) == {-1, 1}
    again = [PUDecisionTreeClassifier(prior=0.5, random_state=seed).fit(X, y).tree_.value[0] for seed in range(40)]
    assert values == again


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prior": 1.0}, "prior"),
        ({"risk": "pu"}, "risk"),
        ({"loss": "hinge"}, "loss"),
        ({"max_features": 0}, "max_features"),
        ({"n_thresholds": 0}, "n_thresholds"),
        ({"threshold_range": "none"}, "threshold_range"),
        ({"scenario": "three_sample"}, "scenario"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
    ],
)
def test_bad_parameters_are_named(change, message):
    X, y = make_problem(13)
    with pytest.raises(ValueError, match=message):
        PUExtraTreesClassifier(2, **{"prior": 0.5, **change}).fit(X, y)
