"""Judged claims as Markdown and LaTeX: counts, tables, and findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from pulab.claims import VERDICTS
from pulab.claims.judge import FAR, THRESHOLD_CHANGE
from pulab.claims.registry import THEMES
from pulab.tables.markup import Prose, latex
from pulab.tables.sheet import Grid, Sheet
from pulab.trials.results import read_csv

TITLE = "Claims of the papers, tested"
RULE = (
    "A claim is a sentence of a paper, shown with what was tested; we chose the thresholds that a sentence leaves open. "
    "A claim about several cases (data sets, methods) holds, holds in part, or does not hold; if it says "
    '"usually", more than half of its cases have to hold, and if it says "sometimes", one of them. Cases that were not run, or '
    "whose data are unavailable, have no verdict; if they are at least half of a claim's cases and could change its verdict, "
    "the claim is not tested in full. p is the probability that as many cases hold by chance (binomial test against one half). "
    "A test is weak if hardly any result could fail it: one of many cases is enough, it only requires that a test find no "
    f"difference, every value is beyond our threshold by a factor of {FAR:g}, or it follows from algebra or holds for "
    "any method; or if hardly any result could pass it."
)
#: Headings of the verdicts; claims that do not hold come first.
HEADINGS = {
    "does not hold": "Does not hold",
    "holds in part": "Holds in part",
    "holds": "Holds",
    "not tested in full": "Not tested in full",
    "pending": "Not run yet",
    "not available": "Not available",
}


def read_claims(path: str | Path) -> pd.DataFrame:
    """Read the claims that the workflow wrote; missing texts become empty strings."""
    texts = ["section", "quote", "tested", "repeats", "numbers", "also", "lower", "higher", "contradicted", "weak"]
    texts += ["stand_in", "why", "theme", "part"]
    table = read_csv(path, dtype=dict.fromkeys(texts, str))
    table[texts] = table[texts].fillna("")
    return table


def claim_counts(claims: pd.DataFrame) -> pd.DataFrame:
    """Count claims by paper (rows, with the total last) and verdict."""
    counts = pd.crosstab(claims["study"], claims["verdict"]).reindex(index=list(dict.fromkeys(claims["study"])))
    counts = counts.reindex(columns=[v for v in VERDICTS if v in counts.columns])
    counts.loc["**all**"] = counts.sum()
    return counts


def count_grid(counts: pd.DataFrame, first: str = "study", title: str = "") -> Grid:
    """Make a table of counts.

    >>> print(count_grid(pd.DataFrame({"holds": [2]}, index=["p"])).markdown())
    | study | holds |
    |---|---|
    | p | 2 |
    """
    rows = ([Prose(name), *map(int, row)] for name, *row in counts.itertuples())
    return Grid.of([first, *counts.columns], rows, title=title)


def score(claim: Any) -> str:
    """Describe a claim's verdict, how many of its cases hold, and what else is known about them."""
    if not claim.cases:
        return claim.verdict
    several = claim.cases > 1 or claim.verdict == "not tested in full"
    parts = [f"{claim.held} of {claim.cases}"] if several else []
    if claim.cases > 1 and not pd.isna(claim.held_holm):
        parts.append(f"{int(claim.held_holm)} after Holm's correction")
    if claim.cases > 1 and not pd.isna(claim.chance):
        parts.append("p < 0.001" if claim.chance < 0.001 else f"p = {claim.chance:.2g}")
    if claim.pending:
        parts.append(f"{claim.pending} not run")
    if claim.not_available:
        parts.append(f"{claim.not_available} not available")
    said = f"{claim.verdict}" + (f" ({', '.join(parts)})" if parts else "")
    said += f"; another reading gives the opposite ({claim.contradicted})" if claim.contradicted else ""
    return said + (f"; a weak test: {claim.weak}" if claim.weak else "")


def claims_sheet(claims: pd.DataFrame) -> Sheet:
    """Make the tables of all claims with their verdicts, one per study."""
    if claims.empty:
        return Sheet(TITLE, RULE, legend="No claims.")
    own = [claim_grid(part, title=f"**{study}**") for study, part in claims.groupby("study", sort=False)]
    return Sheet(TITLE, RULE, [count_grid(claim_counts(claims)), *own])


def claim_grid(claims: pd.DataFrame, title: str) -> Grid:
    """Make the table of one study's claims, one per row."""
    rows = []
    for claim in claims.itertuples(index=False):
        numbers = ". ".join(filter(None, [claim.numbers, around(claim), claim.also and f"Other readings: {claim.also}"]))
        rows.append(
            [
                claim.section,
                f"“{claim.quote}”" + (f" Tested here: “{claim.part}”" if claim.part else ""),
                Prose(claim.tested),
                score(claim),
                numbers,
            ]
        )
    return Grid.of(["section", "the paper says", "tested", "verdict", "numbers"], rows, title=title)


def claims_latex(claims: pd.DataFrame) -> str:
    """Return all claims with their verdicts as a longtable (needs booktabs and longtable)."""
    lines = [r"\begin{longtable}{llp{7cm}l}", rf"\caption{{{TITLE}}}\label{{claims}}\\", r"\toprule"]
    lines += [r"paper & section & the paper says & verdict \\", r"\midrule", r"\endhead"]
    for claim in claims.itertuples(index=False):
        cells = [claim.study, claim.section, f"“{claim.quote}”", score(claim)]
        lines.append(" & ".join(map(latex, cells)) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{longtable}"]) + "\n"


def around(claim: Any) -> str:
    """Return the verdicts at slightly lower and higher thresholds as a sentence; empty without thresholds of ours.

    >>> from types import SimpleNamespace
    >>> around(SimpleNamespace(lower="holds", higher="does not hold"))
    'With thresholds 10% lower: holds; 10% higher: does not hold'
    """
    return (
        f"With thresholds {THRESHOLD_CHANGE:.0%} lower: {claim.lower}; {THRESHOLD_CHANGE:.0%} higher: {claim.higher}"
        if claim.lower
        else ""
    )


def findings(claims: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Group a paper's claims by theme; within each, claims that do not hold come first."""
    order = claims["verdict"].map({verdict: k for k, verdict in enumerate(HEADINGS)})
    claims = claims.assign(order=order).sort_values("order", kind="stable").drop(columns="order")
    return [(theme.capitalize(), own) for theme in THEMES if len(own := claims[claims["theme"] == theme])]
