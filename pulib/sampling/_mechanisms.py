"""Label mechanisms, which choose the rows to label, given the true labels.

The propensity of a row is its probability of being labeled, given that it is positive.
"""

from __future__ import annotations

from numbers import Integral

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state, column_or_1d

from pulib._labels import known_labels, marked_missing
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.sampling._bias import check_bias


def label_two_sample(truth: ArrayLike, n_labeled: int, *, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
    """Draw labeled positives separately from a sample of the population (case-control).

    Parameters
    ----------
    truth : array-like of shape (n_samples,)
        True or 1 for positives.
    n_labeled : int
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    labeled, unlabeled : int arrays
        Row numbers.  Some negatives are left out, so that the share of positives among the unlabeled rows is that of all rows.

    Raises
    ------
    ValueError
        If there are not more positives than ``n_labeled``, or no row would stay unlabeled.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.sampling import label_two_sample
    >>> truth = np.arange(100) < 40
    >>> labeled, unlabeled = label_two_sample(truth, 10, random_state=0)
    >>> len(labeled), len(unlabeled), float(truth[unlabeled].mean())
    (10, 75, 0.4)
    """
    truth = true_labels(truth)
    rng = check_random_state(random_state)
    labeled = _draw_positives(truth, n_labeled, rng)
    rest_positive = np.setdiff1d(np.flatnonzero(truth), labeled)
    negative = np.flatnonzero(~truth)
    n_negative = round(len(rest_positive) * len(negative) / int(truth.sum()))
    if len(rest_positive) == 0 or n_negative == 0:
        raise ValueError(
            f"n_labeled={n_labeled} of {int(truth.sum())} positives leaves {len(rest_positive)} positives and {n_negative} of "
            f"{len(negative)} negatives unlabeled; at least one of each is needed"
        )
    kept = rng.choice(negative, n_negative, replace=False)
    return labeled, np.sort(np.concatenate([rest_positive, kept]))


def label_one_sample(truth: ArrayLike, n_labeled: int, *, random_state: RandomState = None) -> np.ndarray:
    """Label positives of a single sample, all with the same propensity (selected completely at random).

    Parameters
    ----------
    truth : array-like of shape (n_samples,)
        True or 1 for positives.
    n_labeled : int
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    labeled : bool array of shape (n_samples,)

    Raises
    ------
    ValueError
        If there are fewer than ``n_labeled`` positives.

    Examples
    --------
    >>> from pulib.sampling import label_one_sample
    >>> int(label_one_sample([1, 1, 1, 0, 0], 2, random_state=0).sum())
    2
    """
    truth = true_labels(truth)
    labeled = np.zeros(len(truth), dtype=bool)
    labeled[_draw_positives(truth, n_labeled, check_random_state(random_state))] = True
    return labeled


def label_biased(
    truth: ArrayLike, posterior: ArrayLike, n_labeled: int, *, kind: str = "posterior", power: float = 1.0,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Label positives of a single sample with propensities that depend on the features (selected at random).

    Parameters
    ----------
    truth : array-like of shape (n_samples,)
        True or 1 for positives.
    posterior : array-like of shape (n_samples,)
        p = Pr(positive | x), from a model of the truth.
    n_labeled : int
    kind : {"posterior", "boundary"}, default="posterior"
        Propensities are proportional to ``p ** power`` (favoring clear cases) or to ``(1 - abs(p - 1/2)) ** power`` (favoring
        doubtful cases).
    power : float > 0, default=1.0
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    labeled : bool array of shape (n_samples,)
    propensity : float array of shape (n_samples,)
        Probability of being labeled if positive, at most 1.  Over the positives, propensities sum to ``n_labeled``.

    Raises
    ------
    ValueError
        If an argument is out of range, or fewer than ``n_labeled`` positives have a propensity above 0.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.sampling import label_biased
    >>> truth, posterior = np.arange(6) > 1, np.array([0.1, 0.2, 0.3, 0.6, 0.9, 0.9])
    >>> labeled, propensity = label_biased(truth, posterior, 2, power=3, random_state=0)
    >>> int(labeled.sum()), bool(propensity[2] < propensity[3] < propensity[4])
    (2, True)
    """
    truth, p = true_labels(truth), np.asarray(posterior, dtype=np.float64)
    check_bias(kind, power)
    if p.shape != truth.shape or not np.all((p >= 0) & (p <= 1)):
        raise ValueError("posterior: expected one probability in [0, 1] per row")
    weight = p**power if kind == "posterior" else (1.0 - np.abs(p - 0.5)) ** power
    able = int(np.count_nonzero(weight[truth]))
    if not (isinstance(n_labeled, Integral) and 1 <= n_labeled <= able):
        raise ValueError(f"n_labeled={n_labeled}; expected 1 to {able}, the positives whose propensity is above 0")
    propensity = np.minimum(_scale(weight[truth], n_labeled) * weight, 1.0)
    rng = check_random_state(random_state)
    rows = rng.permutation(np.flatnonzero(truth))
    # systematic sampling: exactly n_labeled rows, each with its propensity
    ends = np.cumsum(propensity[rows])
    ends *= n_labeled / ends[-1]
    ticks = rng.uniform() + np.arange(n_labeled)
    labeled = np.zeros(len(truth), dtype=bool)
    labeled[rows[np.minimum(np.searchsorted(ends, ticks, side="right"), len(rows) - 1)]] = True
    return labeled, propensity


def label_wrong(labeled: ArrayLike, truth: ArrayLike, share: float, *, random_state: RandomState = None) -> np.ndarray:
    """Move labels from positives to negatives until a share of the labeled rows are negatives.

    Parameters
    ----------
    labeled : array-like of shape (n_samples,)
        True or 1 for labeled rows.
    truth : array-like of shape (n_samples,)
        True or 1 for positives.
    share : float in [0, 1]
        Share of the labeled rows that are negatives, rounded to a whole row.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    labeled : bool array of shape (n_samples,)
        The number of labels is unchanged.

    Raises
    ------
    ValueError
        If ``share`` is out of range or already exceeded, or there are too few negatives.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.sampling import label_wrong
    >>> truth = np.arange(10) < 5
    >>> labeled = label_wrong(np.arange(10) < 4, truth, 0.25, random_state=0)
    >>> int(labeled.sum()), int((labeled & ~truth).sum())
    (4, 1)
    """
    labeled, truth = marked(labeled), true_labels(truth)
    if not 0 <= share <= 1:
        raise ValueError(f"share={share}; expected a share from 0 to 1")
    rng = check_random_state(random_state)
    right, negatives = np.flatnonzero(labeled & truth), np.flatnonzero(~labeled & ~truth)
    n_wrong = round(share * int(labeled.sum())) - int((labeled & ~truth).sum())
    if not 0 <= n_wrong <= min(len(right), len(negatives)):
        raise ValueError(
            f"share={share} requires {n_wrong} more wrong labels; there are {len(negatives)} negatives without a label and "
            f"{len(right)} right labels to remove"
        )
    labeled[rng.choice(right, n_wrong, replace=False)] = False
    labeled[rng.choice(negatives, n_wrong, replace=False)] = True
    return labeled


def true_labels(truth: ArrayLike) -> np.ndarray:
    """Return which rows are positive; raise an error if a true label is missing."""
    if marked_missing(truth):
        raise ValueError("truth contains missing values; the true labels of all rows are needed. Leave the other rows out.")
    return _ones(column_or_1d(truth), "truth")


def marked(labeled: ArrayLike) -> np.ndarray:
    """Return which rows are labeled, as a copy; missing labels mean unlabeled."""
    labeled = column_or_1d(labeled)
    known = known_labels(labeled)
    rows = np.zeros(len(known), dtype=bool)
    rows[known] = _ones(labeled[known], "labeled")
    return rows


def _ones(values: np.ndarray, name: str) -> np.ndarray:
    """Return which values are 1 or True; the truth value of others is wrong for -1 and "0"."""
    if other := set(values.tolist()) - {-1, 0, 1}:
        raise ValueError(f"{name} contains {min(other, key=repr)!r}; expected True or 1, and False, 0 or -1 for the other rows")
    return values == 1


def model_posterior(X: MatrixLike, truth: np.ndarray) -> np.ndarray:
    """Cross-fitted posteriors of a logistic model of the truth on standardized features; two rows of a class are the least."""
    if min(counts := np.bincount(truth, minlength=2)) < 2:
        raise ValueError(f"of {len(truth)} rows, {counts[1]} are positive; a posterior needs two positives and two negatives")
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return cross_val_predict(model, np.asarray(X, dtype=np.float64), truth, cv=5, method="predict_proba")[:, 1]


def _draw_positives(truth: np.ndarray, n_labeled: int, rng: np.random.RandomState) -> np.ndarray:
    positives = np.flatnonzero(truth)
    if not (isinstance(n_labeled, Integral) and 1 <= n_labeled <= len(positives)):
        raise ValueError(f"n_labeled={n_labeled}; expected 1 to {len(positives)}, the positives among the rows")
    return np.sort(rng.choice(positives, n_labeled, replace=False))


def _scale(weight: np.ndarray, total: int) -> float:
    """Return the factor for which the weights, multiplied by it and capped at 1, sum to ``total``."""
    ordered = np.sort(weight)[::-1]
    rest = np.append(np.cumsum(ordered[::-1])[::-1], 0.0)
    for n_cut in range(total):  # the greatest n_cut weights are capped at 1
        factor = (total - n_cut) / rest[n_cut]
        if factor * ordered[n_cut] <= 1.0:
            return float(factor)
    return float(1.0 / ordered[total - 1])
