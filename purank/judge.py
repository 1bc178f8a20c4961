"""Compare learners on cross-fitted scores: by labeled and unlabeled rows, and by the truth of test rows, if known.

One criterion orders the learners.  Where positives are rare it is average precision, which looks at the head of the list; else
the area under the ROC curve.  Whether two learners differ is asked of the same resamples of rows, or of groups, for both, and
without truth of the same draws of π within its interval.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import norm
from sklearn.metrics import accuracy_score, average_precision_score, roc_auc_score

from pulib.exceptions import PUWarning
from pulib.metrics import proxy_accuracy, proxy_auc, proxy_average_precision
from pulib.priors import PriorEstimate
from purank.learners import LEARNERS
from purank.scoring import SEED, Scored
from purank.table import Rows

#: Positives are rare below this share.
RARE = 0.05
#: Test rows of either kind from which on the truth orders the learners, and labeled rows below which proxies are noise.
ENOUGH_TRUTH = ENOUGH_LABELS = 30
RESAMPLES, CONFIDENCE = 300, 0.95
#: Largest share of positives used in proxies (1 would divide by 0), and the share that stands for 0 where log-odds are needed.
ALIKE, LEAST_SHARE = 0.98, 1e-6
CRITERIA = {"auc": "area under the ROC curve", "average_precision": "average precision"}


@dataclass(frozen=True, eq=False)
class Judged:
    """Results of all learners.

    Attributes
    ----------
    table : DataFrame
        A row per learner that has scores, the best one first.  ``criterion, low, high`` (with its interval), ``behind_low,
        behind_high`` (of the difference to the first one), ``tied`` (whether that interval holds 0), ``above_chance`` (the
        lower end of the difference to rows in random order), the metrics, and costs.
    criterion : {"auc", "average_precision"}
    by_truth : bool
        Whether test rows' truth orders the learners, or labeled rows do.
    """

    table: pd.DataFrame
    criterion: str
    by_truth: bool

    @property
    def first(self) -> str:
        """The learner with the greatest criterion."""
        return str(self.table.index[0])

    @property
    def best(self) -> str:
        """The recommended learner: of those that tie with the first, the simplest (:func:`simplest`), in the table's order."""
        return min([self.first, *self.table.index[self.table["tied"]]], key=lambda name: simplest(str(name), self.table))

    @property
    def tied(self) -> list[str]:
        """Learners that tie with the recommended one."""
        return [str(name) for name in self.table.index[self.table["tied"]] if name != self.best]


def simplest(name: str, table: pd.DataFrame) -> tuple[Any, ...]:
    """By what learners that tie are ordered: one that corrects for hidden positives, needs no other package, and is quick
    (by powers of ten of a fit's seconds; below one, all are).

    >>> times = pd.DataFrame({"fit_seconds": [9.0, 0.01, 0.02]}, ["nnpu", "naive_lr", "upu_logistic"])
    >>> min(times.index, key=lambda name: simplest(name, times))
    'upu_logistic'
    """
    learner = LEARNERS[name]
    naive = name.startswith("naive_")
    magnitude = np.floor(np.log10(max(table.loc[name, "fit_seconds"], 0.1)))
    return naive, bool(learner.requires), magnitude


def hidden(estimate: PriorEstimate, labeled_share: float) -> PriorEstimate:
    """Convert the population's share of positives, with its interval, to that of the unlabeled rows.

    >>> one = PriorEstimate(0.2, 0.1, 0.4, 0.95, "best_bin", "one_sample", 10, 90)
    >>> rho = hidden(one, labeled_share=0.1)
    >>> print(f"{rho.prior:.3f}, {rho.low:.3f} to {rho.high:.3f}")
    0.111, 0.000 to 0.333
    """
    if estimate.scenario == "two_sample":
        return estimate

    def of(prior: float) -> float:
        return float(np.clip((prior - labeled_share) / (1.0 - labeled_share), 0.0, 1.0))

    least = 0.5 / max(estimate.n_unlabeled, 1)
    prior = float(np.clip(of(estimate.prior), least, 1.0 - least))
    known = estimate.low == estimate.high  # one number stays one
    low, high = (prior, prior) if known else (of(estimate.low), of(estimate.high))
    return replace(estimate, prior=prior, low=low, high=high, scenario="two_sample")


def prior_draws(rho: PriorEstimate, n: int, rng: np.random.Generator) -> np.ndarray:
    """Values of ρ: its median is the estimate, and the ends of its interval are quantiles, on the scale of log-odds."""
    middle, width = logit(rho.prior), norm.ppf(0.5 + 0.5 * rho.confidence)
    ends = np.clip([rho.low, rho.high], min(LEAST_SHARE, rho.prior), max(1.0 - LEAST_SHARE, rho.prior))
    below, above = np.abs(logit(ends) - middle) / width
    steps = rng.standard_normal(n)
    return expit(middle + np.where(steps < 0, below, above) * steps)


