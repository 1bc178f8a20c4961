"""Ada-PU against its naive twin, round by round; the theorems' identities; AdaBoost; degenerate data; one result for all."""

import math
import warnings
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import ConvergenceWarning

from pulib._held_out import hold_out
from pulib._random import new_state
from pulib.boosting import AdaPUClassifier, _predict, _strategies, _stump
from pulib.boosting._stump import draw_thresholds, ranges_of
from pulib.kernels import draw_seeds, encode
from pulib.metrics import pu_risk
from studies.adapu.readings import AdaPUClassifier as Reading
from tests.pulib.naive.boosting import NaiveAdaPU, all_thresholds
from tests.sizes import size

#: The paper's algorithm, with what its text leaves open: full steps, and no rows held out.
paper_adapu = partial(Reading, learning_rate=1.0, n_iter_no_change=None, training_prior=None)


def make_problem(seed, n=120, d=4, n_labeled=20, levels=None, dtype=np.float64):
    """Labeled positives followed by a sample of everything, in random order; the second feature is constant."""
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
    """The random candidates of a round."""
    inside = np.flatnonzero(y == 0) if model.threshold_range == "unlabeled" else np.arange(len(y))
    run = lambda function, items: [function(item) for item in items]  # noqa: E731
    data = encode(X, np.arange(len(y)), inside, max_bins=model.max_bins, equal_width=True, run=run)
    thresholds, cuts = np.empty((model.n_thresholds, len(data.low))), np.empty((model.n_thresholds, len(data.low)), np.int64)
    draw_thresholds(new_state(seed), ranges_of(data), thresholds, cuts)
    return [(int(f), float(thresholds[s, f]), p) for s, f in zip(*np.nonzero(cuts >= 0), strict=True) for p in (+1, -1)]


def follow(model, X, y, prior, twin=None):
    """Check every round of a fitted model against the naive twin."""
    twin = twin or NaiveAdaPU(X, y == 1, prior, model.scenario)
    seeds = draw_seeds(model.random_state, model.n_estimators)
    for t in range(model.n_iter_ + 1):
        if t == model.n_estimators:
            return
        candidates = all_thresholds(X) if model.splitter == "best" else drawn_candidates(model, X, y, seeds[t])
        least, best = twin.best(candidates)
        near = 1e-12 * twin.absolute()  # what rounding may come to
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


