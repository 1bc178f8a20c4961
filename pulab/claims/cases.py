"""Cases of a claim: each compares two numbers, two series or two ranks, and holds or fails.

:func:`compare`, :func:`trend` and :func:`ranks` look up numbers and name their cases; :func:`case` and :func:`share_of_cases`
take numbers that a claim's function has computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from pulab.claims.evidence import Evidence, Missing, Numbers, known
from pulib.statistics import FriedmanNemenyi, friedman_nemenyi, mean_ci, paired_t, paired_wilcoxon

#: Factor of our own thresholds; a claim is also judged at slightly lower and higher ones.
_SCALE: ContextVar[float] = ContextVar("scale", default=1.0)
_USED: ContextVar[bool] = ContextVar("used", default=False)


@contextmanager
def thresholds_times(scale: float) -> Iterator[Callable[[], bool]]:
    """Judge with our own thresholds times ``scale``; yields a function that returns whether any was used."""
    tokens = _SCALE.set(scale), _USED.set(False)
    try:
        yield _USED.get
    finally:
        _SCALE.reset(tokens[0])
        _USED.reset(tokens[1])


def ours(threshold: float) -> float:
    """Return a threshold that is ours, not the sentence's, times the current scale."""
    _USED.set(_USED.get() or (threshold != 0 and not math.isinf(threshold)))
    return threshold * _SCALE.get()


#: Significance level.
ALPHA = 0.05
#: Minimum number of data sets or repeats for judging ranks.
RANKED = 5
_TESTS = {"t": paired_t, "wilcoxon": paired_wilcoxon}
Side = Numbers | float
Pair = tuple[Side, Side]
Expect = Literal["greater", "not_less", "close", "times"]
Test = Literal["t", "wilcoxon"] | None
#: ("differ",), ("better", a, b) or ("same", a, b)
Relation = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """One case of a claim.

    Attributes
    ----------
    case : str
        Its name.
    status : {"holds", "fails", "pending", "not available"}
    left, right, difference : float
        Numbers that were compared.
    low, high : float
        95% interval of the difference (Student's t over the repeats).
    threshold : {"", "left", "right"}
        Which side is a constant.
    statistic, pvalue : float
        Of a test.
    n : float
        Number of repeats (of ranks: of the data sets or repeats ranked over).
    datasets : str
        Data sets of the numbers, separated by spaces.
    reason : str
        Why it cannot be judged.
    kind : {"comparison", "trend", "ranks"}
        How to put its numbers into words.
    one_sided : bool
        Whether it tests for significance in one direction.
    absence : bool
        Whether it holds if a test is not significant.
    """

    case: str
    status: str
    left: float = math.nan
    right: float = math.nan
    threshold: str = ""
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    statistic: float = math.nan
    n: float = math.nan
    pvalue: float = math.nan
    datasets: str = ""
    reason: str = ""
    kind: str = "comparison"
    one_sided: bool = False
    absence: bool = False


CASE_COLUMNS = [field.name for field in fields(Case) if field.name not in ("kind", "one_sided", "absence")]


def case(
    name: str, holds: bool, left: float = math.nan, right: float = math.nan, *, n: int = 0, pvalue: float = math.nan,
    datasets: Iterable[str] = (),
) -> Case:  # fmt: skip
    """Make a case from two numbers that the claim has computed; for parameters, see :class:`Case`."""
    return Case(name, _status(holds), left, right, difference=left - right, n=n, pvalue=pvalue, datasets=_joined(datasets))


def missing(name: str, why: Missing, datasets: Iterable[str] = ()) -> Case:
    """Make a case without numbers."""
    return Case(name, why.status, reason=str(why), datasets=_joined(datasets))


def case_or_missing(name: str, make: Callable[[], Case]) -> Case:
    """Return ``make()``, or a case that says why there is no verdict."""
    try:
        return make()
    except Missing as why:
        return missing(name, why)


