"""Sample weights: equal weights have no effect, integer weights repeat rows, and zeros omit rows."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from pulib import AdaPUClassifier, ClassWeightedSVC, PUDecisionTreeClassifier, PUExtraTreesClassifier, UnbiasedPUClassifier
from pulib._calibration import CALIBRATIONS
from pulib._held_out import hold_out
from pulib._random import new_state
from pulib._threshold import cut_at_share, fit_slope
from pulib._trees._out_of_bag import draw_bootstrap
from pulib._trees._rows import rows_of
from pulib.metrics import pu_risk
from pulib.svm import _class_weighted
from tests.pulib.test_boosting import make_problem

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


def test_equal_weights_have_no_effect(learner):
    X, y, _ = weighted_problem()
    expected = scores(learner().fit(X, y), X)
    for equal in (1.0,) if learner.func is ClassWeightedSVC else (1.0, 3.0):  # SVM penalties are not averaged
        np.testing.assert_allclose(scores(learner().fit(X, y, sample_weight=equal), X), expected, **CLOSE)


def test_integer_weights_equal_repeated_rows_and_zeros_omit_rows(learner):
    X, y, weights = weighted_problem()
    repeated = np.repeat(np.arange(len(y)), weights)
    expected = scores(learner().fit(X[repeated], y[repeated]), X)
    np.testing.assert_allclose(scores(learner().fit(X, y, sample_weight=weights), X), expected, **CLOSE)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (lambda y: np.where(y == 1, -1.0, 1.0), "[Nn]egative values"),
        (lambda y: np.where(y == 1, 1e180, 1.0), r"largest weight of labeled rows is 1e\+180.*Divide all weights"),
        (lambda y: np.where(y == 1, np.inf, 1.0), "contains infinity"),
        (lambda y: y, "sample_weight: all 120 unlabeled rows have weight 0"),
        (lambda y: 1 - y, "sample_weight: all 20 labeled rows have weight 0"),
        (lambda y: np.ones(len(y) - 1), "sample_weight.shape"),
    ],
)
def test_bad_weights_raise_an_error(weights, message):
    X, y, _ = weighted_problem()
    for name in ("Ada-PU", "forest", "SVM, rbf"):
        with pytest.raises(ValueError, match=message):
            LEARNERS[name]().fit(X, y, sample_weight=weights(y))


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
def test_ada_pu_stops_by_the_weighted_risk(scenario):
    """The risk on held-out rows, with rows repeated according to their weights."""
    X, y, _ = weighted_problem()
    weights = 1 + np.arange(len(y)) % 3
    model = AdaPUClassifier(8, prior=0.5, scenario=scenario, validation_fraction=0.5, random_state=0).fit(X, y, weights)
    held_out = hold_out(y == 1, 0.5, 0)
    repeated = np.repeat(np.flatnonzero(held_out), weights[held_out])
    for stage, risk in zip(model.staged_decision_function(X[repeated]), model.held_out_risks_, strict=False):
        expected = pu_risk(y[repeated], stage, prior=0.5, risk="nnpu", scenario=scenario)
        assert risk == pytest.approx(expected, abs=1e-12)


def test_default_penalty_uses_the_effective_number_of_rows():
    X, y, _ = weighted_problem()
    auto = partial(UnbiasedPUClassifier, prior=0.4)
    plain = auto().fit(X, y).alpha_
    assert auto().fit(X, y, sample_weight=7.0).alpha_ == pytest.approx(plain)
    assert auto().fit(X, y, sample_weight=np.where(np.arange(len(y)) % 2, 1.0, 5.0)).alpha_ > 1.05 * plain


def test_trees_need_integer_weights_or_bootstrap():
    X, y, weights = weighted_problem()
    expected = scores(forest().fit(X, y, sample_weight=weights), X)
    assert scores(forest().fit(X, y, sample_weight=1e6 * weights), X).tobytes() == expected.tobytes()
    for broken in (weights + 0.5, 1e17 * weights):
        with pytest.raises(ValueError, match=r"whole numbers.*bootstrap=True"):
            forest().fit(X, y, sample_weight=broken)
    with pytest.raises(ValueError, match=r"counts 3e\+11 rows.*bootstrap=True"):
        forest().fit(X, y, sample_weight=np.where(np.arange(len(y)) == 5, 3e11, 1.0))
    forest(bootstrap=True).fit(X, y, sample_weight=weights + 0.5)


def test_bags_draw_rows_in_proportion_to_their_weights():
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


@pytest.mark.parametrize("rows_in_memory", [0, 10_000])
def test_weighted_machines_agree_with_scikit_learn(rows_in_memory, monkeypatch):
    monkeypatch.setattr(_class_weighted, "MATRIX_ROWS", rows_in_memory)
    X, y, weights = weighted_problem()
    counts = weights * np.random.default_rng(1).gamma(2.0, size=len(y))
    machine = ClassWeightedSVC(gamma=0.5, C_positive=3.0, tol=1e-8).fit(X, y, sample_weight=counts)
    expected = SVC(C=1.0, gamma=0.5, class_weight={1: 3.0}, tol=1e-8).fit(X, y, sample_weight=counts)
    np.testing.assert_allclose(scores(machine, X), expected.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(machine.support_vectors_, X[machine.support_])
    assert np.all(weights[machine.support_] > 0)


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
def test_networks_weight_rows_within_their_kind(scenario):
    """In one batch of all rows, weights equal repeated rows up to float32 rounding."""
    pytest.importorskip("torch")
    from pulib import NeuralPUClassifier

    X, y, weights = weighted_problem()
    network = partial(NeuralPUClassifier, "linear", prior=0.5, scenario=scenario, epochs=20, batch_size=10_000, random_state=0)
    repeated = np.repeat(np.arange(len(y)), weights)
    expected = scores(network().fit(X[repeated], y[repeated]), X)
    got = scores(network().fit(X, y, sample_weight=weights), X)
    np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4)
    assert np.abs(got - scores(network().fit(X, y), X)).max() > 1e-3
    with pytest.raises(ValueError, match="unlabeled rows have weight 0"):
        network().fit(X, y, sample_weight=y)


@st.composite
def weighted_scores(draw):
    """Draw scores with or without ties, a mask of labeled rows, and small integer weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(4, 40))
    positive = np.arange(n) < draw(st.integers(2, n - 2))
    scores = rng.normal(size=n) if draw(st.booleans()) else rng.integers(0, 5, n).astype(float)
    return scores + positive, positive, rng.integers(1, 4, n)


