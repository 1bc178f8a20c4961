"""A split: the rows of a data set that one repeat trains and tests on.

Each repeat is drawn from a seed of its own, so that more repeats add splits and change none.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pulib import sampling

#: A scheme that a configuration names ``case_control`` is the public function ``case_control_split``.
_SUFFIX = "_split"


@dataclass(frozen=True)
class Split:
    """Rows of a data set for one repeat.

    Attributes
    ----------
    labeled, unlabeled, test : int arrays
        Row numbers in the data set; a row may be both labeled and unlabeled if the protocol says so.
    prior : float
        The true share of positives in the population that the unlabeled rows represent.
    arrays : dict of arrays
        Whatever else the protocol needs: generated rows, true labels of a fixed subset, folds.
    """

    labeled: np.ndarray
    unlabeled: np.ndarray
    test: np.ndarray
    prior: float
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


def splitter_names() -> list[str]:
    """Names that a setting's ``split.scheme`` may take."""
    return sorted(name.removesuffix(_SUFFIX) for name in dir(sampling) if name.endswith(_SUFFIX))


def get_splitter(scheme: str) -> Callable[..., Split]:
    """The function ``(dataset, *, random_state, **options) -> Split`` behind a name in the configuration."""
    if scheme not in splitter_names():
        raise ValueError(f"unknown split scheme {scheme!r}; expected one of {splitter_names()}")
    return getattr(sampling, f"{scheme}{_SUFFIX}")


def make_splits(
    dataset: Any, scheme: str, seeds: Mapping[int, int], *, shared_seed: int = 0, **options: Any
) -> dict[int, Split]:
    """One split per repeat.

    Parameters
    ----------
    dataset : pulib.datasets.Dataset
    scheme : str
        One of :func:`splitter_names`.
    seeds : mapping of repeat to seed
    shared_seed : int
        One seed for all repeats.  A splitter whose repeats belong together (the folds of one partition) accepts it, and its
        ``repeat``, as arguments of those names.
    **options
        Options of the splitter, such as ``n_labeled``.

    Raises
    ------
    ValueError
        If the splitter is unknown or has no such option.
    """
    splitter = get_splitter(scheme)
    parameters = set(inspect.signature(splitter).parameters)
    accepted = parameters - {"dataset", "random_state", "repeat", "shared_seed"}
    unknown = sorted(set(options) - accepted)
    if unknown:
        raise ValueError(f"split scheme {scheme!r} takes no option {unknown[0]!r}; expected some of {sorted(accepted)}")
    splits = {}
    for repeat, seed in seeds.items():
        place = {"repeat": repeat, "shared_seed": shared_seed}
        splits[repeat] = splitter(dataset, random_state=seed, **{k: v for k, v in place.items() if k in parameters}, **options)
    return splits
