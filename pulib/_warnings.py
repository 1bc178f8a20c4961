"""Warnings about class priors, their estimates, and held-out scores.

Each ``..._warning`` returns a message that names the problem and the remedy, or an empty text.  Callers pass all their messages
to :func:`issue_warning`, which issues one warning.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from pulib._repeats import find_repeats
from pulib._weights import effective_count, weighted_counts
from pulib.exceptions import PUWarning

#: With fewer labels than this, an estimate of π is little more than a guess.
FEW_LABELS = 30
#: An estimate is implausible if hidden positives are less than this share of the unlabeled rows and of the number of labels.
_IMPLAUSIBLY_FEW_POSITIVES = 0.05
#: Warn about an interval that is this wide, or whose ends differ by this factor.
_WIDE, _WIDE_FACTOR = 0.5, 4.0
#: For π below this, messages give counts, precision and recall instead of an error rate.
_RARE = 0.1
#: Warn if ``predict`` returns less than this share of the rarer class that π implies.
LEAST_SHARE_OF_EXPECTED = 1 / 3
#: If at least this share of rows is labeled, labels are probably reversed.
_MOSTLY_LABELED = 0.9
#: Shares that differ by fewer standard errors than this count as equal.
N_ERRORS = 3.0
#: Packages between a user's line and a warning: scikit-learn and joblib call our methods, and we theirs.
_PASSED_THROUGH = {"pulib", "sklearn", "joblib", "contextlib"}
_quiet: ContextVar[bool] = ContextVar("_quiet", default=False)


def issue_warning(*messages: str, category: type[Warning] = PUWarning) -> None:
    """Issue one warning with all messages, if there are any, at the user's line: the first one outside of this library."""
    text = " ".join(filter(None, messages))
    if text and not (category is PUWarning and is_quiet()):
        level, frame = 2, sys._getframe(1)
        while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PASSED_THROUGH:
            level, frame = level + 1, frame.f_back
        warnings.warn(text, category, stacklevel=level)


@contextmanager
def quiet() -> Iterator[None]:
    """Issue no :class:`PUWarning` in fits to parts of rows, since the fit to all rows issues it."""
    before = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(before)


def is_quiet() -> bool:
    return _quiet.get()


def unlikely_labels_warning(positive: np.ndarray) -> str:
    """Warn about labels that are probably reversed."""
    share = float(np.mean(positive))
    if share < _MOSTLY_LABELED:
        return ""
    return (
        f"y marks {share:.0%} of the rows as labeled positives; in PU data most rows are unlabeled. If labels are "
        "reversed, pass pos_label= the other label; if y contains true labels of both classes, use an ordinary classifier."
    )


