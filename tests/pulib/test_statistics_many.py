"""Many methods over data sets: all pairs, bootstrap intervals and the Bayesian test, against packages and formulas."""

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pulib.statistics import bayesian_signed_rank, bootstrap_ci, paired_wilcoxon, pairwise_wilcoxon


def drawn(n=14, k=5, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(0.8, 0.05, (n, k)) + 0.03 * np.arange(k), columns=list("abcde")[:k])


def test_all_pairs_agree_with_scikit_posthocs():
    scores = drawn()
    ours = pairwise_wilcoxon(scores)
    long = scores.melt(var_name="method", value_name="score")
    theirs = scikit_posthocs.posthoc_wilcoxon(long, val_col="score", group_col="method", p_adjust="holm")
    assert_allclose(ours.pvalues.to_numpy(), theirs.loc[list(scores), list(scores)].to_numpy(), rtol=1e-9)
    assert_allclose(ours.differences.loc["c", "a"], (scores["c"] - scores["a"]).mean())


@settings(deadline=None, max_examples=3)
@given(st.integers(2, 4), st.integers(2, 5), st.integers(0, 10**6))
def test_all_pairs_are_single_tests_after_statsmodels_correction(k, n, seed):
    matrix = np.random.default_rng(seed).integers(0, 4, (n, k)) / 4.0  # ties and zeros
    ours = pairwise_wilcoxon(matrix)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    single = [paired_wilcoxon(matrix[:, i], matrix[:, j]).pvalue for i, j in pairs]
    assert_allclose([ours.pvalues.iloc[i, j] for i, j in pairs], multipletests(single, method="holm")[1])
    assert ours.wins.sum() == ours.losses.sum() == sum(p < 0.05 for p in multipletests(single, method="holm")[1])
    flipped = pairwise_wilcoxon(matrix, higher_is_better=False)
    assert flipped.wins.tolist() == ours.losses.tolist()


def test_pairs_need_two_methods():
    with pytest.raises(ValueError, match="1 columns; at least 2 methods"):
        pairwise_wilcoxon([[0.5], [0.6]])


def test_bootstrap_intervals_are_scipys_column_by_column():
    scores = drawn(n=10, k=3)
    ours = bootstrap_ci(scores, n_resamples=500, random_state=3)
    for j, name in enumerate(scores):
        alone = bootstrap_ci(scores[name], n_resamples=500, random_state=3)
        rng = np.random.default_rng(3)
        theirs = stats.bootstrap((scores[[name]].to_numpy(),), np.mean, axis=0, n_resamples=500, method="bca", rng=rng)
        assert_allclose((alone.low, alone.high), theirs.confidence_interval)
        assert ours.low[j] < ours.mean[j] < ours.high[j]
    assert_allclose(ours.mean, scores.mean())


def test_bootstrap_intervals_of_little():
    same = bootstrap_ci([[0.5, 0.1], [0.5, 0.3]])
    assert (same.low[0], same.high[0]) == (0.5, 0.5)
    assert same.low[1] <= 0.2 <= same.high[1]
    assert np.isnan(bootstrap_ci([0.7]).low[0])
    with pytest.raises(ValueError, match="nan in row 1"):
        bootstrap_ci([[0.5], [np.nan]])


def test_percentile_intervals_narrow_with_the_root_of_n():
    rng = np.random.default_rng(1)
    widths = [np.ptp(bootstrap_ci(rng.normal(size=n), method="percentile")[1:]) for n in (50, 800)]
    assert 3.0 < widths[0] / widths[1] < 5.5


def test_the_bayesian_test_says_who_is_ahead():
    ours, theirs = np.linspace(0.8, 0.95, 12), np.linspace(0.8, 0.95, 12) - 0.05
    ahead = bayesian_signed_rank(ours, theirs)
    assert ahead.better > 0.99
    behind = bayesian_signed_rank(theirs, ours)
    assert_allclose((behind.worse, behind.same, behind.better), ahead, atol=0.02)
    assert bayesian_signed_rank(ours, ours - 0.001).same > 0.99
    assert_allclose(sum(bayesian_signed_rank(ours, theirs[::-1])), 1.0)
    assert bayesian_signed_rank(ours, theirs[::-1]) == bayesian_signed_rank(ours, theirs[::-1])


def test_the_bayesian_test_where_differences_have_one_size():
    """The weights of losses, wins and of the prior's one tie are all that counts: a Dirichlet distribution of three."""
    a = np.full(15, 0.8)
    b = a + 0.1 * np.where(np.arange(15) < 4, 1, -1)
    tie, lost, won = np.random.default_rng(0).dirichlet([0.5, 4, 11], 20000).T
    parts = np.array([won**2 + 2 * tie * won, 2 * won * lost + tie**2, lost**2 + 2 * tie * lost])
    expected = np.bincount(parts.argmax(axis=0), minlength=3) / 20000
    assert_allclose(bayesian_signed_rank(a, b), expected, atol=0.03)


def test_a_region_of_equivalence_is_positive():
    with pytest.raises(ValueError, match="rope"):
        bayesian_signed_rank([0.1, 0.2], [0.2, 0.1], rope=0.0)
