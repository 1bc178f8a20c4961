"""The scoreboard: published results by study and verdict, with reference values, then everything else compared with papers.

All counts come from the cells of all tables (:func:`pulab.tables.read_cells`).
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from pulab.reports.claims import claim_counts, count_grid
from pulab.reports.yardstick import ALL, RESAMPLES, interval, most_influential, yardstick
from pulab.tables.markup import Prose
from pulab.tables.record import printed_results
from pulab.tables.sentences import listing, text_of
from pulab.tables.sheet import Grid, Sheet
from pulab.tables.verdict import CAUSES, SIGNS, VERDICTS

WINS = "counts of wins"
_MEASURES = ("exact rerun", "ratio", "readings fixed before")
_KIND_NAMES = {
    "risk": "risks",
    "fact": "facts of the setup",
    "mark": "significance marks and tests",
    "count": "counts shown with their shares",
}


def headline(cells: pd.DataFrame) -> pd.DataFrame:
    """Count published performances: a row per study, one for all, and one for counts of wins.

    Counts of wins follow from the performances next to them and are not included in "all".  ``judged`` counts what can be run
    here; the other columns are :data:`~pulab.tables.VERDICTS`.
    """
    results = printed_results(cells)
    row = results["study"].where(results["kind"] == "performance", WINS)
    counts = results.groupby(row, sort=False)["verdict"].value_counts().unstack(fill_value=0)
    table = counts.reindex(columns=list(VERDICTS), fill_value=0)
    table.insert(0, "judged", table.sum(axis=1))
    table.insert(0, "published", results.groupby(row).size())
    studies = [name for name in dict.fromkeys(results["study"]) if name in table.index]
    table.loc[ALL] = table.loc[studies].sum()
    order = [*studies, ALL, *([WINS] if WINS in table.index else [])]
    return table.loc[order].fillna(0).astype(int).rename_axis(None, axis="columns").rename_axis(None)


def headline_grid(cells: pd.DataFrame) -> Grid:
    """Return :func:`headline` as a table, with :func:`~pulab.reports.yardstick.yardstick` where anything is judged."""
    counts, measured = headline(cells), yardstick(cells)
    first, *others = [f"{SIGNS[verdict]} {verdict}" for verdict in VERDICTS]
    rows = []
    for study, *texts in counts.itertuples():
        expected = _of_expected(measured.loc[study]) if study in measured.index else ["–"] * 5
        rows.append([Prose(study), *texts[:3], *expected, *texts[3:]])
    return Grid.of(["study", "published", "run here", first, *_MEASURES, "placebo", "causes shown", *others], rows)


def by_study(cells: pd.DataFrame) -> str:
    """Return the front page's table of :func:`headline` and its yardstick, in five columns, as Markdown.

    Numbers in parentheses are by the interpretations fixed before, where they differ; a sentence below gives the ratios.
    """
    counts, measured = headline(cells), yardstick(cells)
    rows, moved = [], []
    for study, own in measured[measured["judged"] > 0].iterrows():
        reproduced, expected, before, expected_before = (
            f"{own[name]:.0f}" for name in ("reproduced", "expected", "before", "expected_before")
        )
        if (reproduced, expected) != (before, expected_before):
            reproduced, expected = f"{reproduced} ({before})", f"{expected} ({expected_before})"
            moved += [f"{own['ratio_before']:.0%} instead of {own['ratio']:.0%} for {study}"] if study != ALL else []
        rows.append([Prose(str(study)), f"{own['judged']:.0f}", reproduced, expected, int(counts.loc[study, "different"])])
    names = ["study", "run here", f"{SIGNS['reproduced']} reproduced", "exact rerun", f"{SIGNS['different']} different"]
    note = f"\n\nIn parentheses: under the readings fixed before; the ratio is then {listing(moved)}." if moved else ""
    return f"{Grid.of(names, rows).markdown()}{note}"


def _of_expected(own: pd.Series) -> list[str]:
    if not own["judged"]:
        return ["–"] * 5
    before = f"{own['ratio_before']:.0%} ({own['before']:.0f} of {own['expected_before']:.0f})"
    shown = f"{own['shown']:.0f} of {own['missed']:.0f}"
    return [f"{own['expected']:.0f}", f"{own['ratio']:.0%}", before, f"{own['placebo']:.0f}", shown]


def verdict_line(cells: pd.DataFrame) -> str:
    """Summarize the headline: what is reproduced, what an exact rerun would reproduce, and other evidence."""
    low, high = interval(cells)
    return text_of("verdict.md", **yardstick(cells).loc[ALL].to_dict(), low=low, high=high).strip()


def robustness(cells: pd.DataFrame) -> str:
    """Describe how the ratio's interval and the placebo change if they are computed in another way."""
    (low, high), (name, ratio) = interval(cells, ("study",)), most_influential(cells)
    whole = yardstick(cells).loc[ALL]
    numbers = {"judged": whole["judged"], "placebo_tables": whole["placebo_tables"], "resamples": RESAMPLES}
    return text_of("robustness.md", low=low, high=high, name=name, ratio=ratio, **numbers).strip()