def prior_warning(
    prior: float,
    positive: np.ndarray,
    scenario: str,
    *,
    estimated: bool,
    interval: tuple[float, float] | None = None,
    weights: np.ndarray | None = None,
    n_families: int | None = None,
) -> str:
    """Warn about a given π that contradicts the labels, or an estimate that is close to 0 or 1 or based on too few labels.

    ``interval`` is that of an estimate.  With ``weights``, the number of labels is their effective sample size.  With groups,
    it is ``n_families``, the number of groups with labeled rows.
    """
    n_labeled, n_unlabeled = (round(n) for n in weighted_counts(positive, weights))
    if n_unlabeled == 0:
        return ""  # the start of a stream
    n = n_labeled + n_unlabeled
    labeled = n_labeled / n
    hidden = (prior - labeled) / (1 - labeled) if scenario == "one_sample" else prior
    if not estimated:
        if hidden > 0 or compatible(labeled, prior, n):
            return ""
        return (
            f"prior={prior:.3g} is not above the share of labeled rows, {labeled:.3g}: with scenario='one_sample' the "
            "labeled rows are part of the population. Check π, or whether the unlabeled rows are a sample of their own "
            "(scenario='two_sample')."
        )
    n_hidden = hidden * n_unlabeled
    found = f"π is estimated as {prior:.3g}"
    if interval is not None:
        found += f" ({interval[0]:.3g} to {interval[1]:.3g})"
    n_labels, what = n_labeled if weights is None else round(effective_count(weights[positive])), "labels"
    if n_families is not None:
        n_labels, what = n_families, "groups of labels"
    if n_hidden < 2 or (hidden < _IMPLAUSIBLY_FEW_POSITIVES and n_hidden < _IMPLAUSIBLY_FEW_POSITIVES * n_labeled):
        return (
            f"{found}: the unlabeled rows seem to contain hardly any positives. If y contains true labels of "
            "both classes, use an ordinary classifier; otherwise pass prior=."
        )
    if (1 - hidden) * n_unlabeled < 2 or hidden > 0.99:
        return (
            f"{found}, at the border: labeled and unlabeled rows look alike, or labels are too few ({n_labels}). Pass prior=, "
            "or collect more labels; prior_interval shows how little is known."
        )
    if n_labels < FEW_LABELS:
        return (
            f"{found} from {n_labels} {what} only; prior_interval shows how uncertain it is. Pass prior= if you know it better."
        )
    if interval is not None and (interval[1] - interval[0] >= _WIDE or interval[1] >= _WIDE_FACTOR * interval[0]):
        return (
            f"π is estimated as {prior:.3g}, but may lie anywhere from {interval[0]:.3g} to {interval[1]:.3g}. Pass prior= if "
            "you know it better, collect more labels, or see what a wrong π costs (pulib.plots.plot_prior_sensitivity)."
        )
    return ""


def weak_ranking_warning(name: str, prior: float, recall: float, n: int) -> str:
    """Warn about a ranking if a constant prediction would be more accurate than predicting a share π of ``n`` rows positive.

    False negatives are then a share π (1 - recall) of the rows, and so are false positives; precision equals recall, which is
    estimated from held-out labeled rows.
    """
    errors, least = 2 * prior * (1 - recall), min(prior, 1 - prior)
    if errors <= least:
        return ""
    if prior >= _RARE:
        costs = (
            f"about {errors:.0%} of all predictions are wrong; calling every row "
            f"{'negative' if prior <= 0.5 else 'positive'} would be wrong for {least:.0%}. The ranking is too weak for "
            "predictions: rank rows by decision_function, label more rows, or use another learner."
        )
    else:
        costs = (
            f"precision and recall are both about {recall:.2g} ({prior * n:.0f} of {n} rows, of which about "
            f"{recall * prior * n:.0f} are positive). The ranking is too weak to label single rows: rank rows by "
            "decision_function and look at the top, where precision is higher, or label more rows."
        )
    return (
        f"{name}: if a share π = {prior:.3g} of the rows is called positive, {recall:.0%} of the held-out labeled rows are "
        f"among them, so {costs}"
    )


def threshold_warning(name: str, share: float, called: float, recall: float = 1.0) -> str:
    """Warn about a threshold not set by π if a constant prediction would be more accurate on unlabeled rows.

    ``share`` is the share of positives among these rows by best bin, ``called`` the share predicted positive, and ``recall``
    that of labeled rows; the default of 1 gives the least possible number of errors.
    """
    errors, least = share * (1.0 - recall) + max(called - share * recall, 0.0), min(share, 1.0 - share)
    if errors <= least:
        return ""
    return (
        f"{name} calls {called:.0%} of the unlabeled rows positive, but by the best bin of scores about {share:.0%} of them "
        f"are: at least {errors:.0%} of these predictions are wrong, and calling every row "
        f"{'negative' if share <= 0.5 else 'positive'} would be wrong for {least:.0%}. Rank rows by decision_function, or set "
        "the threshold by π (prior= where the learner has it, or PUThresholdClassifier around it)."
    )


