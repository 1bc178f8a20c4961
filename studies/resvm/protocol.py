"""Trials of the RESVM chapter (Claesen et al., 2015): tune on labeled and unlabeled rows, test on true labels (2.4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import loguniform
from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler

from pulab.trials.grids import RATIO, expand_grid
from pulab.trials.protocol import Rows, build, load_rows
from pulab.trials.trial import Series, TrialContext, TrialResult
from pulib.datasets.features import as_floats
from pulib.metrics import pr_auc
from pulib.model_selection import PUGridSearchCV, PURandomizedSearchCV
from studies.resvm.study import GridSearch, RandomSearch


def _tune(context: TrialContext) -> TrialResult:
    """Tune, fit on all training rows, and evaluate on the test rows."""
    rows = load_tuning_rows(context)
    search = make_search(context).fit(rows.X, rows.y)
    scores = search.decision_function(rows.X_test)
    scalars = {
        "pr_auc": pr_auc(rows.truth_test, scores),
        "average_precision": pr_auc(rows.truth_test, scores, method="average_precision"),
        "roc_auc": float(roc_auc_score(rows.truth_test, scores)),
        "pu_score": search.best_score_,
        "n_candidates": float(len(search.cv_results_["params"])),
    }
    best = _reported(search.best_params_)
    scalars |= {f"best_{name}": value for name, value in best.items()}
    edges = dict(search.on_edge_)
    if RATIO in context.method.grid and RATIO in best:
        # the sizes of unlabeled resamples are listed as ratios, and so is their edge
        ratios = context.method.grid[RATIO]
        edges.pop("n_unlabeled", None)
        edges[RATIO] = len(ratios) > 2 and not min(ratios) < best[RATIO] < max(ratios)
    scalars |= {f"edge_{name}": float(value) for name, value in edges.items()}
    scalars |= _sizes(rows)
    series: dict[str, Series] = {**_curves(context, rows.truth_test, scores), **_densities(context, rows)}
    return TrialResult(scalars=scalars, series=series)


def load_tuning_rows(context: TrialContext) -> Rows:
    """Return the rows of a trial, scaled as the task requires."""
    return load_rows(context, scaler=make_scaler(context.task.scale))


def make_scaler(how: float | str | None) -> Any:
    """Return the scaler for a task's ``scale``.

    Raises
    ------
    ValueError
        If it is a string other than "minmax".
    """
    if how == "minmax":
        return make_pipeline(FunctionTransformer(as_floats), MinMaxScaler())
    if isinstance(how, str):
        raise ValueError(f"scale={how!r}: expected 'minmax', a number to divide by, or None")
    if how is not None:
        return FunctionTransformer(lambda X: X.astype(np.float32) / np.float32(how))
    return FunctionTransformer(lambda X: X.astype(np.float32) if X.dtype.kind in "iub" else X)


def _sizes(rows: Rows) -> dict[str, float]:
    """Count what table 2.1 reports about a data set."""
    counts = {
        "n_features": rows.X.shape[1],
        "n_labeled": np.sum(rows.y == 1),
        "n_unlabeled": np.sum(rows.y == 0),
        "n_test_positive": np.sum(rows.truth_test == 1),
        "n_test_negative": np.sum(rows.truth_test == 0),
        "contamination_labeled": np.mean(rows.truth[rows.y == 1] == 0),
        "contamination_unlabeled": np.mean(rows.truth[rows.y == 0] == 1),
    }
    return {name: float(value) for name, value in counts.items()}


def make_search(context: TrialContext) -> PUGridSearchCV | PURandomizedSearchCV:
    task, estimator = context.task, build(context)
    folds = StratifiedKFold(task.n_folds, shuffle=True, random_state=context.shared_seed)  # equal rows are not grouped
    shared = {"cv": folds, "n_jobs": context.n_jobs, "random_state": context.shared_seed}
    if isinstance(task, RandomSearch):
        box = {name: box_distribution(*limits) for name, limits in context.method.box.items()}
        # each method draws its own candidates; the folds are shared
        return PURandomizedSearchCV(estimator, box, n_iter=task.n_iter, **shared)
    return PUGridSearchCV(estimator, expand_grid(context.method.grid), **shared)


class _LogUniformIntegers:
    """Integers with approximately uniform logarithms between two limits, both included."""

    def __init__(self, low: int, high: int):
        self.low, self.high = low, high

    def rvs(self, size: int | None = None, random_state: Any = None) -> Any:
        draw = np.exp(random_state.uniform(np.log(self.low), np.log(self.high + 1), size=size))
        return int(draw) if size is None else draw.astype(int)

    def support(self) -> tuple[int, int]:
        return self.low, self.high


def box_distribution(low: float, high: float) -> Any:
    """Return a log-uniform distribution over a side of a box; over integers if both ends are integers."""
    if isinstance(low, int) and isinstance(high, int):
        return _LogUniformIntegers(low, high)
    return loguniform(low, high)


def _reported(best: Mapping[str, Any]) -> dict[str, float]:
    numbers = {name: float(value) for name, value in best.items() if isinstance(value, (int, float, np.number))}
    if "n_positive" in numbers and "n_unlabeled" in numbers:
        numbers[RATIO] = numbers["n_unlabeled"] / numbers["n_positive"]
    return numbers


def _curves(context: TrialContext, y: np.ndarray, scores: np.ndarray) -> dict[str, np.ndarray]:
    """Return precision by recall, and the true positive rate by the false positive rate, at evenly spaced points."""
    wanted = context.task.curves
    if wanted is None or context.repeat not in wanted.repeats:
        return {}
    places = np.linspace(0.0, 1.0, wanted.points)
    precision, recall, _ = precision_recall_curve(y, scores)
    false_positive, true_positive, _ = roc_curve(y, scores)
    return {
        "curve_precision": np.interp(places, recall[::-1], precision[::-1]),
        "curve_true_positive_rate": np.interp(places, false_positive, true_positive),
    }


def _densities(context: TrialContext, rows: Rows) -> dict[str, np.ndarray]:
    """Return smoothed densities of P and U on a square grid, row by row (figure 2.3)."""
    wanted = context.task.densities
    if wanted is None or context.repeat not in wanted.repeats or context.method_name != wanted.method:
        return {}
    from scipy.stats import gaussian_kde

    axis = np.linspace(-wanted.extent, wanted.extent, wanted.bins)
    places = np.stack(np.meshgrid(axis, axis)).reshape(2, -1)
    parts = {"labeled": rows.X[rows.y == 1], "unlabeled": rows.X[rows.y == 0]}
    return {f"density_{name}": gaussian_kde(part.T)(places) for name, part in parts.items()}


RUN = {GridSearch: _tune, RandomSearch: _tune}
