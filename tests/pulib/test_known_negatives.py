"""Known negatives in addition to labeled positives and unlabeled rows: labels, risks by definition, and weights."""

from functools import partial
from itertools import cycle

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib import (
    AdaPUClassifier,
    ElkanNotoClassifier,
    NaivePUClassifier,
    NeuralPUClassifier,
    OnlinePUClassifier,
    PUBaggingClassifier,
    PUCalibratedClassifier,
    PUDecisionTreeClassifier,
    PUExtraTreesClassifier,
    PUThresholdClassifier,
    UnbiasedPUClassifier,
)
from pulib._known_negatives import mix_of_samples, split_known_negatives, times_counted
from pulib._labels import TAKE_NEGATIVES
from tests.pulib.naive.linear import loss as pu_loss
from tests.pulib.naive.trees import closed_form

PRIOR = 0.35
SCENARIOS = pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
GIVEN = {"prior": PRIOR, "unlabeled_label": 0, "random_state": 0}
LEARNERS = {
    "tree": partial(PUDecisionTreeClassifier, **GIVEN),
    "forest": partial(PUExtraTreesClassifier, 10, **GIVEN),
    **{
        f"linear, {loss}": partial(UnbiasedPUClassifier, loss=loss, alpha=0.1, tol=1e-12, **GIVEN)
        for loss in ("square", "logistic", "double_hinge")
    },
}
LEARNER_IN_SCENARIO = pytest.mark.parametrize(
    ("name", "scenario"), list(zip([*LEARNERS, "network"], cycle(["two_sample", "one_sample"]), strict=False))
)


