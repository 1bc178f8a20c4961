"""Golden numbers of estimators, at the recorded parameters (written out in full) and at their defaults."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from pulab.plan import versions
from pulab.plan.load import load_study, study_names
from pulab.trials.trial import import_object, make_estimator
from tests.golden.inputs import INPUTS, PRIOR

SCORES = ("decision_function", "predict_proba", "predict")
ATTRIBUTES = ("prior_", "threshold_", "feature_importances_", "n_iter_")
#: Arguments that replace a class's defaults, if it accepts them.
GIVEN = {"prior": PRIOR, "epochs": 3, "n_threads": 1, "device": "cpu"}


@functools.cache
def declared() -> dict[str, tuple[int, str]]:
    """Return the version of each estimator of pulib and the studies, and its place, by dotted path."""
    found = {path: (version, "ESTIMATORS in pulab/plan/versions.py") for path, version in versions.ESTIMATORS.items()}
    for study in map(load_study, study_names()):
        found |= {path: (version, f"estimators of the study {study.name}") for path, version in study.estimators.items()}
    return found


def names() -> list[str]:
    return list(declared())


def needs(name: str) -> list[str]:
    own = {"pulib.boosting.PUGradientBoostingClassifier": ["xgboost"]}
    return ["torch"] if name.startswith("pulib.neural.") else own.get(name, [])


def defaults(name: str) -> dict[str, str]:
    parameters = list(inspect.signature(import_object(name)).parameters.values())
    return {p.name: repr(p.default) for p in parameters if p.default is not p.empty}


def cases(name: str, recorded: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the parameters and numbers of each case, named by setting and input.

    To add a case, write its parameters into the file of recorded numbers, for example
    ``"leaves, two samples": {"params": {"max_depth": 4}}``, and record.
    """
    asked, found = dict(recorded), {}
    for case, entry in _at_defaults(name).items():
        asked.setdefault(case, entry)
    for case, entry in asked.items():
        setting, place = case.split(", ")
        model = make_estimator(name, _accepted(name, {**entry["params"], "random_state": 0, "n_jobs": 1}), 0, 1)
        params = entry["params"] if setting == "defaults" else _written_out(model, entry["params"])
        found[case] = {"params": params, "numbers": numbers(model, *INPUTS[place]())}
    return found


def _at_defaults(name: str) -> dict[str, dict[str, Any]]:
    accepted = import_object(name)._get_param_names()
    given = {key: value for key, value in GIVEN.items() if key in accepted}
    one = {"scenario": "one_sample"} if "scenario" in accepted else {}
    return {"defaults, two samples": {"params": given}, "defaults, one sample": {"params": {**given, **one}}}


def _accepted(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    accepted = import_object(name)._get_param_names()
    return {key: value for key, value in params.items() if key in accepted or key not in ("random_state", "n_jobs")}


def _written_out(model: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters, so that a changed default has no effect."""
    own = {key: value for key, value in model.get_params(deep=False).items() if key not in ("random_state", "n_jobs")}
    return json.loads(json.dumps({**own, **{key: value for key, value in params.items() if key in own}}))


def numbers(model: Any, X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> dict[str, np.ndarray]:
    """Fit a model; return its predictions for the test rows and its fitted attributes."""
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
