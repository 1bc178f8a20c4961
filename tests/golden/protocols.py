"""What protocols give back for one trial, task by task, on small data and with small methods."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from pulab.protocols import priors, resvm_grids

from pulab.trials.trial import TrialContext, import_object
from pulib.datasets import Dataset
from pulib.sampling import SCHEMES, make_splits
from tests.golden.inputs import PRIOR, dataset
from tests.golden.splits import summary

TREES = {"estimator": "pulib.trees.PUExtraTreesClassifier", "params": {
    "n_estimators": 5, "risk": "nnpu", "loss": "quadratic", "scenario": "two_sample", "splitter": "random", "n_thresholds": 1,
    "max_features": "sqrt", "min_samples_leaf": 1, "bootstrap": False, "calibration": None}}  # fmt: skip
SKLEARN_TREES = {"estimator": "sklearn.ensemble.ExtraTreesClassifier", "params": {"n_estimators": 5}}
ALL_LABELS = {**SKLEARN_TREES, "options": {"labels": "all"}}
BAYES = {"estimator": "sklearn.naive_bayes.GaussianNB"}
STUMPS = {"estimator": "sklearn.ensemble.GradientBoostingClassifier", "params": {"n_estimators": 4, "max_depth": 1},
          "options": {"labels": "pn"}}  # fmt: skip
NAIVE = {
    "estimator": "pulib.reductions.NaivePUClassifier",
    "params": {"estimator": BAYES, "prior": PRIOR, "scenario": "two_sample"},
}
ADAPU = {"estimator": "pulib.boosting.AdaPUClassifier", "params": {
    "n_estimators": 12, "learning_rate": 0.5, "splitter": "random", "n_thresholds": 5, "n_iter_no_change": None,
    "normalize_weights": True, "shrink_weights": True, "threshold_range": "all"}}  # fmt: skip
OPU = {"estimator": "pulib.linear.OnlinePUClassifier", "grid": {"alpha": [0.001, 0.01, 0.1]}, "params": {
    "loss": "double_hinge", "stream_weighting": "unbiased", "batch_size": 1, "inner_steps": 1, "n_passes": 1,
    "projection": "ball", "fit_intercept": True}}  # fmt: skip
OPU_BATCH = {**OPU, "params": {**OPU["params"], "loss": "square", "batch_size": 0.1, "inner_steps": 4}}
BOOSTED = {"estimator": "pulib.expansion.SGBDotaClassifier", "params": {
    "n_estimators": 4, "preference": "density", "learning_rate": 0.01, "subsample": 0.5, "step": "initial", "prior": None,
    "method": "exact"}, "grid": {"drop_fraction": [1.0, 0.6, 0.0]}}  # fmt: skip
FOREST = {"estimator": "sklearn.ensemble.RandomForestClassifier", "params": {"n_estimators": 5}}
MACHINE = {"estimator": "pulib.svm.RobustEnsembleSVC",
           "params": {"n_estimators": 3, "kernel": "rbf", "gamma": 0.25, "prior": None},
           "grid": {"C": [1.0, 0.1], "n_positive": [5, 10], "unlabeled_per_positive": [1, 2]},
           "options": {"box": {"C": [0.1, 10.0], "n_positive": [5, 10]}}}  # fmt: skip
CASE_CONTROL = ("case_control", {"n_labeled": 20})
ADAPU_SPLIT = ("adapu", {"n_labeled": 20, "test": "last", "n_test": 40})
CENSORED = ("censored", {"r": 0.3, "n_folds": 5, "validation_share": 0.2})
EXPANSION = ("expansion", {"later": [0, 1]})
CONTAMINATED = ("contaminated", {"n_labeled": 15, "n_unlabeled": 30, "contamination_unlabeled": 0.3, "test": "random",
                                 "n_test_positive": 15, "n_test_negative": 15})  # fmt: skip
MECHANISM = ("mechanism", {"scenario": "two_sample", "n_labeled": 20, "max_unlabeled": 60})
MECHANISM_ONE = ("mechanism", {"scenario": "one_sample"})
FIT, TUNE = {"task": "fit", "scenario": "two_sample"}, {"task": "tune", "scenario": "two_sample"}
READINGS = {"raw": {"normalize_weights": False}, "best": {"splitter": "best"}}
PERCENTS = {"prior_percents": [60, 100, 140], "priors": ["population"]}
DENSITIES = {"method": "m", "repeats": [0], "bins": 5, "extent": 3.0}
SWEEP = {"n_thresholds": [3, 1], "params": {"max_features": None}, "reference": {**SKLEARN_TREES, "times": 2}}

Case = tuple[tuple[str, dict[str, Any]], Mapping[str, Any], Mapping[str, Any]]
#: By protocol and task: by case, the split, the method and the setting.
CASES: dict[str, dict[str, Case]] = {
    "puet.classify": {
        "trees": (CASE_CONTROL, TREES, {"importance": True}),
        "all labels": (CASE_CONTROL, ALL_LABELS, {}),
        "naive": (CASE_CONTROL, NAIVE, {}),
        "one tree": (CASE_CONTROL, TREES, {"params": {"n_estimators": 1, "max_depth": 2}}),
    },
    "puet.time": {"two": (CASE_CONTROL, TREES, {"timed": {"ours": TREES, "theirs": {**SKLEARN_TREES, "labels": "all"}}})},
    "puet.thresholds": {"all": (CASE_CONTROL, TREES, SWEEP)},
    "puet.class_importance": {"trees": (CASE_CONTROL, TREES, {})},
    "puet.top_features": {"trees": (CASE_CONTROL, TREES, {})},
    "adapu.classify": {"stumps": (ADAPU_SPLIT, ADAPU, {}), "negatives": (ADAPU_SPLIT, STUMPS, {})},
    "adapu.learning_rates": {"two": (ADAPU_SPLIT, ADAPU, {"learning_rates": [0.1, 1]})},
    "adapu.readings": {"two": (ADAPU_SPLIT, ADAPU, {"readings": READINGS})},
    "adapu.traces": {"two": (ADAPU_SPLIT, ADAPU, {"held_out": 0.2, "traces": {"main": {}, "one": {"n_thresholds": 1}}})},
    "opu.accuracy": {
        "stream": (CENSORED, OPU, {"priors": ["population", "unlabeled"]}),
        "standardized": (CENSORED, OPU_BATCH, {"priors": ["unlabeled"], "scaling": "standard"}),
    },
    "opu.sensitivity": {"both": (CENSORED, OPU, {"alphas": [0.01, 1.0], **PERCENTS})},
    "opu.stream": {
        "rows": (CENSORED, OPU, {"checkpoints": 5, "tuning": "pu_risk"}),
        "batches": (CENSORED, OPU_BATCH, {"checkpoints": 5, "tuning": "oracle"}),
    },
    "opu.regret": {"one": (CENSORED, OPU, {"alphas": [0.1], "checkpoints": 5})},
    "pces.ranking": {
        "boosted": (EXPANSION, BOOSTED, {"preference_weights": [1.0, 0.1]}),
        "forest": (EXPANSION, FOREST, {"preference_weights": [1.0]}),
    },
    "pces.map": {"boosted": (EXPANSION, BOOSTED, {"resolution": 7})},
    "pces.projection": {"all": (EXPANSION, {"estimator": "sklearn.decomposition.PCA"}, {})},
    "resvm.grid_search": {
        "curves": (CONTAMINATED, MACHINE, {"n_folds": 3, "scale": "minmax", "curves": {"repeats": [0], "points": 5}}),
        "densities": (CONTAMINATED, MACHINE, {"n_folds": 3, "densities": DENSITIES}),
        "divided": (CONTAMINATED, MACHINE, {"n_folds": 4, "scale": {"divide": 2}}),
    },
    "resvm.random_search": {"box": (CONTAMINATED, MACHINE, {"n_folds": 3, "n_iter": 5})},
    "levelfield.fit": {
        "two samples": (MECHANISM, TREES, FIT),
        "one sample": (MECHANISM_ONE, NAIVE, {**FIT, "scenario": "one_sample"}),
        "standardized": (MECHANISM, {**NAIVE, "options": {"standardize": True}}, {**FIT, "prior": {"factor": 0.6}}),
        "estimated": (MECHANISM, TREES, {**FIT, "prior": {"estimator": "best_bin"}}),
        "ceiling": (MECHANISM, ALL_LABELS, FIT),
    },
    "levelfield.tune": {"trees": (MECHANISM, {**TREES, "grid": {"min_samples_leaf": [1, 5]}}, TUNE)},
}  # fmt: skip
#: No trials: what the targets of these names compute.
OTHERS = ("priors", "resvm_grids")


def names() -> list[str]:
    return [*CASES, *OTHERS]


def cases(name: str, recorded: Any = None) -> dict[str, dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in OTHERS:
            return {"priors": _priors, "resvm_grids": _grids}[name]()
        module, _, task = name.partition(".")
        run = import_object(f"pulab.protocols.{module}.run")
        found = {}
        for case, (split, method, setting) in CASES[name].items():
            result = run(context(module, split, method, {**setting, **({"task": task} if task else {})}))
            series = {k: np.concatenate([np.ravel(part) for part in (v if isinstance(v, tuple) else (v,))])
                      for k, v in result.series.items()}  # fmt: skip
            scalars = {"scalars": np.array([result.scalars[key] for key in sorted(result.scalars)])} if result.scalars else {}
            short = {key: summary(values) if len(values) > 40 else values for key, values in (series | scalars).items()}
            found[case] = {"names": sorted(result.scalars), "numbers": short}
        return found


def context(
    study: str, split: tuple[str, dict[str, Any]], method: Mapping[str, Any], setting: Mapping[str, Any]
) -> TrialContext:
    scheme, options = split
    data = _data(study, setting)
    drawn = make_splits(data, SCHEMES[scheme](**options), {0: 21}, shared_seed=22)[0]
    return TrialContext(study, data.name, "s", "m", 0, data, drawn, method, setting)


def _data(study: str, setting: Mapping[str, Any]) -> Dataset:
    if study == "pces":
        return dataset(classes=3, n=90, d=2 if setting["task"] == "map" else 4)
    if study == "resvm":
        return dataset(d=2)
    return dataset()


def _priors() -> dict[str, dict[str, Any]]:
    data = dataset(n=240)
    found = {}
    for method in priors.METHODS:
        errors = priors.prior_errors(data.X, data.y, methods=[method], repeats=2, n_labeled=40, n_unlabeled=100)
        found[method] = {"numbers": {column: errors[column].to_numpy() for column in ("prior", "estimate")}}
    return found


def _grids() -> dict[str, dict[str, Any]]:
    method = {**MACHINE, "grid": {"C": [1.0, 0.1, 10.0], "n_positive": [5, 2, 10], "unlabeled_per_positive": [1.0, 2.0]}}
    task = resvm_grids.Task(context("resvm", CONTAMINATED, method, {"n_folds": 3, "task": "grid_search"}))
    axes = resvm_grids.begin(method["grid"], {"C": 10.0, "n_positive": 2.0, "unlabeled_per_positive": 2.0}, {})
    rounds = pd.concat(list(resvm_grids.settle(axes, [task])))
    return {
        "one task": {"numbers": {name: rounds[name].to_numpy(dtype=float) for name in rounds.select_dtypes("number").columns}}
    }
