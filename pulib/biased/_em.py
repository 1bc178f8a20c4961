"""Expectation maximization with two models: of the class, f(x) = Pr(y = 1 | x), and of labeling, e(x) = Pr(labeled | x, y = 1).

A row is labeled with probability f e.  The caller of :func:`expectation_maximization` provides the updates of both models from
weighted rows: new fits (SAR-EM), or a few gradient steps (LBE).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

#: Probabilities are clipped to this distance from 0 and 1, so that logarithms and quotients are finite.
_SMALLEST_PROPENSITY = 1e-9


def posterior_of_positive(f: np.ndarray, e: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Return Pr(y = 1 | x, s): 1 for labeled rows, f (1 - e) / (1 - f e) for the others.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.biased._em import posterior_of_positive
    >>> posterior_of_positive(np.array([0.5, 0.5]), np.array([0.5, 0.5]), np.array([True, False])).round(3).tolist()
    [1.0, 0.333]
    """
    return np.where(positive, 1.0, f * (1.0 - e) / (1.0 - f * e))


def log_likelihood(f: np.ndarray, e: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> float:
    """Mean log-likelihood of the labels."""
    return float(np.average(np.where(positive, np.log(f * e), np.log1p(-f * e)), weights=weights))


def inside(p: np.ndarray) -> np.ndarray:
    return np.clip(p, _SMALLEST_PROPENSITY, 1.0 - _SMALLEST_PROPENSITY)


class Found(NamedTuple):
    """Probabilities of both models, likelihoods at the start and after each round, and the last change of a posterior."""

    f: np.ndarray
    e: np.ndarray
    likelihoods: np.ndarray
    moved: float


def expectation_maximization(
    f: np.ndarray,
    update_f: Callable[[np.ndarray], np.ndarray],
    update_e: Callable[[np.ndarray], np.ndarray],
    positive: np.ndarray,
    weights: np.ndarray,
    max_iter: int,
    tol: float,
) -> Found:
    """Fit both models, from a first model's probabilities f, until no posterior changes by more than ``tol``.

    ``update_f`` maps weights of all rows as positives, followed by those of all rows as negatives, to the probabilities f.
    ``update_e`` maps weights of all rows to the probabilities e.
    """
    f = inside(f)
    e = inside(update_e(weights * np.where(positive, 1.0, f)))
    likelihoods, moved = [log_likelihood(f, e, positive, weights)], np.inf
    q = posterior_of_positive(f, e, positive)
    for _ in range(max_iter):
        f = inside(update_f(np.concatenate([weights * q, weights * (1.0 - q)])))
        e = inside(update_e(weights * q))
        likelihoods.append(log_likelihood(f, e, positive, weights))
        before, q = q, posterior_of_positive(f, e, positive)
        moved = float(np.max(np.abs(q - before)))
        if moved <= tol:
            break
    return Found(f, e, np.array(likelihoods), moved)
