"""One split per repeat.  Each repeat has its own seed, so that adding repeats changes no split."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pulib.sampling._scheme import Scheme, Split

if TYPE_CHECKING:
    from pulib.datasets import Dataset


def make_splits(dataset: Dataset, scheme: Scheme, seeds: Mapping[int, int], *, shared_seed: int = 0) -> dict[int, Split]:
    """Draw one split per repeat.

    Parameters
    ----------
    dataset : pulib.datasets.Dataset
    scheme : Scheme
        For example, ``CaseControl(n_labeled=100)``.
    seeds : mapping of repeat to seed
    shared_seed : int
        Seed for what all repeats share.

    Returns
    -------
    splits : dict of repeat to Split

    Raises
    ------
    TypeError
        If ``scheme`` is a name or a class, not an instance.
    ValueError
        If the data set has too few positives or negatives for the scheme's options.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib.sampling import CaseControl, make_splits
    >>> y = np.repeat(np.array([1, 0], dtype=np.int8), [40, 60])
    >>> data = Dataset("example", X=np.zeros((100, 1)), target=y, y=y)
    >>> splits = make_splits(data, CaseControl(n_labeled=10), {0: 21, 1: 22})
    >>> len(splits[0].labeled), len(splits[1].unlabeled), len(splits[1].test)
    (10, 80, 20)
    """
    if not isinstance(scheme, Scheme):
        raise TypeError(
            f"scheme={scheme!r}; expected an instance of a scheme, such as CaseControl(n_labeled=100); "
            "pulib.sampling.SCHEMES has the classes by name"
        )
    return {
        repeat: scheme.draw(dataset, random_state=seed, shared_seed=shared_seed, repeat=repeat)
        for repeat, seed in seeds.items()
    }