def share_of_cases(name: str, held: Sequence[bool], *, n: int = 0, datasets: Iterable[str] = ()) -> Case:
    """Make a case that holds if more than half of its parts do; ``left`` is that share.

    Without parts, it is pending.
    """
    if not held:
        return missing(name, Missing("pending", "no results to judge"))
    share, least = 100.0 * float(np.mean(held)), ours(50.0)
    return case(f"{name} ({sum(held)} of {len(held)})", share > least, share, least, n=n, datasets=datasets)


# ------------------------------------------------------------------------------------------------------- comparisons


def against(
    places: Iterable[Numbers], lefts: str | Sequence[str], rights: str | Sequence[str]
) -> list[tuple[Numbers, Numbers]]:
    """Pair the numbers of each left method with those of each right method, place by place."""
    lefts, rights = ([side] if isinstance(side, str) else side for side in (lefts, rights))
    return [(place(method=left), place(method=right)) for place in places for left in lefts for right in rights]


def compare(
    evidence: Evidence,
    pairs: Iterable[Pair],
    expect: Expect,
    *,
    tolerance: float = 0.0,
    margin: float = 0.0,
    at_most: float = math.inf,
    factor: float = 1.0,
    test: Test = None,
    least: int = 1,
    shown: Sequence[str] = (),
    exact: bool = False,
) -> Iterator[Case]:
    """Yield a case for each pair of numbers: the left one compared with the right one.

    Parameters
    ----------
    evidence : Evidence
    pairs : iterable of pairs
        Numbers to look up, or constants in the claim's unit.  Pairs with equal sides and repeated pairs are skipped (several
        data sets of a paper may have one stand-in).
    expect : {"greater", "not_less", "close", "times"}
        Left is greater by more than ``margin`` and at most ``at_most``; less by at most ``tolerance``; within ``tolerance``;
        or at least ``factor`` times as great.
    test : {"t", "wilcoxon"}, optional
        Paired by repeat, at 5%.  "greater" must be significant (one-sided); "not_less" and "close" must not be contradicted
        significantly (two-sided).
    least : int
        Minimum number of repeats for judging a pair.
    shown : sequence of str
        Attributes to include in a case's name even if both sides share them; the data set is always included.
    exact : bool
        Whether constants come from the sentence itself (none, every one, a bound), so that they are not thresholds of ours.
    """
    scaled = (lambda threshold: threshold) if exact else ours
    tolerance, margin, at_most, factor = map(scaled, (tolerance, margin, at_most, factor if expect == "times" else 0.0))

    def side(given: Any) -> Any:
        return given if isinstance(given, Numbers) else scaled(float(given))

    for left, right in _distinct(evidence, [(side(left), side(right)) for left, right in pairs]):
        name, datasets, threshold = _name(left, right, shown, evidence), _datasets(left, right), _constant_side(left, right)
        try:
            both = _paired(left, right, evidence)
            if len(both) < least:
                raise Missing("not available", f"{len(both)} of the {least} required repeats are stored")
            statistic, pvalue = _tested(test, expect, both)
        except Missing as why:
            yield replace(missing(name, why, datasets), threshold=threshold)
            continue
        a, b = (float(mean) for mean in both.mean(axis=0))
        difference = a - b
        if expect == "greater":
            holds = margin < difference <= at_most + 1e-9 and not pvalue >= ALPHA
        elif expect == "not_less":
            holds = difference >= -tolerance - 1e-9 or pvalue >= ALPHA
        elif expect == "close":
            holds = abs(difference) <= tolerance + 1e-9 if math.isnan(pvalue) else pvalue >= ALPHA
        elif expect == "times":
            holds = a >= factor * b
        else:
            raise ValueError(f"expect={expect!r}; expected greater, not_less, close or times")
        yield Case(
            name, _status(holds), a, b, threshold, difference, *_interval(both), statistic, len(both), pvalue,
            _joined(datasets),
            one_sided=test is not None and expect == "greater", absence=test is not None and expect != "greater",
        )  # fmt: skip


