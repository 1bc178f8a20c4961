"""Steps that all protocols share: take the split's rows, pass π, build the estimator.

A study's ``protocol.py`` maps its classes of tasks to functions, ``RUN = {Classify: classify, ...}``; each returns a
:class:`~pulab.trials.trial.TrialResult` for a :class:`~pulab.trials.trial.TrialContext`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from pulab.plan.experiment import Method
from pulab.trials.trial import TrialContext, import_object, make_estimator
from pulib.priors import estimate_prior

#: Estimators of π by their names in settings: the library's default, and one as in its paper.
ESTIMATES: dict[str, str | None] = {"estimated": None, "best_bin": "best_bin_paper"}
#: Bounds of a π that is wrong on purpose.
LEAST_PRIOR, GREATEST_PRIOR = 0.01, 0.99
#: Parameters that make a warm-up short, and the number of rows per label for learners without any of them.
LOW = {"n_estimators": 2, "epochs": 1, "max_depth": 1}
WARM_UP_ROWS = 40
#: Parameters whose values do not affect compilation, only whether they are None.
ANY_VALUE = ("prior", "random_state")


@dataclass(frozen=True)
class Rows:
    """Training and test rows of a method, scaled as the protocol requires.

    ``y`` is 1 for labeled and 0 for unlabeled rows, or the true labels, which are in ``truth`` and ``truth_test``.
    """

    X: np.ndarray
    y: np.ndarray
    truth: np.ndarray
    X_test: np.ndarray
    truth_test: np.ndarray
    scaler: Any = None

    def train_on(self, places: np.ndarray) -> Rows:
        """Return a copy with some of the training rows (a mask), or with all of them in another order (indices)."""
        return replace(self, X=self.X[places], y=self.y[places], truth=self.truth[places])


def stacked(context: TrialContext) -> np.ndarray:
    """Return indices of the training rows: labeled, then unlabeled ones; a row that is both occurs twice."""
    return np.concatenate([context.split.labeled, context.split.unlabeled])


def load_rows(
    context: TrialContext,
    *,
    train: tuple[np.ndarray, np.ndarray] | None = None,
    true_labels: bool | None = None,
    scaler: Any = None,
) -> Rows:
    """Return the rows of a trial.

    ``train`` has the rows marked 1 and the rows marked 0; by default, the split's labeled and unlabeled rows.  With
    ``true_labels``, ``y`` has the true labels instead of the marks; by default, this depends on the method's ``labels``.
    ``scaler`` is fitted to the training rows; by default, it standardizes if the method's ``standardize`` is set.
    """
    split = context.split
    if scaler is None and context.method.standardize:
        scaler = make_pipeline(as_type(np.float64), StandardScaler())
    ones, zeros = train or (split.labeled, split.unlabeled)
    places = np.concatenate([ones, zeros])
    # generated sets have separate rows in each split
    X, y = split.arrays.get("X", context.data.X), split.arrays.get("y", context.data.y)
    X_train, X_test = np.asarray(X[places]), np.asarray(X[split.test])
    if scaler is not None:
        scaler = scaler.fit(X_train)
        X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    truth, truth_test = (np.asarray(y[rows]).astype(np.int64) for rows in (places, split.test))
    marks = np.repeat([1, 0], [len(ones), len(zeros)])
    asked = takes_true_labels(context) if true_labels is None else true_labels
    return Rows(X_train, truth if asked else marks, truth, X_test, truth_test, scaler)


def as_type(dtype: Any) -> FunctionTransformer:
    """Return a step of a scaler that converts the type of rows."""
    return FunctionTransformer(np.asarray, kw_args={"dtype": dtype})


def takes_true_labels(context: TrialContext) -> bool:
    """Return whether the method is trained on the true labels of the training rows."""
    return context.method.labels == "all"


def scenario_of(context: TrialContext) -> str:
    """Return the sampling scenario that learners are given."""
    return context.task.scenario or "two_sample"


def given_prior(context: TrialContext) -> float:
    """Return the task's π: the true one, a multiple of it, or an estimate (``"estimated"``: by the library's default)."""
    how, prior = context.task.given_prior, float(context.split.prior)
    if isinstance(how, str):
        return estimated_prior(context, ESTIMATES.get(how, how))
    return prior if how == 1 else float(np.clip(prior * how, LEAST_PRIOR, GREATEST_PRIOR))


_estimates: dict[tuple[Any, ...], float] = {}


def estimated_prior(context: TrialContext, method: str | None = None) -> float:
    """Estimate π from the training rows, once for all methods of a repeat; by the library's default if ``method`` is None."""
    train, split = stacked(context), context.split
    scenario, seed = scenario_of(context), context.shared_seed
    key = (context.dataset_name, method, scenario, seed, hash(train.tobytes()))
    if key not in _estimates:
        X = np.asarray(context.data.X[train], dtype=np.float64)
        y = np.repeat([1, 0], [len(split.labeled), len(split.unlabeled)])
        named: dict[str, Any] = {} if method is None else {"method": method}
        options: dict[str, Any] = {"scenario": scenario, "random_state": seed, "n_jobs": context.n_jobs, **named}
        _estimates[key] = float(estimate_prior(X, y, **options))
    return _estimates[key]


def build(context: TrialContext, method: Method | None = None, *, prior: float | None = None, **params: Any) -> Any:
    """Build the estimator of a trial.

    The task's ``params`` are set if the estimator or the method has parameters of these names.  ``scenario`` and π, under the
    method's ``prior_name``, are set if the estimator accepts them and the method does not set them.  ``method`` is by default
    the trial's.
    """
    method = context.method if method is None else method
    accepted, own = import_object(method.estimator)._get_param_names(), method.params
    common = {name: value for name, value in context.task.params.items() if name in accepted or name in own}
    known = {method.prior_name: prior, "scenario": context.task.scenario}
    known = {name: value for name, value in known.items() if value is not None and name in accepted and name not in own}
    return make_estimator(method.estimator, {**own, **common, **params, **known}, context.seed, context.n_jobs)


def scores_of(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Return the scores by which an estimator ranks rows."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    return np.asarray(estimator.predict_proba(X)[:, 1], dtype=np.float64)


def predictions_of(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Return 1 for rows predicted positive, and 0 for the others."""
    return (np.asarray(estimator.predict(X)) == 1).astype(np.int64)


_warm: set[tuple[Any, ...]] = set()


def warm_up(estimator: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Compile our kernels that a method uses before its fit is timed, once per process.

    The kernels of trees depend on which columns have few values, and thus on all rows: a few shallow trees are fitted to all
    rows.  Learners that cannot be made small in this way are fitted to a few rows.
    """
    kind = type(estimator)
    ours = next((base.__module__ for base in kind.__mro__ if base.__module__.startswith("pulib.")), None)
    if ours is None or ours.startswith("pulib.reductions."):
        return
    params = {name: value if name not in ANY_VALUE else value is None for name, value in estimator.get_params().items()}
    known = (kind, repr(params), X.dtype, X.shape[1])
    if known in _warm:
        return
    small = clone(estimator)
    least = {key: value for key, value in LOW.items() if key in small.get_params(deep=False)}
    few = [np.flatnonzero(y == label)[:WARM_UP_ROWS] for label in (0, 1)]
    rows = slice(None) if least else np.concatenate(few)
    small.set_params(**least).fit(X[rows], y[rows]).predict(X[rows])
    _warm.add(known)