def three_kinds(seed=0, n=300, d=4):
    """Return rows with labels 1, 0, and -1, all drawn at random."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < PRIOR
    X = rng.normal(size=(n, d)) + np.where(truth, 0.7, -0.7)[:, None]
    y = np.where(rng.random(n) < np.where(truth, 0.4, 0.15), np.where(truth, 1, -1), 0)
    return X, y


def make(name, **params):
    if name == "network":
        pytest.importorskip("torch")
        return NeuralPUClassifier("linear", **{**GIVEN, "epochs": 20, "batch_size": 10_000, "n_threads": 1, **params})
    return LEARNERS[name](**params)


@pytest.mark.parametrize(
    ("y", "unlabeled", "pos_label", "classes"),
    [
        ([1, 0, -1, 0], 0, None, [-1, 1]),
        ([1, -1, 0, -1], -1, None, [0, 1]),
        ([1.0, np.nan, -1.0, np.nan], np.nan, None, [-1, 1]),
        ([np.int64(1), None, np.int64(-1), None], np.nan, None, [-1, 1]),
        (["P", "U", "N", "U"], "U", "P", ["N", "P"]),
        (["a", None, "b", None], np.nan, "a", ["b", "a"]),
        ([3, 0, 7, 0], 0, 3, [7, 3]),
    ],
)
def test_labels_of_three_kinds(y, unlabeled, pos_label, classes):
    _, negatives = split_known_negatives(y, unlabeled, pos_label)
    assert negatives.rows.tolist() == [False, False, True, False]
    assert negatives.classes.tolist() == classes
    X = np.arange(8.0).reshape(4, 2)
    tree = PUDecisionTreeClassifier(prior=0.5, unlabeled_label=unlabeled, pos_label=pos_label).fit(X, y)
    assert tree.classes_.tolist() == classes
    assert set(tree.predict(X).tolist()) <= set(classes)


@pytest.mark.parametrize(
    ("y", "params", "words"),
    [
        ([1, 0, -1, 0], {"unlabeled_label": 5}, "unlabeled_label=5 is not a label in y"),
        ([1, -1, 1, -1], {"unlabeled_label": 0}, "unlabeled_label=0 is not a label in y"),
        ([1, 0, -1, 2], {"unlabeled_label": 0}, "4 kinds"),
        ([3, 0, 7, 0], {"unlabeled_label": 0}, "which of them marks labeled positives"),
        ([3, 0, 7, 0], {"unlabeled_label": 0, "pos_label": 5}, "pos_label=5 is not a label"),
        ([1, 0, -1, 0], {"unlabeled_label": 0, "risk": "pn"}, "risk='pn' is for true labels"),
    ],
)
def test_ambiguous_labels_raise_an_error(y, params, words):
    with pytest.raises(ValueError, match=words):
        make("tree").set_params(**params).fit(np.arange(8.0).reshape(4, 2), y)


@pytest.mark.parametrize(
    "model", [AdaPUClassifier(prior=0.4), OnlinePUClassifier(prior=0.4), NaivePUClassifier(LogisticRegression())]
)
def test_error_names_the_learners_that_accept_known_negatives(model):
    X, y = three_kinds()
    with pytest.raises(ValueError, match="known negatives") as caught:
        model.fit(X, y)
    assert all(name in str(caught.value) for name in TAKE_NEGATIVES)
    with pytest.raises(ValueError, match="known negatives"):
        PUExtraTreesClassifier(5, prior=0.4).fit(X, y)


def risk_by_definition(kinds, rows, scenario, copies):
    """Return W_p and W_n of some rows from means over positives, unlabeled rows, and known negatives."""
    population = np.ones(len(kinds), bool) if scenario == "one_sample" else kinds == 0
    share = {kind: np.mean(rows[kinds == kind]) for kind in (1, -1)}
    extra = copies - (scenario == "one_sample")
    c = np.sum(kinds == -1) / ((1 - PRIOR) * population.sum())
    eta = extra * c / (1 + extra * c)
    pu = np.mean(rows[population]) - PRIOR * share[1]
    return PRIOR * share[1], (1 - eta) * pu + eta * (1 - PRIOR) * share[-1]


@pytest.mark.parametrize(("scenario", "loss", "risk"), [("two_sample", "quadratic", "nnpu"), ("one_sample", "logistic", "upu")])
def test_nodes_have_the_risk_of_the_definition(scenario, loss, risk):
    X, y = three_kinds(2, 200)
    model = make("tree", scenario=scenario, risk=risk, loss=loss, max_depth=4).fit(X, y)
    paths, tree = model.decision_path(X).toarray().astype(bool), model.tree_
    copies = (tree.n_unlabeled[0] - np.sum(y == 0)) / np.sum(y == -1)
    assert copies == 1 + (scenario == "one_sample")
    for node in range(tree.node_count):
        w_p, w_n = risk_by_definition(y, paths[:, node].astype(float), scenario, copies)
        if abs(w_n) > 1e-12:
            assert tree.risk[node] == pytest.approx(closed_form(risk, loss, w_p, w_n), abs=1e-12)
        assert tree.weight[node] == pytest.approx(w_p + w_n, abs=1e-12)


@pytest.mark.parametrize(
    ("scenario", "loss", "weighted"),
    [("two_sample", "square", True), ("one_sample", "logistic", False), ("one_sample", "double_hinge", True)],
)
def test_linear_models_minimize_the_risk(scenario, loss, weighted):
    """Compared with the risk by its definition, minimized by scipy."""
    X, y = three_kinds(3)
    counts = np.random.default_rng(3).gamma(1.0, size=len(y)) if weighted else np.ones(len(y))
    population = y == 0 if scenario == "two_sample" else np.ones(len(y), bool)
    sums = {kind: counts[y == kind].sum() for kind in (1, -1)}
    r = times_counted(sums[1], sums[-1], counts[population].sum(), PRIOR)
    c = sums[-1] / ((1 - PRIOR) * counts[population].sum())
    eta = r * c / (1 + r * c)
    Z = np.column_stack([X, np.ones(len(y))])

    def mean(values, rows):
        return np.average(values[rows], weights=counts[rows])

    def risk(w):
        plus, minus = pu_loss(Z @ w, loss), pu_loss(-Z @ w, loss)
        pu = mean(minus, population) - PRIOR * mean(minus, y == 1)
        negative = (1 - eta) * pu + eta * (1 - PRIOR) * mean(minus, y == -1)
        return PRIOR * mean(plus, y == 1) + negative + 0.05 * w @ w

    model = make(f"linear, {loss}", scenario=scenario).fit(X, y, sample_weight=counts if weighted else None)
    found = risk(np.append(model.coef_, model.intercept_))
    assert found == pytest.approx(model.objective_, abs=1e-9)
    assert found <= minimize(risk, np.zeros(5), method="Powell", options={"xtol": 1e-9, "ftol": 1e-14}).fun + 1e-6


@pytest.mark.parametrize(("scenario", "loss"), [("two_sample", "logistic"), ("one_sample", "double_hinge")])
def test_network_minimizes_the_same_risk(scenario, loss):
    """A linear network on full batches without corrections reaches the convex solution."""
    X, y = three_kinds(4)
    steps = {"epochs": 600, "learning_rate": 0.02, "weight_decay": 0.1, "input_scaling": None}
    model = make("network", scenario=scenario, risk="upu", loss=loss, **steps)
    convex = make(f"linear, {loss}", scenario=scenario).fit(X, y)
    np.testing.assert_allclose(model.fit(X, y).decision_function(X), convex.decision_function(X), atol=0.02)
    plain = clone(convex).set_params(unlabeled_label=None).fit(X, np.maximum(y, 0))
    assert np.abs(convex.decision_function(X) - plain.decision_function(X)).max() > 0.1


@SCENARIOS
def test_network_stops_early_by_the_same_risk(scenario):
    X, y = three_kinds(5, 600)
    model = make("network", scenario=scenario, n_iter_no_change=3, epochs=5).fit(X, y)
    assert np.isfinite(model.history_["held_out_risk"]).all()
    from pulib.neural._held_out import HeldOut

    mix = mix_of_samples(y == 1, y == -1, PRIOR, scenario)
    held = HeldOut(None, y == 1, None, PRIOR, scenario, 3, mix.unlabeled, mix.eta)
    sigmoid = expit(X[:, 0])
    negative = mix.weights @ sigmoid - PRIOR * sigmoid[y == 1].mean()
    assert held._risk(X[:, 0]) == pytest.approx(PRIOR * (1 - sigmoid)[y == 1].mean() + max(negative, 0))


@LEARNER_IN_SCENARIO
def test_integer_weights_equal_repeated_rows_and_zeros_omit_rows(name, scenario):
    X, y = three_kinds(6)
    weights = np.random.default_rng(6).integers(0, 3, len(y))
    close = {"rtol": 1e-3, "atol": 1e-4} if name == "network" else {"rtol": 1e-6, "atol": 1e-8}
    repeated = np.repeat(np.arange(len(y)), weights)
    expected = make(name, scenario=scenario).fit(X[repeated], y[repeated]).decision_function(X)
    got = make(name, scenario=scenario).fit(X, y, sample_weight=weights).decision_function(X)
    np.testing.assert_allclose(got, expected, **close)
    no_negatives = make(name, scenario=scenario).fit(X, y, sample_weight=(y >= 0).astype(float))
    expected = make(name, scenario=scenario).fit(X[y >= 0], y[y >= 0]).decision_function(X)
    np.testing.assert_allclose(no_negatives.decision_function(X), expected, **close)


@SCENARIOS
def test_bags_keep_the_total_weight_of_each_kind(scenario):
    """A tree without splits shows the weights of its root, whichever rows were drawn."""
    X, y = three_kinds(7)
    weights = np.where(y == 1, 2.5, 0.5 + np.arange(len(y)) % 3)
    stumps = PUExtraTreesClassifier(3, scenario=scenario, bootstrap=True, min_samples_leaf=10**6, **GIVEN)
    for sample_weight in (None, weights):
        for member in stumps.fit(X, y, sample_weight=sample_weight):
            assert member.tree_.weight[0] == pytest.approx(1.0)
            assert member.tree_.risk[0] == pytest.approx(4 * PRIOR * (1 - PRIOR))


def test_estimated_prior_refers_to_the_unlabeled_rows():
    X, y = three_kinds(9, 800)
    many = np.r_[X, np.random.default_rng(0).normal(size=(800, 4)) - 0.7], np.r_[y, np.full(800, -1)]
    alone = UnbiasedPUClassifier(unlabeled_label=0).fit(X[y >= 0], y[y >= 0])
    assert UnbiasedPUClassifier(unlabeled_label=0).fit(*many).prior_ == alone.prior_


BASE = LogisticRegression()
REDUCTIONS = [
    NaivePUClassifier(BASE, prior=PRIOR),
    PUThresholdClassifier(BASE, prior=PRIOR),
    ElkanNotoClassifier(BASE, prior=PRIOR),
    ElkanNotoClassifier(BASE, prior=PRIOR, hold_out=0.3, calibration="sigmoid", random_state=0),
    PUCalibratedClassifier(UnbiasedPUClassifier(prior=PRIOR, random_state=0), prior=PRIOR),
    PUBaggingClassifier(n_estimators=6, prior=PRIOR, random_state=0),
    PUThresholdClassifier(make_pipeline(StandardScaler(), UnbiasedPUClassifier(prior=PRIOR, random_state=0)), prior=PRIOR),
]


@pytest.mark.parametrize(("model", "scenario"), list(zip(REDUCTIONS, cycle(["two_sample", "one_sample"]), strict=False)))
def test_reductions_accept_known_negatives(model, scenario):
    X, y = three_kinds(11, 600)
    model = clone(model).set_params(scenario=scenario, unlabeled_label=0)
    fitted = clone(model).fit(X, y)
    assert fitted.classes_.tolist() == [-1, 1]
    assert set(fitted.predict(X)) == {-1, 1}
    # known negatives change the model
    expected = clone(model).fit(X[y >= 0], y[y >= 0]).decision_function(X)
    assert np.abs(fitted.decision_function(X) - expected).max() > 1e-3
    # the threshold refers to the population, which excludes them in two samples
    share = np.mean(fitted.decision_function(X[y == 0]) > 0) if scenario == "two_sample" else np.mean(fitted.predict(X) == 1)
    assert abs(share - PRIOR) < 0.1
    # a weight of 0 leaves them out
    without = clone(model).fit(X, y, sample_weight=(y >= 0).astype(float))
    np.testing.assert_allclose(without.decision_function(X), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("wrapper", "scenario"), [(PUThresholdClassifier, "two_sample"), (PUCalibratedClassifier, "one_sample")]
)
def test_wrapped_pu_learners_receive_known_negatives(wrapper, scenario):
    X, y = three_kinds(14, 600)
    base = UnbiasedPUClassifier(prior=PRIOR, scenario=scenario, random_state=0)
    fitted = wrapper(base, prior=PRIOR, scenario=scenario, unlabeled_label=0).fit(X, y)
    alone = clone(base).set_params(unlabeled_label=0).fit(X, y)
    np.testing.assert_array_equal(fitted.estimator_.coef_, alone.coef_)
    frozen = FrozenEstimator(make_pipeline(StandardScaler(), base).fit(X[y >= 0], y[y >= 0]))
    assert set(wrapper(frozen, prior=PRIOR, unlabeled_label=0).fit(X, y).predict(X)) == {-1, 1}
    with pytest.raises(ValueError, match=r"AdaPUClassifier takes no known negatives.*UnbiasedPUClassifier"):
        wrapper(AdaPUClassifier(prior=PRIOR), prior=PRIOR, unlabeled_label=0).fit(X, y)


def test_elkan_noto_in_two_samples_needs_a_calibration_to_use_them():
    X, y = three_kinds(15)
    model = ElkanNotoClassifier(BASE, calibration=None, unlabeled_label=0)
    with pytest.raises(ValueError, match="calibration=None has no use for known negatives"):
        model.fit(X, y)
    single = model.set_params(scenario="one_sample").fit(X, y)
    plain = ElkanNotoClassifier(BASE, calibration=None, scenario="one_sample").fit(X, (y == 1).astype(int))
    np.testing.assert_array_equal(single.decision_function(X), plain.decision_function(X))


@SCENARIOS
def test_naive_base_trains_on_them_and_two_samples_do_not_hold_them_out(scenario):
    X, y = three_kinds(12, 600)
    fitted = NaivePUClassifier(BASE, prior=PRIOR, scenario=scenario, unlabeled_label=0, oob_score=True).fit(X, y)
    plain = clone(BASE).fit(X, (y == 1).astype(int))
    np.testing.assert_allclose(fitted.decision_function(X) + fitted.threshold_, plain.decision_function(X))
    assert np.isnan(fitted.oob_decision_function_).tolist() == ((y == -1) & (scenario == "two_sample")).tolist()


@SCENARIOS
def test_known_negatives_are_in_every_bag_and_never_drawn(scenario):
    X, y = three_kinds(13, 200)
    held = []

    class Recording(LogisticRegression):
        def fit(self, X, y):
            held.append((X.copy(), y.copy()))
            return super().fit(X, y)

    PUBaggingClassifier(Recording(), 10, unlabeled_label=0, scenario=scenario, random_state=0).fit(X, y)
    known = {row.tobytes() for row in X[y == -1]}
    for rows, targets in held:
        negatives = [row.tobytes() for row in rows[targets == 0]]
        assert sum(row in known for row in negatives) == len(known)
        assert len(negatives) == len(known) + np.sum(y == 1)
    assert len(held) == 10
