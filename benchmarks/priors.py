"""Errors of estimated class priors on fully labeled data.

``snakemake priors`` makes the table, ``results/<preset>/priors.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pulab.trials.protocol import ESTIMATES
from pulib.priors import estimate_prior

METHODS = ("best_bin", "elkan_noto", "tice", "km1", "km2")


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
    """Estimate the prior on random PU samples of a labeled data set.

    Each repeat draws labeled positives, and an unlabeled sample from the other rows, both without replacement.  If there are
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
        Columns ``method``, ``repeat``, ``prior`` (the share of positives among the unlabeled rows), ``estimate``.
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
        rows += [(name, repeat, share, estimate_prior(X_pu, y, ESTIMATES.get(name) or name)) for name in methods]
    return pd.DataFrame(rows, columns=["method", "repeat", "prior", "estimate"])
