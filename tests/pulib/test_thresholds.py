"""What the reductions share: thresholds by π, corrected probabilities, calibration, and out-of-bag scores."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import pulib
from pulib import ElkanNotoClassifier, NaivePUClassifier, PUBaggingClassifier, PUCalibratedClassifier, PUThresholdClassifier
from pulib._calibration import fit_isotonic
from pulib._threshold import cut_at_share, fit_slope
from pulib.exceptions import PUWarning
from pulib.metrics import PUScorer

PRIOR = 0.3


def draw(seed, scenario="two_sample", n=3000, gap=0.7, n_labeled=500):
    """Return Gaussian clouds, PU labels, true labels, and true posteriors."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < PRIOR
    if scenario == "two_sample":
        truth = np.r_[np.ones(n_labeled, bool), truth]
        y = np.r_[np.ones(n_labeled, int), np.zeros(n, int)]
    else:
        y = (truth & (rng.random(n) < 0.4)).astype(int)
    X = rng.normal(size=(len(y), 2)) + np.where(truth, gap, -gap)[:, None]
    posterior = expit(2 * gap * X.sum(axis=1) + np.log(PRIOR / (1 - PRIOR)))
    return X, y, truth, posterior


@given(st.lists(st.integers(0, 6) | st.floats(-1e300, 1e300), min_size=2).map(np.array), st.floats(0, 1))
def test_cut_at_share_is_the_nearest_that_ties_allow(scores, share):
    assume(len(np.unique(scores)) > 1)
    got = np.mean(scores > cut_at_share(scores, share))
    possible = [np.mean(scores > value) for value in np.unique(scores)[:-1]]
    assert abs(got - share) == min(abs(p - share) for p in possible)


@pytest.mark.parametrize(("dtype", "share"), [(np.float64, 0.2), (np.float32, 0.5), (np.float64, 0.8)])
def test_share_is_exact_for_scores_of_any_size(dtype, share):
    top = np.finfo(dtype).max
    neighbors = [np.array(1.0, dtype)]
    for _ in range(9):
        neighbors.append(np.nextafter(neighbors[-1], dtype(2)))
    for scores in (
        np.linspace(-1, 1, 10, dtype=dtype) * top,
        top * (1 - np.arange(10, dtype=dtype) * np.finfo(dtype).eps),
        np.array(neighbors),
        -np.array(neighbors),
        np.arange(10, dtype=dtype) * np.finfo(dtype).smallest_subnormal,
    ):
        cut = cut_at_share(scores, share)
        assert np.isfinite(cut)
        assert np.mean(scores > cut) == share
        with np.errstate(over="ignore"):  # as decision_function compares
            assert np.mean(scores - cut > 0) == share


