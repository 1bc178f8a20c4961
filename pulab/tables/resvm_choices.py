"""What was chosen after a look at published numbers, told below the tables that it concerns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pulab.tables.cells import Place, read_published
from pulab.tables.inputs import Inputs
from pulab.tables.resvm import interval_cells
from pulab.tables.verdict import VERDICTS, add_verdicts


def told_choices(spec: Mapping[str, Any], inputs: Inputs, methods: Mapping[str, str]) -> list[str]:
    """Sentences on the grids: which digits were looked at, what agrees on these and on the others, and which edges were left.

    Parameters
    ----------
    spec : mapping
        The table's entry; ``looked_at`` has ``rows`` (seen before the grid of C_U was chosen), ``tables`` (setting to
        published table), ``blind`` (the methods with grids that a rule chose) and ``edges`` (CWSVM's and bagging's
        parameters whose edges are looked at, by method).
    methods : mapping of method to column label
    """
    chosen, rows = spec["looked_at"], [Place.of(row) for row in spec["rows"] if row["label"].startswith("mnist ")]
    judged = _judged(spec, inputs, rows, methods)
    blind = _judged(spec, inputs, rows, dict(zip(chosen["blind"], methods.values(), strict=True)))
    seen = judged["row"].isin(chosen["rows"])
    digits = ", ".join(row.removeprefix("mnist ") for row in chosen["rows"])
    untold = int((blind["verdict"] == "cannot tell").sum())
    penalty, bagging = (_on_edge(spec, inputs, rows, *edge) for edge in chosen["edges"].items())
    return [
        f"The range of C_U was chosen after a look at published areas on the digits {digits}. "
        f"Of the areas of tables {', '.join(chosen['tables'].values())} {_reproduced(judged[seen])} are reproduced on these "
        f"digits and {_reproduced(judged[~seen])} on the others.",
        "The grids of ijcnn1 and covtype were extended, since most optima of a first run lay on an edge. "
        f"Those of MNIST were not, although CWSVM's C_U lies on an edge in {penalty} of draws and bagging's C in {bagging}. "
        f"To extend them takes agreement away: with grids that a rule chose, which looks at no test row, {_reproduced(blind)} "
        f"are reproduced and {untold} can not be told (table_blind and the two after it).",
    ]


def _judged(spec: Mapping[str, Any], inputs: Inputs, rows: list[Place], methods: Mapping[str, str]) -> pd.DataFrame:
    """Areas of all three settings that have a verdict."""
    parts = []
    for setting, table in spec["looked_at"]["tables"].items():
        published = read_published(inputs.published, table)
        cells = interval_cells(
            inputs.results, published, rows, methods, setting=setting, metric="pr_auc", stand_ins=spec["stand_ins"]
        )
        parts.append(add_verdicts(cells[cells["kind"] == "performance"], n_published=spec["n_published"]))
    judged = pd.concat(parts)
    return judged[judged["verdict"].isin(VERDICTS)]


def _reproduced(cells: pd.DataFrame) -> str:
    return f"{int((cells['verdict'] == 'reproduced').sum())} of {len(cells)}"


def _on_edge(spec: Mapping[str, Any], inputs: Inputs, rows: list[Place], method: str, parameter: str) -> str:
    names = [row.select["dataset"] for row in rows]
    choices = inputs.results
    choices = choices[(choices["method"] == method) & (choices["setting"] == spec["setting"]) & choices["dataset"].isin(names)]
    return f"{choices.loc[choices['metric'] == f'edge_{parameter}', 'value'].mean():.0%}"
