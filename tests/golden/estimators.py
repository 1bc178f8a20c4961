"""What estimators give: at the settings of ``config/methods.yaml``, smaller and written out in full, and at their defaults."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from pulab.trials.trial import import_object, make_estimator
from tests.golden.inputs import INPUTS, PRIOR

SKLEARN_TREE = {"estimator": "sklearn.tree.ExtraTreeClassifier", "params": {"max_features": "sqrt"}}
SKLEARN_FOREST = {"estimator": "sklearn.ensemble.ExtraTreesClassifier", "params": {"n_estimators": 7}}
BAYES = {"estimator": "sklearn.naive_bayes.GaussianNB"}
PRUNED = {"estimator": "studies.pces.pruned_tree.PrunedTreeRegressor"}
NETWORK: dict[str, Any] = {"epochs": 3, "batch_size": 40, "n_threads": 1, "device": "cpu"}
NETWORK["body_params"] = {"width": 8, "hidden_layers": 1, "batch_norm": True}
PACE = {"schedule": {"pace": [1, 3, 1], "pace_length": 3, "teacher_start": 1, "consistency_length": 4}}
NU = {"kernel": "rbf", "gamma": 0.25}

#: By class: by name of the settings, the parameters.  Each is fitted on every input of ``inputs.INPUTS``.
SETTINGS: dict[str, dict[str, dict[str, Any]]] = {
    "pulib.trees.PUExtraTreesClassifier": {
        "nnpu_quadratic": {"n_estimators": 9, "risk": "nnpu", "loss": "quadratic"},
        "nnpu_logistic": {"n_estimators": 9, "risk": "nnpu", "loss": "logistic"},
        "upu_quadratic": {"n_estimators": 9, "risk": "upu", "loss": "quadratic"},
        "pn": {"n_estimators": 9, "risk": "pn", "loss": "quadratic"},
        "leaves": {"n_estimators": 5, "min_samples_leaf": 5, "max_features": 0.3, "max_depth": 4, "bootstrap": True},
    },
    "pulib.trees.PUDecisionTreeClassifier": {
        "best": {"splitter": "best", "max_depth": 4, "min_samples_leaf": 5},
        "random": {"splitter": "random", "n_thresholds": 3, "max_features": "sqrt"},
    },
    "pulib.boosting.AdaPUClassifier": {
        "random": {
            "n_estimators": 20,
            "splitter": "random",
            "n_thresholds": 10,
            "learning_rate": 0.1,
            "n_iter_no_change": None,
        },
        "best": {"n_estimators": 20, "splitter": "best", "learning_rate": 1.0, "n_iter_no_change": None},
        "binned": {"n_estimators": 10, "max_bins": 16, "learning_rate": 0.1, "n_iter_no_change": None},
        "stopped": {"n_estimators": 40, "learning_rate": 0.3, "n_iter_no_change": 5, "validation_fraction": 0.2},
    },
    "pulib.boosting.PUGradientBoostingClassifier": {
        "small": {"n_estimators": 10, "max_depth": 3, "prior": PRIOR},
        "plain": {"n_estimators": 5, "subsample": 1.0, "max_features": 1.0, "learning_rate": 0.3, "prior": PRIOR},
    },
    "pulib.linear.OnlinePUClassifier": {
        "double_hinge": {"loss": "double_hinge", "alpha": 0.01},
        "square": {"loss": "square", "alpha": 0.01},
        "logistic": {"loss": "logistic", "alpha": 0.1},
        "extended": {"loss": "double_hinge", "alpha": 0.01, "batch_size": 0.05, "inner_steps": 10},
        "extended_square": {"loss": "square", "alpha": 0.01, "batch_size": 50, "inner_steps": 20},
    },
    "pulib.linear.UnbiasedPUClassifier": {
        "double_hinge": {"loss": "double_hinge", "alpha": 0.01},
        "square": {"loss": "square", "alpha": 0.1},
        "logistic": {"loss": "logistic", "alpha": 0.1},
        "gaussian": {"loss": "double_hinge", "alpha": 0.1, "basis": "gaussian", "n_basis": 20},
    },
    "pulib.svm.ClassWeightedSVC": {
        "rbf": {"C_positive": 10.0, "C_unlabeled": 0.5, "kernel": "rbf", "gamma": 0.1, "prior": None},
        "linear": {"C_positive": 1.0, "C_unlabeled": 0.1, "kernel": "linear", "prior": None},
        "threshold": {"C_positive": 2.0, "C_unlabeled": 1.0, "prior": PRIOR},
    },
    "pulib.svm.ClassWeightedLinearSVC": {"liblinear": {"C_positive": 10.0, "C_unlabeled": 0.1, "prior": None}},
    "pulib.svm.BaggingSVC": {
        "rbf": {"n_estimators": 7, "C": 1.0, "n_unlabeled": 20, "kernel": "rbf", "gamma": 0.1, "prior": None},
        "linear": {"n_estimators": 7, "C": 0.1, "n_unlabeled": 10, "kernel": "linear", "prior": None},
    },
    "pulib.svm.RobustEnsembleSVC": {
        "rbf": {"n_estimators": 7, "w_positive": 1.6, "n_positive": 10, "n_unlabeled": 20, "gamma": 0.1, "prior": None},
        "linear": {"n_estimators": 7, "C": 0.1, "n_positive": 5, "n_unlabeled": 10, "kernel": "linear", "prior": None},
    },
    "pulib.svm.MappingConvergenceSVC": {"rbf": {**NU, "prior": None}, "linear": {"kernel": "linear", "C": 0.5, "prior": None}},
    "pulib.expansion.SGBDotaClassifier": {
        "density": {"n_estimators": 8, "preference": "density"},
        "difference": {"n_estimators": 8, "preference": "density_difference", "drop_fraction": 0.6},
        "neighborhood": {"n_estimators": 8, "preference": "neighborhood", "drop_fraction": 0.0},
        "unit": {"n_estimators": 8, "preference": "neighborhood_unit", "drop_fraction": 0.9, "preference_weight": 0.1},
        "pruned": {"n_estimators": 8, "preference": "density", "estimator": PRUNED},
    },
    "pulib.expansion.AUCBoostingClassifier": {
        "plain": {"n_estimators": 15},
        "pruned": {"n_estimators": 15, "estimator": PRUNED},
    },
    "pulib.expansion.GetEnsembleClassifier": {"plain": {"n_estimators": 3, "n_expansions": 4, "prior": None}},
    "pulib.reductions.NaivePUClassifier": {
        "forest": {"estimator": SKLEARN_FOREST, "prior": None},
        "threshold": {"estimator": BAYES, "prior": PRIOR},
    },
    "pulib.reductions.PUBaggingClassifier": {
        "trees": {"estimator": SKLEARN_TREE, "n_estimators": 12, "max_samples": 1.0, "prior": None},
        "balanced": {"estimator": BAYES, "n_estimators": 5, "prior": PRIOR},
    },
    "pulib.reductions.DEDPULClassifier": {"bayes": {"estimator": BAYES, "prior": None}},
    "pulib.reductions.ElkanNotoClassifier": {
        "bayes": {"estimator": BAYES, "prior": None},
        "held_out": {"estimator": SKLEARN_FOREST, "hold_out": 0.2, "calibration": None},
    },
    "pulib.reductions.PUThresholdClassifier": {"bayes": {"estimator": BAYES, "prior": PRIOR}},
    "pulib.reductions.PUCalibratedClassifier": {"isotonic": {"estimator": BAYES, "prior": PRIOR}},
    "pulib.reductions.TwoStepPUClassifier": {
        "spy": {"estimator": BAYES, "reliable": "spy", "prior": None},
        "quantile": {"estimator": BAYES, "reliable": "quantile", "share": 0.4, "max_rounds": 3},
        "knn": {"estimator": BAYES, "reliable": "knn", "prior": PRIOR},
        "rocchio": {"estimator": BAYES, "reliable": "rocchio", "prior": None},
        "cvir": {"estimator": BAYES, "reliable": "cvir", "prior": PRIOR, "max_rounds": 3},
        "ted": {"estimator": BAYES, "reliable": "cvir", "prior": None, "max_rounds": 3},
    },
    "pulib.biased.BiasedPUClassifier": {"bayes": {"estimator": BAYES, "propensity_estimator": BAYES, "max_iter": 5}},
    "pulib.biased.LabelingBiasPUClassifier": {
        "linear": {"propensity_features": [0], "max_iter": 5},
        "network": {"hidden_layer_sizes": [4], "max_iter": 5},
    },
    "pulib.reductions.OneClassPUClassifier": {
        "forest": {
            "estimator": {"estimator": "sklearn.ensemble.IsolationForest", "params": {"n_estimators": 7}},
            "prior": PRIOR,
        },
        "nearest": {"estimator": {"estimator": "sklearn.neighbors.NearestNeighbors", "params": {"n_neighbors": 3}}},
    },
    "pulib.neural.NeuralPUClassifier": {
        "nnpu": {**NETWORK, "risk": "nnpu", "prior": PRIOR},
        "upu": {**NETWORK, "risk": "upu", "prior": PRIOR, "optimizer": "adagrad"},
        "linear": {"body": "linear", "epochs": 3, "batch_size": 40, "n_threads": 1, "device": "cpu", "input_scaling": "minmax"},
    },
    "pulib.neural.VariationalPUClassifier": {
        "mlp": {**NETWORK, "n_iter_no_change": None},
        "stopped": {**NETWORK, "n_iter_no_change": 1, "mixup_weight": 0.1},
    },
    "pulib.neural.CVIRClassifier": {
        "given": {**NETWORK, "warm_up": 1, "prior": PRIOR},
        "bbe": {**NETWORK, "warm_up": 1, "prior": "bbe"},
    },
    "pulib.neural.SelfPUClassifier": {"mlp": {**NETWORK, **PACE, "prior": PRIOR}},
    "studies.adapu.readings.AdaPUClassifier": {
        "one": {"n_estimators": 20, "n_thresholds": 1, "threshold_range": "unlabeled", "n_iter_no_change": None},
        "raw": {"n_estimators": 10, "normalize_weights": False, "shrink_weights": False, "n_iter_no_change": None},
    },
    "studies.opu.readings.OnlinePUClassifier": {
        "printed": {"loss": "double_hinge", "alpha": 0.01, "stream_weighting": "paper"},
        "passes": {"loss": "double_hinge", "alpha": 0.01, "n_passes": 5, "projection": None, "fit_intercept": False},
    },
    "studies.pces.readings.SGBDotaClassifier": {
        "initial": {"n_estimators": 8, "preference": "density", "step": "initial", "drop_fraction": 0.6},
        "damped": {"n_estimators": 8, "preference": "density", "step": "damped", "drop_fraction": 0.6},
        "printed": {"n_estimators": 8, "preference": "density", "step": "printed", "drop_fraction": 0.6},
        "search": {"n_estimators": 4, "preference": "density", "step": "search", "drop_fraction": 0.6},
        "fast": {"n_estimators": 8, "preference": "density", "sums": "fast", "drop_fraction": 0.6, "learning_rate": 1.0},
    },
    "studies.puet.released.PUExtraTreesClassifier": {
        "all_features": {"n_estimators": 5, "n_thresholds": 10, "max_features": None, "threshold_range": "released"},
    },
    "studies.levelfield.protocol.PUSB": {"default": {}},
    "studies.levelfield.protocol.ShareAtRandom": {"third": {"share": 0.375}},
    "studies.pces.protocol.RandomRanking": {"drawn": {}},
    "studies.pces.pruned_tree.PrunedTreeRegressor": {"default": {}, "leaves": {"min_samples_leaf": 5, "prune_share": 0.5}},
}
#: What a class needs beside its defaults.
GIVEN = {"pulib.neural.NeuralPUClassifier": {"epochs": 3, "n_threads": 1, "device": "cpu"}}
for _name in ("SelfPU", "VariationalPU", "CVIR"):
    GIVEN[f"pulib.neural.{_name}Classifier"] = {"epochs": 3, "n_threads": 1, "device": "cpu"}
SCORES = ("decision_function", "predict_proba", "predict")
ATTRIBUTES = ("prior_", "threshold_", "feature_importances_", "n_iter_")


def names() -> list[str]:
    return list(SETTINGS)


def needs(name: str) -> list[str]:
    own = {"pulib.boosting.PUGradientBoostingClassifier": ["xgboost"]}
    return ["torch"] if name.startswith("pulib.neural.") else own.get(name, [])


def defaults(name: str) -> dict[str, str]:
    """The constructor's defaults, as text."""
    parameters = list(inspect.signature(import_object(name)).parameters.values())
    return {p.name: repr(p.default) for p in parameters if p.default is not p.empty}


