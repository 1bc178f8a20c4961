"""The published, the kept and the new value of every cell whose trials were run once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pulab.reports.origin import origin_of
from pulab.trials.results import KEY

GROUP = KEY[:4]
CELL_COLUMNS = ["study", "table", "row", "column", "unit", "published", "kept", "new", "agrees"]


def rerun_cells(
    scoreboard: pd.DataFrame,
    agreement: pd.DataFrame,
    studies: Mapping[str, Mapping[str, Any]],
    methods: Mapping[str, str],
) -> pd.DataFrame:
    """One row per printed cell of the trials that were run once more.

    Parameters
    ----------
    scoreboard : DataFrame
        All cells (:data:`pulab.tables.verdict.SCOREBOARD_COLUMNS`).
    agreement : DataFrame
        What :func:`pulab.trials.rerun.agreement` returns.
    studies : mapping
        By study, its tables' entries.
    methods : mapping of str to str
        Labels of methods.
    """
    rows, places = [], list(agreement[[*GROUP, "metric"]].itertuples(index=False, name=None))
    for cell in scoreboard.to_dict("records"):
        tables = studies.get(cell["study"], {})
        named = [spec for name, spec in tables.items() if cell["table"] in (name, str(spec.get("published", "")))]
        spec = named[0] if named else None
        if spec is None:
            continue
        origin, metric = origin_of(cell["study"], spec, cell, methods), _metric(spec, cell)
        # what the table does not say is no condition
        wanted = [origin.study, origin.dataset, origin.setting, origin.method, metric]
        fitting = agreement[[all(not part or part == own for part, own in zip(wanted, row, strict=True)) for row in places]]
        if len(fitting) != 1:
            continue
        found, scale = fitting.iloc[0], float(spec.get("scale", 1.0))
        values = [found["kept"] * scale, found["new"] * scale, found["agrees"]]
        rows.append([*(cell[name] for name in CELL_COLUMNS[:6]), *values])
    return pd.DataFrame(rows, columns=CELL_COLUMNS)


def _metric(spec: Mapping[str, Any], cell: Mapping[str, Any]) -> str:
    found = spec.get("metric", "")
    for side in ("row", "column"):
        places = spec.get(f"{side}s")
        for place in places if isinstance(places, list) else []:
            if isinstance(place, Mapping) and place.get("label") == cell[side]:
                found = place.get("select", {}).get("metric", found)
    return str(found)


def rerun_text(cells: pd.DataFrame, agreement: pd.DataFrame) -> str:
    """Both, as Markdown: cells first, then every number by its metric."""
    right, wrong = (int((agreement["agrees"] == word).sum()) for word in ("yes", "no"))
    lines = [f"{right} metrics agree with the kept ones within the tolerance of their method, {wrong} do not.", ""]
    if len(cells):
        lines += [_table(cells), ""]
    lines += [_table(agreement.assign(tolerance=agreement["tolerance"].map("{:g}".format)))]
    return "\n".join(lines) + "\n"


def _table(frame: pd.DataFrame) -> str:
    def text(value: Any) -> str:
        return ("" if pd.isna(value) else f"{value:.6g}") if isinstance(value, float) else str(value).replace("|", "\\|")

    rows = [list(frame.columns), ["---"] * frame.shape[1], *([text(v) for v in row] for row in frame.itertuples(index=False))]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)
