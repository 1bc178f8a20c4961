"""What type checkers and editors know of :mod:`pulib`, whose names load on first use; the tests compare both."""

from pulib.biased import BiasedPUClassifier
from pulib.boosting import AdaPUClassifier
from pulib.datasets import Dataset, load_dataset, make_circle_noise, make_expanding_clusters
from pulib.expansion import (
    AUCBoostingClassifier,
    GetEnsembleClassifier,
    SGBDotaClassifier,
    density_preference,
    neighborhood_preference,
)
from pulib.linear import OnlinePUClassifier, UnbiasedPUClassifier
from pulib.metrics import (
    pr_auc,
    proxy_accuracy,
    proxy_auc,
    proxy_average_precision,
    proxy_f1,
    proxy_lift_at_k,
    proxy_precision,
    proxy_precision_at_k,
    proxy_recall,
    pu_risk,
    pu_score,
    score_bounds,
    score_interval,
)
from pulib.model_selection import PUGridSearchCV, PURandomizedSearchCV
from pulib.neural import NeuralPUClassifier, SelfPUClassifier
from pulib.priors import check_scar, estimate_prior, prior_interval
from pulib.reductions import (
    ElkanNotoClassifier,
    NaivePUClassifier,
    PUBaggingClassifier,
    PUCalibratedClassifier,
    PUThresholdClassifier,
)
from pulib.sampling import biased_split, case_control_split, censored_split, contaminated_split, expansion_split
from pulib.statistics import friedman_nemenyi, mean_ci, paired_t, paired_wilcoxon, win_counts
from pulib.svm import BaggingSVC, ClassWeightedLinearSVC, ClassWeightedSVC, MappingConvergenceSVC, RobustEnsembleSVC
from pulib.trees import PUDecisionTreeClassifier, PUExtraTreesClassifier
from pulib.utils import show_versions

__all__ = [
    "AUCBoostingClassifier",
    "AdaPUClassifier",
    "BaggingSVC",
    "BiasedPUClassifier",
    "ClassWeightedLinearSVC",
    "ClassWeightedSVC",
    "Dataset",
    "ElkanNotoClassifier",
    "GetEnsembleClassifier",
    "MappingConvergenceSVC",
    "NaivePUClassifier",
    "NeuralPUClassifier",
    "OnlinePUClassifier",
    "PUBaggingClassifier",
    "PUCalibratedClassifier",
    "PUDecisionTreeClassifier",
    "PUExtraTreesClassifier",
    "PUGridSearchCV",
    "PURandomizedSearchCV",
    "PUThresholdClassifier",
    "RobustEnsembleSVC",
    "SGBDotaClassifier",
    "SelfPUClassifier",
    "UnbiasedPUClassifier",
    "biased_split",
    "case_control_split",
    "censored_split",
    "check_scar",
    "contaminated_split",
    "density_preference",
    "estimate_prior",
    "expansion_split",
    "friedman_nemenyi",
    "load_dataset",
    "make_circle_noise",
    "make_expanding_clusters",
    "mean_ci",
    "neighborhood_preference",
    "paired_t",
    "paired_wilcoxon",
    "pr_auc",
    "prior_interval",
    "proxy_accuracy",
    "proxy_auc",
    "proxy_average_precision",
    "proxy_f1",
    "proxy_lift_at_k",
    "proxy_precision",
    "proxy_precision_at_k",
    "proxy_recall",
    "pu_risk",
    "pu_score",
    "score_bounds",
    "score_interval",
    "show_versions",
    "win_counts",
]

__version__: str
