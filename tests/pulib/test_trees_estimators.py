"""PU trees as scikit-learn estimators: input types, warm start, saving, importances, errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from pulib._random import new_state
from pulib._trees._data import BIT, FLOAT, NARROW, WIDE, is_mapped, prepare_data
from pulib._trees._out_of_bag import draw_bootstrap
from pulib._trees._predict import _keys
from pulib._trees._rows import rows_of
from pulib.kernels import draw_seeds
from pulib.trees import PUDecisionTreeClassifier, PUExtraTreesClassifier
from pulib.trees._base import n_candidate_features
from pulib.trees._importances import risk_reductions
from studies.puet.released import PUExtraTreesClassifier as AnyRange
from tests.pulib.test_trees import assert_same_tree, make_problem
from tests.sizes import NOT_COMPILED, size


def assert_same_forest(a, b):
    assert len(a) == len(b)
    for x, y in zip(a, b, strict=True):
        assert_same_tree(x.tree_, y.tree_)


@pytest.mark.parametrize(("loss", "criterion"), [("quadratic", "gini"), ("logistic", "entropy")])
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


@pytest.mark.parametrize(("dtype", "order"), [(np.uint8, "C"), (np.float64, "F")])
def test_memory_map_is_read_in_place(tmp_path, dtype, order):
    X, y = make_problem(3, n=400, d=12, dtype=dtype, levels=200 if dtype == np.uint8 else None)
    np.save(tmp_path / "X.npy", np.asarray(X, order=order))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    data = prepare_data(mapped)
    assert is_mapped(mapped)
    rows, columns = (data.code_rows, data.narrow_columns) if dtype == np.uint8 else (data.float_rows, data.float_columns)
    assert np.shares_memory(rows if order == "C" else columns, mapped)
    assert (columns if order == "C" else rows).size == 0
    forest = PUExtraTreesClassifier(6, prior=0.5, random_state=1)
    scores = forest.fit(X, y).decision_function(X)
    again = PUExtraTreesClassifier(6, prior=0.5, random_state=1).fit(mapped, y)
    assert_same_forest(forest, again)
    np.testing.assert_array_equal(again.decision_function(mapped), scores)


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


@pytest.mark.slow
def test_sparse_columns_are_codes_or_floats_as_dense_ones_are(monkeypatch):
    """Their rows are scored part by part."""
    X, y = columns_of_all_kinds(1500, np.float32)
    X[:, 8] = 0  # of the two zeros, sparse matrices know one
    X[np.random.default_rng(1).random(X.shape) < 0.5] = 0
    X[np.random.default_rng(2).random(X.shape) < 0.1] = np.nan
    monkeypatch.setattr("pulib._trees._sparse._PART_BYTES", 5000)
    dense = PUExtraTreesClassifier(3, prior=0.5, random_state=1).fit(X, y)
    for form in (sparse.csr_matrix(X), sparse.csc_array(X)):
        forest = PUExtraTreesClassifier(3, prior=0.5, random_state=1).fit(form, y)
        assert_same_forest(dense, forest)
        np.testing.assert_array_equal(dense.decision_function(X), forest.decision_function(form))
        np.testing.assert_array_equal(dense.apply(X), forest.apply(form))


def test_what_does_not_fit_is_refused_before_memory_is_asked_for(monkeypatch):
    monkeypatch.setattr("pulib._trees._sparse._STORED_FROM", 10**6)  # else it is kept by its three values
    X = sparse.csr_array((np.ones(3), ([0, 1, 2], [5, 6, 7])), shape=(10**6, 10**6))
    with pytest.raises(MemoryError, match=r"1,862\.6 GiB.* min_df .*UnbiasedPUClassifier"):
        PUExtraTreesClassifier(prior=0.4).fit(X, np.arange(10**6) < 5)


def columns_of_all_kinds(n, dtype):
    """Two values, some hundred, some thousand, as many as rows; zeros of both signs; and more columns of two values."""
    rng = np.random.default_rng(7)
    few = [rng.integers(0, 2, n), rng.integers(0, 200, n) / 7, rng.integers(0, 3000, n) / 3 - 300, rng.normal(size=n)]
    X = np.stack([*few, *few[::-1], rng.choice([-0.0, 0.0, 1.0], n), *rng.choice([-7, 2.5], (9, n))], axis=1).astype(dtype)
    return X, ((X[:, 1] + X[:, 3] > np.median(X[:, 1])) & (rng.random(n) < 0.3)).astype(int)


@pytest.mark.slow  # each compiles the growth of a tree again
@pytest.mark.parametrize(
    ("dtype", "params", "row_bytes"),
    [
        (np.float32, {"splitter": "best", "max_depth": 6}, 10**9),
        (np.float64, {"threshold_range": "released", "bootstrap": True}, 0),
    ],
)
def test_ranks_give_the_same_trees_as_floats(dtype, params, row_bytes, monkeypatch):
    X, y = columns_of_all_kinds(size(20000, 1500), dtype)
    monkeypatch.setattr("pulib._trees._data.RANKED_BYTES", X.nbytes)
    on_floats = AnyRange(2, prior=0.5, random_state=1, **params).fit(X, y)
    assert set(prepare_data(X).kind) == {FLOAT}
    monkeypatch.setattr("pulib._trees._data.RANKED_BYTES", 0)
    monkeypatch.setattr("pulib.trees._base.prepare_data", lambda X, **more: prepare_data(X, row_bytes=row_bytes, **more))
    kinds = prepare_data(X).kind.tolist()
    assert kinds == [BIT, NARROW, kinds[2], FLOAT, FLOAT, kinds[2], NARROW, BIT, FLOAT, *9 * [BIT]]
    assert kinds[2] == (FLOAT if NOT_COMPILED else WIDE)
    assert_same_forest(on_floats, AnyRange(2, prior=0.5, random_state=1, **params).fit(X, y))


@pytest.mark.slow
def test_missing_values_have_a_code_of_their_own(monkeypatch, tmp_path):
    params = {"splitter": "best", "max_depth": 5}
    X, y = columns_of_all_kinds(1500, np.float32)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    X.view(np.uint32)[:40, 1] = 0x7FC00123  # NaN has many patterns of bits
    X[(y == 1) & np.isnan(X[:, 3]), 0] = np.nan
    on_floats = PUExtraTreesClassifier(3, prior=0.5, random_state=1, **params).fit(X, y)
    np.save(tmp_path / "X.npy", X)
    mapped = PUExtraTreesClassifier(3, prior=0.5, random_state=1, **params).fit(np.load(tmp_path / "X.npy", mmap_mode="r"), y)
    assert_same_forest(on_floats, mapped)
    monkeypatch.setattr("pulib._trees._data.RANKED_BYTES", 0)
    data = prepare_data(X, holds_missing=True)
    assert data.missing.tolist()[:2] == [2, len(np.unique(X[:, 1])) - 1]
    assert data.kind[3] == FLOAT
    assert data.missing[3] == 0
    on_codes = PUExtraTreesClassifier(3, prior=0.5, random_state=1, **params).fit(X, y)
    assert_same_forest(on_floats, on_codes)
    np.testing.assert_array_equal(on_codes.decision_function(X), on_floats.decision_function(X))


@settings(max_examples=size(20, 5))
@given(st.integers(0, 2**31), st.sampled_from([np.uint8, np.float32, np.float64]), st.integers(1, 400), st.integers(1, 300))
def test_a_block_goes_down_as_each_row_does(seed, dtype, n, d):
    """Few features are transposed, more are read through before, and of many only those that trees ask for are read."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (300, d)).astype(dtype) if dtype == np.uint8 else rng.normal(size=(300, d)).astype(dtype)
    y = (rng.random(300) < 0.3).astype(int)
    if dtype != np.uint8 and seed % 2:
        X[rng.random(X.shape) < 0.1] = np.nan
    grown_on = X if dtype == np.uint8 else X.astype(np.float64)  # other numbers would compile the growth of a tree again
    forest = PUExtraTreesClassifier(2, prior=0.5, random_state=seed % 1000).fit(grown_on, y)
    rows = X[rng.integers(0, 300, n)]
    one_by_one = []
    for row in rows.astype(np.float64):
        for tree in (member.tree_ for member in forest.estimators_):
            node = 0
            while tree.children_left[node] >= 0:
                value = row[tree.feature[node]]
                left = tree.missing_go_to_left[node] if np.isnan(value) else value <= tree.threshold[node]
                node = (tree.children_left if left else tree.children_right)[node]
            one_by_one.append(node)
    np.testing.assert_array_equal(forest.apply(rows), np.reshape(one_by_one, (n, 2)))
    votes = np.stack([member.tree_.value[leaves] for member, leaves in zip(forest, forest.apply(rows).T, strict=True)])
    np.testing.assert_array_equal(forest.decision_function(rows), votes.mean(axis=0))


