"""History of speed: how many times faster than its reference each kernel was, by date, commit and machine.

``python -m benchmarks.history BEFORE AFTER`` compares two folders of measurements from one machine, and fails if a ratio
fell.  Only ratios are compared: times from different days or machines say nothing about the code.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

#: Columns that identify a comparison: rows that agree in these can be compared.
KEY_COLUMNS = ["kernel", "benchmark", "shape", "reference", "threads"]
#: Columns of the history of several versions, ``speed/history.csv``.
COLUMNS = ["date", "commit", "machine", *KEY_COLUMNS, "ratio", "ratio_min", "ratio_max"]
#: A ratio is reported if it falls by more than this share, beyond the spread of the runs.
TOLERANCE = 0.3


def comparisons(measured: Mapping[str, pd.DataFrame], commit: str = "") -> pd.DataFrame:
    """Return the comparisons among measurements, as rows of a history.

    Parameters
    ----------
    measured : mapping of str to DataFrame
        Measurements by kernel, with the columns of :data:`benchmarks.record.COLUMNS`.
    commit : str, default=""
        Abbreviated hash; empty if there is none.

    Returns
    -------
    DataFrame
        With the columns :data:`COLUMNS`.
    """
    parts = []
    for kernel, table in measured.items():
        rows = table[(table["measured"] == "ratio") & table["ratio"].notna()]
        parts.append(rows.assign(kernel=kernel, commit=commit)[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def extended(history: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Add new rows to a history, replacing earlier ones of the same commit and machine.

    Measurements that were not repeated keep their commit.
    """
    both = pd.concat([history[COLUMNS], new[COLUMNS]], ignore_index=True)
    both = both.drop_duplicates(["date", "machine", *KEY_COLUMNS, "ratio"])
    both = both.drop_duplicates(["commit", "machine", *KEY_COLUMNS], keep="last")
    return both.sort_values([*KEY_COLUMNS, "date", "machine", "commit"], ignore_index=True)


def fallen(before: pd.DataFrame, after: pd.DataFrame, tolerance: float = TOLERANCE) -> pd.DataFrame:
    """Return the ratios that fell by more than ``tolerance``: the best run after, compared with the worst one before.

    Parameters
    ----------
    before, after : DataFrame
        Results of :func:`comparisons`, measured on one machine.
    tolerance : float, default=0.3

    Returns
    -------
    DataFrame
        The columns of :data:`KEY_COLUMNS`, and the median ratios ``before`` and ``after``.
    """
    both = before.merge(after, on=KEY_COLUMNS, suffixes=("_before", "_after"))
    lower = both["ratio_max_after"] < (1 - tolerance) * both["ratio_min_before"]
    worse = both.loc[lower, [*KEY_COLUMNS, "ratio_before", "ratio_after"]]
    return worse.rename(columns={"ratio_before": "before", "ratio_after": "after"})


def read_history(file: Path | None) -> pd.DataFrame:
    """Read the history of earlier versions; empty without a file."""
    return pd.DataFrame(columns=COLUMNS) if file is None else pd.read_csv(file)


def read_measured(folder: Path) -> dict[str, pd.DataFrame]:
    """Read measurements by kernel from a folder ``speed`` that the workflow made."""
    return {file.stem: pd.read_csv(file) for file in sorted(folder.glob("*.csv")) if file.stem != "history"}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--tolerance", type=float, default=TOLERANCE)
    given = parser.parse_args(arguments)
    before, after = (comparisons(read_measured(folder)) for folder in (given.before, given.after))
    n = len(before.merge(after, on=KEY_COLUMNS))
    if not n:
        print(f"nothing to compare: {given.before} and {given.after} have no measurement in common")
        return 2
    worse = fallen(before, after, given.tolerance)
    print(worse.to_string(index=False) if len(worse) else f"none of {n} ratios fell by more than {given.tolerance:.0%}")
    return int(len(worse) > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