def judge(rows: Rows, scored: Mapping[str, Scored], rho: PriorEstimate) -> Judged:
    """Measure and order the learners that have scores.

    Parameters
    ----------
    rows : Rows
    scored : mapping
        By name; those that failed are left out.
    rho : PriorEstimate
        Of the unlabeled rows.
    """
    good = {name: one for name, one in scored.items() if not one.error}
    positive = rows.truth[rows.test] == 1
    by_truth = min(positive.sum(), (~positive).sum()) >= ENOUGH_TRUTH
    prior = float(positive.mean()) if by_truth else rho.prior
    criterion = "average_precision" if prior < RARE else "auc"
    sides = (rows.test[positive], rows.test[~positive]) if by_truth else (rows.positives, rows.unlabeled)
    priors = np.append(prior, prior_draws(rho, RESAMPLES, np.random.default_rng(SEED)).clip(max=ALIKE))
    draws = resampled(good, sides, rows.groups, criterion, None if by_truth else priors)
    table = pd.DataFrame({name: measured(rows, one, rho) for name, one in good.items()}).T.astype(float)
    table.insert(0, "criterion", draws.loc[0])
    tail = 0.5 * (1.0 - CONFIDENCE)
    table["low"], table["high"] = draws.loc[1:].quantile(tail), draws.loc[1:].quantile(1.0 - tail)
    chance = 0.5 if criterion == "auc" else prior if by_truth else priors[1:, None]
    table["above_chance"] = (draws.loc[1:] - chance).quantile(tail)
    table = table.sort_values("criterion", ascending=False, kind="stable")
    behind = -draws.loc[1:].sub(draws.loc[1:][table.index[0]], axis=0)
    table["behind_low"], table["behind_high"] = behind.quantile(tail), behind.quantile(1.0 - tail)
    table["tied"] = table["behind_low"] <= 0
    return Judged(table, criterion, bool(by_truth))


def measured(rows: Rows, one: Scored, rho: PriorEstimate) -> dict[str, float]:
    """Return metrics and costs of a learner."""
    train = rows.train
    y, place, called = rows.labeled[train].astype(int), one.place[train], (one.called[train] > 0.5).astype(int)
    known: dict[str, Any] = {"prior": rho.prior, "scenario": "two_sample"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)  # the report says it once for all learners
        found = {
            "proxy_accuracy": proxy_accuracy(y, called, **known),
            "proxy_auc": proxy_auc(y, place, **known),
            "proxy_average_precision": proxy_average_precision(y, place, **known),
        }
    truth = rows.truth[rows.test]
    if 0 < truth.sum() < len(truth):
        found |= {
            "accuracy": accuracy_score(truth, one.called[rows.test] > 0.5),
            "auc": roc_auc_score(truth, one.place[rows.test]),
            "average_precision": average_precision_score(truth, one.place[rows.test]),
        }
    costs = {"fit_seconds": one.fit_seconds, "predict_seconds": one.predict_seconds, "n_trained": one.n_trained}
    return found | {name: float(value) for name, value in costs.items()}


def resampled(
    scored: Mapping[str, Scored],
    sides: tuple[np.ndarray, np.ndarray],
    groups: np.ndarray | None,
    criterion: str,
    prior: float | np.ndarray | None,
) -> pd.DataFrame:
    """Return each learner's criterion (columns) on the rows themselves and on resamples of them (rows of the table).

    ``sides`` are positives and others: labeled and unlabeled rows, of which a share ``prior`` is positive, always the same or
    one for the rows and each resample; or test rows by their truth.  Area and precision follow from the tail shares of both
    sides at each positive.
    """
    rng = np.random.default_rng(SEED)
    priors = [None] * (RESAMPLES + 1) if prior is None else np.broadcast_to(prior, RESAMPLES + 1)
    bins = {}
    for name, one in scored.items():
        thresholds = np.sort(one.place[sides[0]])[::-1]
        order = np.argsort(-one.place[sides[0]], kind="stable")
        # how many positives score higher than each of the others, and how many higher or the same
        reached = [np.searchsorted(-thresholds, -one.place[sides[1]], side) for side in ("left", "right")]
        bins[name] = (order, np.searchsorted(-thresholds, -thresholds, side="right") - 1, reached)
    found = []
    for draw in range(RESAMPLES + 1):
        weights = [np.ones(len(side)) if draw == 0 else _times_drawn(side, groups, rng) for side in sides]
        found.append({name: _value(*parts, weights[0], weights[1], criterion, priors[draw]) for name, parts in bins.items()})
    return pd.DataFrame(found)


def _value(
    order: np.ndarray,
    last_tie: np.ndarray,
    reached: Sequence[np.ndarray],
    positive: np.ndarray,
    others: np.ndarray,
    criterion: str,
    prior: float | None,
) -> float:
    weights = positive[order]
    n_positive = max(weights.sum(), 1e-9)
    above = [np.cumsum(np.bincount(one, weights=others, minlength=len(order) + 1))[:-1] for one in reached]
    share_above, share_higher = np.array(above) / max(others.sum(), 1e-9)
    if criterion == "auc":  # ties count half
        area = 1.0 - np.sum(weights * 0.5 * (share_above + share_higher)) / n_positive
        return float(area if prior is None else (area - 0.5 * prior) / (1.0 - prior))
    found = np.cumsum(weights)[last_tie]
    if prior is None:  # test rows: both sides are counted
        at_least = share_above * others.sum()
        precision = found / np.maximum(found + at_least, 1e-9)
    else:  # the unlabeled rows hold positives themselves
        share_found = prior * found / n_positive
        precision = share_found / np.maximum(np.maximum(share_above, share_found), 1e-12)
    return float(np.sum(weights * precision) / n_positive)


def _times_drawn(side: np.ndarray, groups: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Draw how often each row of a side occurs, by itself or with its group."""
    unit = np.arange(len(side)) if groups is None else np.unique(groups[side], return_inverse=True)[1]
    n = int(unit.max()) + 1
    return rng.multinomial(n, np.full(n, 1.0 / n))[unit].astype(float)
