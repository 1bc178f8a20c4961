"""The cases of a claim: each compares two numbers, two series or two ranks, and holds or does not.

:func:`compare`, :func:`trend` and :func:`ranks` take which numbers to look at and yield cases with names of their own;
:func:`case` and :func:`share_of_cases` make one of numbers that a claim's function has worked out itself.
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

#: Thresholds of ours times this are those that count; a claim is judged at some that are a little lower and higher, too.
_SCALE: ContextVar[float] = ContextVar("scale", default=1.0)
_USED: ContextVar[bool] = ContextVar("used", default=False)


@contextmanager
def thresholds_times(scale: float) -> Iterator[Callable[[], bool]]:
    """Judge at thresholds of ours times ``scale``; the function that it gives says whether any has been used."""
    tokens = _SCALE.set(scale), _USED.set(False)
    try:
        yield _USED.get
    finally:
        _SCALE.reset(tokens[0])
        _USED.reset(tokens[1])


def ours(threshold: float) -> float:
    """A threshold that is ours, not the sentence's, at the scale that counts."""
    _USED.set(_USED.get() or (threshold != 0 and not math.isinf(threshold)))
    return threshold * _SCALE.get()


#: A difference is significant below this.
ALPHA = 0.05
#: Data sets or repeats without which ranks are not judged.
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
        What was compared.
    low, high : float
        The difference's 95% interval (Student's t over the repeats).
    threshold : {"", "left", "right"}
        Which side is a constant.
    statistic, pvalue : float
        Of a test.
    n : float
        Repeats behind it (of ranks: what was ranked over).
    datasets : str
        Where the numbers come from, separated by blanks.
    reason : str
        Why it cannot be judged.
    kind : {"comparison", "trend", "ranks"}
        How its numbers are put into words.
    one_sided : bool
        Whether it is about significance in one direction.
    absence : bool
        Whether it holds where a test is not significant.
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
    """A case of two numbers that the claim has worked out itself; the parameters are those of :class:`Case`."""
    return Case(name, _status(holds), left, right, difference=left - right, n=n, pvalue=pvalue, datasets=_joined(datasets))


def missing(name: str, why: Missing, datasets: Iterable[str] = ()) -> Case:
    """A case without numbers."""
    return Case(name, why.status, reason=str(why), datasets=_joined(datasets))


def case_or_missing(name: str, make: Callable[[], Case]) -> Case:
    """``make()``, or a case without a verdict that says why there is none."""
    try:
        return make()
    except Missing as why:
        return missing(name, why)


def share_of_cases(name: str, held: Sequence[bool], *, n: int = 0, datasets: Iterable[str] = ()) -> Case:
    """A case that holds where more than half of its own parts do; ``left`` is that share.

    Without parts it is pending.
    """
    if not held:
        return missing(name, Missing("pending", "no results to judge by"))
    share, least = 100.0 * float(np.mean(held)), ours(50.0)
    return case(f"{name} ({sum(held)} of {len(held)})", share > least, share, least, n=n, datasets=datasets)


# ------------------------------------------------------------------------------------------------------- comparisons


