"""Tuning on the level field: what each criterion chooses from a small grid, and how good the choice is.

Three tenths of the labeled and of the unlabeled training rows are held out, the same for all methods.  Each candidate is fitted
to the other rows and scored on the held-out ones, without negatives (``proxy_accuracy``, ``proxy_auc``, ``pu_score``,
``pu_risk``) and with true labels (``oracle``).  The choice of each criterion is fitted to all training rows and measured on
test rows.  So are the defaults (``none``), which are always a candidate and win ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import ParameterGrid, train_test_split

from pulab.trials.protocol import Rows, build, given_prior, load_rows, predictions_of, scenario_of, scores_of
from pulab.trials.trial import TrialContext, TrialResult
from pulib.metrics import proxy_accuracy, proxy_auc, pu_risk, pu_score

CRITERIA = ("none", "proxy_accuracy", "proxy_auc", "pu_score", "pu_risk", "oracle")
HELD_OUT = 0.3


def tune(context: TrialContext) -> TrialResult:
    """Score every candidate by every criterion; ``accuracy_<criterion>`` and ``auc_<criterion>`` measure its choice."""
    rows, prior = load_rows(context), given_prior(context)
    candidates = list_candidates(context, build(context, prior=prior))
    scored = [_score(context, rows, prior, candidate) for candidate in candidates]
    chosen = {name: int(np.argmax([scores[name] for scores in scored])) for name in CRITERIA[1:]} | {"none": 0}
    measured = {k: _measure(context, rows, prior, candidates[k]) for k in sorted(set(chosen.values()))}
    scalars = {"n_candidates": float(len(candidates)), "prior_given": prior}
    for name in CRITERIA:
        accuracy, auc = measured[chosen[name]]
        scalars |= {f"accuracy_{name}": accuracy, f"auc_{name}": auc, f"chosen_{name}": float(chosen[name])}
        scalars[f"held_out_accuracy_{name}"] = scored[chosen[name]]["oracle"]
    return TrialResult(scalars=scalars)


def list_candidates(context: TrialContext, estimator: Any) -> list[dict[str, Any]]:
    """Return the defaults (no changes), followed by the grid's other combinations.

    Raises
    ------
    ValueError
        If the method has no grid.
    """
    grid = context.method.grid
    if not grid:
        raise ValueError(f"{context.method_name} has no grid, which setting {context.setting_name} needs for tuning")
    own = estimator.get_params()
    others = [candidate for candidate in ParameterGrid(grid) if any(own[name] != value for name, value in candidate.items())]
    return [{}, *others]


def _score(context: TrialContext, rows: Rows, prior: float, candidate: dict[str, Any]) -> dict[str, float]:
    train, held_out = train_test_split(
        np.arange(len(rows.y)), test_size=HELD_OUT, stratify=rows.y, random_state=context.shared_seed
    )
    fitted = build(context, prior=prior).set_params(**candidate).fit(rows.X[train], rows.y[train])
    y, X = rows.y[held_out], rows.X[held_out]
    answers, scores = predictions_of(fitted, X), scores_of(fitted, X)
    known = {"prior": prior, "scenario": scenario_of(context)}
    # with two samples, only the unlabeled rows represent the population
    population = slice(None) if known["scenario"] == "one_sample" else y == 0
    return {
        "proxy_accuracy": proxy_accuracy(y, answers, **known),
        "proxy_auc": proxy_auc(y, scores, **known),
        "pu_score": pu_score(y, answers),
        "pu_risk": -pu_risk(y, scores, loss="sigmoid", **known),
        "oracle": float(accuracy_score(rows.truth[held_out][population], answers[population])),
    }


def _measure(context: TrialContext, rows: Rows, prior: float, candidate: dict[str, Any]) -> tuple[float, float]:
    fitted = build(context, prior=prior).set_params(**candidate).fit(rows.X, rows.y)
    answers, scores = predictions_of(fitted, rows.X_test), scores_of(fitted, rows.X_test)
    return float(accuracy_score(rows.truth_test, answers)), float(roc_auc_score(rows.truth_test, scores))