def cases(name: str, recorded: Mapping[str, Any] | None = None) -> dict[str, dict[str, Any]]:
    """By case, its parameters and numbers; with the parameters that were recorded, where they were."""
    found = {}
    for setting, params in {**SETTINGS[name], "defaults": GIVEN.get(name, {})}.items():
        for place, (inputs, options) in _places(name, setting).items():
            case = f"{setting}, {place}"
            before = (recorded or {}).get(case, {}).get("params")
            asked = before if before is not None and setting != "defaults" else {**params, **options}
            model = make_estimator(name, _accepted(name, {**asked, "random_state": 0, "n_jobs": 1}), 0, 1)
            kept = asked if setting == "defaults" else _written_out(model, asked)
            found[case] = {"params": kept, "numbers": numbers(model, *INPUTS[inputs]())}
    return found


def _places(name: str, setting: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """The inputs that a setting is fitted on, and what a class is given there."""
    accepted = import_object(name)._get_param_names()
    given = {"prior": PRIOR} if "prior" in accepted and "prior" not in SETTINGS[name].get(setting, {}) else {}
    one = {"scenario": "one_sample"} if "scenario" in accepted else {}
    places = {"two samples": ("two_sample", given), "one sample": ("one_sample", given | one), "odd": ("odd", given)}
    return {k: v for k, v in places.items() if setting != "defaults" or k != "odd"}


def _accepted(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    accepted = import_object(name)._get_param_names()
    return {key: value for key, value in params.items() if key in accepted or key not in ("random_state", "n_jobs")}


def _written_out(model: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Every parameter, so that a changed default changes nothing."""
    own = {key: value for key, value in model.get_params(deep=False).items() if key not in ("random_state", "n_jobs")}
    return json.loads(json.dumps({**own, **{key: value for key, value in params.items() if key in own}}))


def numbers(model: Any, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> dict[str, np.ndarray]:
    """What a fitted model says of the test rows, and what it has found."""
    if type(model).__name__ == "PrunedTreeRegressor":
        y = X[:, 0] * y
    model.fit(X, y)
    found = {}
    for method in SCORES:
        try:
            values = np.asarray(getattr(model, method)(X_test), dtype=np.float64)
        except (AttributeError, NotImplementedError):
            continue
        found[method] = values[:, 1] if values.ndim == 2 else values
    for attribute in ATTRIBUTES:
        value = getattr(model, attribute, None)
        if value is not None:
            found[attribute] = np.atleast_1d(np.asarray(value, dtype=np.float64))
    return found
