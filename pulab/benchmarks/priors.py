"""How far the estimates of the prior are off, on data whose truth is known.

``snakemake priors`` makes the table of it, ``results/<preset>/priors.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pulab.trials.protocol import AS_PUBLISHED
from pulib.priors import estimate_prior, prior_interval
from pulib.sampling import label_two_sample

METHODS = ("best_bin", "elkan_noto", "tice", "tice_ratio", "km1", "km2", "km_blend")


def prior_errors(
    X: Any,
    truth: ArrayLike,
    *,
    methods: Sequence[str],
    repeats: int = 3,
    n_labeled: int = 500,
    n_unlabeled: int = 1500,
    random_state: int = 0,
) -> pd.DataFrame:
    """Estimates on random PU samples of a labeled data set.

    Each repeat draws labeled positives, and from the other rows an unlabeled sample, both without replacement; where there are
    not enough rows, half of the positives are labeled and all others unlabeled.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    truth : bool array of shape (n_samples,)
    methods : sequence of str
        Of :func:`pulib.estimate_prior`.
    repeats, n_labeled, n_unlabeled, random_state : int

    Returns
    -------
    errors : DataFrame
        Columns ``method``, ``repeat``, ``prior`` (the true share among the unlabeled rows), ``estimate``.
    """
    truth = np.asarray(truth).astype(bool)
    positives = np.flatnonzero(truth)
    rows = []
    for repeat in range(repeats):
        rng = np.random.default_rng([random_state, repeat])
        labeled = rng.choice(positives, min(n_labeled, len(positives) // 2), replace=False)
        others = np.setdiff1d(np.arange(len(truth)), labeled)
        unlabeled = rng.choice(others, min(n_unlabeled, len(others)), replace=False)
        y = np.r_[np.ones(len(labeled), int), np.zeros(len(unlabeled), int)]
        X_pu = np.concatenate([np.asarray(X[np.sort(labeled)]), np.asarray(X[np.sort(unlabeled)])])
        share = truth[unlabeled].mean()
        rows += [(name, repeat, share, estimate_prior(X_pu, y, AS_PUBLISHED.get(name, name))) for name in methods]
    return pd.DataFrame(rows, columns=["method", "repeat", "prior", "estimate"])


def interval_coverage(
    X: Any,
    truth: ArrayLike,
    *,
    label_counts: Sequence[int],
    repeats: int = 3,
    n_unlabeled: int = 3000,
    random_state: int = 0,
) -> pd.DataFrame:
    """Intervals of the default estimate on random PU samples of a labeled data set, from few labels to many.

    Each class takes a turn as the positive one.  Of each number of labels that half of the positives allow, each repeat draws
    two samples: labeled positives, and unlabeled rows from the others with the share of positives that all rows have.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    truth : bool array of shape (n_samples,)
    label_counts : sequence of int
    repeats, n_unlabeled, random_state : int

    Returns
    -------
    intervals : DataFrame
        Columns ``positive`` (the class), ``n_labeled``, ``repeat``, ``prior`` (of all rows), ``estimate``, ``low``, ``high``
    """
    rows = []
    for positive in (True, False):
        one = np.asarray(truth).astype(bool) == positive
        for n_labeled in (n for n in label_counts if n <= one.sum() // 2):
            for repeat in range(repeats):
                rng = np.random.RandomState([random_state, repeat, n_labeled, int(positive)])
                labeled, unlabeled = label_two_sample(one, n_labeled, random_state=rng)
                unlabeled = np.sort(rng.choice(unlabeled, min(n_unlabeled, len(unlabeled)), replace=False))
                X_pu = np.concatenate([np.asarray(X[labeled]), np.asarray(X[unlabeled])])
                y = np.r_[np.ones(len(labeled), int), np.zeros(len(unlabeled), int)]
                found = prior_interval(X_pu, y)
                rows.append((int(positive), n_labeled, repeat, one.mean(), found.prior, found.low, found.high))
    return pd.DataFrame(rows, columns=["positive", "n_labeled", "repeat", "prior", "estimate", "low", "high"])


def error_table(errors: pd.DataFrame) -> pd.DataFrame:
    """Mean error and greatest absolute error per data set and method, as texts.

    Parameters
    ----------
    errors : DataFrame
        What :func:`prior_errors` gives, with a column ``dataset``.
    """
    errors = errors.assign(error=errors["estimate"] - errors["prior"])
    by_method = errors.groupby(["dataset", "method"], sort=False)["error"]
    texts = by_method.agg(lambda error: f"{error.mean():+.3f} ({error.abs().max():.3f})").unstack(sort=False)
    priors = errors.groupby("dataset", sort=False)["prior"].mean().map("{:.3f}".format)
    return texts.reindex(priors.index).rename_axis(None, axis="columns").assign(π=priors)[["π", *texts.columns]]
