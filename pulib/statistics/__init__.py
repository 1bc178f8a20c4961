"""Statistics for comparing methods: intervals, paired tests, ranks over data sets, and Holm's correction."""

from pulib.statistics._intervals import MeanInterval, mean_ci
from pulib.statistics._many import holm, win_counts
from pulib.statistics._paired import PairedTest, paired_t, paired_wilcoxon
from pulib.statistics._ranks import FriedmanNemenyi, friedman_nemenyi

__all__ = [
    "FriedmanNemenyi",
    "MeanInterval",
    "PairedTest",
    "friedman_nemenyi",
    "holm",
    "mean_ci",
    "paired_t",
    "paired_wilcoxon",
    "win_counts",
]
