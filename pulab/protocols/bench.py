"""Trials on a table of one's own, with its labels as they are: judged on test rows whose truth is known, and without negatives.

The set is one of the loader ``pu_table``, which says the scenario and, where it is known, π.  Otherwise π is estimated, once in
each repeat for all methods.  Each repeat holds out three tenths of the labeled and of the unlabeled rows; on these the criteria
are measured that need no negative (``proxy_accuracy``, ``proxy_auc``, ``pu_score``, ``pu_risk``).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pulab.protocols.cost import Cost, warm_up
from pulab.protocols.levelfield import quality
from pulab.protocols.skeleton import (
    GREATEST_PRIOR,
    LEAST_PRIOR,
    build,
    estimated_prior,
    load_rows,
    predictions_of,
    scores_of,
)
from pulab.trials.trial import TrialContext, TrialResult
from pulib.metrics import proxy_accuracy, proxy_auc, pu_risk, pu_score


def run(context: TrialContext) -> TrialResult:
    """Train one method as its entry says, and measure what can be measured."""
    split, known = context.split, context.data.meta["details"]
    held_out = [split.arrays["held_out_labeled"], split.arrays["held_out_unlabeled"]]
    looked_at = replace(split, test=np.concatenate([split.test, *held_out]))
    context = replace(context, split=looked_at, setting={**context.setting, "scenario": known["scenario"]})
    rows, prior = load_rows(context), told_prior(context)
    estimator = build(context, prior=prior)
    warm_up(estimator, rows.X, rows.y)
    with Cost() as fitting:
        estimator.fit(rows.X, rows.y)
    with Cost() as predicting:
        answers = predictions_of(estimator, rows.X_test)
    scores = scores_of(estimator, rows.X_test)
    n_test = len(split.test)
    scalars = without_negatives([len(part) for part in held_out], answers[n_test:], scores[n_test:], prior, known["scenario"])
    truth = rows.truth_test[:n_test]
    if 0 < truth.sum() < n_test:
        probabilities = estimator.predict_proba(rows.X_test[:n_test])[:, 1] if hasattr(estimator, "predict_proba") else None
        scalars = quality(truth, answers[:n_test], scores[:n_test], probabilities) | scalars
    counts = {"n_labeled": len(split.labeled) + len(held_out[0]), "n_unlabeled": len(split.unlabeled) + len(held_out[1])}
    counts |= {"n_test": n_test, "n_test_positive": truth.sum(), "n_features": rows.X.shape[1]}
    facts = {name: float(value) for name, value in counts.items()}
    facts |= {"prior_told": prior, "prior_estimated": float(known["prior"] is None)}
    return TrialResult(
        scalars={**scalars, **facts}, seconds={"fit": fitting.seconds, "predict": predicting.seconds, **fitting.memory()}
    )


def told_prior(context: TrialContext) -> float:
    """π as the table's entry gives it, else its estimate from the training rows, which all methods of a repeat share."""
    known, split = context.data.meta["details"], context.split
    y = np.repeat([1, 0], [len(split.labeled), len(split.unlabeled)])
    prior = known["prior"]
    if prior is None:
        prior = estimated_prior(context)
    least = np.mean(y) + 1.0 / len(y) if known["scenario"] == "one_sample" else LEAST_PRIOR
    return float(np.clip(prior, max(least, LEAST_PRIOR), GREATEST_PRIOR))


def without_negatives(
    n_held_out: list[int], answers: np.ndarray, scores: np.ndarray, prior: float, scenario: str
) -> dict[str, float]:
    """What labeled and unlabeled rows that were held out tell, labeled ones first."""
    y = np.repeat([1, 0], n_held_out)
    known = {"prior": max(prior, np.nextafter(np.mean(y), 1.0)) if scenario == "one_sample" else prior, "scenario": scenario}
    population = slice(None) if scenario == "one_sample" else y == 0
    return {
        "proxy_accuracy": proxy_accuracy(y, answers, **known),
        "proxy_auc": proxy_auc(y, scores, **known),
        "pu_score": pu_score(y, answers),
        "pu_risk": pu_risk(y, scores, loss="sigmoid", **known),
        "share_positive": float(np.mean(answers[population])),
    }
