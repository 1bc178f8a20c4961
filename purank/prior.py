"""Estimate π of a table by best bin on the scores of three classifiers; the lowest upper bound decides.

Whatever classifier scores the rows, best bin comes out too great where positives and negatives overlap at the head of its list.
So the classifier that ranks best comes nearest, and which one that is depends on the table.
"""

from __future__ import annotations

import contextlib
import json
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from pulib import prior_interval
from pulib.priors import PriorEstimate
from purank.question import Question, QuestionError
from purank.scoring import SEED
from purank.table import Rows

#: Rows that a leaf of boosted trees has at least: this share of all, within limits.
LEAF_SHARE, LEAF_ROWS = 0.01, (10, 100)


def rankers(n: int) -> list[Any]:
    """Return classifiers of labeled against unlabeled rows: the library's forest, a linear model, small boosted trees."""
    leaf = int(np.clip(LEAF_SHARE * n, *LEAF_ROWS))
    boosted = HistGradientBoostingClassifier(max_leaf_nodes=8, max_iter=60, min_samples_leaf=leaf, random_state=0)
    return [None, make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=1000)), boosted]


def estimate_pi(
    X: np.ndarray, labeled: np.ndarray, scenario: str, groups: np.ndarray | None = None, **options: Any
) -> PriorEstimate:
    """Estimate π with its interval; of the three estimates, take the one with the lowest upper end.

    Parameters
    ----------
    X, labeled : arrays
        Labeled and unlabeled rows.
    scenario : {"one_sample", "two_sample"}
    groups : array or None
    **options
        Of :func:`pulib.prior_interval`.
    """
    options = {"scenario": scenario, "groups": groups, "random_state": SEED, **options}
    # boosted trees wait for their slowest thread at every node: on busy cores, one thread is many times as fast as two
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are part of the estimate, and of the report
        y = labeled.astype(int)
        found = [prior_interval(X, y, "best_bin_binomial", classifier=one, **options) for one in rankers(len(X))]
    return min(found, key=lambda estimate: estimate.high)


def known_pi(question: Question, rows: Rows, table: str, path: Path, n_jobs: int) -> PriorEstimate:
    """Return the given π, or read it from the file ``path``, or estimate it and write it there."""
    if question.prior is not None:
        known = (question.prior, question.prior, question.prior, 0.95, "given", question.scenario)
        return PriorEstimate(*known, n_labeled=len(rows.positives), n_unlabeled=len(rows.unlabeled))
    of = [table, question.scenario]
    with contextlib.suppress(FileNotFoundError, ValueError, KeyError, TypeError):  # there is none, or it is damaged
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["of"] == of:
            return PriorEstimate(**{**kept["estimate"], "warnings": tuple(kept["estimate"]["warnings"])})
    groups = None if rows.groups is None else rows.groups[rows.train]
    arrays = rows.X[rows.train], rows.labeled[rows.train]
    try:
        estimate = estimate_pi(*arrays, question.scenario, groups, n_jobs=n_jobs)
    except ValueError as error:
        raise QuestionError(f"π cannot be estimated from these rows: {error}. If you know it, prior= gives it") from error
    kept = {"of": of, "estimate": {**asdict(estimate), "tail_curve": None}}
    path.with_suffix(".partial").write_text(json.dumps(kept, indent=1), encoding="utf-8")
    path.with_suffix(".partial").replace(path)
    return estimate