def against(
    places: Iterable[Numbers], lefts: str | Sequence[str], rights: str | Sequence[str]
) -> list[tuple[Numbers, Numbers]]:
    """The numbers of each left method and of each right one, place by place."""
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
    """A case for each pair of numbers: the left one against the right one.

    Parameters
    ----------
    evidence : Evidence
    pairs : iterable of pairs
        Numbers to look up, or constants in the claim's unit.  Pairs of the same numbers, and those that came before (several
        data sets of a paper may have one stand-in), are left out.
    expect : {"greater", "not_less", "close", "times"}
        Left is greater by more than ``margin`` and by at most ``at_most``; not less by more than ``tolerance``; within
        ``tolerance``; or at least ``factor`` times as great.
    test : {"t", "wilcoxon"}, optional
        Paired by repeat, at 5%.  Greater has to be significant (one-sided); not less and close must not be contradicted
        significantly (two-sided).
    least : int
        Repeats without which a pair is not judged.
    shown : sequence of str
        Attributes that a case's name gives though both sides share them; the data set is always given.
    exact : bool
        Whether constants are what the sentence itself says (none, every one, a bound), not thresholds of ours.
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
                raise Missing("not available", f"{len(both)} of the {least} repeats that it needs are stored")
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
    """A case for each pair of stored series: Spearman's correlation of their means over repeats is at least ``least``."""
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
    """The 95% interval of the mean difference, of three repeats or more that differ."""
    differences = both[:, 0] - both[:, 1]
    if len(differences) < 3 or np.ptp(differences) == 0:
        return math.nan, math.nan
    found = mean_ci(differences)
    return float(found.low), float(found.high)


def _constant_side(left: Side, right: Side) -> str:
    return "" if isinstance(left, Numbers) and isinstance(right, Numbers) else "left" if isinstance(right, Numbers) else "right"


def _distinct(evidence: Evidence, pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """Pairs on the data sets that are looked at, each once, without those whose sides are the same."""
    seen = []
    for pair in pairs:
        there = tuple(side(dataset=evidence.dataset(side.dataset)) if isinstance(side, Numbers) else side for side in pair)
        if there[0] != there[1] and there not in seen:
            seen.append(there)
            yield there[0], there[1]


def _paired(left: Side, right: Side, evidence: Evidence) -> np.ndarray:
    """Both sides' numbers in two columns, a row per repeat that has both; a constant goes with each of them."""
    sides = [evidence.values(side) if isinstance(side, Numbers) else float(side) for side in (left, right)]
    both = pd.DataFrame(dict(enumerate(sides))).dropna().to_numpy(dtype=float)
    if not len(both):
        raise Missing("pending", "no repeat has both numbers")
    return both


def _tested(test: str | None, expect: str, both: np.ndarray) -> tuple[float, float]:
    """Statistic and p-value; not a number without a test."""
    if test is None:
        return math.nan, math.nan
    # how many pairs can reach significance at all
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
    """A case for each relation of several sides' ranks, by Friedman's test (Iman and Davenport) and Nemenyi's.

    A relation is ``("differ",)``, the omnibus test alone; ``("better", a, b)``, significantly; or ``("same", a, b)``, no
    significant difference. Ranks are by the means over repeats on the data sets ``over``; where that is empty, repeats are
    ranked. Cases' names begin with ``where``, a data set or setting. Nothing is judged without :data:`RANKED` data sets or
    repeats with all sides.
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
    """One row per data set with means over repeats, or per repeat; only rows with all sides."""
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
    """A relation's case, but for its name and where its ranks come from."""
    if relation == "differ":
        apart = float(ranking.average_ranks.max() - ranking.average_ranks.min())
        status = _status(ranking.f_pvalue < ALPHA)
        return Case("", status, difference=apart, statistic=ranking.f, pvalue=ranking.f_pvalue, kind="ranks")
    left, right = (float(ranking.average_ranks[name]) for name in names)
    p, critical = float(ranking.pvalues.loc[names[0], names[1]]), ranking.critical_difference
    status = _status((left < right and p < ALPHA) if relation == "better" else p >= ALPHA)
    return Case(
        "", status, left, right, difference=left - right, statistic=critical, pvalue=p, kind="ranks", absence=relation == "same"
    )


# -------------------------------------------------------------------------------------------------------------- names

_SHOWN = ("dataset", "setting", "method", "metric", "step")


def _name(left: Side, right: Side, shown: Sequence[str], evidence: Evidence) -> str:
    """What both sides share, as far as it is shown, and where they differ."""
    if not (isinstance(left, Numbers) and isinstance(right, Numbers)):
        only = left if isinstance(left, Numbers) else right
        assert isinstance(only, Numbers), "two constants need no evidence"
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