@given(weighted_scores(), st.floats(0, 1))
def test_cut_of_weighted_scores_equals_that_of_repeated_ones(drawn, share):
    scores, _, weights = drawn
    assert cut_at_share(scores, share, weights.astype(float)) == cut_at_share(np.repeat(scores, weights), share)


@settings(max_examples=30)
@given(weighted_scores(), st.sampled_from(["two_sample", "one_sample"]))
def test_slope_of_weighted_scores_equals_that_of_repeated_ones(drawn, scenario):
    scores, positive, weights = drawn
    repeated = fit_slope(np.repeat(scores, weights), np.repeat(positive, weights), 0.3, scenario)
    assume(repeated * np.abs(scores[scores != 0]).min() < 15)  # larger slopes have the same risk up to rounding
    np.testing.assert_allclose(fit_slope(scores, positive, 0.3, scenario, weights.astype(float)), repeated, rtol=1e-3)


#: The steeper the sigmoid, the smaller the risk.
STEEP = np.array([2.0, 4.0, 0.0, 0.0, 2.0, 1.0]), np.arange(6) < 2, np.array([2, 1, 2, 1, 3, 3])


@settings(max_examples=30)
@example(STEEP, "sigmoid", False)
@given(weighted_scores(), st.sampled_from(sorted(CALIBRATIONS)), st.booleans())
def test_calibration_of_weighted_scores_equals_that_of_repeated_ones(drawn, method, joined):
    scores, positive, weights = drawn
    weighted, _ = CALIBRATIONS[method](scores, positive, 0.3, joined, weights.astype(float))
    repeated, _ = CALIBRATIONS[method](np.repeat(scores, weights), np.repeat(positive, weights), 0.3, joined)
    np.testing.assert_allclose(weighted.predict(scores), repeated.predict(scores), atol=1e-6)
