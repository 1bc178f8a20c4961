"""Scores estimated from PU labels and π against true scores: exact if all positives are labeled, close otherwise."""

from itertools import combinations, cycle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from scipy.stats import binomtest
from sklearn import metrics as true
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib import NaivePUClassifier
from pulib import metrics as pu
from pulib.exceptions import PUWarning
from pulib.metrics import PUPrecisionRecallDisplay, PURocCurveDisplay, score_bounds, score_interval
from pulib.metrics._formulas import FORMULAS
from tests.pulib.test_metrics import OPTIONS, PRIOR, SAMPLERS, population

OF_ANSWERS = {
    "proxy_accuracy": true.accuracy_score,
    "proxy_f1": lambda y, a: true.f1_score(y, a, zero_division=0.0),
    "proxy_precision": lambda y, a: true.precision_score(y, a, zero_division=0.0),
    "proxy_recall": true.recall_score,
}
OF_SCORES = {"proxy_auc": true.roc_auc_score, "proxy_average_precision": true.average_precision_score}
ALL = {**OF_ANSWERS, **OF_SCORES}
CUT = 0.2


def estimated(metric, y, values, prior, scenario):
    common = {"proxy_recall": {}, "proxy_lift_at_k": {"k": 0.25}}.get(metric, {"prior": prior, "scenario": scenario})
    return getattr(pu, metric)(y, values, **common)


def given_to(metric, scores):
    return (scores > CUT).astype(int) if metric in OF_ANSWERS else scores


def all_labeled(rng, scenario, n=60):
    """Return true labels, scores with ties, and PU labels of all positives, next to or within the population."""
    truth, scores = rng.integers(0, 2, n), rng.integers(-3, 4, n).astype(float)
    truth[:2] = 0, 1
    if scenario == "one_sample":
        return truth, scores, truth, scores
    positives = scores[truth == 1]
    return truth, scores, np.repeat([1, 0], [len(positives), n]), np.concatenate([positives, scores])


@pytest.mark.parametrize("scenario", SAMPLERS)
@settings(max_examples=5)
@given(st.integers(0, 10**6))
def test_estimates_equal_true_scores_if_all_positives_are_labeled(scenario, seed):
    truth, scores, y, seen = all_labeled(np.random.default_rng(seed), scenario)
    for metric, exact in ALL.items():
        expected = exact(truth, given_to(metric, scores))
        assert_allclose(estimated(metric, y, given_to(metric, seen), truth.mean(), scenario), expected, atol=1e-12)
        interval = score_interval(y, given_to(metric, seen), metric, prior=truth.mean(), scenario=scenario, n_bootstrap=10)
        assert_allclose(interval.score, expected, atol=1e-12)
        assert interval.low <= interval.score <= interval.high
        if scenario == "one_sample" and metric != "proxy_average_precision":  # nothing is hidden: the bounds meet
            low, high = score_bounds(y, given_to(metric, seen), metric, prior=truth.mean(), scenario=scenario)
            assert_allclose([low, high], expected, atol=1e-12)


def naive_resamples(metric, y, values, n, rng):
    """Yield scores of a plain bootstrap: labeled and unlabeled rows are drawn separately, with replacement."""
    parts = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    for _ in range(n):
        rows = np.concatenate([rng.choice(part, len(part)) for part in parts])
        yield estimated(metric, y[rows], values[rows], PRIOR, "two_sample")


@pytest.mark.parametrize("metric", ["proxy_f1", "proxy_recall", "proxy_auc", "proxy_average_precision", "proxy_lift_at_k"])
def test_intervals_agree_with_resampled_rows(metric):
    y, scores = SAMPLERS["two_sample"](np.random.default_rng(7))
    values = given_to(metric, np.round(scores, 1))
    common = {"prior": PRIOR, "n_bootstrap": 200, "confidence": 0.8, **({"k": 0.25} if metric == "proxy_lift_at_k" else {})}
    interval = score_interval(y, values, metric, **common)
    naive = list(naive_resamples(metric, y, values, 150, np.random.default_rng(8)))
    assert_allclose([interval.low, interval.high], np.quantile(naive, [0.1, 0.9]), atol=0.12 * np.ptp(naive))
    assert interval == score_interval(y, values, metric, **common)


def test_uncertainty_of_the_prior_widens_the_interval():
    y, scores = SAMPLERS["two_sample"](np.random.default_rng(9), n_labeled=4000, n_unlabeled=8000)
    estimate = SimpleNamespace(prior=0.3, low=0.25, high=0.4, confidence=0.9)
    values = given_to("proxy_precision", scores)
    sure = score_interval(y, values, "proxy_precision", prior=0.3)
    unknown = SimpleNamespace(prior=0.3, low=0.0, high=1.0, confidence=0.9)
    assert np.isfinite(score_interval(y, scores, "proxy_auc", prior=unknown, n_bootstrap=10).high)
    unsure = score_interval(y, values, "proxy_precision", prior=estimate, confidence=0.9)
    assert unsure.score == sure.score
    # precision is proportional to π, and with this many rows the ends depend on π only
    assert_allclose([unsure.low / unsure.score, unsure.high / unsure.score], [0.25 / 0.3, 0.4 / 0.3], rtol=0.03)
    assert unsure.high - unsure.low > 4 * (sure.high - sure.low)


