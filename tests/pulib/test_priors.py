"""Estimates of the class prior against naive implementations, and against the truth on generated data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from pulib import estimate_prior, prior_interval
from pulib._equal_rows import row_groups
from pulib._priors._from_scores import BestBin, ElkanNoto, TwoNormals
from pulib._priors._kernel_mean import _WIDTHS, KernelMean, build_kernel_mean
from pulib._priors._tice import _best_split
from pulib.exceptions import PUWarning
from tests.pulib.naive.priors import naive_best_bin, naive_best_split, naive_two_normals

METHODS = ["best_bin", "best_bin_binomial", "elkan_noto", "dedpul", "by_subtype", "tice", "km1", "km2"]
#: Methods that share most of their code with another one, or take seconds.
SLOW = {"best_bin_binomial", "km1", "km2"}
EACH = [pytest.param(m, marks=[pytest.mark.slow] * (m in SLOW)) for m in METHODS]
#: Replaces the default forest where the classifier is not what is tested.
LINEAR = LogisticRegression()


def clouds(prior, n_labeled=400, n_unlabeled=800, seed=0, distance=3.0):
    """Two Gaussian clouds that hardly overlap; the share of positives among the unlabeled rows is exact."""
    rng = np.random.default_rng(seed)
    truth = np.r_[np.ones(n_labeled, bool), np.arange(n_unlabeled) < round(prior * n_unlabeled)]
    X = rng.normal(size=(len(truth), 3)) + np.where(truth, distance, -distance)[:, None]
    return X, (np.arange(len(truth)) < n_labeled).astype(int), truth


class TestAccuracy:
    @pytest.mark.parametrize("method", EACH)
    def test_no_positives_among_the_unlabeled(self, method):
        # at these sizes, KM1 estimates 0.08, the others less
        X, y, _ = clouds(0.0, 100, 130)
        assert 0 < estimate_prior(X, y, method, classifier=LINEAR) < (0.11 if method == "km1" else 0.07)

    def test_margins_are_not_treated_as_probabilities(self):
        X, y, _ = clouds(0.3)
        assert abs(estimate_prior(X, y, classifier=LinearSVC()) - 0.3) < 0.03
        for call in (estimate_prior, prior_interval):
            with pytest.raises(
                ValueError, match=r"LinearSVC\(\) has no predict_proba.*LogisticRegression.*CalibratedClassifierCV"
            ):
                call(X, y, "elkan_noto", classifier=LinearSVC())


scores_arrays = st.integers(3, 40).flatmap(
    lambda n: st.tuples(
        hnp.arrays(np.float64, n, elements=st.sampled_from(np.linspace(0, 1, 9))),
        hnp.arrays(bool, n).filter(lambda p: p.any() and not p.all()),
    )
)


class TestFromScores:
    @settings(max_examples=60)
    @given(scores_arrays)
    def test_best_bin_agrees_with_the_naive_implementation(self, data):
        scores, positive = data
        share = BestBin(scores, positive, binomial=False).share(np.ones(len(scores)))
        assert_allclose(share, naive_best_bin(list(scores[positive]), list(scores[~positive])))

    @settings(max_examples=30)
    @given(scores_arrays, st.data())
    def test_weights_act_as_copies(self, data, draw):
        scores, positive = data
        weights = draw.draw(hnp.arrays(np.int64, len(scores), elements=st.integers(0, 3)))
        weights[np.argmax(positive)] += 1
        weights[np.argmin(positive)] += 1
        copied = np.repeat(scores, weights), np.repeat(positive, weights)
        for method in (BestBin, ElkanNoto):
            weighted = method(scores, positive).share(weights.astype(float))
            assert_allclose(weighted, method(*copied).share(np.ones(weights.sum())), rtol=1e-9)

    @pytest.mark.parametrize("digits", [1, 2])
    def test_two_normals_agree_with_the_naive_implementation(self, digits):
        rng = np.random.default_rng(digits)
        positive = np.arange(150) < 50
        scores = np.round(rng.normal(size=150) + 1.5 * (positive | (rng.random(150) < 0.4)), digits)
        expected = naive_two_normals(scores[positive], scores[~positive])
        assert_allclose(TwoNormals(scores, positive).share(np.ones(150)), expected, rtol=1e-9)


class TestTice:
    @settings(max_examples=40)
    @given(
        st.integers(2, 25).flatmap(
            lambda n: st.tuples(hnp.arrays(np.uint8, (n, 3), elements=st.integers(0, 5)), hnp.arrays(bool, n))
        )
    )
    def test_best_split_agrees_with_the_naive_implementation(self, data):
        codes, positive = data
        split = _best_split(codes, positive, np.ones(len(codes)))
        expected = naive_best_split(codes, positive, 5.0)
        if expected < 0:
            assert split is None
            return
        left = codes[:, split[0]] <= split[1]
        found = max(positive[side].sum() / (side.sum() + 5.0) for side in (left, ~left))
        assert_allclose(found, expected)


class TestKernelMean:
    def test_width_is_the_one_that_separates_weighted_samples_best(self):
        X, y, _ = clouds(0.3, 40, 160)
        weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
        component, mixture = weights * y / (weights * y).sum(), weights * (1 - y) / (weights * (1 - y)).sum()
        squared = cdist(X / X.std(axis=0), X / X.std(axis=0), "sqeuclidean")
        median = np.median(squared[np.triu_indices(len(X), 1)])
        kernels = [np.exp(-squared / (2 * width**2 * median)) for width in _WIDTHS]
        found = [K for K in kernels if np.array_equal(K, build_kernel_mean(X, y == 1, weights=weights).K)]
        distances = [(mixture - component) @ K @ (mixture - component) for K in kernels]
        np.testing.assert_array_equal(found[0], kernels[int(np.argmax(distances))])
        for scaled in (X * 2.0**600, X * 2.0**-600):  # whose squares are infinite or 0
            np.testing.assert_array_equal(build_kernel_mean(scaled, y == 1, weights=weights).K, found[0])

    def test_km2_uses_the_threshold_of_km1_on_tiny_samples(self):
        X, y, _ = clouds(0.3, 25, 30)
        component, mixture = y / y.sum(), (1 - y) / (1 - y).sum()
        km1, km2 = (build_kernel_mean(X, y == 1, method)._threshold(component, mixture, 0.5, 1) for method in ("km1", "km2"))
        assert km2 == km1 < 1

    def test_indistinguishable_samples(self):
        K = np.ones((6, 6))
        assert KernelMean(K, np.array([1, 1, 1, 0, 0, 0], bool)).share(np.ones(6)) > 0.9


class TestInput:
    @pytest.mark.parametrize("method", EACH)
    def test_any_labels_and_formats_of_rows(self, method):
        X, y, _ = clouds(0.3, 25, 40)
        X = np.where(np.abs(X) > 2, X, 0.0)
        common = {"method": method, "classifier": LINEAR}
        expected = estimate_prior(X, y, **common)
        assert estimate_prior(X, np.where(y, "P", "U"), pos_label="P", **common) == expected
        assert (
            estimate_prior(np.asfortranarray(X), np.where(y, 1.0, np.nan), n_jobs=2 if method == "best_bin" else 1, **common)
            == expected
        )
        assert abs(estimate_prior(sparse.csr_matrix(X), y, **common) - expected) < 0.15

    def test_many_rows_are_sampled(self):
        X, y, _ = clouds(0.3, 150, 200)
        found = {n: estimate_prior(X, y, max_samples=n, classifier=LINEAR) for n in (100, 200, None)}
        assert abs(found[100] - 0.3) < 0.1
        assert found[100] != found[200] == found[None]

    @pytest.mark.parametrize("method", EACH)
    def test_tiny_data(self, method):
        for n_labeled, n_unlabeled in ((1, 1), (3, 2)):
            X, y, _ = clouds(0.5, n_labeled, n_unlabeled)
            assert 0 < estimate_prior(X, y, method, classifier=LINEAR) < 1
            assert 0 < estimate_prior(np.zeros_like(X), y, method, classifier=LINEAR) < 1

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda X, y: estimate_prior(X, y, "median"), "'method' parameter"),
            (lambda X, y: estimate_prior(np.full_like(X, np.nan), y, "tice"), "contains NaN"),
            (lambda X, y: estimate_prior(np.full_like(X, np.inf), y), "contains infinity"),
            (lambda X, y: estimate_prior(X, np.ones_like(y)), "one class only"),
            (lambda X, y: prior_interval(X, y, confidence=95), "'confidence' parameter"),
        ],
    )
    def test_bad_input_raises_an_error(self, call, message):
        X, y, _ = clouds(0.5, 5, 5)
        with pytest.raises(ValueError, match=message):
            call(X, y)


class TestInterval:
    @pytest.mark.parametrize("method", EACH)
    def test_contains_the_estimate_and_is_reproducible(self, method):
        X, y, _ = clouds(0.3, *((8, 10) if method.startswith("km") else (30, 40)))  # more would take long
        n_bootstrap = 10 if method.startswith("km") else 50
        common = {"method": method, "classifier": LINEAR}
        interval = prior_interval(X, y, n_bootstrap=n_bootstrap, **common)
        assert interval.low <= interval.prior <= interval.high
        assert interval.low < interval.high
        assert interval == prior_interval(X, y, n_bootstrap=n_bootstrap, **common)

    def test_narrows_with_the_data_and_widens_with_the_confidence(self):
        width = {}
        for n, confidence in ((200, 0.95), (1000, 0.95), (200, 0.5)):
            interval = prior_interval(*clouds(0.3, n, n)[:2], confidence=confidence, classifier=LINEAR)
            width[n, confidence] = interval.high - interval.low
        assert width[1000, 0.95] < 0.7 * width[200, 0.95]
        assert width[200, 0.5] < width[200, 0.95]

    def test_of_tice_reaches_as_far_above_the_estimate_as_below(self):
        interval = prior_interval(*clouds(0.5, 500, 1500)[:2], "tice")
        assert interval.high >= 2 * interval.prior - interval.low - 1e-9

    def test_covers_the_truth_if_classes_overlap(self):
        rng = np.random.default_rng(3)
        truth = np.r_[np.ones(300, bool), rng.random(900) < 0.3]
        X, y = rng.normal(size=(1200, 1)) + 1.2 * truth[:, None], np.r_[np.ones(300), np.zeros(900)]
        interval = prior_interval(X, y, classifier=LogisticRegression())
        assert interval.prior > 0.33
        assert interval.low < 0.3 < interval.high

    def test_few_labels_give_the_interval_that_the_scores_permit(self):
        X, y, _ = clouds(0.4, 20, 200)
        with pytest.warns(PUWarning, match="from 20 labels only"):
            estimate = prior_interval(X, y, scenario="one_sample")
        assert_allclose(estimate.low, 20 / 220 + 200 / 220 * (1 / 202))
        assert 0.5 < estimate.high < 0.9  # what 20 labels and 200 unlabeled rows permit
        assert len(estimate.warnings) == 1

    def test_details(self):
        X, y, _ = clouds(0.3, 100, 200)
        details = estimate_prior(X, y, return_details=True, scenario="one_sample")
        assert details == prior_interval(X, y, scenario="one_sample")
        assert (details.n_labeled, details.n_unlabeled, details.scenario) == (100, 200, "one_sample")
        assert "highest scores" in details.assumption
        shares, ratios = map(np.array, details.tail_curve)
        assert shares[-1] == 1
        assert ratios[-1] <= 1
        assert np.all(np.diff(shares) > 0)
        hidden = (details.prior - 1 / 3) / (2 / 3)
        assert np.min(np.abs(ratios - hidden)) < 0.02


def test_row_groups_ignore_kinds_of_zeros_and_order_of_entries():
    X = np.array([[0.0, 1.0, 2.0], [-0.0, 1.0, 2.0], [3.0, 0.0, 0.0]])
    assert row_groups(X)[0] == row_groups(X)[1] != row_groups(X)[2]
    # row 0 with an explicit zero, row 1 out of order with one entry in two parts and a negative zero
    entries, columns = [0.0, 1.0, 2.0, 2.0, 0.5, 0.5, -0.0, 3.0], [0, 1, 2, 2, 1, 1, 0, 0]
    stored = sparse.csr_matrix((entries, columns, [0, 3, 7, 8]), shape=(3, 3))
    np.testing.assert_array_equal(row_groups(stored), row_groups(X))
    assert stored.nnz == 8  # the caller's matrix does not change
