"""Ada-PU against a naive implementation, round by round; degenerate data; identical results by every route."""

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from pulib._random import new_state
from pulib.boosting import _predict, _strategies, _stump
from pulib.boosting._stump import draw_thresholds, ranges_of
from pulib.kernels import draw_seeds, encode
from studies.adapu.readings import AdaPUClassifier as Reading
from tests.pulib.naive.boosting import NaiveAdaPU, all_thresholds
from tests.sizes import size

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
#: The paper's algorithm; where its text is silent, full steps and no rows held out.
paper_adapu = partial(Reading, learning_rate=1.0, n_iter_no_change=None, training_prior=None)


def make_problem(seed, n=120, d=4, n_labeled=20, levels=None, dtype=np.float64):
    """Labeled positives and a sample of the population, in random order; the second feature is constant."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    truth[:2] = True, False
    X = rng.normal(size=(n, d)) + 1.5 * truth[:, None] * rng.random(d)
    if levels:
        X = np.clip(np.round(X * levels / 6 + levels / 2), 0, levels)
    if d > 1:
        X[:, 1] = 2.0
    labeled = rng.choice(np.flatnonzero(truth), n_labeled)
    X, y = np.concatenate([X[labeled], X]).astype(dtype), np.repeat([1, 0], [n_labeled, n])
    order = rng.permutation(len(y))
    return np.ascontiguousarray(X[order]), y[order]


def drawn_candidates(model, X, y, seed):
    inside = np.flatnonzero(y == 0) if model.threshold_range == "unlabeled" else np.arange(len(y))
    run = lambda function, items: [function(item) for item in items]  # noqa: E731
    data = encode(X, np.arange(len(y)), inside, max_bins=model.max_bins, equal_width=True, run=run)
    thresholds, cuts = np.empty((model.n_thresholds, len(data.low))), np.empty((model.n_thresholds, len(data.low)), np.int64)
    draw_thresholds(new_state(seed), ranges_of(data), thresholds, cuts)
    return [(int(f), float(thresholds[s, f]), p) for s, f in zip(*np.nonzero(cuts >= 0), strict=True) for p in (+1, -1)]


def follow(model, X, y, prior):
    """Check every round of a fitted model against the naive implementation."""
    twin = NaiveAdaPU(X, y == 1, prior, model.scenario)
    seeds = draw_seeds(model.random_state, model.n_estimators)
    for t in range(model.n_iter_ + 1):
        if t == model.n_estimators:
            return
        candidates = all_thresholds(X) if model.splitter == "best" else drawn_candidates(model, X, y, seeds[t])
        least, best = twin.best(candidates)
        near = 1e-12 * twin.absolute()  # bound on rounding errors
        if t == model.n_iter_:
            assert least >= 0.5 - near or model.estimator_errors_[-1] <= 1e-11
            return
        stump = (model.estimator_features_[t], model.estimator_thresholds_[t], model.estimator_polarities_[t])
        assert stump in best
        assert model.estimator_errors_[t] == pytest.approx(least, abs=near)
        if model.normalize_weights:
            assert twin.gain(stump) == pytest.approx(1 - 2 * model.estimator_errors_[t], abs=near)
        if least > 1e-11:
            alpha = 0.5 * math.log((1 - model.estimator_errors_[t]) / model.estimator_errors_[t])
            assert model.estimator_weights_[t] == pytest.approx(model.learning_rate * alpha, rel=1e-12)
            twin.update(stump, alpha * (model.learning_rate if model.shrink_weights else 1), model.normalize_weights)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(5, 150),
    d=st.integers(1, 5),
    n_labeled=st.integers(1, 70),
    levels=st.sampled_from([None, 2, 9]),
    dtype=st.sampled_from([np.float32, np.float64]),
    prior=st.sampled_from([0.1, 0.4, 0.7]),
    options=st.fixed_dictionaries(
        {
            "splitter": st.sampled_from(["random", "best"]),
            "n_thresholds": st.integers(1, 4),
            "threshold_range": st.sampled_from(["all", "unlabeled"]),
            "scenario": st.sampled_from(["two_sample", "one_sample"]),
            "learning_rate": st.sampled_from([0.1, 0.5, 1.0]),
            "shrink_weights": st.booleans(),
            "normalize_weights": st.booleans(),
        }
    ),
)
@example(0, 300, 1, 20, None, np.float64, 0.4, {"splitter": "best"})  # codes of more than one byte
@example(0, 300, 1, 20, None, np.float64, 0.4, {"splitter": "random"})
def test_every_round_agrees_with_the_naive_implementation(seed, n, d, n_labeled, levels, dtype, prior, options):
    X, y = make_problem(seed, n, d, n_labeled, levels, dtype)
    model = paper_adapu(8, prior=prior, random_state=seed, **options)
    follow(model.fit(X, y), X, y, prior)


@pytest.mark.parametrize(("kind", "options"), [(np.uint8, {"splitter": "best"}), (np.float64, {"max_bins": 20})])
def test_threads_and_memory_order_do_not_change_results(kind, options):
    X, y = make_problem(11, n=size(700, 150), d=21, levels=255, dtype=kind)
    model = paper_adapu(size(30, 6), prior=0.4, learning_rate=0.3, n_jobs=1, random_state=0, **options).fit(X, y)
    assert model.n_iter_ > 3
    for rows, n_jobs in ((X, 5), (np.asfortranarray(X), 2)):
        other = clone(model).set_params(n_jobs=n_jobs).fit(rows, y)
        for name in ("estimator_errors_", "estimator_weights_", "estimator_thresholds_", "estimator_features_"):
            assert getattr(other, name).tobytes() == getattr(model, name).tobytes()
        assert other.decision_function(rows).tobytes() == model.decision_function(X).tobytes()


@settings(max_examples=size(10, 3))
@given(seed=st.integers(0, 2**31), best=st.booleans(), beta=st.sampled_from([0.1, 1.0]), drift=st.sampled_from([1e-9, 1e-15]))
def test_all_strategies_agree(seed, best, beta, drift):
    """Carried histograms, fresh ones, and sums above single thresholds find stumps identical to the bit."""
    X, y = make_problem(seed, n=300, d=6, n_labeled=30, levels=200)
    model = paper_adapu(40, prior=0.4, splitter="best" if best else "random", learning_rate=beta, random_state=seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_strategies, "_DRIFT", drift)
        carried = model.fit(X, y).estimator_errors_.tobytes(), model.estimator_thresholds_.tobytes()
        other = _strategies.FreshHistograms if best else _strategies.SumsAboveDrawn
        patch.setattr(_stump, "choose_strategy", lambda data, weights, threads, n_thresholds: other(data, weights, threads))
        assert carried == (model.fit(X, y).estimator_errors_.tobytes(), model.estimator_thresholds_.tobytes())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"splitter": "best", "max_bins": 8}, {"splitter": "random"}),
        ({"learning_rate": 0.1, "shrink_weights": False}, {"learning_rate": 0.4, "normalize_weights": False}),
    ],
)
def test_warm_start_with_other_parameters_continues_from_the_same_weights(before, after):
    X, y = make_problem(9, n=500)
    model = paper_adapu(6, prior=0.4, random_state=0, **{"learning_rate": 0.2, **before}).fit(X, y)
    old = model.get_params()
    model.set_params(warm_start=True, n_estimators=12, **after).fit(X, y)
    assert model.n_iter_ > 6
    divided = model.normalize_weights  # by the signed total in each round; earlier rounds are replayed in the same way
    twin = NaiveAdaPU(X, y == 1, 0.4)
    for t in range(model.n_iter_):
        stump = (model.estimator_features_[t], model.estimator_thresholds_[t], model.estimator_polarities_[t])
        if t >= 6:
            assert model.estimator_errors_[t] == pytest.approx(twin.best([stump])[0], abs=1e-12 * twin.absolute())
        now = old if t < 6 else model.get_params()
        twin.update(stump, model.estimator_weights_[t] / (1.0 if now["shrink_weights"] else now["learning_rate"]), divided)
    with pytest.raises(ValueError, match=r"n_estimators=3 is less than the \d+ stumps"):
        model.set_params(n_estimators=3).fit(X, y)


@pytest.mark.parametrize("form", [np.asfortranarray, sparse.csr_array])
def test_each_stage_is_the_sum_of_the_votes_so_far(form, monkeypatch):
    """Also with more stages and rows than are scored at once."""
    monkeypatch.setattr(_predict, "_STAGES", 4)
    monkeypatch.setattr(_predict, "_ROWS", 100)
    X, y = make_problem(2, n=300)
    model = paper_adapu(11, prior=0.4, learning_rate=0.3, random_state=0).fit(X, y)
    votes = np.where(X[:, model.estimator_features_] > model.estimator_thresholds_, 1, -1) * model.estimator_polarities_
    expected = np.cumsum(model.estimator_weights_ * votes, axis=1).T
    stages = list(model.staged_decision_function(form(X)))
    assert np.array(stages).tobytes() == expected.tobytes()
    assert not any(np.shares_memory(a, b) for a, b in pairwise(stages))
    assert stages[-1].tobytes() == model.decision_function(X).tobytes()
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    np.testing.assert_allclose(np.log(model.predict_proba(X)).dot([-1, 1]), 2 * expected[-1], atol=1e-9)
    np.testing.assert_array_equal(model.feature_counts_, np.bincount(model.estimator_features_, minlength=4))
    assert model.feature_importances_.sum() == pytest.approx(1)


NOTHING_FOUND = {
    "all features are constant": (np.ones((30, 3)), np.repeat([1, 0], [10, 20]), 0.4),
    r"smallest error of a stump is 0\.5": (np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([1, 1, 0, 0]), 0.5),
    # all of P and a tenth of U on one side: π = 0.9 would leave a negative number of negatives
    r"ε_nn \(the smallest ε is -0\.8\); prior=0\.9 may be too large": (
        np.repeat([1.0, 1.0, 0.0], [20, 3, 27])[:, None],
        np.repeat([1, 0], [20, 30]),
        0.9,
    ),
}


@pytest.mark.parametrize("splitter", ["random", "best"])
@pytest.mark.parametrize("message", NOTHING_FOUND)
def test_warns_if_no_stump_helps_and_still_predicts(message, splitter):
    X, y, prior = NOTHING_FOUND[message]
    with pytest.warns(ConvergenceWarning, match=message):
        model = paper_adapu(5, prior=prior, splitter=splitter).fit(X, y)
    assert model.n_iter_ == 0
    assert not model.decision_function(X).any()
    assert set(model.predict(X)) == {0}
    assert list(model.staged_predict(X)) == []
    assert model.feature_counts_.tolist() == model.feature_importances_.tolist() == [0] * X.shape[1]


def test_warns_if_an_outlier_makes_random_thresholds_useless():
    X, y = np.r_[np.ones(19), 1e9, np.zeros(30), np.ones(20)][:, None], np.repeat([1, 0], [20, 50])
    with pytest.warns(ConvergenceWarning, match=r"n_thresholds=10 that were drawn .* Use splitter='best'"):
        assert paper_adapu(5, prior=0.4, random_state=0).fit(X, y).n_iter_ == 0
    assert paper_adapu(5, prior=0.4, splitter="best").fit(X, y).n_iter_ == 1


@pytest.mark.parametrize("splitter", ["random", "best"])
def test_stops_after_a_perfect_stump(splitter):
    X, y = np.repeat([1.0, 0.0], [18, 12])[:, None], np.repeat([1, 0], [10, 20])
    with pytest.warns(ConvergenceWarning, match="stump of round 1 has no error except rounding"):
        model = paper_adapu(5, prior=0.4, splitter=splitter).fit(X, y)
    assert model.n_iter_ == 1
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_array_equal(model.predict(X), X[:, 0])


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")  # scikit-learn sums X to check it
@pytest.mark.parametrize("max_bins", [None, 16])
def test_thresholds_are_uniform_even_if_the_range_overflows(max_bins):
    x = np.random.default_rng(0).uniform(-1, 1, 400)
    y = (x > 0.5).astype(int)
    options = {"prior": 0.2, "n_thresholds": 4, "max_bins": max_bins, "learning_rate": 0.1, "random_state": 0}
    near, far = (paper_adapu(10, **options).fit(x[:, None] * scale, y) for scale in (1.0, 1.7e308))
    assert far.n_iter_ == near.n_iter_ > 1
    np.testing.assert_allclose(far.estimator_thresholds_ / 1.7e308, near.estimator_thresholds_, atol=1e-12)
