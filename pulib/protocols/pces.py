"""Trials of the PCES paper (Yu and Zhou, 2010, section 5): rank the test rows by how early they turn positive.

A setting's ``evaluate.kind`` says what is kept of a trial:

- ``ranking`` (tables 2 and 3, figures 3 to 5): the AUC on the labels of the later time; for a method with a grid, that of every
  λ and p, the p of least preference loss, and the preference losses by which it is chosen;
- ``map`` (figure 2): the scores on a grid of points, as ranks, and the training rows;
- ``projection`` (figure 1): the first two principal components of all rows, and when each turns positive.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import check_random_state

from pulib.expansion._preferences import resolve_preference
from pulib.experiments.trial import TrialContext, TrialResult


class RandomRanking(BaseEstimator):
    """Scores drawn at random: the paper's baseline "Random".

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
    """

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y) -> RandomRanking:
        """Learn nothing."""
        self.is_fitted_ = True
        return self

    def decision_function(self, X) -> np.ndarray:
        """One random number per row of ``X``."""
        return check_random_state(self.random_state).uniform(size=len(X))


@dataclass(frozen=True)
class _Rows:
    """A repeat's rows, every feature scaled to [0, 1] on the training part (which decides for the SVM alone)."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    #: test rows that were not positive yet at training time
    new: np.ndarray
    scaler: MinMaxScaler


@dataclass(frozen=True)
class _Model:
    """A fitted method; λ and p where it has them."""

    estimator: Any
    weight: float | None = None
    fraction: float | None = None

    @property
    def loss(self) -> float:
        return float(self.estimator.preference_loss_)


def run(context: TrialContext) -> TrialResult:
    """Run one trial of the kind that the setting asks for."""
    kinds = {"ranking": _ranking, "map": _map, "projection": _projection}
    kind = context.setting.get("kind", "ranking")
    if kind not in kinds:
        raise ValueError(f"evaluate.kind={kind!r}; expected one of {sorted(kinds)}")
    return kinds[kind](context)


def _load(context: TrialContext) -> _Rows:
    data, split = context.data, context.split
    train = np.sort(np.concatenate([split.labeled, split.unlabeled]))
    scaler = MinMaxScaler().fit(np.asarray(data.X[train], dtype=np.float64))
    return _Rows(
        X=scaler.transform(np.asarray(data.X[train], dtype=np.float64)),
        y=np.isin(train, split.labeled).astype(np.int8),
        X_test=scaler.transform(np.asarray(data.X[split.test], dtype=np.float64)),
        y_test=np.asarray(split.arrays["test_positive"]),
        new=data.y[split.test] == 0,
        scaler=scaler,
    )


def score(estimator: Any, X: np.ndarray) -> np.ndarray:
    """How early rows are expected to turn positive, by whatever the estimator ranks with."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    return np.asarray(estimator.predict_proba(X)[:, 1], dtype=np.float64)


def _fits(context: TrialContext, rows: _Rows) -> Iterator[_Model]:
    """The method, once for each λ and p of its grid.  The preferences are made once: they depend on neither."""
    grid: Mapping[str, Any] = context.method.get("grid") or {}
    if not grid:
        yield _Model(context.make_estimator().fit(rows.X, rows.y))
        return
    kind = context.make_estimator().preference
    preference = resolve_preference(kind, rows.X, rows.y.astype(np.float64), context.shared_seed)
    standing = None if preference is None else preference.standing
    for weight in map(float, grid["preference_weight"]):
        for fraction in map(float, grid["drop_fraction"]):
            estimator = context.make_estimator(preference_weight=weight, drop_fraction=fraction)
            yield _Model(estimator.fit(rows.X, rows.y, preference=standing), weight, fraction)


def _main(models: list[_Model], weight: float) -> _Model:
    """The model of the main tables: at the given λ, the p of least preference loss; the greater p where they tie."""
    if len(models) == 1:
        return models[0]
    candidates = [model for model in models if model.weight == weight]
    return min(candidates, key=lambda model: (model.loss, -model.fraction))


def _main_weight(context: TrialContext) -> float:
    return float(context.method.get("options", {}).get("preference_weight", 1.0))


def _ranking(context: TrialContext) -> TrialResult:
    rows = _load(context)
    start = time.perf_counter()
    models = list(_fits(context, rows))
    seconds = time.perf_counter() - start
    scores = {id(model): score(model.estimator, rows.X_test) for model in models}
    auc = {key: float(roc_auc_score(rows.y_test, values)) for key, values in scores.items()}
    main = _main(models, _main_weight(context))
    scalars = {"auc": auc[id(main)]}
    late = rows.y_test[rows.new]
    if 0 < late.sum() < len(late):
        scalars["auc_new"] = float(roc_auc_score(late, scores[id(main)][rows.new]))
    series = {}
    if main.fraction is not None:
        scalars["p"] = main.fraction
        for weight in dict.fromkeys(model.weight for model in models):
            at = [model for model in models if model.weight == weight]
            steps = np.array([round(100 * model.fraction) for model in at])
            series[f"auc_by_p_percent_lambda_{weight:g}"] = (steps, np.array([auc[id(model)] for model in at]))
            series[f"preference_loss_by_p_percent_lambda_{weight:g}"] = (steps, np.array([model.loss for model in at]))
    return TrialResult(scalars=scalars, series=series, seconds={"fits": seconds})


def _map(context: TrialContext) -> TrialResult:
    """Scores on a grid over the unit square, row by row from the origin, equalized: the share of points that score less."""
    rows = _load(context)
    if rows.X.shape[1] != 2:
        raise ValueError(f"evaluate.kind='map' needs rows in the plane; {context.dataset_name} has {rows.X.shape[1]} features")
    side = np.linspace(0.0, 1.0, int(context.setting.get("resolution", 101)))
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(side, side)])
    start = time.perf_counter()
    main = _main(list(_fits(context, rows)), _main_weight(context))
    seconds = time.perf_counter() - start
    ranks = rankdata(score(main.estimator, rows.scaler.transform(points)), method="average")
    original = rows.scaler.inverse_transform(rows.X)
    return TrialResult(
        scalars={"auc": float(roc_auc_score(rows.y_test, score(main.estimator, rows.X_test)))},
        series={
            "map": np.round((ranks - 0.5) / len(ranks), 6),
            "train_x": np.round(original[:, 0], 6),
            "train_y": np.round(original[:, 1], 6),
            "train_positive": rows.y.astype(float),
        },
        seconds={"fits": seconds},
    )


def _projection(context: TrialContext) -> TrialResult:
    """The first two principal components of all rows, standardized; signs are fixed by the largest loading."""
    X = StandardScaler().fit_transform(np.asarray(context.data.X, dtype=np.float64))
    pca = PCA(n_components=2, svd_solver="full").fit(X)
    largest = np.argmax(np.abs(pca.components_), axis=1)
    signs = np.sign(pca.components_[np.arange(2), largest])
    projected = np.round(pca.transform(X) * signs, 6)
    return TrialResult(
        scalars={"explained_variance": float(pca.explained_variance_ratio_.sum())},
        series={"pc1": projected[:, 0], "pc2": projected[:, 1], "code": np.asarray(context.data.target, dtype=float)},
    )
