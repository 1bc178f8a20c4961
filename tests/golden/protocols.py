"""Golden results of protocols: one trial of each task, with small data and small methods."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import priors
from pulab.plan import Method, Task
from pulab.plan.load import STUDIES, study_names
from pulab.trials.trial import TrialContext
from pulib.datasets import Dataset
from pulib.sampling import AdaPUSplit, CaseControl, Censored, Contaminated, Expansion, Mechanism, Mixture, Scheme, make_splits
from studies.adapu import study as adapu
from studies.elsewhere import study as elsewhere
from studies.levelfield import study as levelfield
from studies.opu import study as opu
from studies.pces import study as pces
from studies.puet import study as puet
from studies.resvm import grids
from studies.resvm.study import experiments as resvm
from tests.golden.inputs import PRIOR, dataset
from tests.golden.splits import summary


def make_method(estimator: str, params: Mapping[str, Any] | None = None, **more: Any) -> Method:
    return Method(name="m", label="M", estimator=estimator, params=params or {}, **more)


BAYES = {"estimator": "sklearn.naive_bayes.GaussianNB"}
TREES = make_method("pulib.trees.PUExtraTreesClassifier", {
    "n_estimators": 5, "risk": "nnpu", "loss": "quadratic", "scenario": "two_sample", "splitter": "random", "n_thresholds": 1,
    "max_features": "sqrt", "min_samples_leaf": 1, "bootstrap": False, "calibration": None})  # fmt: skip
SKLEARN_TREES = {"estimator": "sklearn.ensemble.ExtraTreesClassifier", "params": {"n_estimators": 5}}
ALL_LABELS = make_method(**SKLEARN_TREES, labels="all")
STUMPS = make_method("sklearn.ensemble.GradientBoostingClassifier", {"n_estimators": 4, "max_depth": 1}, labels="pn")
NAIVE = make_method("pulib.reductions.NaivePUClassifier", {"estimator": BAYES, "prior": PRIOR, "scenario": "two_sample"})
OWN_SCORES = make_method("pulib.reductions.PUBaggingClassifier", {
    "estimator": SKLEARN_TREES, "n_estimators": 10, "oob_score": True, "prior": PRIOR})  # fmt: skip
ADAPU = make_method("pulib.boosting.AdaPUClassifier", {
    "n_estimators": 12, "learning_rate": 0.5, "splitter": "random", "n_thresholds": 5, "n_iter_no_change": None})  # fmt: skip
OPU = make_method("pulib.linear.OnlinePUClassifier", {
    "loss": "double_hinge", "batch_size": 1, "inner_steps": 1, "n_passes": 1, "fit_intercept": True},
    grid={"alpha": [0.001, 0.01, 0.1]})  # fmt: skip
OPU_BATCH = OPU.but(params={"loss": "square", "batch_size": 0.1, "inner_steps": 4})
BOOSTED = make_method("studies.pces.readings.SGBDotaClassifier", {
    "n_estimators": 4, "preference": "density", "learning_rate": 0.01, "subsample": 0.5, "step": "initial", "prior": None,
    "sums": "exact"}, grid={"drop_fraction": [1.0, 0.6, 0.0]})  # fmt: skip
FOREST = make_method("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 5})
MACHINE = make_method("pulib.svm.RobustEnsembleSVC", {"n_estimators": 3, "kernel": "rbf", "gamma": 0.25, "prior": None},
                 grid={"C": [1.0, 0.1], "n_positive": [5, 10], "unlabeled_per_positive": [1, 2]},
                 box={"C": [0.1, 10.0], "n_positive": [5, 10]})  # fmt: skip
CASE_CONTROL = CaseControl(n_labeled=20)
ADAPU_SPLIT = AdaPUSplit(n_labeled=20, test="last", n_test=40)
CENSORED = Censored(r=0.3, n_folds=5, validation_share=0.2)
EXPANSION = Expansion(later=[0, 1])
CONTAMINATED = Contaminated(
    n_labeled=15, n_unlabeled=30, contamination_unlabeled=0.3, test="random", n_test_positive=15, n_test_negative=15
)
MIXTURE = Mixture(n_labeled=15, n_positive=20, n_negative=40)
MECHANISM = Mechanism(scenario="two_sample", n_labeled=20, max_unlabeled=60)
MECHANISM_ONE = Mechanism(scenario="one_sample")
FIT, TUNE = levelfield.Fit(scenario="two_sample"), levelfield.Tune(scenario="two_sample")
READINGS = {"raw": {"normalize_weights": False}, "best": {"splitter": "best"}}
TRACES = {"main": {}, "one": {"n_thresholds": 1}}
DENSITIES = resvm.Densities(method="m", repeats=(0,), bins=5, extent=3.0)
TIMED = {"ours": puet.Reference(estimator=TREES.estimator, params=TREES.params),
         "theirs": puet.Reference(**SKLEARN_TREES, labels="all")}  # fmt: skip

#: Split scheme, method, and task of each case, by study and task.
CASES: dict[str, dict[str, tuple[Scheme, Method, Task]]] = {
    "puet.classify": {
        "trees": (CASE_CONTROL, TREES, puet.Classify(importance=True)),
        "all labels": (CASE_CONTROL, ALL_LABELS, puet.Classify()),
        "naive": (CASE_CONTROL, NAIVE.but(params={"prior": None}), puet.Classify()),
        "one tree": (CASE_CONTROL, TREES, puet.Classify(params={"n_estimators": 1, "max_depth": 2})),
    },
    "puet.time": {"two": (CASE_CONTROL, TREES, puet.Time(timed=TIMED))},
    "puet.thresholds": {"all": (CASE_CONTROL, TREES, puet.Thresholds(
        n_thresholds=(3, 1), params={"max_features": None}, reference=puet.Reference(**SKLEARN_TREES, times=2)))},
    "puet.class_importance": {"trees": (CASE_CONTROL, TREES, puet.ClassImportance())},
    "puet.top_features": {"trees": (CASE_CONTROL, TREES, puet.TopFeatures())},
    "puet.trees": {"forests": (CASE_CONTROL, TREES, puet.Trees())},
    "adapu.classify": {
        "stumps": (ADAPU_SPLIT, ADAPU, adapu.Classify()),
        "negatives": (ADAPU_SPLIT, STUMPS, adapu.Classify()),
    },
    "adapu.learning_rates": {"two": (ADAPU_SPLIT, ADAPU, adapu.LearningRates(learning_rates=(0.1, 1)))},
    "adapu.readings": {"two": (ADAPU_SPLIT, ADAPU, adapu.Readings(readings=READINGS))},
    "adapu.traces": {"two": (ADAPU_SPLIT, ADAPU, adapu.Traces(held_out=0.2, traces=TRACES))},
    "adapu.theorems": {"full steps": (ADAPU_SPLIT, ADAPU, adapu.Theorems(params={"learning_rate": 1.0}))},
    "opu.accuracy": {
        "stream": (CENSORED, OPU, opu.Accuracy(priors=("population", "unlabeled"))),
        "standardized": (CENSORED, OPU_BATCH, opu.Accuracy(priors=("unlabeled",), scaling="standard")),
    },
    "opu.sensitivity": {"both": (CENSORED, OPU, opu.Sensitivity(
        alphas=(0.01, 1.0), prior_percents=(60, 100, 140), priors=("population",)))},
    "opu.stream": {
        "rows": (CENSORED, OPU, opu.Stream(checkpoints=5, tuning="pu_risk")),
        "batches": (CENSORED, OPU_BATCH, opu.Stream(checkpoints=5, tuning="oracle")),
    },
    "opu.regret": {"one": (CENSORED, OPU, opu.Regret(alphas=(0.1,), checkpoints=5))},
    "pces.ranking": {
        "boosted": (EXPANSION, BOOSTED, pces.Ranking(preference_weights=(1.0, 0.1))),
        "forest": (EXPANSION, FOREST, pces.Ranking(preference_weights=(1.0,))),
    },
    "pces.map": {"boosted": (EXPANSION, BOOSTED, pces.Map(resolution=7))},
    "pces.projection": {"all": (EXPANSION, make_method("sklearn.decomposition.PCA"), pces.Projection())},
    "resvm.grid_search": {
        "curves": (CONTAMINATED, MACHINE, resvm.GridSearch(
            n_folds=3, scale="minmax", curves=resvm.Curves(repeats=(0,), points=5))),
        "densities": (CONTAMINATED, MACHINE, resvm.GridSearch(n_folds=3, densities=DENSITIES)),
        "divided": (CONTAMINATED, MACHINE, resvm.GridSearch(n_folds=4, scale=2)),
    },
    "resvm.random_search": {"box": (CONTAMINATED, MACHINE, resvm.RandomSearch(n_folds=3, n_iter=5))},
    "levelfield.fit": {
        "two samples": (MECHANISM, TREES, FIT),
        "one sample": (MECHANISM_ONE, NAIVE, replace(FIT, scenario="one_sample")),
        "standardized": (MECHANISM, replace(NAIVE, standardize=True), replace(FIT, given_prior=0.6)),
        "estimated": (MECHANISM, TREES, replace(FIT, given_prior="best_bin")),
        "ceiling": (MECHANISM, ALL_LABELS, FIT),
    },
    "elsewhere.on_unlabeled": {
        "cross-fitted": (MIXTURE, TREES, elsewhere.OnUnlabeled(n_folds=3)),
        "own scores": (MIXTURE, OWN_SCORES, elsewhere.OnUnlabeled()),
        "either class": (replace(MIXTURE, either_class=True), OWN_SCORES, elsewhere.OnUnlabeled()),
    },
    "elsewhere.on_test_rows": {"trees": (CASE_CONTROL, TREES, elsewhere.OnTestRows())},
    "levelfield.tune": {
        "trees": (MECHANISM, replace(TREES, grid={"min_samples_leaf": [1, 5]}), TUNE),
        "one sample": (MECHANISM_ONE, NAIVE.but(grid={"estimator__var_smoothing": [1e-9, 0.5]}),
                       replace(TUNE, scenario="one_sample")),
    },
}  # fmt: skip
#: Results of targets that run no trials.
OTHERS = ("priors", "resvm_grids")


def names() -> list[str]:
    return [*CASES, *OTHERS]


@cache
def tasks() -> dict[str, tuple[type[Task], Callable[[TrialContext], Any]]]:
    """Return the class and the run function of every task, by study and task."""
    modules = {study: importlib.import_module(f"{STUDIES}.{study}.protocol") for study in study_names()}
    return {f"{study}.{task.name}": (task, run) for study, module in modules.items() for task, run in module.RUN.items()}


def cases(name: str, recorded: Any = None) -> dict[str, dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in OTHERS:
            return {"priors": _priors, "resvm_grids": _grids}[name]()
        study, (kind, run) = name.partition(".")[0], tasks()[name]
        found = {}
        for case, (split, method, task) in CASES[name].items():
            assert type(task) is kind, f"{name}, {case}: the task is {task.name}"
            result = run(context(study, split, method, task))
            series = {k: np.concatenate([np.ravel(part) for part in (v if isinstance(v, tuple) else (v,))])
                      for k, v in result.series.items()}  # fmt: skip
            scalars = {"scalars": np.array([result.scalars[key] for key in sorted(result.scalars)])} if result.scalars else {}
            short = {key: summary(values) if len(values) > 40 else values for key, values in (series | scalars).items()}
            found[case] = {"names": sorted(result.scalars), "numbers": short}
        return found


def context(study: str, split: Scheme, method: Method, task: Task) -> TrialContext:
    data = _data(study, task)
    drawn = make_splits(data, split, {0: 21}, shared_seed=22)[0]
    return TrialContext(study, data.name, "s", "m", 0, data, drawn, method, task)


def _data(study: str, task: Task) -> Dataset:
    if study == "pces":
        return dataset(classes=3, n=90, d=2 if isinstance(task, pces.Map) else 4)
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
    grid = {"C": [1.0, 0.1, 10.0], "n_positive": [5, 2, 10], "unlabeled_per_positive": [1.0, 2.0]}
    task = grids.Task(context("resvm", CONTAMINATED, replace(MACHINE, grid=grid), resvm.GridSearch(n_folds=3)))
    axes = grids.begin(grid, {"C": 10.0, "n_positive": 2.0, "unlabeled_per_positive": 2.0}, {})
    rounds = pd.concat(list(grids.settle(axes, [task])))
    return {
        "one task": {"numbers": {name: rounds[name].to_numpy(dtype=float) for name in rounds.select_dtypes("number").columns}}
    }