@pytest.mark.parametrize("size", [1e307, 1e-300])
def test_slope_scales_with_scores_of_any_size(size):
    rng = np.random.default_rng(12)
    y = rng.random(4000) < 0.3
    distance = np.clip(rng.normal(size=4000) + y, -8, 8)
    far, near = fit_slope(size * distance, y, 0.2, "two_sample"), fit_slope(distance, y, 0.2, "two_sample")
    assert_allclose(far * size, near, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_isotonic_map_agrees_with_its_threshold_on_neighboring_floats(dtype):
    low = dtype(1e6)  # scikit-learn's regression merges neighbors of 1
    scores = np.repeat(np.array([low, np.nextafter(low, dtype(2e6))]), 50)
    positive = np.r_[np.zeros(50, bool), np.arange(50) < 40]
    rising, threshold = fit_isotonic(scores, positive, 0.5, True)
    assert np.array_equal(scores - threshold > 0, rising.predict(scores) > 0.5)
    for prior, scores in ((0.01, np.arange(100.0)), (0.99, np.arange(100.0)), (0.4, np.zeros(100))):  # all on one side
        rising, threshold = fit_isotonic(scores, np.arange(100) % 2 == 0, prior, False)
        new = np.array([-100.0, 0.0, 99.0, 200.0])
        assert np.array_equal(new - threshold > 0, rising.predict(new) > 0.5)


def test_cut_of_one_value_calls_nothing_positive():
    assert cut_at_share(np.full(5, 2.0), 0.4) == 2.0


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
def test_slope_matches_the_true_log_odds(scenario):
    _, y, _, posterior = draw(3, scenario, n=40_000, n_labeled=20_000)
    distance = np.log(posterior / (1 - posterior)) / 5.0
    assert_allclose(fit_slope(distance, y == 1, PRIOR, scenario), 5.0, rtol=0.1)


class TestElkanNoto:
    @pytest.mark.parametrize(("scenario", "calibration"), [("two_sample", "isotonic"), ("one_sample", "sigmoid")])
    def test_wrong_probabilities_are_calibrated(self, scenario, calibration):
        class Timid(LogisticRegression):
            def predict_proba(self, X):  # like averages over trees: a correct ranking, shrunk toward the mean
                p = 0.3 * super().predict_proba(X)[:, 1] + 0.05
                return np.column_stack([1 - p, p])

        X, y, _, _ = draw(23, scenario, n=4000, gap=1.5)
        X_new, _, truth, posterior = draw(24, "one_sample", gap=1.5)
        model = ElkanNotoClassifier(Timid(), prior=PRIOR, scenario=scenario, calibration=calibration).fit(X, y)
        n_p, n_u = y.sum(), (1 - y).sum()
        expected = n_p / (PRIOR * (n_p + n_u)) if scenario == "one_sample" else n_p / (n_p + PRIOR * n_u)
        assert_allclose(model.label_frequency_, expected)
        p = model.predict_proba(X_new)[:, 1]
        assert abs(p.mean() - PRIOR) < 0.03
        assert np.mean(np.abs(p - posterior)) < 0.05
        assert np.mean(model.predict(X_new) == truth) > 0.95
        assert np.all(np.diff(p[np.argsort(model.decision_function(X_new))]) >= 0)
        plain = model.set_params(calibration=None).fit(X, y)
        np.testing.assert_array_equal(plain.predict_proba(X)[:, 1] > 0.5, plain.predict(X) == 1)
        assert np.mean(plain.predict(X_new)) < 0.1


class TestCalibrated:
    @pytest.mark.parametrize(("scenario", "method"), [("two_sample", "isotonic"), ("one_sample", "sigmoid")])
    def test_probabilities_are_calibrated(self, scenario, method):
        X, y, _, _ = draw(8, scenario, n=8000)
        X_new, _, _, posterior = draw(9, "one_sample", n=4000)
        base = LogisticRegression(class_weight="balanced")  # its own probabilities are far off
        model = PUCalibratedClassifier(base, prior=PRIOR, scenario=scenario, method=method).fit(X, y)
        p = model.predict_proba(X_new)[:, 1]
        assert np.mean(np.abs(p - posterior)) < 0.05
        assert np.mean(np.abs(base.fit(X, y).predict_proba(X_new)[:, 1] - posterior)) > 0.08
        ranked = np.argsort(model.decision_function(X_new))
        assert np.all(np.diff(p[ranked]) >= -1e-12)
        assert np.mean((p > 0.5) == (model.decision_function(X_new) > 0)) > 0.99

    def test_uses_prior_and_scenario_of_the_estimator(self):
        X, y, _, _ = draw(10, "one_sample", n=400)
        known = {"prior": PRIOR, "scenario": "one_sample"}
        forest = pulib.PUExtraTreesClassifier(5, random_state=0, **known)
        scaled = make_pipeline(StandardScaler(), forest)
        for base, params in ((forest, {}), (scaled, {}), (FrozenEstimator(clone(scaled).fit(X, y)), {"prior": PRIOR})):
            explicit, inherited = (PUCalibratedClassifier(base, **given).fit(X, y) for given in (known, params))
            assert inherited.prior_ == PRIOR
            assert inherited.predict_proba(X).tobytes() == explicit.predict_proba(X).tobytes()
            assert PUScorer("proxy_accuracy")(inherited, X, y) == pulib.proxy_accuracy(y, inherited.predict(X), **known)
        learns_prior = PUCalibratedClassifier(pulib.LabelingBiasPUClassifier(max_iter=3, random_state=0)).fit(X, y)
        assert learns_prior.prior_ == learns_prior.estimator_.prior_


def test_own_unlabeled_rows_are_ranked_out_of_bag():
    X, y, truth, _ = draw(11, "one_sample", n=600, gap=1.0)
    hidden = y == 0
    model = NaivePUClassifier(ExtraTreesClassifier(30, random_state=0), oob_score=True).fit(X, y)
    assert roc_auc_score(truth[hidden], model.oob_decision_function_[hidden]) > 0.85
    # in-sample scores only show that the rows are unlabeled
    assert roc_auc_score(truth[hidden], model.decision_function(X[hidden])) < 0.6


@pytest.mark.parametrize("kind", [NaivePUClassifier, partial(PUBaggingClassifier, n_estimators=5), PUCalibratedClassifier])
def test_rows_reach_the_base_unchanged(kind):
    """Text, categories, and missing values are not validated before they reach the base."""
    rng = np.random.default_rng(14)
    truth = rng.random(300) < 0.5
    color = np.where(truth, rng.choice(["red", "rose"], 300), rng.choice(["blue", "rose"], 300))
    size = np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300) + truth)
    frame, y = pd.DataFrame({"color": color, "size": size}), truth & (rng.random(300) < 0.5)
    wrapper = partial(kind, prior=0.5, scenario="one_sample")
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["color"]), sparse_threshold=0)
    pipeline = make_pipeline(encoder, LogisticRegression())
    assert np.mean(wrapper(pipeline).fit(frame, y).predict(frame) == truth) > 0.7
    categories = frame.assign(color=frame["color"].astype("category"))
    boosting = HistGradientBoostingClassifier(max_iter=10, categorical_features="from_dtype", random_state=0)
    assert np.mean(wrapper(boosting).fit(categories, y).predict(categories) == truth) > 0.7
    with pytest.raises(ValueError, match="column 'color' contains text"):
        wrapper(LogisticRegression()).fit(frame[["color"]], y)


def test_warns_about_a_threshold_between_labeled_and_unlabeled_rows():
    """The warning says how many rows are called positive; with rare positives, as here, far too many."""
    rng = np.random.default_rng(3)
    truth = rng.random(2000) < 0.01
    X = rng.normal(size=(2000, 3)) + truth[:, None]
    model = PUBaggingClassifier(n_estimators=10, random_state=0).fit(X, np.where(rng.random(2000) < 0.5, truth, 0))
    called = np.count_nonzero(model.decision_function(X) > 0)
    with pytest.warns(PUWarning, match=f"not positives from negatives, and calls {called} of 2000 rows positive"):
        model.predict(X)


@pytest.mark.filterwarnings("error::pulib.exceptions.PUWarning")
def test_ranking_and_known_priors_do_not_warn():
    X, y, _, _ = draw(16, n=400)
    NaivePUClassifier().fit(X, y).decision_function(X)
    PUThresholdClassifier(LogisticRegression(), prior=PRIOR).fit(X, y).predict(X)
