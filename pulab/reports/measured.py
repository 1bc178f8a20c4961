"""What is measured apart from the studies (errors of the class prior, settled grids), as it is shown everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pulab.tables.sheet import Grid, Sheet


def error_table(errors: pd.DataFrame) -> pd.DataFrame:
    """Mean error and greatest absolute error per data set and method, as texts.

    Parameters
    ----------
    errors : DataFrame
        Columns ``dataset``, ``method``, ``prior`` (the true share) and ``estimate``.
    """
    errors = errors.assign(error=errors["estimate"] - errors["prior"])
    by_method = errors.groupby(["dataset", "method"], sort=False)["error"]
    texts = by_method.agg(lambda error: f"{error.mean():+.3f} ({error.abs().max():.3f})").unstack(sort=False)
    priors = errors.groupby("dataset", sort=False)["prior"].mean().map("{:.3f}".format)
    return texts.reindex(priors.index).rename_axis(None, axis="columns").assign(π=priors)[["π", *texts.columns]]


def prior_sheet(errors: pd.DataFrame, sizes: Mapping[str, Any]) -> Sheet:
    """Errors of the class prior's estimates, with what they rest on (``config/priors.yaml``)."""
    caption = (
        f"Mean error of the estimated class prior over {sizes['repeats']} random samples of at most {sizes['n_labeled']} "
        f"labeled and {sizes['n_unlabeled']} unlabeled rows, with the largest absolute error in parentheses. π is the share of "
        "positives among the unlabeled rows."
    )
    missing = [name for name in sizes["datasets"] if name not in set(errors["dataset"])]
    note = f"Not available here: {', '.join(missing)}." if missing else ""
    return Sheet("", caption, [Grid.of_frame(error_table(errors), "data")], note)


def measured_sheets(
    folders: Sequence[Path],
    priors: Mapping[str, Any],
    grid_sheet: Callable[[pd.DataFrame], Sheet] | None = None,
) -> dict[str, Sheet]:
    """By heading, what the first folder that has it holds: this run's, or else what was archived last.

    Parameters
    ----------
    folders : sequence of Path
        With ``priors.csv`` and ``grids.csv``.
    priors : mapping
        As :func:`prior_sheet` needs it.
    grid_sheet : callable, optional
        From all rounds of the settled grids to their sheet; None: no study of this run settles grids.
    """
    sheets: dict[str, Sheet] = {}
    if file := _first(folders, "priors.csv"):
        sheets["Class priors"] = prior_sheet(pd.read_csv(file), priors)
    if grid_sheet and (file := _first(folders, "grids.csv")):
        sheets["Grids by a rule"] = grid_sheet(pd.read_csv(file))
    return sheets


def _first(folders: Sequence[Path], name: str) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)
