"""Weights of rows: equal ones change nothing, whole ones are rows that are repeated, zeros are rows that are left out."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.svm import SVC

from pulib import AdaPUClassifier, ClassWeightedSVC, PUDecisionTreeClassifier, PUExtraTreesClassifier, UnbiasedPUClassifier
from pulib._held_out import hold_out
from pulib._random import new_state
from pulib._trees._out_of_bag import draw_bootstrap
from pulib._trees._rows import rows_of
from pulib.kernels import encode
from pulib.metrics import pu_risk
from pulib.svm import _class_weighted
from pulib.trees import fit_part, join_parts
from studies.adapu.readings import AdaPUClassifier as Reading  # which says how it weighs, as the twin asks
from tests.pulib.naive.boosting import NaiveAdaPU
from tests.pulib.test_boosting import follow, make_problem

paper_adapu = partial(AdaPUClassifier, 10, prior=0.4, learning_rate=1.0, n_iter_no_change=None, random_state=0)
linear = partial(UnbiasedPUClassifier, prior=0.4, alpha=0.1, tol=1e-12, random_state=0)
LEARNERS = {
    "Ada-PU": paper_adapu,
    "Ada-PU, bins of many rows": partial(paper_adapu, splitter="best", max_bins=5),
    "Ada-PU, one sample": partial(paper_adapu, scenario="one_sample", prior=0.5),
    **{f"linear, {loss}": partial(linear, loss=loss) for loss in ("square", "logistic", "double_hinge")},
    "linear, one sample": partial(linear, scenario="one_sample", prior=0.5),
}
forest = partial(PUExtraTreesClassifier, 10, prior=0.4, random_state=0)
LEARNERS |= {
    "tree": partial(PUDecisionTreeClassifier, prior=0.4, random_state=0),
    "forest": forest,
    "forest, one sample": partial(forest, scenario="one_sample", prior=0.5),
    "forest, true labels": partial(forest, risk="pn", prior=None),
    **{f"SVM, {kernel}": partial(ClassWeightedSVC, kernel=kernel, gamma=0.5, tol=1e-10) for kernel in ("rbf", "linear")},
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
    for equal in (1.0,) if learner.func is ClassWeightedSVC else (1.0, 3.0):  # penalties have no mean
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
    "learner",
    [
        partial(paper_adapu, prior=0.1),
        partial(PUDecisionTreeClassifier, prior=0.1, random_state=0),
        partial(forest, prior=0.1),
        partial(forest, calibration="sigmoid"),
    ],
)
@pytest.mark.parametrize(("n_labeled", "n_unlabeled", "kept"), [(40, 160, 0.5), (3, 40, 0.08)])
def test_rows_of_weight_0_are_not_held_out_for_a_threshold(learner, n_labeled, n_unlabeled, kept):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [n_labeled, n_unlabeled])
    X = rng.normal(size=(len(y), 3)) + y[:, None]
    weights = np.where(rng.random(len(y)) < kept, 1.0, 0.0)
    weights[:2] = weights[-2:] = 1.0
    beside, alone = learner().fit(X, y, sample_weight=weights), learner().fit(X[weights > 0], y[weights > 0])
    assert beside.threshold_ == alone.threshold_
    np.testing.assert_array_equal(scores(beside, X), scores(alone, X))


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
def test_bad_weights_are_refused(weights, message):
    X, y, _ = weighted_problem()
    for name in ("Ada-PU", "forest", "SVM, rbf"):
        with pytest.raises(ValueError, match=message):
            LEARNERS[name]().fit(X, y, sample_weight=weights(y))


@settings(max_examples=5)
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
    model = Reading(**paper_adapu().set_params(random_state=seed, **options).get_params())
    model.fit(X, y, weights)
    follow(model, X, y, 0.4, NaiveAdaPU(X, y == 1, 0.4, model.scenario, weights))


def edges_of(x, counts=None):
    def run(function, items):
        return [function(item) for item in items]

    missing = np.isnan(x).any(keepdims=True)
    options = {"max_bins": 4, "equal_width": False, "run": run, "missing": missing if missing[0] else None}
    return encode(x[:, None], np.arange(len(x)), slice(None), counts=counts, **options).edges


def test_bins_of_about_equally_many_rows_count_weights():
    x, weights = np.arange(100.0), np.where(np.arange(100) < 98, 1.0, 49.0)
    assert edges_of(x, weights)[:4].tolist() == [48.5, 97.5, 98.5, 99.0]
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, weights = rng.integers(0, 30, 80).astype(float), rng.integers(1, 6, 80)
        for holes in (np.zeros(80, bool), rng.random(80) < 0.1):
            told = np.where(holes, np.nan, x)
            np.testing.assert_array_equal(edges_of(told, weights.astype(float)), edges_of(np.repeat(told, weights)))


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
def test_ada_pu_stops_by_the_weighted_risk(scenario):
    """That of the rows held out, each as often as it counts."""
    X, y, _ = weighted_problem()
    weights = 1 + np.arange(len(y)) % 3
    model = AdaPUClassifier(8, prior=0.5, scenario=scenario, random_state=0).fit(X, y, weights)
    held_out = hold_out(y == 1, 0.1, 0)
    repeated = np.repeat(np.flatnonzero(held_out), weights[held_out])
    for stage, risk in zip(model.staged_decision_function(X[repeated]), model.held_out_risks_, strict=False):
        expected = pu_risk(y[repeated], stage, prior=0.5, risk="nnpu", scenario=scenario)
        assert risk == pytest.approx(expected, abs=1e-12)


def test_a_fitting_penalty_counts_rows_by_their_effective_number():
    X, y, _ = weighted_problem()
    auto = partial(UnbiasedPUClassifier, prior=0.4)
    plain = auto().fit(X, y).alpha_
    assert auto().fit(X, y, sample_weight=7.0).alpha_ == pytest.approx(plain)
    assert auto().fit(X, y, sample_weight=np.where(np.arange(len(y)) % 2, 1.0, 5.0)).alpha_ > 1.05 * plain


def test_trees_take_whole_weights_or_bags_drawn_by_them():
    X, y, weights = weighted_problem()
    expected = scores(forest().fit(X, y, sample_weight=weights), X)
    assert scores(forest().fit(X, y, sample_weight=1e6 * weights), X).tobytes() == expected.tobytes()
    for broken in (weights + 0.5, 1e17 * weights):
        with pytest.raises(ValueError, match=r"whole numbers.*bootstrap=True"):
            forest().fit(X, y, sample_weight=broken)
    with pytest.raises(ValueError, match=r"counts 3e\+11 rows.*bootstrap=True"):
        forest().fit(X, y, sample_weight=np.where(np.arange(len(y)) == 5, 3e11, 1.0))
    forest(bootstrap=True).fit(X, y, sample_weight=weights + 0.5)


def test_bags_hold_rows_in_proportion_to_their_weights():
    positive = np.arange(500) < 100
    weights = np.random.default_rng(0).gamma(1.0, size=500) * (np.arange(500) % 7 > 0)
    rows = rows_of(positive, weights, bootstrap=True)
    drawn = [draw_bootstrap(rows, new_state(seed)) for seed in range(400)]
    for kind, bags in zip((positive, ~positive), zip(*drawn, strict=True), strict=True):
        n = np.count_nonzero(weights[kind])
        assert all(len(bag) == n and np.all(np.diff(bag.astype(int)) >= 0) for bag in bags)
        times = np.bincount(np.concatenate(bags), minlength=500)[kind]
        expected = 400 * n * weights[kind] / weights[kind].sum()
        assert np.all(np.abs(times - expected) <= 5 * np.sqrt(expected))


@pytest.mark.parametrize("options", [{"bootstrap": True, "oob_score": True}, {}])
def test_weighted_forests_are_calibrated_and_joined(options):
    X, y, weights = weighted_problem()
    model = forest(calibration="sigmoid", **options)
    whole = clone(model).fit(X, y, sample_weight=weights)
    assert np.isfinite(whole.predict_proba(X)).all()
    if "oob_score" in options:
        assert whole.oob_decision_function_.shape == (len(y),)
        assert np.isfinite(whole.oob_decision_function_[weights == 0]).all()
    joined = join_parts([fit_part(model, X, y, part, 2, weights) for part in range(2)], X, y, weights)
    assert joined.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()


@pytest.mark.parametrize("rows_in_memory", [0, 10_000])
def test_weighted_machines_by_either_solver(rows_in_memory, monkeypatch):
    monkeypatch.setattr(_class_weighted, "MATRIX_ROWS", rows_in_memory)
    X, y, weights = weighted_problem()
    counts = weights * np.random.default_rng(1).gamma(2.0, size=len(y))
    machine = ClassWeightedSVC(gamma=0.5, C_positive=3.0, tol=1e-8).fit(X, y, sample_weight=counts)
    expected = SVC(C=1.0, gamma=0.5, class_weight={1: 3.0}, tol=1e-8).fit(X, y, sample_weight=counts)
    np.testing.assert_allclose(scores(machine, X), expected.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(machine.support_vectors_, X[machine.support_])
    assert np.all(weights[machine.support_] > 0)


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
def test_networks_weigh_rows_within_their_kind(scenario):
    """In one batch of all rows, as they are repeated; rounding in float32 apart."""
    pytest.importorskip("torch")
    from pulib import NeuralPUClassifier

    X, y, weights = weighted_problem()
    network = partial(NeuralPUClassifier, "linear", prior=0.5, scenario=scenario, epochs=20, batch_size=10_000, random_state=0)
    expected = scores(network().fit(X, y), X)
    assert scores(network().fit(X, y, sample_weight=1.0), X).tobytes() == expected.tobytes()
    repeated = np.repeat(np.arange(len(y)), weights)
    expected = scores(network().fit(X[repeated], y[repeated]), X)
    got = scores(network().fit(X, y, sample_weight=weights), X)
    np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4)
    assert np.abs(got - scores(network().fit(X, y), X)).max() > 1e-3
    with pytest.raises(ValueError, match="unlabeled rows have weight 0"):
        network().fit(X, y, sample_weight=y)
