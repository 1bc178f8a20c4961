"""Trials of the PCES paper (Yu and Zhou, 2010, section 5): rank the test rows by how early they turn positive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import check_random_state

from pulab.trials.protocol import Rows, as_type, build, load_rows, scores_of, stacked
from pulab.trials.trial import Series, TrialContext, TrialResult, derive_seed
from pulib.expansion import named_preference
from studies.pces.study import Map, Projection, Ranking

#: The λ of the paper's tables.
MAIN_WEIGHT = 1.0


class RandomRanking(BaseEstimator):
    """Scores drawn at random: the paper's baseline "Random".

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
    """

    def __init__(self, random_state: int | np.random.RandomState | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> RandomRanking:
        """Learn nothing."""
        self.is_fitted_ = True
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """One random number per row of ``X``."""
        return check_random_state(self.random_state).uniform(size=len(X))


@dataclass(frozen=True)
class _Model:
    """A fitted method, with its λ and p if it has them."""

    estimator: Any
    weight: Any = None
    fraction: Any = None

    @property
    def loss(self) -> float:
        return float(self.estimator.preference_loss_)


def _load(context: TrialContext) -> Rows:
    """Return training rows in the data set's order, with every feature scaled to [0, 1] (which only matters for the SVM).

    ``truth_test`` says which test rows are positive at the later time.
    """
    rows = load_rows(context, scaler=make_pipeline(as_type(np.float64), MinMaxScaler())).train_on(np.argsort(stacked(context)))
    return replace(rows, truth_test=np.asarray(context.split.arrays["test_positive"]))


def _seed(context: TrialContext, use: str) -> int:
    """Return a seed that does not depend on the setting, so that the values of λ can be spread over several settings."""
    return derive_seed(context.study, context.dataset_name, use, context.repeat)


def _fits(context: TrialContext, rows: Rows) -> Iterator[_Model]:
    """Yield the method fitted with each λ and p.  The preferences depend on neither and are computed once."""
    seed = _seed(context, context.method_name)
    first = build(context)
    if "random_state" in first.get_params(deep=False):
        first.set_params(random_state=seed)
    fractions = context.method.grid.get("drop_fraction")
    if fractions is None:
        yield _Model(first.fit(rows.X, rows.y))
        return
    if not isinstance(first.preference, str):
        raise ValueError(
            f"{context.method_name}: a grid of drop_fraction needs a preference, and preference={first.preference!r}"
        )
    drawn_by = _seed(context, "preference")
    preference = named_preference(first.preference, rows.X, rows.y.astype(np.float64), random_state=drawn_by)
    for weight in context.task.preference_weights:
        for fraction in map(float, fractions):
            estimator = clone(first).set_params(preference_weight=weight, drop_fraction=fraction)
            yield _Model(estimator.fit(rows.X, rows.y, preference=preference), weight, fraction)


def _main(models: list[_Model]) -> _Model | None:
    """Return the model of the main tables: at λ = 1, the p with the least preference loss, or the larger one in a tie."""
    if models[0].weight is None:
        return models[0]
    candidates = [model for model in models if model.weight == MAIN_WEIGHT]
    return min(candidates, key=lambda model: (model.loss, -model.fraction)) if candidates else None


def _ranking(context: TrialContext) -> TrialResult:
    rows = _load(context)
    models = list(_fits(context, rows))
    scores = {id(model): scores_of(model.estimator, rows.X_test) for model in models}
    auc = {key: float(roc_auc_score(rows.truth_test, values)) for key, values in scores.items()}
    scalars: dict[str, float] = {}
    series: dict[str, Series] = {}
    main = _main(models)
    if main is not None:
        scalars["auc"] = auc[id(main)]
        new = context.data.y[context.split.test] == 0  # not yet positive at training time
        late = rows.truth_test[new]
        if 0 < late.sum() < len(late):
            scalars["auc_new"] = float(roc_auc_score(late, scores[id(main)][new]))
    if main is not None and main.fraction is not None:
        scalars["p"] = main.fraction
    for weight in dict.fromkeys(model.weight for model in models if model.weight is not None):
        at = [model for model in models if model.weight == weight]
        steps = np.array([round(100 * model.fraction) for model in at])
        series[f"auc_by_p_percent_lambda_{weight:g}"] = (steps, np.array([auc[id(model)] for model in at]))
        series[f"preference_loss_by_p_percent_lambda_{weight:g}"] = (steps, np.array([model.loss for model in at]))
    return TrialResult(scalars=scalars, series=series)


def _map(context: TrialContext) -> TrialResult:
    """Score a grid over the unit square, row by row from the origin, and equalize: the share of points with lower scores."""
    rows = _load(context)
    if rows.X.shape[1] != 2:
        raise ValueError(f"a map needs rows in the plane; {context.dataset_name} has {rows.X.shape[1]} features")
    side = np.linspace(0.0, 1.0, context.task.resolution)
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(side, side)])
    main = _main(list(_fits(context, rows)))
    if main is None:
        raise ValueError(f"preference_weights={context.task.preference_weights}: a map needs λ = {MAIN_WEIGHT:g} among them")
    ranks = rankdata(scores_of(main.estimator, rows.scaler.transform(points)), method="average")
    original = rows.scaler[-1].inverse_transform(rows.X)
    return TrialResult(
        scalars={"auc": float(roc_auc_score(rows.truth_test, scores_of(main.estimator, rows.X_test)))},
        series={
            "map": np.round((ranks - 0.5) / len(ranks), 6),
            "train_x": np.round(original[:, 0], 6),
            "train_y": np.round(original[:, 1], 6),
            "train_positive": rows.y.astype(float),
        },
    )


def _projection(context: TrialContext) -> TrialResult:
    """Return the first two principal components of all rows, standardized; the largest loading fixes the signs."""
    X = StandardScaler().fit_transform(np.asarray(context.data.X, dtype=np.float64))
    pca = PCA(n_components=2, svd_solver="full").fit(X)
    largest = np.argmax(np.abs(pca.components_), axis=1)
    signs = np.sign(pca.components_[np.arange(2), largest])
    projected = np.round(pca.transform(X) * signs, 6)
    return TrialResult(
        scalars={"explained_variance": float(pca.explained_variance_ratio_.sum())},
        series={"pc1": projected[:, 0], "pc2": projected[:, 1], "code": np.asarray(context.data.target, dtype=float)},
    )


RUN = {Ranking: _ranking, Map: _map, Projection: _projection}