def ties_warning(name: str, prior: float, scores: np.ndarray, weights: np.ndarray | None = None) -> str:
    """Warn about scores of the population if nearly all are equal although a share π of the rows is positive."""
    n = len(scores)
    expected = n * min(prior, 1 - prior)
    counts = np.bincount(np.unique(scores, return_inverse=True)[1], weights)
    most = int(counts.max(initial=0) if weights is None else n * counts.max() / counts.sum())
    if n - most >= LEAST_SHARE_OF_EXPECTED * expected or n - most >= expected - N_ERRORS * np.sqrt(expected):
        return ""
    return (
        f"{name} gives {most} of {n} rows the same score, so these rows are not ranked, although about {expected:.0f} of them "
        f"are of the rarer class (prior_={prior:.3g}). Check π and whether the features vary. To rank rare positives, set "
        "training_prior='auto' if the learner has it; PUBaggingClassifier ranks rows without π."
    )


def coarse_scores_warning(name: str, prior: float, called: float, n: int) -> str:
    """Warn about scores with so many ties at the top that far more than a share π of ``n`` rows is predicted positive."""
    if called * LEAST_SHARE_OF_EXPECTED <= prior or n * (called - prior) <= N_ERRORS * np.sqrt(n * prior):
        return ""
    return (
        f"{name} calls {called:.1%} of the rows positive, although prior_={prior:.3g}: its scores take few values, and no "
        "threshold calls a share π of the rows positive. More rounds or trees give finer scores, and so do more labels; "
        "PUBaggingClassifier ranks rows without π."
    )


def repeats_warning(X: Any, positive: np.ndarray, what: str, *, remedy: str) -> str:
    """Warn about held-out scores without groups if rows look repeated.

    ``what`` is the affected quantity, such as "the estimate of π".  ``remedy`` completes a sentence after "Pass", such as
    "groups= with one value per family to estimate_prior".
    """
    found = find_repeats(X, positive)
    if found is None:
        return ""
    return (
        f"Rows look repeated: {found.share:.0%} of the rows examined have near-duplicates, in sets of about {found.size:.0f} "
        "(from one patient, place or product?). A model that is trained on near-duplicates of a held-out row already knows "
        f"that row, so {what} cannot be trusted. Pass {remedy}, or keep one row of each set."
    )


def column_warning(column: Any) -> str:
    """Warn about a column that alone separates labeled from unlabeled rows; None means that there is none."""
    if column is None:
        return ""
    return (
        f"Column {column!r} of X alone separates all labeled rows from all unlabeled ones. If it comes from the labeling (a "
        "reviewer, a date, a source), drop it: with it, nothing can be learned about unlabeled positives."
    )


def selection_warning(prior: float, low: float, high: float, column: Any, p_value: float) -> str:
    """Warn that labels look selected, given π summed over subtypes and, if any, the column whose ranks differ."""
    how = f"summed over subtypes of the labeled rows, π is {prior:.3g} ({low:.3g} to {high:.3g})"
    if column is not None:
        how = f"in column {column!r} labeled rows differ from unlabeled rows that look positive (p = {p_value:.2g}); {how}"
    return (
        f"Labels do not look selected at random: {how}. If some kinds of positives are labeled more often than others, the "
        "estimate is too small; the interval is therefore extended to the estimate over subtypes. Use "
        "method='by_subtype', pass prior=, or fit BiasedPUClassifier; see also check_scar."
    )


def mean_score_warning(prior: float, limit: float) -> str:
    return (
        f"Elkan and Noto's mean score gives π = {prior:.3g}, but the tails of the same scores permit at most {limit:.3g}: "
        "positives and negatives overlap, or the scores are not probabilities. Use method='best_bin'."
    )


def compatible(share: float, expected: float, n: float) -> bool:
    """Whether a share among ``n`` rows is compatible with the expected share in the population."""
    return bool(abs(share - expected) <= N_ERRORS * np.sqrt(expected * (1 - expected) / n) + 1.0 / n)
