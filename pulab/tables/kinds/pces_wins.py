"""Table 3: on how many data sets a method is significantly better, as good as, and worse than each of its rivals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import read_published, write_study_table
from pulab.tables.cells import CELL_COLUMNS
from pulab.tables.inputs import Inputs
from pulab.trials.comparisons import scores_by_repeat
from pulib.statistics import win_tie_loss


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    stand_ins = spec["stand_ins"]
    cells = win_cells(
        inputs.results,
        read_published(inputs.published, str(spec["published"])),
        spec["references"],
        spec["rivals"],
        [stand_ins.get(name, name) for name in spec["test_datasets"]],
        metric=spec["metric"],
        setting=spec["test_setting"],
        alpha=spec["alpha"],
    )
    cells["stand_in"] = ", ".join(sorted({stand_ins[name] for name in spec["test_datasets"] if name in stand_ins}))
    legend = "Number of data sets: ours, then the paper's in italics; one data set is 25 points."
    write_study_table(
        {**spec, "points": 100.0 / len(spec["test_datasets"])}, cells, paths, kind="wins", decimals=0, legend=legend
    )


def win_cells(
    results: pd.DataFrame,
    published: pd.DataFrame,
    references: Mapping[str, str],
    rivals: Mapping[str, str],
    datasets: Sequence[str],
    *,
    metric: str,
    setting: str,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Cells with rows "<reference> against <rival>" and the columns win, tie and loss, by paired t-tests over repeats.

    Parameters
    ----------
    results : DataFrame
        Tidy results.
    published : DataFrame
        Published counts, with the same rows and columns.
    references, rivals : mapping of label to method
    datasets : sequence of str
        Where the tests are made; one without results of both methods is left out and named in the cells' notes.
    metric, setting : str
    alpha : float, default=0.05
        Level of the two-sided tests.
    """
    scores = scores_by_repeat(results[results["setting"] == setting], metric)
    of_paper = {(r.row, r.column): r.mean for r in published.itertuples(index=False)}
    out = []
    for reference_label, reference in references.items():
        for rival_label, rival in rivals.items():
            pairs, left_out = _pairs(scores, reference, rival, datasets)
            counts = win_tie_loss(pairs, alpha=alpha)
            row = f"{reference_label} against {rival_label}"
            note = f"without {', '.join(left_out)}" if left_out and pairs else ""
            for column, count in zip(("win", "tie", "loss"), (counts.wins, counts.ties, counts.losses), strict=True):
                out.append(
                    {"row": row, "column": column, "published": of_paper.get((row, column), np.nan), "published_sd": np.nan}
                    | {
                        "ours": float(count) if pairs else np.nan,
                        "ours_sd": np.nan,
                        "n": min((len(a) for a, _ in pairs), default=0),
                    }
                    | {"unit": "count", "stand_in": "", "status": "ok" if pairs else "not run", "note": note}
                )
    cells = pd.DataFrame(out)
    return cells.reindex(columns=CELL_COLUMNS)


def _pairs(scores: pd.DataFrame, reference: str, rival: str, datasets: Sequence[str]) -> tuple[list, list[str]]:
    pairs, left_out = [], []
    for dataset in datasets:
        here = scores[scores.index.get_level_values("dataset") == dataset].reindex(columns=[reference, rival]).dropna()
        if len(here) >= 2:
            pairs.append((here[reference].to_numpy(), here[rival].to_numpy()))
        else:
            left_out.append(dataset)
    return pairs, left_out
