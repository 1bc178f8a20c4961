"""Small tables of numbers and a category with PU labels, and the ways in which people's tables are spoiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from purank.tables import CheckedTable, TableError, read_table


def clean(seed: int = 0, n: int = 160) -> pd.DataFrame:
    """Three numbers and a category; about a third are positive, of which two fifths are labeled.  All cells are texts."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.35
    labeled = positive & (rng.random(n) < 0.4)
    labeled[:2] = [True, False]
    cells = {
        "age": rng.integers(18, 90, n),
        "score": np.round(rng.normal(positive, 1.0), 3),
        "amount": np.round(rng.lognormal(3, 1, n), 2),
        "region": rng.choice(["north", "south", "east"], n),
        "labeled": labeled.astype(int),
    }
    return pd.DataFrame({name: [str(cell) for cell in column] for name, column in cells.items()}, dtype=object)


def hidden(frame: pd.DataFrame, seed: int = 1) -> np.ndarray:
    """A truth that agrees with the labels: all labeled rows are positive, and some of the others."""
    return (frame["labeled"] == "1").to_numpy() | (np.random.default_rng(seed).random(len(frame)) < 0.25)


def write(folder: Path, frame: pd.DataFrame, name: str = "table.csv", **how: Any) -> Path:
    """The table as a text file; ``how`` goes to pandas."""
    path = folder / name
    frame.to_csv(path, index=False, **how)
    return path


def read(folder: Path, frame: pd.DataFrame, **options: Any) -> CheckedTable:
    """The table, written and read."""
    return read_table(write(folder, frame), **{"label": "labeled", **options})


def error_of(folder: Path, frame: pd.DataFrame, **options: Any) -> TableError:
    """The error that reading the table ends with."""
    try:
        table = read(folder, frame, **options)
    except TableError as error:
        return error
    raise AssertionError(f"no error: {table.describe()}")


def said(table: CheckedTable, column: str, level: str = "note") -> str:
    """What findings of a level say of a column; it is said once."""
    messages = [str(finding) for finding in table.findings if finding.column and column in finding.column.split(", ")]
    messages = [message for message in messages if message.startswith(level)]
    assert len(messages) <= 1, messages
    return "".join(messages)
