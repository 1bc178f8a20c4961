"""The list of unlabeled rows, the most likely positives first, and how many positives to expect among the first k.

If labels are drawn at random among the positives, the share of labeled rows that score as high as the k-th unlabeled one is
also the share of the hidden positives that do.  Times the number of hidden positives that is how many the first k hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

from pulab.bench.scoring import Scored, fold_numbers
from pulab.bench.table import Rows
from pulib import PUCalibratedClassifier
from pulib.priors import PriorEstimate

DRAWS, CONFIDENCE = 4000, 0.95
#: From how many labeled rows on probabilities follow any rising function of the score; a sigmoid before.
ENOUGH_LABELS = 300
#: Lengths of the list that the report shows.
SHOWN = (10, 20, 50, 100, 200, 500, 1_000, 5_000)


class PlaceScorer(ClassifierMixin, BaseEstimator):
    """A classifier that scores a row by its only feature."""

    def fit(self, X: Any = None, y: Any = None) -> PlaceScorer:
        """Learn nothing."""
        self.classes_, self.n_features_in_ = np.array([0, 1]), 1
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The feature itself."""
        return np.asarray(X, dtype=np.float64)[:, 0]

    def predict(self, X: Any) -> np.ndarray:
        """1 in the upper half."""
        return (self.decision_function(X) > 0).astype(int)


@dataclass(frozen=True, eq=False)
class Head:
    """How many positives the first k rows hold, for each k.

    Attributes
    ----------
    expected, low, high : float arrays
        The number, and an interval for the number that there really are.
    """

    expected: np.ndarray
    low: np.ndarray
    high: np.ndarray


def ranked_rows(
    rows: Rows,
    scored: Mapping[str, Scored],
    methods: Sequence[str],
    labels: Mapping[str, str],
    rho: PriorEstimate,
    seed: int = 0,
) -> pd.DataFrame:
    """One line per unlabeled row, the first of which to look at first.

    Parameters
    ----------
    rows : Rows
    scored : mapping
    methods : sequence of str
        The recommended learner, and others whose scores are shown as well and break ties.
    labels : mapping
        Names of the columns of scores, by learner.
    rho : PriorEstimate
        Of the unlabeled rows.

    Returns
    -------
    DataFrame
        ``row`` (id), ``rank``, ``probability``, a column of scores per learner (the share of unlabeled rows that score lower),
        and ``expected_positives`` among the rows up to this one, with ``low`` and ``high``.
    """
    first = scored[methods[0]]
    others = np.mean([scored[name].place for name in methods], axis=0)
    order = rows.unlabeled[np.lexsort((others[rows.unlabeled], first.place[rows.unlabeled]))[::-1]]
    head = positives_in_head(rows, first.place, order, rho, seed)
    found = pd.DataFrame({"row": rows.ids[order], "rank": np.arange(1, len(order) + 1)})
    found["probability"] = probabilities(rows, first.place, rho)[order]
    for name in methods:
        found[f"score: {labels[name]}"] = scored[name].place[order]
    return found.assign(expected_positives=head.expected, low=head.low, high=head.high)


def probabilities(rows: Rows, place: np.ndarray, rho: PriorEstimate, n_folds: int = 5) -> np.ndarray:
    """Calibrated probabilities of the labeled and unlabeled rows; the map for a row is fitted to rows of other folds."""
    folds = fold_numbers(rows, min(n_folds, len(rows.positives)), seed=1)
    Z = logit(np.clip(place, 1e-7, 1.0 - 1e-7))[:, None]
    method = "isotonic" if len(rows.positives) >= ENOUGH_LABELS else "sigmoid"
    found = np.full(len(place), np.nan)
    scorer = FrozenEstimator(PlaceScorer().fit())
    for fold in range(folds.max() + 1):
        held_out, others = folds == fold, (folds >= 0) & (folds != fold)
        y = rows.labeled[others].astype(int)
        if not 0 < y.sum() < len(y):
            held_out, y, others = folds >= 0, rows.labeled[folds >= 0].astype(int), folds >= 0
        model = PUCalibratedClassifier(scorer, prior=rho.prior, scenario="two_sample", method=method).fit(Z[others], y)
        found[held_out] = model.predict_proba(Z[held_out])[:, 1]
    return found


def positives_in_head(rows: Rows, place: np.ndarray, order: np.ndarray, rho: PriorEstimate, seed: int = 0) -> Head:
    """How many positives are among the first k of ``order``, unlabeled rows from the greatest place on.

    Three things are not known: how many positives are hidden (π), which share of the positives scores so high (there are only
    so many labeled rows to tell it by), and how many of the hidden ones happen to.  Each is drawn.
    """
    k = np.arange(1, len(order) + 1)
    labeled = np.sort(place[rows.positives])
    n_labeled, n_unlabeled = len(labeled), len(order)
    # ties count half, as they do in a place
    at = [np.searchsorted(labeled, place[order], side) for side in ("left", "right")]
    above = n_labeled - 0.5 * (at[0] + at[1])
    expected = np.minimum(k, rho.prior * n_unlabeled * above / n_labeled)
    rng = np.random.default_rng(seed)
    positives = rng.binomial(n_unlabeled, prior_draws(rho, DRAWS, rng))
    counted = n_labeled if rows.groups is None else len(np.unique(rows.groups[rows.positives]))
    scale = counted / n_labeled
    levels = np.unique(above)
    if len(levels) > 400:
        levels = np.unique(np.quantile(levels, np.linspace(0, 1, 400), method="nearest"))
    tail = 0.5 * (1.0 - CONFIDENCE)
    ends = []
    for level in levels:
        recall = rng.beta(scale * level + 0.5, scale * (n_labeled - level) + 0.5, size=DRAWS)
        ends.append(np.quantile(rng.binomial(positives, recall), [tail, 1.0 - tail]))
    low, high = (np.interp(above, levels, end) for end in np.transpose(ends))
    low, high = np.maximum.accumulate(np.minimum(low, expected)), np.maximum.accumulate(np.maximum(high, expected))
    return Head(expected, np.minimum(low, k), np.minimum(high, k))


def prior_draws(rho: PriorEstimate, n: int, rng: np.random.Generator) -> np.ndarray:
    """Values of ρ: its median is the estimate, and the ends of its interval are quantiles, on the scale of log-odds."""
    middle, width = logit(rho.prior), norm.ppf(0.5 + 0.5 * rho.confidence)
    below, above = (abs(logit(np.clip(end, 1e-6, 1 - 1e-6)) - middle) / width for end in (rho.low, rho.high))
    steps = rng.standard_normal(n)
    return expit(middle + np.where(steps < 0, below, above) * steps)
