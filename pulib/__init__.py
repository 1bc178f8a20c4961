"""Learning from positive and unlabeled (PU) data, as scikit-learn estimators.

Every public name can be imported from here; the modules behind them load on first use, so that ``import pulib`` is quick.
"""

import importlib
from typing import Any

try:
    from pulib._version import __version__
except ImportError:  # a checkout that was never installed
    __version__ = "0+unknown"

_EXPORTS = {
    "biased": ["BiasedPUClassifier"],
    "boosting": ["AdaPUClassifier"],
    "datasets": ["Dataset", "load_dataset", "make_circle_noise", "make_expanding_clusters"],
    "expansion": [
        "AUCBoostingClassifier",
        "GetEnsembleClassifier",
        "SGBDotaClassifier",
        "density_preference",
        "neighborhood_preference",
    ],
    "linear": ["OnlinePUClassifier", "UnbiasedPUClassifier"],
    "metrics": [
        "pr_auc",
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
    ],
    "model_selection": ["PUGridSearchCV", "PURandomizedSearchCV"],
    "neural": ["NeuralPUClassifier", "SelfPUClassifier"],
    "priors": ["check_scar", "estimate_prior", "prior_interval"],
    "reductions": [
        "ElkanNotoClassifier",
        "NaivePUClassifier",
        "PUBaggingClassifier",
        "PUCalibratedClassifier",
        "PUThresholdClassifier",
    ],
    "sampling": ["biased_split", "case_control_split", "censored_split", "contaminated_split", "expansion_split"],
    "statistics": ["friedman_nemenyi", "mean_ci", "paired_t", "paired_wilcoxon", "win_counts"],
    "svm": ["BaggingSVC", "ClassWeightedLinearSVC", "ClassWeightedSVC", "MappingConvergenceSVC", "RobustEnsembleSVC"],
    "trees": ["PUDecisionTreeClassifier", "PUExtraTreesClassifier"],
    "utils": ["show_versions"],
}
_HOME = {name: module for module, names in _EXPORTS.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"pulib.{_HOME[name]}"), name)
    raise AttributeError(f"module 'pulib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