def counted_separately(cells: pd.DataFrame) -> pd.DataFrame:
    """Count what the headline leaves out, by kind: facts, marks, counts, other interpretations, numbers published elsewhere.

    Times are not judged.
    """
    compared = cells[cells["verdict"].isin([*VERDICTS, "not judged"])]
    main, elsewhere = compared["reading"] == "main", compared["reading"] == "elsewhere"
    parts = {name: compared[(compared["kind"] == kind) & main] for kind, name in _KIND_NAMES.items()}
    parts["other readings of published cells"] = compared[~main & ~elsewhere]
    if elsewhere.any():
        parts["published elsewhere"] = compared[elsewhere]
    parts["tuned parameters"] = compared[(compared["kind"] == "parameter") & main]
    parts["times"] = compared[(compared["kind"] == "time") & main]
    rows = {name: own["verdict"].value_counts().reindex([*VERDICTS, "not judged"], fill_value=0) for name, own in parts.items()}
    return pd.DataFrame(rows).T.astype(int)


def cause_counts(cells: pd.DataFrame) -> pd.DataFrame:
    """Count the headline's cells that are not reproduced, by study and cause."""
    missed = printed_results(cells).query("verdict in @VERDICTS[1:]")
    counts = pd.crosstab(missed["study"], missed["cause"].replace("", "none given"))
    counts = counts.reindex(columns=[c for c in [*CAUSES, "none given"] if c in counts.columns])
    counts.loc[ALL] = counts.sum()
    return counts


def scoreboard_sheet(cells: pd.DataFrame, claims: pd.DataFrame) -> Sheet:
    """Make the scoreboard: the headline, what is counted separately, causes, claims, and cells by table."""
    judged = printed_results(cells)["verdict"].isin(VERDICTS)
    grids = [replace(headline_grid(cells), title="Published performances, each counted once, under the study's main reading:")]
    if judged.any():
        grids.append(count_grid(counted_separately(cells), "what", title="Counted separately:"))
    if judged.any() and len(causes := cause_counts(cells)) > 1:
        title = f"Why {causes.loc[ALL].sum()} of {judged.sum()} judged results (including counts of wins) are not reproduced:"
        grids.append(count_grid(causes, title=title))
    if len(claims):
        grids.append(count_grid(claim_counts(claims), title="Claims, sentence by sentence:"))
    compared = cells[cells["verdict"] != "extra"]
    counts = compared.groupby(["study", "table"], sort=False)["verdict"].value_counts().unstack(fill_value=0)
    order = [*VERDICTS, *(v for v in counts.columns if v not in VERDICTS)]
    counts = counts.reindex(columns=[v for v in order if v in counts.columns])
    rows = ([*name, *row] for name, *row in counts.itertuples())
    grids.append(Grid.of(["study", "table", *counts.columns], rows, title="Cells with a published number, table by table:"))
    return Sheet("Scoreboard", verdict_line(cells) if judged.any() else "", grids)