def quiet_fit(model, X, y, sample_weight=None, groups=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        given = {"sample_weight": sample_weight, "groups": groups}
        return model.fit(X, y, **{name: value for name, value in given.items() if value is not None})


@settings(deadline=None, max_examples=30)
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
def test_every_round_is_the_naive_one(seed, n, d, n_labeled, levels, dtype, prior, options):
    X, y = make_problem(seed, n, d, n_labeled, levels, dtype)
    model = paper_adapu(8, prior=prior, random_state=seed, **options)
    follow(quiet_fit(model, X, y), X, y, prior)


@settings(deadline=None, max_examples=12)
@given(seed=st.integers(0, 2**31), splitter=st.sampled_from(["random", "best"]), beta=st.sampled_from([0.2, 1.0]))
def test_theorem_4_2(seed, splitter, beta):
    """Σ w0 exp(−y H_T) = Π ((1 − ε) e^−βα + ε e^βα), which is Π 2 sqrt(ε (1 − ε)) for β = 1; it bounds the error."""
    X, y = make_problem(seed, n=300, d=5, n_labeled=40)
    model = paper_adapu(20, prior=0.4, splitter=splitter, learning_rate=beta, random_state=seed)
    quiet_fit(model, X, y)
    if model.n_iter_ == 0 or model.estimator_errors_.min() < 1e-9:
        return
    H = model.decision_function(X)
    twin = NaiveAdaPU(X, y == 1, 0.4)
    H = np.concatenate([H[y == 1], H[y == 1], H[y == 0]])  # P+, P−, U−
    loss, absolute = twin.exponential_loss(H), twin.exponential_loss(H, absolute=True)
    error, alpha = model.estimator_errors_, model.estimator_weights_
    factors = 2 * np.sqrt(error * (1 - error)) if beta == 1 else (1 - error) * np.exp(-alpha) + error * np.exp(alpha)
    assert loss == pytest.approx(np.prod(factors), abs=1e-10 * max(1, 1e-3 * absolute))  # positive and negative terms cancel


class LeastErrorStump(ClassifierMixin, BaseEstimator):
    """A stump of least weighted error, for scikit-learn's AdaBoost; of equal ones the first, as in AdaPUClassifier."""

    def fit(self, X, y, sample_weight):
        self.classes_, signs = np.unique(y), np.where(y == np.max(y), 1, -1)
        best = np.inf
        for feature, threshold, polarity in all_thresholds(X):
            error = sample_weight[np.where(X[:, feature] > threshold, polarity, -polarity) != signs].sum()
            if error < best - 1e-12:
                best, self.stump_ = error, (feature, threshold, polarity)
        return self

    def predict(self, X):
        feature, threshold, polarity = self.stump_
        return self.classes_[(np.where(X[:, feature] > threshold, polarity, -polarity) > 0).astype(int)]


@pytest.mark.parametrize(("form", "levels"), [("copied", 12), ("one_sample", None)])
def test_is_adaboost_where_everything_is_labeled(form, levels):
    rng = np.random.default_rng(4)
    truth = (rng.random(150) < 0.4).astype(int)
    X = rng.normal(size=(150, 4)) + truth[:, None]
    X = X if levels is None else np.round(2 * X)
    reference = AdaBoostClassifier(LeastErrorStump(), n_estimators=25).fit(X, truth)
    if form == "copied":  # U holds every row, P once more those that are positive
        train, y = np.concatenate([X[truth == 1], X]), np.repeat([1, 0], [truth.sum(), len(X)])
        scenario = "two_sample"
    else:
        train, y, scenario = X, truth, "one_sample"
    model = paper_adapu(25, prior=truth.mean(), scenario=scenario, splitter="best").fit(train, y)
    assert model.n_iter_ == 25
    np.testing.assert_allclose(model.estimator_errors_, reference.estimator_errors_, atol=1e-12)
    np.testing.assert_allclose(2 * model.estimator_weights_, reference.estimator_weights_, rtol=1e-9)
    for ours, theirs in zip(model.staged_predict(X), reference.staged_predict(X), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("kind", "options"),
    [(np.uint8, {"splitter": "best"}), (np.float64, {"n_thresholds": 1}), (np.float64, {"max_bins": 20})],
)
def test_threads_order_and_memory_maps_change_nothing(kind, options, tmp_path):
    X, y = make_problem(11, n=size(700, 150), d=21, levels=255, dtype=kind)
    np.save(tmp_path / "X.npy", X)
    forms = [(X, 1), (X, 2), (X, 5), (np.asfortranarray(X), 2), (np.load(tmp_path / "X.npy", mmap_mode="r"), 2)]
    models = [
        paper_adapu(size(30, 6), prior=0.4, learning_rate=0.3, n_jobs=n_jobs, random_state=0, **options).fit(A, y)
        for A, n_jobs in forms
    ]
    for model, (A, _) in zip(models, forms, strict=True):
        assert model.n_iter_ > 3
        for name in ("estimator_errors_", "estimator_weights_", "estimator_thresholds_", "estimator_features_"):
            assert getattr(model, name).tobytes() == getattr(models[0], name).tobytes()
        assert model.decision_function(A).tobytes() == models[0].decision_function(X).tobytes()


@settings(deadline=None, max_examples=size(10, 3))
@given(seed=st.integers(0, 2**31), best=st.booleans(), beta=st.sampled_from([0.1, 1.0]), drift=st.sampled_from([1e-9, 1e-15]))
def test_all_strategies_agree(seed, best, beta, drift):
    """Carried histograms, fresh ones, and sums above single thresholds find the same stumps, to the last bit."""
    X, y = make_problem(seed, n=300, d=6, n_labeled=30, levels=200)
    model = paper_adapu(40, prior=0.4, splitter="best" if best else "random", learning_rate=beta, random_state=seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_strategies, "_DRIFT", drift)
        carried = quiet_fit(model, X, y).estimator_errors_.tobytes(), model.estimator_thresholds_.tobytes()
        other = _strategies.FreshHistograms if best else _strategies.SumsAboveDrawn
        patch.setattr(_stump, "choose_strategy", lambda data, weights, threads, n_thresholds: other(data, weights, threads))
        assert carried == (quiet_fit(model, X, y).estimator_errors_.tobytes(), model.estimator_thresholds_.tobytes())


def test_warm_start_goes_on_where_it_ended():
    X, y = make_problem(8, n=300)
    for shrink in (True, False):
        options = {"prior": 0.4, "learning_rate": 0.3, "shrink_weights": shrink, "random_state": 0}
        whole = paper_adapu(20, **options).fit(X, y)
        grown = paper_adapu(7, warm_start=True, **options).fit(X, y).set_params(n_estimators=20).fit(X, y)
        assert grown.estimator_errors_.tobytes() == whole.estimator_errors_.tobytes()
        assert grown.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
        with pytest.raises(ValueError, match=r"n_estimators=3 is less than the \d+ stumps"):
            grown.set_params(n_estimators=3).fit(X, y)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"max_bins": 300}, {"max_bins": 8}),
        ({"splitter": "best", "max_bins": 8}, {"splitter": "random"}),
        ({"learning_rate": 0.1, "shrink_weights": False}, {"learning_rate": 0.4}),
        ({"n_thresholds": 1}, {"n_thresholds": 10, "normalize_weights": False}),
    ],
)
def test_warm_start_with_other_parameters_goes_on_from_the_same_weights(before, after):
    X, y = make_problem(9, n=500)
    model = paper_adapu(6, prior=0.4, random_state=0, **{"learning_rate": 0.2, **before}).fit(X, y)
    old = model.get_params()
    model.set_params(warm_start=True, n_estimators=12, **after).fit(X, y)
    assert model.n_iter_ > 6
    divided = model.normalize_weights  # by the signed total, in each round; what was learned before is replayed as the rest is
    twin = NaiveAdaPU(X, y == 1, 0.4)
    for t in range(model.n_iter_):
        stump = (model.estimator_features_[t], model.estimator_thresholds_[t], model.estimator_polarities_[t])
        if t >= 6:
            assert model.estimator_errors_[t] == pytest.approx(twin.best([stump])[0], abs=1e-12 * twin.absolute())
        now = old if t < 6 else model.get_params()
        twin.update(stump, model.estimator_weights_[t] / (1.0 if now["shrink_weights"] else now["learning_rate"]), divided)


