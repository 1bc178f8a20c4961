"""The synthetic data set of the RESVM chapter: a normal blob inside a noisy circle."""

from __future__ import annotations

import numpy as np

from pulib._typing import RandomState


def make_circle_noise(
    n_positive: int, n_negative: int, *, radius: float = 4.0, random_state: RandomState = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw positives from a standard normal distribution, and negatives from a circle with standard normal noise.

    Parameters
    ----------
    n_positive, n_negative : int
        Number of rows of each class; positives come first.
    radius : float, default=4.0
        Radius of the circle around the origin.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : float array of shape (n_positive + n_negative, 2)
    y : int8 array of shape (n_positive + n_negative,)
        1 for positives, 0 for negatives.

    Raises
    ------
    ValueError
        If a number of rows is negative or both are 0.

    References
    ----------
    Claesen et al. (2015), section 2.4.2, "synthetic".

    Examples
    --------
    >>> from pulib.datasets import make_circle_noise
    >>> X, y = make_circle_noise(3, 2, random_state=0)
    >>> X.shape, y.tolist()
    ((5, 2), [1, 1, 1, 0, 0])
    """
    from sklearn.utils import check_random_state  # imported late to keep imports of sampling schemes fast

    if n_positive < 0 or n_negative < 0 or n_positive + n_negative == 0:
        raise ValueError(f"n_positive={n_positive}, n_negative={n_negative}; expected counts of 0 or more, not both 0")
    rng = check_random_state(random_state)
    n = n_positive + n_negative
    X = rng.standard_normal((n, 2))
    angle = rng.uniform(0.0, 2.0 * np.pi, size=n_negative)
    X[n_positive:] += radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return X, np.repeat(np.array([1, 0], dtype=np.int8), [n_positive, n_negative])
