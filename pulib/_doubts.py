"""What speaks against a class prior: labels that contradict it, or an estimate that rests on too little."""

from __future__ import annotations

import warnings

import numpy as np

from pulib._weights import effective_count, weighted_counts
from pulib.exceptions import PUWarning

#: With fewer labels than this, an estimate of π is little more than a guess.
FEW_LABELS = 30
#: So small a share of positives among unlabeled rows, and so few beside the labeled ones, are likely errors of the estimate.
_HARDLY_ANY = 0.05
#: An interval as wide as half of the line leaves nearly all open, and so does one whose ends differ by such a factor.
_WIDE, _WIDE_FACTOR = 0.5, 4.0
#: Below it a share of errors among all rows says nothing; counts, precision and recall do.
_RARE = 0.1
#: Of rows of the rarer class fewer than this share of what π leads one to expect are told.
_FEW = 1 / 3
#: How many standard errors a share may be off before it counts as another one.
N_ERRORS = 3.0


def warn_of_prior(
    prior: float,
    positive: np.ndarray,
    scenario: str,
    *,
    estimated: bool,
    interval: tuple[float, float] | None = None,
    weights: np.ndarray | None = None,
    stacklevel: int = 4,
) -> None:
    """Warn about a π that contradicts the labels, and about an estimate that is at the border or rests on too little.

    Parameters
    ----------
    prior : float
        π, given or estimated.
    positive : bool array of shape (n_samples,)
        Labeled positives.
    scenario : {"two_sample", "one_sample"}
    estimated : bool
    interval : (low, high), optional
        Of an estimate.
    weights : array of shape (n_samples,), optional
        Of the rows.
    """
    n_labeled, n_unlabeled = (round(n) for n in weighted_counts(positive, weights))
    n_labels = None if weights is None else round(effective_count(weights[positive]))
    doubt = doubt_of_prior(prior, n_labeled, n_unlabeled, scenario, estimated, interval, n_labels=n_labels)
    if doubt:
        warnings.warn(doubt, PUWarning, stacklevel=stacklevel)


def doubt_of_prior(
    prior: float,
    n_labeled: int,
    n_unlabeled: int,
    scenario: str,
    estimated: bool,
    interval: tuple[float, float] | None = None,
    n_families: int | None = None,
    n_labels: int | None = None,
) -> str:
    """What speaks against a π, and what to do; an empty text where nothing does.

    ``n_families`` are the groups that labeled rows come in, where they do: so many labels of their own there are.  Where rows
    have weights, ``n_labels`` is the effective number of labels, and the other numbers are in proportion to the weights.
    """
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
    n_labels, what = n_labeled if n_labels is None else n_labels, "labels"
    if n_families is not None:
        n_labels, what = n_families, "groups of labels"
    if n_hidden < 2 or (hidden < _HARDLY_ANY and n_hidden < _HARDLY_ANY * n_labeled):
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
            f"{found} from {n_labels} {what} only; prior_interval shows how little they tell. Pass "
            "prior= if you know it better."
        )
    if interval is not None and (interval[1] - interval[0] >= _WIDE or interval[1] >= _WIDE_FACTOR * interval[0]):
        return (
            f"π is estimated as {prior:.3g}, but may lie anywhere from {interval[0]:.3g} to {interval[1]:.3g}. Pass prior= if "
            "you know it better, collect more labels, or see what a wrong π costs (pulib.plots.plot_prior_sensitivity)."
        )
    return ""


def warn_of_weak_ranking(name: str, prior: float, recall: float, n: int | None = None) -> None:
    """Warn if a constant prediction would be right more often than a learner whose threshold is set by π.

    With a share π called positive, π (1 - recall) positives are called negative, and as many negatives positive: precision and
    recall are the same number.

    Parameters
    ----------
    name : str
        The learner's.
    prior : float
        π.
    recall : float
        The share of held-out labeled rows that is called positive.
    n : int, optional
        Rows of the population, to give counts.
    """
    errors, least = 2 * prior * (1 - recall), min(prior, 1 - prior)
    if errors <= least:
        return
    if prior >= _RARE:
        costs = (
            f"about {errors:.0%} of all predictions are wrong; calling every row "
            f"{'negative' if prior <= 0.5 else 'positive'} would be wrong for {least:.0%}. The ranking is too weak for "
            "predictions: rank rows by decision_function, label more rows, or use another learner."
        )
    else:
        called = "" if n is None else f" ({prior * n:.0f} of {n} rows, of which about {recall * prior * n:.0f} are positive)"
        costs = (
            f"precision and recall are both about {recall:.2g}{called}. The ranking is too weak to label single rows: rank "
            "rows by decision_function and look at the top, where precision is higher, or label more rows."
        )
    warnings.warn(
        f"{name}: if a share π = {prior:.3g} of the rows is called positive, {recall:.0%} of the held-out labeled rows are "
        f"among them, so {costs}",
        PUWarning,
        stacklevel=5,
    )


def warn_of_ties(name: str, prior: float, scores: np.ndarray, stacklevel: int = 5) -> bool:
    """Warn if nearly all scores are the same although a share π of the rows is positive, and return whether it did.

    Parameters
    ----------
    name : str
        The learner's.
    prior : float
        π.
    scores : array
        Of rows of the population.
    """
    n = len(scores)
    expected = n * min(prior, 1 - prior)
    most = int(np.unique(scores, return_counts=True)[1].max(initial=0))
    if n - most >= _FEW * expected or n - most >= expected - N_ERRORS * np.sqrt(expected):
        return False
    warnings.warn(
        f"{name} gives {most} of {n} rows the same score, so these rows are not ranked, although about {expected:.0f} of them "
        f"are of the rarer class (prior_={prior:.3g}). Check π and whether the features vary. To rank rare positives, set "
        "training_prior='auto' if the learner has it; PUBaggingClassifier ranks rows without π.",
        PUWarning,
        stacklevel=stacklevel,
    )
    return True


def warn_of_coarse_scores(name: str, prior: float, called: float, n: int, stacklevel: int = 5) -> bool:
    """Warn if so many scores tie at the top that no threshold cuts them at a share π, and return whether it did.

    Parameters
    ----------
    name : str
        The learner's.
    prior : float
        π.
    called : float
        The share of the population above the threshold.
    n : int
        How many rows of it there are.
    """
    if called * _FEW <= prior or n * (called - prior) <= N_ERRORS * np.sqrt(n * prior):
        return False
    warnings.warn(
        f"{name} calls {called:.1%} of the rows positive, although prior_={prior:.3g}: its scores take few values, and no "
        "threshold calls a share π of the rows positive. More rounds or trees give finer scores, and so do more labels; "
        "PUBaggingClassifier ranks rows without π.",
        PUWarning,
        stacklevel=stacklevel,
    )
    return True


def compatible(share: float, expected: float, n: int) -> bool:
    """Whether a share among ``n`` rows may be a draw from a population with the expected one."""
    return bool(abs(share - expected) <= N_ERRORS * np.sqrt(expected * (1 - expected) / n) + 1.0 / n)