def test_warm_start_wants_the_same_rows_and_features():
    X, y = make_problem(8, n=300)
    model = paper_adapu(5, prior=0.4, warm_start=True, random_state=0).fit(X, y).set_params(n_estimators=8)
    with pytest.raises(ValueError, match=r"320 rows, 40 of them labeled.* fitted to 320 rows, 20 of them"):
        model.fit(X, np.where(np.cumsum(1 - y) <= 20, 1, y))
    with pytest.raises(ValueError, match="X has 1 features, but AdaPUClassifier is expecting 4"):
        model.fit(X[:, :1], y)
    assert len(model.predict(X)) == len(X)


def test_stages_end_in_the_model():
    X, y = make_problem(2, n=300)
    model = paper_adapu(15, prior=0.4, learning_rate=0.3, random_state=0).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == len(list(model.staged_predict(X))) == model.n_iter_
    assert stages[-1].tobytes() == model.decision_function(X).tobytes()
    shorter = paper_adapu(6, prior=0.4, learning_rate=0.3, random_state=0).fit(X, y)
    assert stages[5].tobytes() == shorter.decision_function(X).tobytes()
    assert model.feature_counts_.sum() == model.n_iter_
    assert model.feature_counts_[1] == 0  # constant
    assert model.feature_importances_.sum() == pytest.approx(1)
    np.testing.assert_allclose(np.log(model.predict_proba(X)).dot([-1, 1]), 2 * model.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_each_stage_is_the_sum_of_the_votes_so_far(form, monkeypatch):
    """Also where there are more stages, and more rows, than are scored at once."""
    monkeypatch.setattr(_predict, "_STAGES", 4)
    monkeypatch.setattr(_predict, "_ROWS", 100)
    X, y = make_problem(2, n=300)
    model = paper_adapu(11, prior=0.4, learning_rate=0.3, random_state=0).fit(X, y)
    votes = np.where(X[:, model.estimator_features_] > model.estimator_thresholds_, 1, -1) * model.estimator_polarities_
    expected = np.cumsum(model.estimator_weights_ * votes, axis=1).T
    stages = list(model.staged_decision_function(form(X)))
    assert np.array(stages).tobytes() == expected.tobytes()
    assert not any(np.shares_memory(a, b) for a, b in pairwise(stages))


@pytest.mark.parametrize("splitter", ["random", "best"])
class TestDegenerate:
    """Each ends with a warning that names the reason, and a model that answers."""

    def check_empty(self, model, X):
        assert model.n_iter_ == 0
        np.testing.assert_array_equal(model.decision_function(X), 0)
        assert set(model.predict(X)) == {0}
        assert list(model.staged_predict(X)) == []
        assert model.feature_counts_.tolist() == [0] * X.shape[1]
        np.testing.assert_array_equal(model.feature_importances_, 0)

    def test_constant_features(self, splitter):
        X, y = np.ones((30, 3)), np.repeat([1, 0], [10, 20])
        with pytest.warns(ConvergenceWarning, match="all features are constant"):
            model = paper_adapu(5, prior=0.4, splitter=splitter).fit(X, y)
        self.check_empty(model, X)

    def test_no_error_below_a_half(self, splitter):
        X, y = np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([1, 1, 0, 0])
        with pytest.warns(ConvergenceWarning, match=r"smallest error of a stump is 0\.5"):
            model = paper_adapu(5, prior=0.5, splitter=splitter).fit(X, y)
        self.check_empty(model, X)

    def test_prior_too_great(self, splitter):
        """All of P and a tenth of U on one side: with π = 0.9 negatives there would be of negative number."""
        X, y = np.repeat([1.0, 1.0, 0.0], [20, 3, 27])[:, None], np.repeat([1, 0], [20, 30])
        with pytest.warns(ConvergenceWarning, match=r"ε_nn \(the smallest ε is -0\.8\); prior=0\.9 may be too large"):
            model = paper_adapu(5, prior=0.9, splitter=splitter).fit(X, y)
        self.check_empty(model, X)

    def test_only_the_draws_are_useless(self, splitter):
        """One value far out: random thresholds all lie beyond the others, though one between them makes no error."""
        X = np.r_[np.ones(19), 1e9, np.zeros(30), np.ones(20)][:, None]
        model = paper_adapu(5, prior=0.4, splitter=splitter, random_state=0)
        if splitter == "best":
            assert quiet_fit(model, X, np.repeat([1, 0], [20, 50])).n_iter_ == 1
            return
        with pytest.warns(ConvergenceWarning, match=r"n_thresholds=10 that were drawn .* Use splitter='best'"):
            model.fit(X, np.repeat([1, 0], [20, 50]))
        self.check_empty(model, X)

    def test_perfect_stump(self, splitter):
        X = np.array([[1.0]] * 10 + [[1.0]] * 8 + [[0.0]] * 12)
        y = np.repeat([1, 0], [10, 20])
        with pytest.warns(ConvergenceWarning, match="stump of round 1 has no error except rounding"):
            model = paper_adapu(5, prior=0.4, splitter=splitter).fit(X, y)
        assert model.n_iter_ == 1
        assert np.isfinite(model.decision_function(X)).all()
        np.testing.assert_array_equal(model.predict(X), X[:, 0])


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce")  # scikit-learn sums X to check it
@pytest.mark.parametrize("max_bins", [None, 16])
def test_thresholds_are_uniform_where_the_range_is_beyond_the_greatest_number(max_bins):
    x = np.random.default_rng(0).uniform(-1, 1, 400)
    y = (x > 0.5).astype(int)
    options = {"prior": 0.2, "n_thresholds": 4, "max_bins": max_bins, "learning_rate": 0.1, "random_state": 0}
    near, far = (quiet_fit(paper_adapu(10, **options), x[:, None] * scale, y) for scale in (1.0, 1.7e308))
    assert far.n_iter_ == near.n_iter_ > 1
    np.testing.assert_allclose(far.estimator_thresholds_ / 1.7e308, near.estimator_thresholds_, atol=1e-12)


def test_bad_input_is_refused():
    X, y = make_problem(0)
    with pytest.raises(ValueError, match="infinity"):
        paper_adapu(prior=0.4).fit(np.where(X > 2, np.inf, X), y)
    with pytest.raises(ValueError, match="'prior' parameter"):
        paper_adapu(prior=1.4).fit(X, y)
    with pytest.raises(ValueError, match="'learning_rate' parameter"):
        paper_adapu(prior=0.4, learning_rate=2.0).fit(X, y)
    with pytest.raises(ValueError, match="one class only"):
        paper_adapu(prior=0.4).fit(X, np.ones(len(y)))


def overlapping_rows(seed, n=1500, n_labeled=100):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.6
    X = np.round(rng.normal(size=(n, 8)) + 0.8 * truth[:, None], 1)
    labeled = rng.choice(np.flatnonzero(truth), n_labeled, replace=False)
    return np.vstack([X[labeled], X]), np.repeat([1, 0], [n_labeled, n]), X, truth


def test_early_stopping_keeps_the_rounds_of_least_held_out_risk():
    seed = 0
    X, y, _, _ = overlapping_rows(seed)
    stopped = quiet_fit(AdaPUClassifier(prior=0.6, n_iter_no_change=5, random_state=seed), X, y)
    risks = stopped.held_out_risks_
    assert stopped.n_iter_ == np.argmin(risks) + 1
    assert len(risks) == 100 or len(risks) - stopped.n_iter_ == 5 or stopped.estimator_errors_[-1] < 1e-6
    held = hold_out(y == 1, 0.1, seed)
    assert held[y == 1].sum() == 10
    assert held[y == 0].sum() == 150
    for rounds, scores in enumerate(stopped.staged_decision_function(X[held])):
        expected = pu_risk(y[held], scores, prior=0.6, loss="zero_one", risk="nnpu")
        assert risks[rounds] == pytest.approx(expected, abs=1e-12)
    kept = paper_adapu(stopped.n_iter_, prior=0.6, learning_rate=0.1, random_state=seed)
    same = quiet_fit(kept, X[~held], y[~held])
    assert same.estimator_errors_.tobytes() == stopped.estimator_errors_.tobytes()


def test_the_default_does_not_run_off_where_the_papers_does():
    X, truth = load_breast_cancer(return_X_y=True)
    accuracies = {"ours": [], "paper": []}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows = rng.permutation(len(X))
        train, test = rows[:400], rows[400:]
        y = np.zeros(len(X), int)
        y[rng.choice(train[truth[train] == 1], 50, replace=False)] = 1
        options = {"prior": truth.mean(), "scenario": "one_sample", "random_state": seed}
        for name, model in {"ours": AdaPUClassifier(**options), "paper": paper_adapu(**options)}.items():
            accuracies[name].append(np.mean(quiet_fit(model, X[train], y[train]).predict(X[test]) == truth[test]))
    assert min(accuracies["ours"]) > 0.83
    assert np.mean(accuracies["ours"]) > np.mean(accuracies["paper"]) + 0.1
