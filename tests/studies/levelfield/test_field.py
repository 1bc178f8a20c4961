"""The level field's statistics against single tests, SciPy, and cases with a known answer."""

from itertools import combinations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pulib.statistics import paired_wilcoxon
from studies.levelfield.field import Ranking, over_tasks
from studies.levelfield.numbers import against_the_best
from studies.levelfield.pairs import compare_pairs


@settings(max_examples=3)  # statsmodels is slow
@given(st.integers(2, 4), st.integers(2, 5), st.integers(0, 10**6))
def test_all_pairs_agree_with_single_tests_corrected_by_statsmodels(k, n, seed):
    scores = pd.DataFrame(np.random.default_rng(seed).integers(0, 4, (n, k)) / 4.0)  # ties and zeros
    ours, pairs = compare_pairs(scores), list(combinations(range(k), 2))
    adjusted = multipletests([paired_wilcoxon(scores[i], scores[j]).pvalue for i, j in pairs], method="holm")[1]
    assert_allclose([ours.pvalues.loc[i, j] for i, j in pairs], adjusted)
    assert_allclose(ours.pvalues, ours.pvalues.T)
    assert ours.wins.sum() == ours.losses.sum() == sum(p < 0.05 for p in adjusted)


def test_an_outlier_decides_no_win():
    better_on_11_of_12 = pd.DataFrame({"a": np.append(np.full(11, 0.5), -9.0), "b": np.zeros(12)})
    found = compare_pairs(better_on_11_of_12)
    assert (found.wins.to_dict(), found.losses.to_dict()) == ({"a": 1, "b": 0}, {"a": 0, "b": 1})


def test_bootstrap_intervals_agree_with_scipy_by_column():
    values = pd.DataFrame(np.random.default_rng(0).normal(0.8, 0.05, (10, 3)), columns=list("abc"))
    values["same"] = 0.5
    found = over_tasks(values.assign(one=[0.7, *[np.nan] * 9]))
    for name in "abc":
        rng, own = np.random.default_rng(0), (100 * values[[name]].to_numpy(),)
        interval = stats.bootstrap(own, np.mean, axis=0, n_resamples=2000, method="bca", rng=rng).confidence_interval
        assert_allclose(found.loc[name, ["low", "high"]].astype(float), np.ravel(interval))
    assert_allclose(found["mean"], [*(100 * values.mean()), 70])
    assert found.loc["same", ["low", "high", "tasks"]].tolist() == [50, 50, 10]
    assert found.loc["one", ["low", "high"]].isna().all()


def test_posterior_probabilities_by_distance():
    best = np.linspace(0.8, 0.95, 12)
    ranking = Ranking(pd.DataFrame({"best": best, "close": best - 0.001, "far": best - 0.05}), [])
    found = against_the_best(ranking, ["close", "far"])
    assert_allclose(found.sum(axis=1), 1)
    assert found.loc["close", "same"] > 0.99
    assert found.loc["far", "better"] > 0.99
