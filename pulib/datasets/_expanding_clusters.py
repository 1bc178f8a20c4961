"""The synthetic data of the PCES paper: four clusters, over which the positive class expands along two paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from pulib._typing import RandomState


@dataclass(frozen=True)
class Cluster:
    """A normal cluster, with the shares of its rows that are positive early and that turn positive later."""

    name: str
    center: tuple[float, float]
    spread: float
    early: float
    later: float


#: The paper has no numbers, but says that the right cluster is mostly positive and the others are mostly negative.
CLUSTERS = (
    Cluster("right", (0.82, 0.52), 0.07, 0.90, 0.10),
    Cluster("top", (0.52, 0.80), 0.09, 0.10, 0.60),
    Cluster("left", (0.18, 0.58), 0.08, 0.02, 0.20),
    Cluster("bottom", (0.60, 0.18), 0.09, 0.10, 0.60),
)
#: The clusters on each of the two paths of the expansion.
PATHS = (("right", "top", "left"), ("right", "bottom"))


def make_expanding_clusters(n_samples: int = 1000, *, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
    """Generate four clusters of equal size in the unit square, with a positive class that spreads from the right cluster.

    One path of the expansion leads from the right cluster to the top and then the left one, the other from the right cluster to
    the bottom one.

    Parameters
    ----------
    n_samples : int, default=1000
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : float array of shape (n_samples, 2)
        Within [0, 1]; rows that would fall outside are drawn again.
    y : int8 array of shape (n_samples,)
        0: negative at training and test time; 1: positive at both; 2: turns positive in between.

    Raises
    ------
    ValueError
        If there are fewer rows than clusters.

    References
    ----------
    Yu and Zhou, A framework for modeling positive class expansion with single snapshot (2010), section 5.2 and figure 2.

    Examples
    --------
    >>> from pulib.datasets import make_expanding_clusters
    >>> X, y = make_expanding_clusters(random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 2), [0, 1, 2])
    """
    if n_samples < len(CLUSTERS):
        raise ValueError(f"n_samples={n_samples}; expected at least {len(CLUSTERS)} rows, one per cluster")
    rng = check_random_state(random_state)
    which = rng.permutation(np.arange(n_samples) % len(CLUSTERS))
    centers = np.array([cluster.center for cluster in CLUSTERS])[which]
    spreads = np.array([cluster.spread for cluster in CLUSTERS])[which]
    X = np.full((n_samples, 2), np.inf)
    outside = np.arange(n_samples)
    while len(outside):
        X[outside] = centers[outside] + spreads[outside, None] * rng.standard_normal((len(outside), 2))
        outside = np.flatnonzero(np.any((X < 0.0) | (X > 1.0), axis=1))
    early = np.array([cluster.early for cluster in CLUSTERS])[which]
    later = np.array([cluster.later for cluster in CLUSTERS])[which]
    u = rng.uniform(size=n_samples)
    y = np.where(u < early, 1, np.where(u < early + later, 2, 0)).astype(np.int8)
    return X, y