@pytest.mark.parametrize("threshold", [0.1, 1e300, -1e300, 16777217.0])
def test_rows_of_another_type_than_the_trees_go_the_same_way(threshold):
    """What 32-bit rows are compared with lies on the same side of them as the threshold, which may lie between two of them."""
    (key,) = _keys(np.array([threshold]), np.float32)
    with np.errstate(over="ignore"):
        near = np.nextafter(np.float32(key), np.float32([-np.inf, np.inf]), dtype=np.float32)
    for value in [np.float32(key), *near]:
        assert (value <= key) == (float(value) <= threshold)


@pytest.mark.parametrize("row_bytes", [0, 2000, 10**9])
def test_rows_and_columns_give_the_same_tree(row_bytes, monkeypatch):
    X, y = make_problem(5, n=900, d=12)
    reference = PUDecisionTreeClassifier(prior=0.5, splitter="random", max_features=3, random_state=1).fit(X, y)
    monkeypatch.setattr("pulib.trees._base.prepare_data", lambda X, **more: prepare_data(X, row_bytes=row_bytes, **more))
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
    with pytest.raises(ValueError, match="n_estimators=2 is less than the 8 trees"):
        forest.set_params(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but PUExtraTreesClassifier is expecting"):
        forest.set_params(n_estimators=9).fit(X[:, :2], y)
    np.testing.assert_array_equal(whole.decision_function(X), forest.decision_function(X))


@pytest.mark.parametrize(
    ("share", "n_features", "expected"), [(0.07, 100, 7), (0.14, 100, 14), (0.55, 100, 55), (0.071, 100, 8), (1e-12, 5, 1)]
)
def test_shares_of_features_are_rounded_up_but_not_past_whole_numbers(share, n_features, expected):
    assert n_candidate_features(share, n_features) == expected


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")  # scikit-learn sums X to check it
@pytest.mark.parametrize("inner", [False, True])
def test_thresholds_are_uniform_where_the_range_is_beyond_the_greatest_number(inner, monkeypatch):
    monkeypatch.setattr(PUDecisionTreeClassifier, "_draws_inner_thresholds", lambda self: inner)
    x = np.random.default_rng(0).uniform(-1, 1, 400)[:, None]
    y = (x[:, 0] > 0).astype(int)
    options = {"risk": "pn", "splitter": "random", "max_depth": 3, "random_state": 0}
    near, far = (PUDecisionTreeClassifier(**options).fit(x * scale, y).tree_ for scale in (1.0, 1.7e308))
    assert far.n_node_samples.tolist() == near.n_node_samples.tolist()


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


def test_ties_are_broken_at_random_but_by_the_seed():
    X, y = np.zeros((4, 1)), np.array([0, 0, 1, 1])  # W_p = 1/2 of the weight: v* = 1/2
    values, again = (
        [PUDecisionTreeClassifier(prior=0.5, random_state=seed).fit(X, y).tree_.value[0] for seed in range(40)] for _ in "ab"
    )
    assert values == again
    assert set(values) == {-1, 1}


@pytest.mark.parametrize("params", [{"max_features": 0}, {"n_thresholds": 0}, {"min_samples_leaf": 0}, {"loss": "hinge"}])
def test_bad_parameters_are_named(params):
    X, y = make_problem(13)
    with pytest.raises(ValueError, match=f"'{next(iter(params))}' parameter"):
        PUExtraTreesClassifier(2, prior=0.5, **params).fit(X, y)


class TestHeldOut:
    def test_out_of_bag_scores_agree_with_the_obvious_loop(self):
        X, y = make_problem(7)
        forest = PUExtraTreesClassifier(9, prior=0.5, bootstrap=True, oob_score=True, random_state=4, n_jobs=2).fit(X, y)
        rows = rows_of(y == 1)
        for row in range(len(X)):
            votes: tuple[list, list] = ([], [])  # of trees that drew no row equal to it, and, where there is none, not itself
            for member, seed in zip(forest, draw_seeds(4, 9), strict=True):
                bag = np.concatenate(draw_bootstrap(rows, new_state(seed)))
                vote = member.decision_function(X[[row]])[0]
                if not (X[bag] == X[row]).all(axis=1).any():
                    votes[0].append(vote)
                if row not in bag:
                    votes[1].append(vote)
            chosen = votes[0] or votes[1]
            expected = np.mean(chosen) if chosen else np.nan
            np.testing.assert_array_equal(forest.oob_decision_function_[row], expected)

    def test_out_of_bag_needs_bags(self):
        X, y = make_problem(7)
        with pytest.raises(ValueError, match="bootstrap=True"):
            PUExtraTreesClassifier(3, prior=0.5, oob_score=True).fit(X, y)

    @pytest.mark.parametrize(("method", "bootstrap"), [("isotonic", False), ("sigmoid", True)])
    def test_probabilities_are_calibrated_by_the_prior(self, method, bootstrap):
        rng = np.random.default_rng(0)
        truth = np.r_[np.ones(400, bool), rng.random(1600) < 0.3]
        X = rng.normal(size=(2000, 3)) + np.where(truth, 0.5, -0.5)[:, None]
        y, new = np.repeat([1, 0], [400, 1600]), (np.arange(2000) > 400) & (np.arange(2000) % 2 == 1)
        forest = PUExtraTreesClassifier(30, prior=0.3, min_samples_leaf=5, bootstrap=bootstrap, random_state=0)
        errors = []
        for calibration in (method, None):
            p = forest.set_params(calibration=calibration).fit(X[~new], y[~new]).predict_proba(X[new])[:, 1]
            parts = np.array_split(np.argsort(p), 5)
            errors.append(np.mean([abs(p[part].mean() - truth[new][part].mean()) for part in parts]))
            if calibration:
                assert abs(p.mean() - 0.3) < 0.04
                assert np.mean((p > 0.5) == (forest.decision_function(X[new]) > 0)) > 0.98
        assert errors[0] < min(0.05, errors[1])

    def test_no_calibration_by_a_prior_that_there_is_not(self):
        X, y = make_problem(7)
        with pytest.raises(ValueError, match="CalibratedClassifierCV"):
            PUExtraTreesClassifier(3, risk="pn", calibration="isotonic").fit(X, y)
