"""Table of errors in estimated class priors, by data set and method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pulab.tables.record import cells_of
from pulab.tables.render import sheet_of
from pulab.tables.sheet import Sheet


def prior_cells(errors: pd.DataFrame) -> pd.DataFrame:
    """Return cells with each data set's share of positives and each method's mean error and maximum absolute error.

    Parameters
    ----------
    errors : DataFrame
        Columns ``dataset``, ``method``, ``prior`` (the true share) and ``estimate``.
    """
    errors = errors.assign(error=errors["estimate"] - errors["prior"])
    cells: list[dict[str, Any]] = []
    for name, own in errors.groupby("dataset", sort=False):
        of_set = {"row": name, "dataset": name, "kind": "mark"}
        share = float(own["prior"].mean())
        cells.append(of_set | {"column": "π", "ours": share, "mark": f"{share:.3f}"})
        for method, found in own.groupby("method", sort=False)["error"]:
            mark = f"{found.mean():+.3f} ({found.abs().max():.3f})"
            cells.append(of_set | {"column": method, "ours": found.mean(), "n": len(found), "mark": mark})
    return cells_of(cells)


def prior_sheet(errors: pd.DataFrame, sizes: Mapping[str, Any]) -> Sheet:
    """Return the table of class prior errors, captioned with the sample ``sizes`` of ``config/priors.yaml``."""
    caption = (
        f"Mean error of the estimated class prior over {sizes['repeats']} random samples of at most {sizes['n_labeled']} "
        f"labeled and {sizes['n_unlabeled']} unlabeled rows, with the largest absolute error in parentheses. π is the share of "
        "positives among the unlabeled rows."
    )
    missing = [name for name in sizes["datasets"] if name not in set(errors["dataset"])]
    note = f"Not available here: {', '.join(missing)}." if missing else ""
    return Sheet("", caption, sheet_of(prior_cells(errors), title="").grids, note)
