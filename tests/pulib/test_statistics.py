"""Statistics against SciPy, scikit-posthocs, statsmodels, full enumeration, formulas, and Demšar's worked examples."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pulib.statistics import friedman_nemenyi, holm, mean_ci, paired_t, paired_wilcoxon, win_counts

ALTERNATIVES = ["two-sided", "greater", "less"]

# Demšar (2006), table 6: AUC of C4.5 and three variants (tuned m, tuned cf, both) on 14 UCI sets, from two copies in public
# code. The 0.9751 reproduces the paper's ranks 2 and 3 of two values that it publishes as 0.975.
DEMSAR = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)


@pytest.fixture
def rng():
    return np.random.default_rng(20061)


class TestDemsar:
    def test_friedman_and_iman_davenport(self):
        result = friedman_nemenyi(DEMSAR, correct_ties=False)
        assert_allclose(result.average_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
        assert_allclose([result.chi2, result.f], [9.28, 3.69], atol=5e-3)
        assert_allclose(result.f_pvalue, stats.f.sf(result.f, 3, 39))

    @pytest.mark.parametrize(("alpha", "critical_difference"), [(0.05, 1.25), (0.10, 1.12)])
    def test_critical_difference(self, alpha, critical_difference):
        assert_allclose(friedman_nemenyi(DEMSAR, alpha).critical_difference, critical_difference, atol=5e-3)


class TestWilcoxon:
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_exact_agrees_with_scipy_without_ties(self, rng, alternative):
        a, b = rng.normal(size=45), rng.normal(0.3, 1, size=45)
        expected = stats.wilcoxon(a, b, alternative=alternative, method="exact")
        test = paired_wilcoxon(a, b, alternative)
        assert test.method == "exact"
        assert_allclose(test.pvalue, expected.pvalue, rtol=1e-10)

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize(("zeros", "scipys"), [("drop", "wilcox"), ("pratt", "pratt")])
    def test_normal_agrees_with_scipy_with_ties_and_zeros(self, rng, alternative, zeros, scipys):
        a, b = rng.integers(0, 5, size=60).astype(float), rng.integers(0, 5, size=60).astype(float)
        expected = stats.wilcoxon(a, b, alternative=alternative, zero_method=scipys, method="approx", correction=False)
        test = paired_wilcoxon(a, b, alternative, zeros=zeros, method="normal")
        assert_allclose(test.pvalue, expected.pvalue, rtol=1e-10)

    @settings(max_examples=40)
    @given(
        st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.sampled_from(ALTERNATIVES), st.sampled_from(["drop", "pratt"])
    )
    def test_exact_agrees_with_enumeration(self, differences, alternative, zeros):
        d = np.array(differences, dtype=float)
        kept = d[d != 0] if zeros == "drop" else d
        rank = stats.rankdata(np.abs(kept))[kept != 0]
        kept = kept[kept != 0]
        test = paired_wilcoxon(d, np.zeros_like(d), alternative, zeros=zeros)
        if len(kept) == 0:
            assert test.pvalue == 1.0
            return
        observed = rank[kept > 0].sum()
        sums = np.array([np.dot(signs, rank) for signs in itertools.product([0, 1], repeat=len(rank))])
        greater, less = np.mean(sums >= observed - 1e-9), np.mean(sums <= observed + 1e-9)
        expected = {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[alternative]
        assert_allclose(test.pvalue, expected, rtol=1e-12)

    def test_auto_switches_to_the_normal_approximation(self, rng):
        a, b = rng.normal(size=201), rng.normal(0.1, 1, size=201)
        test = paired_wilcoxon(a, b)
        assert test.method == "normal"
        assert_allclose(test.pvalue, paired_wilcoxon(a, b, method="exact").pvalue, atol=2e-3)

    def test_rounding_errors_are_ties(self):
        a, b = np.array([0.1 + 0.2, 0.5, 0.9]), np.array([0.3, 0.4, 0.8])
        assert paired_wilcoxon(a, b).n_zero == 1
        # with any number of digits, and without a larger difference
        assert paired_wilcoxon(a, b, digits=16).n_zero == 1
        alike = paired_wilcoxon([0.1 + 0.2] * 10, [0.3] * 10)
        assert (alike.pvalue, alike.n_zero, alike.mean_difference) == (1.0, 10, 0.0)
        small = paired_wilcoxon(a, b + np.array([1e-14, 0, 0]))
        assert (small.n_zero, paired_wilcoxon(a, b + np.array([1e-14, 0, 0]), digits=16).n_zero) == (1, 0)

    def test_effect_and_direction(self):
        test = paired_wilcoxon([2.0, 3.0, 4.0], [1.0, 1.0, 1.0], "greater")
        assert (test.effect, test.pvalue, test.mean_difference) == (1.0, 0.125, 2.0)
        assert paired_wilcoxon([1.0, 1.0, 1.0], [2.0, 3.0, 4.0], "greater").pvalue == 1.0


class TestPairedT:
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_agrees_with_scipy(self, rng, alternative):
        a, b = rng.normal(size=15), rng.normal(0.5, 1, size=15)
        expected = stats.ttest_rel(a, b, alternative=alternative)
        test = paired_t(a, b, alternative)
        assert_allclose([test.statistic, test.pvalue], [expected.statistic, expected.pvalue])
        assert_allclose(test.effect * np.sqrt(15), test.statistic)

    def test_constant_differences(self):
        assert paired_t([1.0, 2.0], [1.0, 2.0]).pvalue == 1.0
        better = paired_t([2.0, 3.0], [1.0, 2.0])
        assert (better.pvalue, better.effect) == (0.0, np.inf)
        assert paired_t([2.0, 3.0], [1.0, 2.0], "less").pvalue == 1.0

    def test_differences_much_smaller_than_the_values_are_not_constant(self, rng):
        a, b = np.array([1e15, 1e15 + 1, 1e15 + 3]), np.full(3, 1e15)
        assert_allclose(paired_t(a, b).pvalue, stats.ttest_rel(a, b).pvalue)
        assert paired_t(a, b).pvalue > 0.2

    def test_rounding_errors_are_not_differences(self):
        alike = paired_t([0.1 + 0.2] * 5, [0.3] * 5)
        assert (alike.pvalue, alike.statistic, alike.n_zero) == (1.0, 0.0, 5)
        better = paired_t(np.arange(9.0) + 0.1, np.arange(9.0))  # 0.1 up to rounding
        assert (better.pvalue, better.mean_difference) == (0.0, pytest.approx(0.1))


class TestFriedmanNemenyi:
    def test_agrees_with_scipy_and_scikit_posthocs_with_ties(self, rng):
        scores = np.round(rng.normal(size=(9, 5)) + np.arange(5) * 0.5)
        result = friedman_nemenyi(scores)
        expected = stats.friedmanchisquare(*scores.T)
        assert_allclose([result.chi2, result.chi2_pvalue], [expected.statistic, expected.pvalue])
        assert_allclose(result.pvalues, scikit_posthocs.posthoc_nemenyi_friedman(scores), atol=1e-12)

    def test_direction(self):
        up, down = friedman_nemenyi(DEMSAR), friedman_nemenyi(-DEMSAR, higher_is_better=False)
        assert_allclose(up.average_ranks, down.average_ranks)

    def test_rankings_that_all_agree_and_scores_that_all_tie(self):
        agreeing, tied = friedman_nemenyi([[3, 2, 1]] * 4), friedman_nemenyi([[0.1 + 0.2, 0.3, 0.3]] * 4)
        assert (agreeing.f, agreeing.f_pvalue) == (np.inf, 0.0)
        assert (tied.chi2, tied.chi2_pvalue) == (0.0, 1.0)


class TestMeanCi:
    def test_agrees_with_scipy(self, rng):
        values = rng.normal(size=12)
        interval = mean_ci(values, 0.9)
        assert_allclose((interval.low, interval.high), stats.t.interval(0.9, 11, loc=values.mean(), scale=stats.sem(values)))
        assert_allclose(interval.sd, np.std(values, ddof=1))

    def test_normal_is_narrower_and_one_value_has_no_interval(self):
        assert mean_ci([1.0, 2.0, 4.0], method="normal").high < mean_ci([1.0, 2.0, 4.0]).high
        assert np.isnan(mean_ci([1.0]).low)


class TestCounts:
    SCORES = pd.DataFrame({"a": [0.9, 0.7, 0.5], "b": [0.8, 0.1 * 7, 0.6]})

    @pytest.mark.parametrize(("ties", "wins"), [("all", [2, 2]), ("split", [1.5, 1.5]), ("none", [1, 1])])
    def test_ties(self, ties, wins):
        assert win_counts(self.SCORES, ties=ties).tolist() == wins

    def test_lower_is_better(self):
        assert win_counts(self.SCORES, ties="none", higher_is_better=False).to_dict() == {"a": 1, "b": 1}


@pytest.mark.parametrize("scale", [1e149, 1e-149])
@pytest.mark.parametrize("test", [paired_t, paired_wilcoxon])
def test_large_and_small_values(test, scale):
    """As if in other units: neither a difference nor its square overflows or underflows."""
    a, b = np.array([1.0, 0.5, -0.25, 0.75, 0.125]), np.array([-1.0, 0.75, -0.5, 0.25, -0.75])
    expected, found = test(a, b), test(scale * a, scale * b)
    assert_allclose([found.statistic, found.pvalue, found.effect], [expected.statistic, expected.pvalue, expected.effect])
    assert_allclose(found.mean_difference, scale * expected.mean_difference)
    assert found.n_zero == 0


@settings(max_examples=3)  # statsmodels is slow
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_agrees_with_statsmodels(pvalues):
    assert_allclose(holm(pvalues), multipletests(pvalues, method="holm")[1])


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda: paired_t([1.0], [2.0]), "needs at least 2"),
        (lambda: paired_wilcoxon([1, 2], [1, 2, 3]), "a has 2 values and b has 3"),
        (lambda: friedman_nemenyi(np.ones((4, 2))), "scores has 2 columns"),
        (lambda: friedman_nemenyi(np.ones((1, 3))), "scores has 1 rows"),
        (lambda: friedman_nemenyi(np.ones(3)), "scores has shape"),
        (lambda: friedman_nemenyi([[1, 2, np.nan], [1, 2, 3]]), "row 0, column 2"),
        (lambda: mean_ci([1.0, np.nan]), "values contains nan"),
        (lambda: mean_ci([1.0, 2.0], 95), "confidence"),
        (lambda: holm([0.5, 1.5]), r"pvalues contains 1\.5"),
    ],
)
def test_bad_input_raises_an_error(run, message):
    with pytest.raises(ValueError, match=message):
        run()
