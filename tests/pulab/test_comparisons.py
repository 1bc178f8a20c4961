"""Tests over tidy results, against SciPy on the same numbers."""

import numpy as np
import pytest
from scipy import stats

from pulab.trials import results
from pulab.trials.comparisons import compare_pairs, rank_methods, scores_by_repeat
from pulab.trials.trial import TrialResult


@pytest.fixture
def tidy():
    rng = np.random.default_rng(0)
    parts = []
    for k, dataset in enumerate(["d1", "d2", "d3", "d4"]):
        for repeat in range(8):
            base = rng.random()
            for method, gain in [("a", 0.2), ("b", 0.1 * (k != 3)), ("c", 0.0)]:
                value = base + gain + 0.05 * rng.random()
                parts.append(results.result_rows(("p", dataset, "s", method, repeat), TrialResult(scalars={"auc": value})))
    parts.append(results.status_rows(("p", "d1", "s", "c", 8), "failed", "why"))
    return results.concat(parts, results.COLUMNS)


def test_pairs_agree_with_scipy(tidy):
    scores = scores_by_repeat(tidy, "auc").loc["d2"]
    row = compare_pairs(tidy, "a", ["a", "b", "c"], "auc").query("dataset == 'd2' and method == 'b'").iloc[0]
    assert row["n"] == 8
    assert row["mean_difference"] == pytest.approx((scores["a"] - scores["b"]).mean())
    assert row["t_two_sided"] == pytest.approx(stats.ttest_rel(scores["a"], scores["b"]).pvalue)
    greater = stats.wilcoxon(scores["a"], scores["b"], alternative="greater", method="exact").pvalue
    assert row["wilcoxon_greater"] == pytest.approx(greater)
    assert row["wilcoxon_two_sided_holm"] >= row["wilcoxon_two_sided"]


def test_ranks_count_data_sets_that_all_methods_have(tidy):
    ranks = rank_methods(tidy, ["a", "b", "c"], "auc").set_index("method")
    assert ranks.loc["a", "average_rank"] == 1.0
    assert set(ranks["n_datasets"]) == {4}
    means = scores_by_repeat(tidy, "auc").groupby(level="dataset").mean()
    chi2 = stats.friedmanchisquare(*means.to_numpy().T).statistic
    with np.errstate(divide="ignore"):  # infinite: the four sets agree on the order
        f = 3 * chi2 / (4 * 2 - chi2)
    assert ranks["friedman_f"].iloc[0] == pytest.approx(f)
    assert rank_methods(tidy[tidy["dataset"] == "d1"], ["a", "b", "c"], "auc").empty
