"""Statistics for comparing methods: intervals, paired tests, ranks over data sets, and corrections for multiple tests."""

from pulib.statistics._bayes import BayesianComparison, bayesian_signed_rank
from pulib.statistics._intervals import BootstrapIntervals, MeanInterval, bootstrap_ci, mean_ci
from pulib.statistics._many import holm, win_counts, win_tie_loss
from pulib.statistics._paired import PairedTest, paired_t, paired_wilcoxon
from pulib.statistics._pairs import PairwiseTests, pairwise_wilcoxon
from pulib.statistics._ranks import FriedmanNemenyi, friedman_nemenyi

__all__ = [
    "BayesianComparison",
    "BootstrapIntervals",
    "FriedmanNemenyi",
    "MeanInterval",
    "PairedTest",
    "PairwiseTests",
    "bayesian_signed_rank",
    "bootstrap_ci",
    "friedman_nemenyi",
    "holm",
    "mean_ci",
    "paired_t",
    "paired_wilcoxon",
    "pairwise_wilcoxon",
    "win_counts",
    "win_tie_loss",
]