def trend(
    evidence: Evidence, pairs: Iterable[tuple[Numbers, Numbers]], least: float, shown: Sequence[str] = ()
) -> Iterator[Case]:
    """Yield a case for each pair of stored series: Spearman's correlation of their means over repeats is at least ``least``."""
    least = ours(least)
    for left, right in _distinct(evidence, pairs):
        name, datasets = _name(left, right, shown, evidence), _datasets(left, right)
        try:
            a, b = evidence.series(left), evidence.series(right)
        except Missing as why:
            yield missing(name, why, datasets)
            continue
        outcome = spearmanr(*a.mean().align(b.mean(), join="inner"))
        correlation, pvalue = float(outcome.statistic), float(outcome.pvalue)
        n = min(len(a), len(b))
        yield Case(
            name,
            _status(correlation >= least),
            statistic=correlation,
            pvalue=pvalue,
            n=n,
            datasets=_joined(datasets),
            kind="trend",
        )


def _interval(both: np.ndarray) -> tuple[float, float]:
    """Return the 95% interval of the mean difference; NaN for fewer than three repeats or equal differences."""
    differences = both[:, 0] - both[:, 1]
    if len(differences) < 3 or np.ptp(differences) == 0:
        return math.nan, math.nan
    found = mean_ci(differences)
    return float(found.low), float(found.high)


def _constant_side(left: Side, right: Side) -> str:
    return "" if isinstance(left, Numbers) and isinstance(right, Numbers) else "left" if isinstance(right, Numbers) else "right"


