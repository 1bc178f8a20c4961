"""The cases of a claim: each compares two selections, or two methods' ranks, and holds or does not.

``compare``
    Per pair of ``pairs`` and per combination of ``each`` (the claim's and the pair's own): ``left`` against ``right``.
    ``expect`` is ``greater`` (by more than ``margin``, and by at most ``at_most``), ``not_less`` (by more than ``tolerance``),
    ``close`` (within ``tolerance``) or ``times`` (at least ``factor`` times).  With a ``test`` (``t`` or ``wilcoxon``, paired
    by repeat, at ``alpha``), greater has to be significant (one-sided), and not_less and close must not be contradicted
    significantly (two-sided).
``similar``
    The same, on stored series: Spearman's correlation of the mean series is at least ``threshold``.
``ranks``
    Friedman's test (Iman and Davenport) and Nemenyi's over ``blocks`` (data sets) or over repeats, for each combination of
    ``each``: ``relations`` lists pairs of ``treatments`` that should be ``better`` (significantly) or the ``same``
    (not significantly different), or ``differ`` (the omnibus test alone).
``own``
    Cases by a function of Python (:mod:`pulab.claims.own`).

A comparison needs ``least`` repeats where the claim says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import pandas as pd
from scipy.stats import spearmanr

from pulab.claims.evidence import EVERY, Evidence, Missing
from pulab.claims.own import own_cases
from pulib.statistics import FriedmanNemenyi, friedman_nemenyi, paired_t, paired_wilcoxon

CASE_COLUMNS = ["case", "status", "left", "right", "threshold", "difference", "statistic", "n", "pvalue", "datasets", "reason"]
_TESTS = {"t": paired_t, "wilcoxon": paired_wilcoxon}


def claim_cases(claim: Mapping[str, Any], evidence: Evidence, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """All cases of a claim; ``status`` is ``holds``, ``fails``, ``pending`` or ``not available``."""
    kind = {"compare": _compare, "similar": _similar, "ranks": _ranks, "own": own_cases}[claim["check"]]
    return list(kind(claim, evidence, labels))


def expanded(select: Mapping[str, Any], keys: tuple[str, ...] | None = None) -> Iterator[dict[str, Any]]:
    """Every selection that lists stand for.  A list within the list of data sets is one data set and its replacements."""
    lists = {k: v for k, v in select.items() if isinstance(v, list) and (keys is None or k in keys) and k != "path"}
    for values in product(*lists.values()):
        yield {**select, **dict(zip(lists, values, strict=True))}


_EXPANDING = ("dataset", "setting", "method", "metric", "step")


def _pairs(claim: Mapping[str, Any], evidence: Evidence) -> Iterator[tuple[dict, dict, list[str]]]:
    common = {
        key: claim[key]
        for key in ("metric", "source", "reduce", "share", "curve", "across", "setting", "first_repeats")
        if key in claim
    }
    seen = set()
    for pair in claim["pairs"]:
        for each in expanded({**claim.get("each", {}), **pair.get("each", {})}):
            if "dataset" in each:
                each = {**each, "dataset": evidence.dataset(each["dataset"])}
            lefts, rights = ({**common, **each, **pair[side]} for side in ("left", "right"))
            for left, right in product(expanded(lefts, _EXPANDING), expanded(rights, _EXPANDING)):
                # several data sets of a paper may have one stand-in
                if left != right and repr((left, right)) not in seen:
                    seen.add(repr((left, right)))
                    yield left, right, list(each)


def _compare(claim: Mapping[str, Any], evidence: Evidence, labels: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for left, right, varied in _pairs(claim, evidence):
        case = _named(left, right, varied, labels) | _datasets(evidence.datasets(left) + evidence.datasets(right))
        try:
            a, b = evidence.values(left), evidence.values(right)
            yield case | _judged(claim, a, b)
        except Missing as missing:
            yield case | {"status": missing.status, "reason": str(missing)}


def _judged(claim: Mapping[str, Any], a: pd.Series, b: pd.Series) -> dict[str, Any]:
    made_of = max((side.attrs.get("repeats", 0) for side in (a, b) if EVERY in side.index), default=0)
    a, b = _to_repeats_of(b, a), _to_repeats_of(a, b)
    both = pd.concat([a, b], axis=1, join="inner").dropna().to_numpy(dtype=float)
    repeats = made_of if EVERY in a.index else len(both)
    if not len(both):
        raise Missing("pending", "no repeat has both numbers")
    if repeats < claim.get("least", 1):
        raise Missing("not available", f"of the {claim['least']} repeats that it needs {repeats} are kept")
    scale = claim.get("scale", 1.0)
    left, right = scale * both.mean(axis=0)
    out = {"left": left, "right": right, "difference": left - right, "n": repeats, "statistic": math.nan, "pvalue": math.nan}
    test, expect, alpha = claim.get("test"), claim["expect"], claim.get("alpha", 0.05)
    if test:
        if len(both) < _least_repeats(test, expect, alpha):
            raise Missing("pending", f"{len(both)} repeats; the test needs {_least_repeats(test, expect, alpha)}")
        outcome = _TESTS[test](both[:, 0], both[:, 1], "greater" if expect == "greater" else "two-sided")
        out |= {"statistic": outcome.statistic, "pvalue": outcome.pvalue}
    return out | {"status": "holds" if _holds(claim, out) else "fails"}


def _to_repeats_of(other: pd.Series, own: pd.Series) -> pd.Series:
    """``own``, repeated where it is one number for every repeat."""
    return pd.Series(own.iloc[0], index=other.index) if EVERY in own.index and EVERY not in other.index else own


def _least_repeats(test: str, expect: str, alpha: float) -> int:
    """How many pairs can reach significance at all."""
    if test == "t":
        return 2
    return math.ceil(-math.log2(alpha)) + (expect != "greater")


def _holds(claim: Mapping[str, Any], case: Mapping[str, Any]) -> bool:
    expect, difference = claim["expect"], case["difference"]
    tested, significant = not math.isnan(case["pvalue"]), case["pvalue"] < claim.get("alpha", 0.05)
    tolerance = claim.get("tolerance", 0.0) + 1e-9
    if expect == "greater":
        slightly = difference <= claim.get("at_most", math.inf) + 1e-9
        return difference > claim.get("margin", 0.0) and slightly and (significant or not tested)
    if expect == "not_less":
        return difference >= -tolerance or (tested and not significant)
    if expect == "close":
        return not significant if tested else abs(difference) <= tolerance
    if expect == "times":
        return case["left"] >= claim["factor"] * case["right"]
    raise ValueError(f"claim {claim['id']}: expect={expect!r}; expected greater, not_less, close or times")


def _similar(claim: Mapping[str, Any], evidence: Evidence, labels: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for left, right, varied in _pairs(claim, evidence):
        case = _named(left, right, varied, labels) | _datasets(evidence.datasets(left) + evidence.datasets(right))
        try:
            a, b = evidence.curves(left), evidence.curves(right)
        except Missing as missing:
            yield case | {"status": missing.status, "reason": str(missing)}
            continue
        n = min(len(a), len(b))
        a, b = a.mean().align(b.mean(), join="inner")
        outcome = spearmanr(a, b)
        value, pvalue = float(outcome.statistic), float(outcome.pvalue)
        numbers = {"left": math.nan, "right": math.nan, "difference": math.nan}
        status = "holds" if value >= claim["threshold"] else "fails"
        yield case | numbers | {"statistic": value, "pvalue": pvalue, "n": n, "status": status}


def _ranks(claim: Mapping[str, Any], evidence: Evidence, labels: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    treatments = claim["treatments"]
    common = {key: claim[key] for key in ("metric", "setting") if key in claim}
    for each in expanded(claim.get("each", {})):
        where = ", ".join(_label(evidence.dataset(v) if k == "dataset" else v, labels) for k, v in each.items())
        try:
            scores = _score_matrix({**common, **each}, treatments, claim, evidence)
            ranking = friedman_nemenyi(scores, claim.get("alpha", 0.05))
        except Missing as missing:
            yield {"case": where or "ranks", "status": missing.status, "reason": str(missing)}
            continue
        datasets = _datasets(scores.index if "blocks" in claim else evidence.datasets(each))
        for relation, names in ((r, n) for item in claim["relations"] for r, n in item.items()):
            yield {
                "case": ", ".join(filter(None, [where, _relation(relation, names, labels)])),
                **datasets,
                **_related(ranking, relation, names, claim.get("alpha", 0.05)),
            }


def _score_matrix(select: dict, treatments: Mapping[str, dict], claim: Mapping[str, Any], evidence: Evidence) -> pd.DataFrame:
    """One row per data set with means over repeats, or per repeat; only rows with all treatments."""
    if "blocks" not in claim:
        select = {**select, "dataset": evidence.dataset(select["dataset"])}
        scores = pd.concat([evidence.values({**select, **own}) for own in treatments.values()], axis=1, keys=list(treatments))
    else:
        rows = {}
        for name in claim["blocks"]:
            name = evidence.dataset(name)
            try:
                rows[name] = [evidence.values({**select, "dataset": name, **own}).mean() for own in treatments.values()]
            except Missing:
                continue
        scores = pd.DataFrame.from_dict(rows, orient="index", columns=list(treatments))
    scores = scores.dropna()
    if len(scores) < claim.get("least_blocks", 5):
        what = "data sets" if "blocks" in claim else "repeats"
        raise Missing(
            "pending", f"{len(scores)} {what} with all of {', '.join(treatments)}; {claim.get('least_blocks', 5)} are needed"
        )
    return scores


def _related(ranking: FriedmanNemenyi, relation: str, names: list[str], alpha: float) -> dict[str, Any]:
    out = {"n": ranking.n_datasets, "reason": ""}
    if relation == "differ":
        spread = float(ranking.average_ranks.max() - ranking.average_ranks.min())
        holds = ranking.f_pvalue < alpha
        return out | {
            "left": math.nan, "right": math.nan, "difference": spread, "statistic": ranking.f, "pvalue": ranking.f_pvalue,
            "status": "holds" if holds else "fails",
        }  # fmt: skip
    left, right = (float(ranking.average_ranks[name]) for name in names)
    pvalue = float(ranking.pvalues.loc[names[0], names[1]])
    holds = (left < right and pvalue < alpha) if relation == "better" else pvalue >= alpha
    return out | {
        "left": left, "right": right, "difference": left - right, "statistic": ranking.critical_difference, "pvalue": pvalue,
        "status": "holds" if holds else "fails",
    }  # fmt: skip


def _relation(relation: str, names: list[str], labels: Mapping[str, str]) -> str:
    if relation == "differ":
        return "Friedman's test"
    return {"better": "{} before {}", "same": "{} as {}"}[relation].format(*(_label(n, labels) for n in names))


def _label(value: Any, labels: Mapping[str, str]) -> str:
    return labels.get(str(value), str(value))


def _named(left: Mapping[str, Any], right: Mapping[str, Any], varied: list[str], labels: Mapping[str, str]) -> dict[str, Any]:
    """A case's name: what its sides share, as far as the claim goes over it, and where they differ.

    ``threshold`` says which side is a constant.
    """
    threshold = next((name for name, side in (("left", left), ("right", right)) if "value" in side), "")
    shown = ("dataset", "setting", "method", "metric", "step")
    shared = [k for k in shown if k in left and k in right and left[k] == right[k] and (k in varied or k == "dataset")]
    if threshold:
        only = right if threshold == "left" else left
        parts = [only[k] for k in shown if k in only and (k in varied or k in ("dataset", "method"))]
        parts.append(only.get("name", ""))
    else:
        sides = [_side(side, other, shown, labels) for side, other in ((left, right), (right, left))]
        parts = [left[k] for k in shared] + [f"{sides[0]} against {sides[1]}"]
    text = ", ".join(filter(None, (_label(part, labels) for part in parts)))
    return {"case": text, "threshold": threshold, "reason": ""}


def _datasets(names: Iterable[str]) -> dict[str, str]:
    return {"datasets": " ".join(dict.fromkeys(names))}


def _side(side: Mapping[str, Any], other: Mapping[str, Any], shown: tuple[str, ...], labels: Mapping[str, str]) -> str:
    differing = [side[k] for k in shown if k in side and side[k] != other.get(k)]
    words = " ".join(filter(None, (_label(value, labels) for value in differing)))
    return side.get("name") or words or _label(side.get("reduce", ""), labels)
