"""PU trees as scikit-learn estimators: input types, predictions, importances, calibration, and errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pulib._trees._data import BIT, FLOAT, NARROW, WIDE, is_mapped, prepare_data
from pulib._trees._predict import _keys
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
def test_sparse_columns_become_codes_or_floats_like_dense_ones(monkeypatch):
    """Sparse rows are scored in parts."""
    X, y = columns_of_all_kinds(1500, np.float32)
    X[:, 8] = 0  # sparse matrices do not store negative zeros
    X[np.random.default_rng(1).random(X.shape) < 0.5] = 0
    X[np.random.default_rng(2).random(X.shape) < 0.1] = np.nan
    monkeypatch.setattr("pulib._trees._sparse._PART_BYTES", 5000)
    dense = PUExtraTreesClassifier(3, prior=0.5, random_state=1).fit(X, y)
    for form in (sparse.csr_matrix(X), sparse.csc_array(X)):
        forest = PUExtraTreesClassifier(3, prior=0.5, random_state=1).fit(form, y)
        assert_same_forest(dense, forest)
        np.testing.assert_array_equal(dense.decision_function(X), forest.decision_function(form))
        np.testing.assert_array_equal(dense.apply(X), forest.apply(form))


def columns_of_all_kinds(n, dtype):
    """Columns of two, hundreds, thousands, and n distinct values; zeros of both signs; and more columns of two values."""
    rng = np.random.default_rng(7)
    few = [rng.integers(0, 2, n), rng.integers(0, 200, n) / 7, rng.integers(0, 3000, n) / 3 - 300, rng.normal(size=n)]
    X = np.stack([*few, *few[::-1], rng.choice([-0.0, 0.0, 1.0], n), *rng.choice([-7, 2.5], (9, n))], axis=1).astype(dtype)
    return X, ((X[:, 1] + X[:, 3] > np.median(X[:, 1])) & (rng.random(n) < 0.3)).astype(int)


@pytest.mark.slow  # each compiles tree growth again
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
def test_missing_values_have_their_own_code(monkeypatch, tmp_path):
    params = {"splitter": "best", "max_depth": 5}
    X, y = columns_of_all_kinds(1500, np.float32)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    X.view(np.uint32)[:40, 1] = 0x7FC00123  # NaN has many bit patterns
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
def test_blocks_of_rows_reach_the_leaves_of_single_rows(seed, dtype, n, d):
    """Few features are transposed, more are read in advance, and of many only those that trees use are read."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (300, d)).astype(dtype) if dtype == np.uint8 else rng.normal(size=(300, d)).astype(dtype)
    y = (rng.random(300) < 0.3).astype(int)
    if dtype != np.uint8 and seed % 2:
        X[rng.random(X.shape) < 0.1] = np.nan
    grown_on = X if dtype == np.uint8 else X.astype(np.float64)  # other types would compile tree growth again
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
def test_single_precision_rows_go_the_way_of_the_threshold(threshold):
    """32-bit rows are compared with a key on the same side of them as the threshold, which may lie between two of them."""
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


@pytest.mark.parametrize(
    ("share", "n_features", "expected"), [(0.07, 100, 7), (0.14, 100, 14), (0.55, 100, 55), (0.071, 100, 8), (1e-12, 5, 1)]
)
def test_shares_of_features_are_rounded_up_but_not_past_whole_numbers(share, n_features, expected):
    assert n_candidate_features(share, n_features) == expected


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")  # scikit-learn sums X to check it
@pytest.mark.parametrize("inner", [False, True])
def test_thresholds_are_uniform_even_if_the_range_overflows(inner, monkeypatch):
    monkeypatch.setattr(PUDecisionTreeClassifier, "_draws_inner_thresholds", lambda self: inner)
    x = np.random.default_rng(0).uniform(-1, 1, 400)[:, None]
    y = (x[:, 0] > 0).astype(int)
    options = {"risk": "pn", "splitter": "random", "max_depth": 3, "random_state": 0}
    near, far = (PUDecisionTreeClassifier(**options).fit(x * scale, y).tree_ for scale in (1.0, 1.7e308))
    assert far.n_node_samples.tolist() == near.n_node_samples.tolist()


@pytest.mark.parametrize("prior", [0.05, None])
@pytest.mark.parametrize("kind", [PUDecisionTreeClassifier, PUExtraTreesClassifier])
def test_another_risk_forgets_the_prior(kind, prior):
    X, y = make_problem(9)
    model = kind(prior=prior, random_state=0).fit(X, y).set_params(risk="pn").fit(X, y)
    assert vars(model).keys() == vars(kind(risk="pn", random_state=0).fit(X, y)).keys()


def test_decision_paths_agree_with_the_counts_of_nodes():
    X, y = make_problem(9)
    forest = PUExtraTreesClassifier(7, prior=0.5, random_state=0).fit(X, y)
    path, ends = forest.decision_path(X)
    assert path.shape == (len(X), ends[-1])
    for i, tree in enumerate(forest):
        own = path[:, ends[i] : ends[i + 1]].toarray().astype(bool)
        np.testing.assert_array_equal(own, tree.decision_path(X).toarray().astype(bool))
        np.testing.assert_array_equal(own[y == 1].sum(axis=0), tree.tree_.n_labeled)
        np.testing.assert_array_equal(own[y == 0].sum(axis=0), tree.tree_.n_unlabeled)


def test_importances_add_up():
    """Without infinite risks, a tree's reductions telescope to the root's risk minus the leaves' risks."""
    X, y = make_problem(10)
    forest = PUExtraTreesClassifier(4, prior=0.5, random_state=0).fit(X, y)
    for tree in forest:
        arrays = tree.tree_
        leaves = arrays.children_left < 0
        total = arrays.risk[0] - arrays.risk[leaves].sum()
        np.testing.assert_allclose(tree.risk_reduction_importances().sum(), total)
        inner, expected = ~leaves, np.zeros(X.shape[1])
        np.add.at(expected, arrays.feature[inner], risk_reductions(arrays)[inner] / arrays.weight[inner])
        np.testing.assert_allclose(tree.risk_reduction_importances(normalized=True), expected)


class TestHeldOut:
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

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"oob_score": True}, "bootstrap=True"),
            ({"risk": "pn", "prior": None, "calibration": "isotonic"}, "CalibratedClassifierCV"),
            ({"warm_start": True, "n_estimators": 2}, "n_estimators=2 is less than the 3 trees"),
        ],
    )
    def test_incompatible_parameters_raise_an_error(self, params, message):
        X, y = make_problem(7)
        forest = PUExtraTreesClassifier(3, prior=0.5, random_state=0).fit(X, y)
        with pytest.raises(ValueError, match=message):
            forest.set_params(**params).fit(X, y)