def _distinct(evidence: Evidence, pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """Yield each pair once, on the data sets that have results, without pairs whose sides are the same."""
    seen = []
    for pair in pairs:
        there = tuple(side(dataset=evidence.dataset(side.dataset)) if isinstance(side, Numbers) else side for side in pair)
        if there[0] != there[1] and there not in seen:
            seen.append(there)
            yield there[0], there[1]


def _paired(left: Side, right: Side, evidence: Evidence) -> np.ndarray:
    """Return both sides' numbers as two columns, with a row per repeat that has both; a constant is repeated."""
    sides = [evidence.values(side) if isinstance(side, Numbers) else float(side) for side in (left, right)]
    both = pd.DataFrame(dict(enumerate(sides))).dropna().to_numpy(dtype=float)
    if not len(both):
        raise Missing("pending", "no repeat has both numbers")
    return both


def _tested(test: str | None, expect: str, both: np.ndarray) -> tuple[float, float]:
    """Return statistic and p-value; NaN without a test."""
    if test is None:
        return math.nan, math.nan
    # minimum number of pairs that can reach significance
    needed = 2 if test == "t" else math.ceil(-math.log2(ALPHA)) + (expect != "greater")
    if len(both) < needed:
        raise Missing("pending", f"{len(both)} repeats; the test needs {needed}")
    outcome = _TESTS[test](both[:, 0], both[:, 1], "greater" if expect == "greater" else "two-sided")
    return float(outcome.statistic), float(outcome.pvalue)


# -------------------------------------------------------------------------------------------------------------- ranks


def ranks(
    evidence: Evidence,
    sides: Mapping[str, Numbers],
    relations: Sequence[Relation],
    *,
    over: Sequence[str] = (),
    where: str = "",
) -> Iterator[Case]:
    """Yield a case for each relation of several sides' ranks, by Friedman's test (Iman and Davenport) and Nemenyi's.

    A relation is ``("differ",)``, the omnibus test alone; ``("better", a, b)``, significantly; or ``("same", a, b)``, no
    significant difference.  Ranks are by the means over repeats on the data sets ``over``; if it is empty, repeats are ranked.
    Names of cases begin with ``where``, a data set or setting.  Fewer than :data:`RANKED` data sets or repeats with all sides
    are not judged.
    """
    words = evidence.words(where)
    try:
        scores = _scores(evidence, sides, over)
        ranking = friedman_nemenyi(scores, ALPHA)
    except Missing as why:
        yield missing(words or "ranks", why)
        return
    datasets = scores.index if over else [evidence.dataset(numbers.dataset) for numbers in sides.values()]
    for relation, *names in relations:
        said = {"differ": "Friedman's test", "better": "{} before {}", "same": "{} as {}"}[relation]
        name = ", ".join(filter(None, [words, said.format(*map(evidence.words, names))]))
        yield replace(_related(ranking, relation, names), case=name, n=ranking.n_datasets, datasets=_joined(datasets))


def _scores(evidence: Evidence, sides: Mapping[str, Numbers], over: Sequence[str]) -> pd.DataFrame:
    """Return one row per data set with means over repeats, or one per repeat; only rows with all sides."""
    if over:
        rows = known(
            lambda name: [evidence.values(numbers(dataset=name)).mean() for numbers in sides.values()],
            map(evidence.dataset, over),
        )
        scores = pd.DataFrame.from_dict(rows, orient="index", columns=list(sides))
    else:
        scores = pd.concat([evidence.values(numbers) for numbers in sides.values()], axis=1, keys=list(sides))
    scores = scores.dropna()
    if len(scores) < RANKED:
        what = "data sets" if over else "repeats"
        raise Missing("pending", f"{len(scores)} {what} with all of {', '.join(sides)}; {RANKED} are needed")
    return scores


def _related(ranking: FriedmanNemenyi, relation: str, names: Sequence[str]) -> Case:
    """Return a relation's case without its name and the source of its ranks."""
    if relation == "differ":
        spread = float(ranking.average_ranks.max() - ranking.average_ranks.min())
        status = _status(ranking.f_pvalue < ALPHA)
        return Case("", status, difference=spread, statistic=ranking.f, pvalue=ranking.f_pvalue, kind="ranks")
    left, right = (float(ranking.average_ranks[name]) for name in names)
    p, critical = float(ranking.pvalues.loc[names[0], names[1]]), ranking.critical_difference
    status = _status((left < right and p < ALPHA) if relation == "better" else p >= ALPHA)
    return Case(
        "", status, left, right, difference=left - right, statistic=critical, pvalue=p, kind="ranks", absence=relation == "same"
    )


# -------------------------------------------------------------------------------------------------------------- names

_SHOWN = ("dataset", "setting", "method", "metric", "step")


def _name(left: Side, right: Side, shown: Sequence[str], evidence: Evidence) -> str:
    """Return what both sides share, as far as it is shown, and where they differ."""
    if not (isinstance(left, Numbers) and isinstance(right, Numbers)):
        only = left if isinstance(left, Numbers) else right
        assert isinstance(only, Numbers), "a comparison of two constants"
        return evidence.words(*(_part(only, key) for key in _SHOWN if key in ("dataset", "method", *shown)), only.name)
    shared = [key for key in _SHOWN if _part(left, key) == _part(right, key) and key in ("dataset", *shown)]
    sides = (_side(own, other, evidence) for own, other in ((left, right), (right, left)))
    return ", ".join(filter(None, [evidence.words(*(_part(left, key) for key in shared)), " against ".join(sides)]))


def _side(own: Numbers, other: Numbers, evidence: Evidence) -> str:
    differing = [_part(own, key) for key in _SHOWN if _part(own, key) != _part(other, key)]
    return own.name or " ".join(filter(None, map(evidence.words, differing)))


def _part(numbers: Numbers, key: str) -> Any:
    value = getattr(numbers, key)
    return "" if value is None else value


def _datasets(*sides: Side) -> list[str]:
    return [str(side.dataset) for side in sides if isinstance(side, Numbers)]


def _joined(datasets: Iterable[str]) -> str:
    return " ".join(name for name in dict.fromkeys(datasets) if name)


def _status(holds: bool) -> str:
    return "holds" if holds else "fails"
