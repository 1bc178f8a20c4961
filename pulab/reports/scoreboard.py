"""The scoreboard: the printed results by study and verdict, then, apart, all else that is compared with a printed number.

Everything here is counted from the cells of all tables (:func:`pulab.tables.read_scoreboard`).
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pulab.reports.claims import claim_counts, count_table
from pulab.tables.verdict import CAUSES, RESULTS, SIGNS, VERDICTS

_ALL = "**all**"
_WITHOUT_WINS = "all but wins"
_KIND_NAMES = {
    "fact": "facts of the set-up",
    "mark": "significance marks and tests",
    "count": "counts beside their shares",
}


def printed_results(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells that the headline is about: results that a paper prints, each by the study's main reading."""
    printed = cells["published"].notna() & cells["kind"].isin(RESULTS) & (cells["reading"] == "main")
    return cells[printed]


def headline(cells: pd.DataFrame) -> pd.DataFrame:
    """Printed results by study.

    Returns
    -------
    DataFrame with a row per study, one for all and one for all but wins (which follow from the performances beside them), and
    the columns ``printed``, ``judged`` (those that can be run here) and :data:`~pulab.tables.VERDICTS`.
    """
    results = printed_results(cells)
    counts = results.groupby("study", sort=False)["verdict"].value_counts().unstack(fill_value=0)
    table = counts.reindex(columns=list(VERDICTS), fill_value=0)
    table.loc[_ALL] = table.sum()
    performances = results[results["kind"] == "performance"]
    table.loc[_WITHOUT_WINS] = performances["verdict"].value_counts()
    table = table.fillna(0).astype(int)
    table.insert(0, "judged", table.sum(axis=1))
    printed = results.groupby("study").size()
    table.insert(0, "printed", [*printed.reindex(table.index[:-2]), len(results), len(performances)])
    return table.rename_axis(None, axis="columns").rename_axis(None)


def headline_table(cells: pd.DataFrame) -> str:
    """:func:`headline` as Markdown: counts, and each verdict's share of what can be run here."""
    table = headline(cells)
    signs = [f"{SIGNS[verdict]} {verdict}" for verdict in VERDICTS]
    lines = ["| study | printed | run here | " + " | ".join(signs) + " |", "|---" * (3 + len(VERDICTS)) + "|"]
    for study, row in table.iterrows():
        shares = [f"{row[verdict]} ({row[verdict] / row['judged']:.0%})" if row["judged"] else "–" for verdict in VERDICTS]
        lines.append(f"| {study} | {row['printed']} | {row['judged']} | " + " | ".join(shares) + " |")
    return "\n".join(lines)


def apart(cells: pd.DataFrame) -> pd.DataFrame:
    """What the headline leaves out, by its kind: verdicts on facts, marks, counts and other readings; times are not judged."""
    compared = cells[cells["verdict"].isin([*VERDICTS, "not judged"])]
    main = compared["reading"] == "main"
    parts = {name: compared[(compared["kind"] == kind) & main] for kind, name in _KIND_NAMES.items()}
    parts["other readings of printed cells"] = compared[~main]
    parts["tuned parameters"] = compared[(compared["kind"] == "parameter") & main]
    parts["times"] = compared[(compared["kind"] == "time") & main]
    rows = {name: own["verdict"].value_counts().reindex([*VERDICTS, "not judged"], fill_value=0) for name, own in parts.items()}
    return pd.DataFrame(rows).T.astype(int)


def cause_counts(cells: pd.DataFrame) -> pd.DataFrame:
    """The headline's cells that are not reproduced, by study and cause."""
    missed = printed_results(cells).query("verdict in @VERDICTS[1:]")
    counts = pd.crosstab(missed["study"], missed["cause"].replace("", "none given"))
    counts = counts.reindex(columns=[c for c in [*CAUSES, "none given"] if c in counts.columns])
    counts.loc[_ALL] = counts.sum()
    return counts


def cell_counts(cells: pd.DataFrame, by: Sequence[str] = ("study",)) -> pd.DataFrame:
    """All cells with a printed number by study (or study and table) and by what became of them."""
    compared = cells[cells["verdict"] != "extra"]
    counts = compared.groupby(list(by), sort=False)["verdict"].value_counts().unstack(fill_value=0)
    order = [*VERDICTS, *(v for v in counts.columns if v not in VERDICTS)]
    return counts.reindex(columns=[v for v in order if v in counts.columns])


def summary_markdown(cells: pd.DataFrame, claims: pd.DataFrame) -> str:
    """The headline, what is counted apart, causes, and claims by study and verdict."""
    judged = printed_results(cells)["verdict"].isin(VERDICTS)
    parts = ["Printed results, each once, by the study's main reading:", headline_table(cells)]
    if judged.any():
        parts += ["Counted apart:", count_table(apart(cells), "what")]
    if judged.any() and len(causes := cause_counts(cells)) > 1:
        parts += ["Why printed results are not reproduced:", count_table(causes)]
    if len(claims):
        parts += ["Claims, sentence by sentence:", count_table(claim_counts(claims))]
    return "\n\n".join(parts)


def scoreboard_markdown(cells: pd.DataFrame, claims: pd.DataFrame) -> str:
    """The summary, then the cells table by table."""
    counts = cell_counts(cells, ("study", "table"))
    counts.index = [" | ".join(pair) for pair in counts.index]
    by_table = count_table(counts, "study | table").replace("|---|", "|---|---|", 1)
    return f"{summary_markdown(cells, claims)}\n\nCells with a printed number, table by table:\n\n{by_table}\n"