def brute_force(y, values, metric, prior, scenario):
    """Return the least and the greatest score over every choice of the unlabeled positives."""
    labeled, unlabeled = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    rows = np.concatenate([labeled, unlabeled]) if scenario == "one_sample" else unlabeled
    known = len(labeled) if scenario == "one_sample" else 0
    possible = []
    for chosen in combinations(unlabeled, max(round(prior * len(rows)) - known, 0)):
        truth = np.isin(rows, chosen) | (np.isin(rows, labeled) & (known > 0))
        possible.append(ALL[metric](truth.astype(int), values[rows]))
    return min(possible), max(possible)


@pytest.mark.parametrize("scenario", SAMPLERS)
@pytest.mark.parametrize("metric", [*OF_ANSWERS, "proxy_auc"])
def test_bounds_agree_with_brute_force(metric, scenario):
    rng = np.random.default_rng(10)
    for prior in (0.5, 0.1):  # by chance, more than a tenth of the rows are labeled
        y = rng.permutation(np.repeat([1, 0], [2, 6]))
        values = rng.integers(0, 2, 8) if metric in OF_ANSWERS else rng.integers(0, 5, 8)
        found = score_bounds(y, values, metric, prior=prior, scenario=scenario)
        assert_allclose(found, brute_force(y, values, metric, prior, scenario), atol=1e-12)


def test_interval_of_recall_agrees_with_clopper_pearson():
    for found in (0, 7, 20):
        y, called = np.repeat([1, 0], [20, 30]), np.repeat([1, 0], [found, 50 - found])
        interval = score_interval(y, called, "proxy_recall", n_bootstrap=4000)
        exact = binomtest(found, 20).proportion_ci(0.95)
        assert_allclose([interval.low, interval.high], [exact.low, exact.high], atol=0.02)
    y = np.repeat([1, 0], [400, 600])  # with one sample, the number of labeled rows is random, too
    for rows in ({}, {"sample_weight": np.full(1000, 2.0)}, {"groups": np.arange(1000)}):
        interval = score_interval(y, y, "proxy_accuracy", prior=0.45, scenario="one_sample", n_bootstrap=400, **rows)
        assert interval.high - interval.low == pytest.approx(2 * 1.96 * np.sqrt(0.4 * 0.6 / 1000), rel=0.2)


def test_warns_if_labels_are_too_few_for_an_interval():
    y, called = np.repeat([1, 0], [9, 30]), np.arange(39) % 2
    with pytest.warns(PUWarning, match="9 labels; intervals hold from about 10 on"):
        score_interval(y, called, "proxy_recall", n_bootstrap=10)
    weights = np.where(np.arange(39) < 3, 1.0, 1e-9)
    with pytest.warns(PUWarning, match="3 labels"):
        score_interval(y, called, "proxy_recall", n_bootstrap=10, sample_weight=weights)


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "scenario"), list(zip(sorted(ALL), cycle(SAMPLERS), strict=False)))
def test_intervals_cover(metric, scenario):
    """Of 95% intervals from 100 draws of a few hundred rows each, at least 90% contain the true score."""
    truth, scores = population()
    expected = ALL[metric](truth, given_to(metric, scores))
    rng = np.random.default_rng(12)
    size = {"n_labeled": 150, "n_unlabeled": 500} if scenario == "two_sample" else {"n": 900}
    inside = 0
    for _ in range(100):
        y, seen = SAMPLERS[scenario](rng, **size)
        interval = score_interval(y, given_to(metric, seen), metric, prior=PRIOR, scenario=scenario, n_bootstrap=200)
        inside += interval.low <= expected <= interval.high
    assert inside / 100 >= 0.9


