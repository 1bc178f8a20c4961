"""The public estimator of the class prior: validation, choice of method, and the two scenarios."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, validate_params

from pulib._base import encode_pu_labels
from pulib.priors._from_scores import best_bin, elkan_noto
from pulib.priors._scores import accepts_sparse, out_of_fold_scores

_METHODS = ("best_bin", "elkan_noto")


@validate_params(
    {
        "X": ["array-like", "sparse matrix"],
        "y": ["array-like"],
        "method": [StrOptions(set(_METHODS))],
        "scenario": [StrOptions({"two_sample", "one_sample"})],
        "classifier": [HasMethods(["fit", "predict_proba"]), HasMethods(["fit", "decision_function"]), None],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "max_samples": [Interval(Integral, 2, None, closed="left"), None],
        "random_state": [Interval(Integral, 0, 2**32 - 1, closed="both")],
        "n_jobs": [Integral, None],
    },
    prefer_skip_nested_validation=True,
)
def estimate_prior(
    X,
    y,
    method: str = "best_bin",
    *,
    scenario: str = "two_sample",
    classifier: Any = None,
    n_folds: int = 5,
    max_samples: int | None = 20_000,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> float:
    """Estimate π, the share of positives in the population, from positive and unlabeled rows.

    Every method rests on labels missing at random among the positives, and on some region where (nearly) all rows are positive;
    where there is none, the estimate is an upper bound.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        PU labels: the greater of two values marks labeled positives.
    method : {"best_bin", "elkan_noto"}, default="best_bin"
        Best-bin estimation (Garg et al. 2021) and Elkan and Noto's mean score (2008), both from the out-of-fold scores of a
        classifier of labeled against unlabeled rows.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows stand for the population, or the labeled and unlabeled rows together.
    classifier : classifier or None, default=None
        What tells labeled from unlabeled rows.  None means extra trees.
    n_folds : int, default=5
        Folds of the out-of-fold scores; rows that are equal share a fold.
    max_samples : int or None, default=20000
        Of the labeled, and of the unlabeled rows, at most this many are used, drawn at random.
    random_state : int, default=0
        A fixed seed by default, so that an estimator with ``prior=None`` stays reproducible.
    n_jobs : int or None, default=None
        Threads of the default classifier.

    Returns
    -------
    prior : float
        Inside (0, 1): an estimate at or beyond a bound is put 1 / (n_unlabeled + 2) inside it.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, or ``y`` does not have two kinds of labels.

    References
    ----------
    Garg et al., Mixture proportion estimation and PU learning: a modern approach (NeurIPS 2021); Elkan and Noto, Learning
    classifiers from only positive and unlabeled data (KDD 2008).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import estimate_prior
    >>> rng = np.random.default_rng(0)
    >>> P = rng.normal(2, 1, size=(500, 2))
    >>> U = np.r_[rng.normal(2, 1, size=(300, 2)), rng.normal(-2, 1, size=(700, 2))]
    >>> X, y = np.r_[P, U], np.r_[np.ones(500), np.zeros(1000)]
    >>> abs(estimate_prior(X, y) - 0.3) < 0.05
    True
    """
    X, y = check_X_y(X, y, accept_sparse=["csr"] if accepts_sparse(classifier) else False, dtype="numeric")
    positive, _ = encode_pu_labels(y)
    n_labeled, n_unlabeled = int(positive.sum()), int((~positive).sum())
    if max_samples is not None and max(n_labeled, n_unlabeled) > max_samples:
        rng = np.random.RandomState(random_state)
        rows = np.sort(np.concatenate([_at_most(np.flatnonzero(side), max_samples, rng) for side in (positive, ~positive)]))
        X, positive = X[rows], positive[rows]
    scores = out_of_fold_scores(
        X,
        positive,
        classifier=classifier,
        n_folds=n_folds,
        random_state=random_state,
        n_jobs=n_jobs,
        balanced=method != "elkan_noto",
    )
    estimate = best_bin if method == "best_bin" else elkan_noto
    share = estimate(scores[positive], scores[~positive])
    return prior_from_share(share, n_labeled, n_unlabeled, scenario)


def prior_from_share(share: float, n_labeled: int, n_unlabeled: int, scenario: str) -> float:
    """π from the share of positives among the unlabeled rows, kept inside (0, 1)."""
    margin = 1.0 / (n_unlabeled + 2.0)
    share = float(np.clip(share, margin, 1.0 - margin))
    if scenario == "two_sample":
        return share
    labeled = n_labeled / (n_labeled + n_unlabeled)
    return labeled + (1.0 - labeled) * share


def _at_most(rows: np.ndarray, n: int, rng: np.random.RandomState) -> np.ndarray:
    return rows if len(rows) <= n else rng.choice(rows, size=n, replace=False)
