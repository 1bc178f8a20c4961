"""Claims that are clearer as a few lines of Python than in the language of :mod:`pulab.claims.checks`.

Such a function takes a study's :class:`~pulab.claims.evidence.Evidence` and yields cases; a claim names it as
``check: own, function: <module>.<name>``, the module below :mod:`pulab.claims`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from pulab.claims.evidence import Evidence, Missing

Case = dict[str, Any]


def own_cases(claim: Mapping[str, Any], evidence: Evidence, labels: Mapping[str, str]) -> Iterator[Case]:
    """The cases of the function that the claim names."""
    module, _, name = claim["function"].partition(".")
    function: Callable[[Evidence], Iterable[Case]] = getattr(import_module(f"pulab.claims.{module}"), name)
    for found in function(evidence):
        yield found | {"case": with_labels(found["case"], labels)}


def with_labels(name: str, labels: Mapping[str, str]) -> str:
    """Each part by its label; the count that :func:`share_of` adds stays."""
    name, bracket, count = name.partition(" (")
    return ", ".join(labels.get(part, part) for part in name.split(", ")) + bracket + count


def case(
    name: str, holds: bool, left: float = math.nan, right: float = math.nan, *, n: int = 0, pvalue: float = math.nan,
    datasets: Iterable[str] = (),
) -> Case:  # fmt: skip
    """One case.

    Parameters
    ----------
    name : str
        Parts, separated by ``", "``, that are data sets, methods or settings are shown by their labels.
    left, right : float
        What was compared.
    n : int
        Repeats behind them.
    """
    return {
        "case": name, "status": "holds" if holds else "fails", "left": left, "right": right, "threshold": "",
        "difference": left - right, "statistic": math.nan, "n": n, "pvalue": pvalue, "reason": "",
        "datasets": " ".join(dict.fromkeys(datasets)),
    }  # fmt: skip


def missing(name: str, why: Missing) -> Case:
    """A case without numbers."""
    return {"case": name, "status": why.status, "reason": str(why)}


def share_of(name: str, held: list[bool], *, n: int = 0, datasets: Iterable[str] = (), least: float = 50.0) -> Case:
    """A case that holds where more than ``least`` percent of its own parts do; ``left`` is that share.

    Raises
    ------
    Missing
        Without parts.
    """
    if not held:
        raise Missing("pending", "nothing to judge by has been run")
    share = 100.0 * float(np.mean(held))
    return case(f"{name} ({sum(held)} of {len(held)})", share > least, share, least, n=n, datasets=datasets)


def attempted(name: str, make: Callable[[], Case]) -> Case:
    """``make()``, or the case that says why it can not be judged."""
    try:
        return make()
    except Missing as why:
        return missing(name, why)
