"""Preferences: which rows are expected to turn positive earlier, according to the data or the user."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from pulib._labels import encode_pu_labels, known_labels
from pulib._random import draw_seeds
from pulib._sizes import at_most_one
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.expansion._density import count_neighbors
from pulib.expansion._losses import ListedLoss, RankedLoss
from pulib.expansion._propagation import neighborhood_matrix, propagate

#: Names of preferences that are computed from the data.
NAMES = {"density", "density_difference", "neighborhood", "neighborhood_unit"}


def split_labels(y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the positives and of known labels; missing labels are unknown unless all others are positive."""
    y = column_or_1d(y)
    known = known_labels(y)
    if len(set(y[known].tolist())) == 1:  # PU labels: missing ones mark unlabeled rows
        return encode_pu_labels(y)[0], np.ones(len(y), dtype=bool)
    positive = np.zeros(len(y), dtype=bool)
    positive[known], _ = encode_pu_labels(y[known])
    return positive, known


@validate_params(
    {
        "kind": [StrOptions({"positive", "difference"})],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 0, None, closed="left"), None],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def density_preference(
    X: MatrixLike,
    y: ArrayLike,
    *,
    kind: str = "positive",
    n_trees: int = 200,
    max_depth: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Prefer rows in regions that are dense in positives (section 5.1: the first and the second preference of the paper).

    The density of a class at a row is the share of that class in the row's leaf, averaged over completely random trees.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels at training time: 1 for positives, 0 for others, and NaN if unknown.
    kind : {"positive", "difference"}, default="positive"
        The density of the positives, or the same minus the density of the negatives, if the class spreads from dense positive
        areas to sparse positive and sparse negative ones.
    n_trees : int, default=200
    max_depth : int, default=None
        Depth of the trees; None is ``ceil(log2(n_samples) / 2)``, so that a leaf has about ``sqrt(n_samples)`` rows.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    scores : array of shape (n_samples,)
        Higher scores are preferred.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.r_[np.zeros((5, 1)), np.ones((5, 1))]
    >>> y = np.r_[np.ones(4), np.zeros(6)]
    >>> scores = density_preference(X, y, random_state=0)
    >>> print(f"near the positives {scores[0]:.2f}, elsewhere {scores[9]:.2f}")
    near the positives 1.00, elsewhere 0.00
    """
    X = np.ascontiguousarray(check_array(X, dtype=np.float64))
    positive, known = split_labels(y)
    check_consistent_length(X, positive)
    if max_depth is None:
        max_depth = int(np.ceil(0.5 * np.log2(max(len(X), 2))))
    counts = np.zeros((len(X), 2), dtype=np.int64)
    # codes 0 and 1 are counted; rows with unknown labels help split the space but count for neither class
    codes = np.where(known, positive.astype(np.int64), -1)
    for seed in draw_seeds(random_state, n_trees)[:, None]:  # one tree per call: Ctrl-C is handled between calls
        count_neighbors(X, codes, seed, max_depth, counts)
    share = counts / n_trees / np.maximum([np.sum(known & ~positive), np.sum(positive)], 1)
    return share[:, 1] if kind == "positive" else share[:, 1] - share[:, 0]


@validate_params(
    {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "scaling": [StrOptions({"standard", "unit"})],
    },
    prefer_skip_nested_validation=True,
)
def neighborhood_preference(
    X: MatrixLike, y: ArrayLike, *, n_neighbors: int = 10, alpha: float = 0.99, ridge: float = 1e-3, scaling: str = "standard"
) -> np.ndarray:
    """Prefer rows that linear neighborhood propagation reaches first (section 5.1: the third preference of the paper).

    Each row is reconstructed from its nearest neighbors by convex weights W.  Labels (1 for positives, 0 for all others) spread
    along them until ``f = alpha W f + (1 - alpha) y``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Scaled by this function, so that neighbors do not depend on the features' units.
    y : array-like of shape (n_samples,)
        Labels at training time: 1 for positives, 0 for others, and NaN if unknown.
    n_neighbors : int, default=10
    alpha : float in (0, 1), default=0.99
        Share of a row's score that comes from its neighbors.
    ridge : float, default=1e-3
        Added to the diagonal of each row's Gram matrix, as a share of its mean diagonal, to make the weights unique.
    scaling : {"standard", "unit"}, default="standard"
        Whether features are scaled to variance 1, or to [0, 1], as in WEKA's distances.

    Returns
    -------
    scores : array of shape (n_samples,)
        Higher scores are preferred.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(8.0)[:, None]
    >>> scores = neighborhood_preference(X, np.r_[1, np.zeros(7)], n_neighbors=2)
    >>> print(f"next to the positive {scores[1]:.2f}, far from it {scores[6]:.2f}")
    next to the positive 0.08, far from it 0.06
    """
    scaler = StandardScaler() if scaling == "standard" else MinMaxScaler()
    X = scaler.fit_transform(at_most_one(check_array(X, dtype=np.float64, ensure_min_samples=2)))
    positive, _ = split_labels(y)
    check_consistent_length(X, positive)
    W = neighborhood_matrix(np.ascontiguousarray(X), n_neighbors, ridge)
    return propagate(W, positive.astype(np.float64), alpha)


@dataclass(frozen=True)
class Preference:
    """Preferences in the form that the boosting uses."""

    #: Score of a row, or the number of pairs that it wins minus those that it loses; NaN without a preference
    standing: np.ndarray
    pairs: sparse.csr_array | None = None  # antisymmetric signs, if preferences are pairs

    @property
    def available(self) -> np.ndarray:
        """Mask of the rows that have a preference."""
        return ~np.isnan(self.standing)

    def loss(self, rows: np.ndarray, method: str) -> RankedLoss | ListedLoss:
        """Eq. 5 over some rows, which must have preferences."""
        if self.pairs is None:
            return RankedLoss.preference(self.standing[rows], method)
        return ListedLoss.from_matrix(self.pairs[rows][:, rows])


@validate_params({"name": [StrOptions(NAMES)]}, prefer_skip_nested_validation=True)
def named_preference(name: str, X: MatrixLike, y: ArrayLike, *, random_state: RandomState = None) -> np.ndarray:
    """Compute a preference of :class:`SGBDotaClassifier` by its name, for use in several fits.

    Parameters
    ----------
    name : {"density", "density_difference", "neighborhood", "neighborhood_unit"}
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        As in :func:`density_preference`.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    preference : array of shape (n_samples,)
    """
    if name in ("neighborhood", "neighborhood_unit"):
        return neighborhood_preference(X, y, scaling="unit" if name == "neighborhood_unit" else "standard")
    kind = {"density": "positive", "density_difference": "difference"}[name]
    return density_preference(X, y, kind=kind, random_state=random_state)


def resolve_preference(preference: Any, X: np.ndarray, y: np.ndarray, random_state: RandomState) -> Preference | None:
    """Resolve a name, a callable, a score vector or a matrix of pairs; None stays None.

    Raises a ValueError if the shape does not fit ``X``, a score is infinite, or an entry of a matrix is not finite.
    """
    if preference is None:
        return None
    if isinstance(preference, str):
        return Preference(named_preference(preference, X, y, random_state=random_state))
    if callable(preference):
        preference = preference(X, y)
    n = len(X)
    if sparse.issparse(preference) or np.ndim(preference) == 2:
        # floats, because signs are subtracted: bools have no difference, and that of unsigned integers wraps around
        pairs = sparse.csr_array(preference).astype(np.float64)
        if pairs.shape != (n, n):
            raise ValueError(f"preference is a matrix of shape {pairs.shape}; pairs of the rows of X need shape ({n}, {n}).")
        if not np.all(np.isfinite(pairs.data)):
            raise ValueError("preference contains NaN or infinity; a matrix of pairs contains signs, or no entry if undecided.")
        pairs = sparse.csr_array(pairs.sign() - pairs.sign().T).sign()
        pairs.eliminate_zeros()
        standing = np.asarray(pairs.sum(axis=1), dtype=np.float64)
        standing[np.diff(pairs.indptr) == 0] = np.nan
        return Preference(standing, pairs)
    scores = np.asarray(preference, dtype=np.float64)
    if scores.shape != (n,):
        raise ValueError(f"preference has shape {scores.shape}; a score for each row of X needs shape ({n},).")
    if np.any(np.isinf(scores)):
        raise ValueError("preference contains an infinite score; expected finite scores, and NaN for rows without preference.")
    return Preference(scores)
