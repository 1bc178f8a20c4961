"""Grow a forest in parts, by independent jobs, and join the parts into the forest of a single fit.

Tree i depends only on the i-th seed of ``random_state``, so any job can grow it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from pulib._random import draw_seeds
from pulib._typing import ArrayLike, MatrixLike
from pulib._warm_start import check_same_rows
from pulib.trees._extra_trees import PUExtraTreesClassifier

#: Parameters that may differ between parts because they do not change trees.
_FREE = {"n_jobs"}


def fit_part(
    forest: PUExtraTreesClassifier,
    X: MatrixLike,
    y: ArrayLike,
    part: int,
    n_parts: int,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> PUExtraTreesClassifier:
    """Grow part of a forest: the same trees that ``forest.fit(X, y)`` would grow at those positions.

    Parameters
    ----------
    forest : PUExtraTreesClassifier
        The whole forest's parameters, with an integer ``random_state`` and without ``warm_start``; it is not changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        All training rows, the same for every part.
    y : array-like of shape (n_samples,)
    part : int in [0, n_parts)
    n_parts : int in [1, n_estimators]
        Number of parts; their sizes differ by at most one tree.
    sample_weight, groups : array-like of shape (n_samples,), optional
        As in ``fit``, the same for every part.

    Returns
    -------
    grown : PUExtraTreesClassifier
        A forest of only the part's trees, with the whole forest's parameters; ``part_`` is the range of their positions.  It
        has no out-of-bag scores, calibrated probabilities, or threshold for rare positives; :func:`join_parts` adds these.

    Raises
    ------
    ValueError
        If ``part`` or ``n_parts`` is out of range, ``random_state`` is not an integer, or ``warm_start`` is set.

    Notes
    -----
    Every part preprocesses ``X`` and, if ``prior=None``, estimates π.  If there are many parts, pass ``prior``.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import PUExtraTreesClassifier
    >>> from pulib.trees import fit_part, join_parts
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1).astype(int)
    >>> forest = PUExtraTreesClassifier(10, prior=0.4, random_state=0)
    >>> parts = [fit_part(forest, X, y, part, 3) for part in range(3)]
    >>> [part.part_ for part in parts]
    [range(0, 3), range(3, 6), range(6, 10)]
    >>> print(f"{len(join_parts(parts).estimators_)} trees")
    10 trees
    """
    forest._validate_params()
    _check(forest, part, n_parts)
    grown = clone(forest)
    grown.part_ = range(part * forest.n_estimators // n_parts, (part + 1) * forest.n_estimators // n_parts)
    data, rule, rows = grown._prepare_fit(X, y, sample_weight, groups)
    seeds = _seeds(grown)[grown.part_.start : grown.part_.stop]
    grown._keep_trees(grown._grow(data, rule, rows, seeds), seeds)
    return grown


def join_parts(
    parts: Iterable[PUExtraTreesClassifier],
    X: MatrixLike | None = None,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> PUExtraTreesClassifier:
    """Join the parts of a forest, in any order, into the forest that a single fit would give, bit for bit.

    Parameters
    ----------
    parts : iterable of PUExtraTreesClassifier
        All parts that :func:`fit_part` returned for a forest; they are not changed.
    X, y, sample_weight, groups : array-like, optional
        The arguments of :func:`fit_part`; needed for held-out scores if ``oob_score`` or ``calibration`` is set, or if
        positives are rare (``training_prior``).  Without ``bootstrap``, this grows five more forests.

    Returns
    -------
    forest : PUExtraTreesClassifier

    Raises
    ------
    ValueError
        If trees are missing or occur twice, if parts differ in parameters, classes, features, prior or number of rows, or if
        ``X`` and ``y`` are needed but not given.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import PUExtraTreesClassifier
    >>> from pulib.trees import fit_part, join_parts
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1).astype(int)
    >>> forest = PUExtraTreesClassifier(10, prior=0.4, random_state=0)
    >>> joined = join_parts([fit_part(forest, X, y, part, 3) for part in range(3)])
    >>> difference = joined.decision_function(X) - forest.fit(X, y).decision_function(X)
    >>> print(f"{len(joined.estimators_)} trees, largest difference {np.abs(difference).max()}")
    10 trees, largest difference 0.0
    """
    ordered = sorted(parts, key=_place)
    _check_complete(ordered)
    first = ordered[0]
    for other in ordered[1:]:
        _check_alike(first, other)
    forest = copy(first)
    del forest.part_
    forest._keep_trees([member.tree_ for part in ordered for member in part.estimators_], _seeds(first))
    if forest.oob_score or forest.calibration is not None or forest._separate_ranking:
        if X is None or y is None:
            raise ValueError(
                f"oob_score={forest.oob_score}, calibration={forest.calibration!r}, training_prior={forest.training_prior!r} "
                f"with prior_={forest.prior_:.3g}: out-of-bag scores, probabilities and thresholds of rare positives are "
                "learned from the training rows; call join_parts(parts, X, y), or use training_prior=None."
            )
        forest._judge_held_out(X, forest._rows_of(X, y, sample_weight, groups))
    return forest


def _seeds(forest: PUExtraTreesClassifier) -> np.ndarray:
    """Draw a seed for each tree of the whole forest."""
    return draw_seeds(forest.random_state, forest.n_estimators)


def _check(forest: PUExtraTreesClassifier, part: int, n_parts: int) -> None:
    if not 1 <= n_parts <= forest.n_estimators:
        raise ValueError(f"n_parts={n_parts}; expected 1 to {forest.n_estimators} (n_estimators): each part needs a tree.")
    if not 0 <= part < n_parts:
        raise ValueError(f"part={part}; expected 0 to {n_parts - 1}, as n_parts={n_parts}.")
    if not isinstance(forest.random_state, int | np.integer):
        raise ValueError(
            f"random_state={forest.random_state!r}; parts draw their seeds independently of each other. Pass an integer."
        )
    if forest.warm_start:
        raise ValueError("warm_start=True: a part has no earlier trees. To add trees, set it on the joined forest.")


def _place(part: PUExtraTreesClassifier) -> int:
    check_is_fitted(part)
    if not hasattr(part, "part_"):
        raise ValueError(f"{part!r} is not a part of a forest: join_parts accepts only what fit_part returns.")
    return part.part_.start


def _check_complete(ordered: Sequence[PUExtraTreesClassifier]) -> None:
    if not ordered:
        raise ValueError("no parts; pass everything that fit_part returned for a forest.")
    ends = [0, *(part.part_.stop for part in ordered)]
    starts = [*(part.part_.start for part in ordered), ordered[0].n_estimators]
    for end, start in zip(ends, starts, strict=True):
        if end < start:
            raise ValueError(f"trees {end} to {start - 1} of {ordered[0].n_estimators} are in no part; fit the missing parts.")
        if end > start:
            raise ValueError(f"trees {start} to {end - 1} are in more than one part; pass each part once.")


def _check_alike(one: PUExtraTreesClassifier, other: PUExtraTreesClassifier) -> None:
    """Raise an error unless both parts have the same parameters and training rows."""
    there, here = one.get_params(), other.get_params()
    for name in there:
        if name not in _FREE and there[name] != here[name]:
            raise ValueError(_differ(name, there[name], here[name], one, other))
    check_same_rows(one._rows_seen, other._rows_seen, f"trees {one.part_.start} to {one.part_.stop - 1}")
    for name in ("classes_", "n_features_in_", "feature_names_in_", "prior_", "_labeled_share"):
        a, b = getattr(one, name, None), getattr(other, name, None)
        if not np.array_equal(np.asarray(a), np.asarray(b)):
            raise ValueError(_differ(name.strip("_"), a, b, one, other))


def _differ(name: str, a: Any, b: Any, one: PUExtraTreesClassifier, other: PUExtraTreesClassifier) -> str:
    return (
        f"{name} is {a!r} in the part of trees {one.part_.start} to {one.part_.stop - 1}, and {b!r} in that of "
        f"{other.part_.start} to {other.part_.stop - 1}; fit all parts of a forest with the same parameters on the same rows."
    )
