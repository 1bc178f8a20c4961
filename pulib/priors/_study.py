"""How far the estimates of the prior are off, on data whose truth is known.

``python -m pulib.priors._study breast_cancer mnist`` prints the table of docs/priors.md for data sets of the registry.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pulib._typing import ArrayLike
from pulib.priors._estimate import estimate_prior

METHODS = ("best_bin", "elkan_noto", "tice", "km2")


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
        rows += [(method, repeat, truth[unlabeled].mean(), estimate_prior(X_pu, y, method)) for method in methods]
    return pd.DataFrame(rows, columns=["method", "repeat", "prior", "estimate"])


def error_table(names: Sequence[str], **options: Any) -> str:
    """Mean error and greatest absolute error per data set and method, in Markdown.

    Parameters
    ----------
    names : sequence of str
        Data sets that :func:`pulib.load_dataset` knows.
    **options
        Of :func:`prior_errors`.
    """
    from pulib.datasets import load_dataset

    lines = ["| data | π | " + " | ".join(METHODS) + " |", "|---|---|" + "---|" * len(METHODS)]
    for name in names:
        data = load_dataset(name)
        errors = prior_errors(data.X, data.y, methods=METHODS, **options)
        cells = []
        for method in METHODS:
            rows = errors[errors.method == method]
            error = rows.estimate - rows.prior
            cells.append(f"{error.mean():+.3f} ({error.abs().max():.3f})")
        lines.append(f"| {name} | {errors.prior.mean():.3f} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(error_table(sys.argv[1:]))