class TestDisplays:
    @pytest.fixture
    def ax(self):
        return Figure().add_subplot()

    def test_curves_equal_scikit_learns_if_all_positives_are_labeled(self, ax):
        truth, scores, y, seen = all_labeled(np.random.default_rng(13), "two_sample")
        display = PUPrecisionRecallDisplay.from_predictions(y, seen, prior=truth.mean(), confidence=None, ax=ax)
        precision, recall, _ = true.precision_recall_curve(truth, scores)
        assert_allclose(display.x, recall, atol=1e-12)
        assert_allclose(display.y, precision, atol=1e-12)
        assert not hasattr(display, "band_")
        display = PURocCurveDisplay.from_predictions(y, seen, prior=truth.mean(), confidence=None, ax=ax)
        false, recall, _ = true.roc_curve(truth, scores, drop_intermediate=False)
        assert_allclose(display.x, false, atol=1e-12)
        assert_allclose(display.y, recall, atol=1e-12)

    @pytest.mark.parametrize("display", [PUPrecisionRecallDisplay, PURocCurveDisplay])
    def test_band_contains_the_curve(self, display, ax):
        y, scores = SAMPLERS["two_sample"](np.random.default_rng(14), n_labeled=400, n_unlabeled=800)
        shown = display.from_predictions(y, scores, prior=PRIOR, n_bootstrap=40, ax=ax, color="C3", name="mine")
        grid, low, high = shown.band
        curve = display._on_grid(shown.x, shown.y)
        inner = (grid > 0.1) & (grid < 0.9)
        assert np.mean((low <= curve)[inner] & (curve <= high)[inner]) > 0.95
        assert ax.get_legend().get_texts()[0].get_text().startswith("mine (A")
        assert shown.line_.get_color() == "C3"
        again = shown.plot(Figure().add_subplot(), name="other")
        assert "other" in again.ax_.get_legend().get_texts()[0].get_text()

    def test_uses_the_estimators_prior_and_scenario(self, ax):
        rng = np.random.default_rng(15)
        truth = rng.random(300) < 0.5
        X, y = rng.normal(size=(300, 2)) + 2 * truth[:, None], (truth & (rng.random(300) < 0.5)).astype(int)
        naive = NaivePUClassifier(LogisticRegression(), prior=0.5, scenario="one_sample")
        model = make_pipeline(StandardScaler(), naive).fit(X, y)
        display = PUPrecisionRecallDisplay.from_estimator(model, X, y, n_bootstrap=10, ax=ax)
        expected = pu.proxy_average_precision(y, model.decision_function(X), prior=0.5, scenario="one_sample")
        assert display.area == expected
        assert display.name == "NaivePUClassifier"
        wide = SimpleNamespace(prior=0.5, low=0.4, high=0.6, confidence=0.95)
        model[-1].prior_estimate_ = wide  # as after a fit that estimated π
        other = PUPrecisionRecallDisplay.from_estimator(model, X, y, n_bootstrap=50, ax=ax)
        same = PUPrecisionRecallDisplay.from_predictions(
            y, model.decision_function(X), prior=wide, scenario="one_sample", n_bootstrap=50, ax=ax
        )
        np.testing.assert_array_equal(other.band, same.band)
        with pytest.raises(ValueError, match=r"'confidence' parameter of PURocCurveDisplay.from_predictions"):
            PURocCurveDisplay.from_predictions(y, y, prior=0.3, confidence=95)
        with pytest.raises(ValueError, match="PURocCurveDisplay needs a prior: LogisticRegression has no prior_"):
            PURocCurveDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, ax=ax)


class TestGroups:
    def test_grouped_copies_do_not_narrow_the_interval(self):
        rng = np.random.default_rng(9)
        y, answers = np.repeat([1, 0], [100, 300]), (rng.random(400) < 0.5).astype(int)
        copies, groups = np.tile(np.arange(400), 4), np.tile(np.arange(400), 4)
        common = {"metric": "proxy_precision", "prior": 0.4, "n_bootstrap": 400}
        once = score_interval(y, answers, **common)
        grouped = score_interval(y[copies], answers[copies], groups=groups, **common)
        naive = score_interval(y[copies], answers[copies], **common)
        assert grouped.score == once.score
        assert_allclose(grouped.high - grouped.low, once.high - once.low, rtol=0.2)
        assert naive.high - naive.low < 0.65 * (grouped.high - grouped.low)

    @pytest.mark.parametrize("metric", sorted(FORMULAS))
    def test_groups_and_weights_with_every_metric(self, metric):
        rng = np.random.default_rng(10)
        y, scores = rng.permutation(np.repeat([1, 0], [12, 50])), rng.normal(size=62)
        values = (scores > 0).astype(int) if FORMULAS[metric].of == "predictions" else scores
        names = np.array([f"patient {n}" for n in rng.integers(0, 15, 62)])
        for groups, weights in ((names, None), (np.zeros(62), rng.random(62)), (None, rng.integers(0, 2, 62))):
            interval = score_interval(
                y, values, metric, prior=0.5, groups=groups, sample_weight=weights, n_bootstrap=20, **OPTIONS.get(metric, {})
            )
            assert interval.low <= interval.score <= interval.high
            assert np.isfinite([interval.low, interval.high]).all()

    def test_rows_of_weight_zero_have_no_effect(self):
        y, scores = np.repeat([1, 0], [20, 60]), np.random.default_rng(11).normal(size=80)
        weights, common = np.arange(80) % 4 / 2, {"metric": "pu_risk", "prior": 0.3, "loss": "quadratic", "n_bootstrap": 20}
        kept, far = weights > 0, np.where(weights > 0, scores, 1e200)
        expected = score_interval(y[kept], scores[kept], sample_weight=weights[kept], groups=np.arange(60) // 2, **common)
        groups = np.repeat(np.arange(-1, 30), 2)[np.where(kept, np.cumsum(kept) + 1, 0)]
        assert score_interval(y, far, sample_weight=weights, groups=groups, **common) == expected
