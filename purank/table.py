"""The rows of a table as arrays in a folder, shared by all models, and the findings about the table."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from purank.question import Question
from purank.tables import TableError, read_table

#: The fewest labeled and unlabeled rows, and groups of either: one trains where the other is scored.
LEAST = 2


@dataclass(frozen=True, eq=False)
class Rows:
    """A table that was read and checked.

    Attributes
    ----------
    X : float array of shape (n_rows, n_features)
    labeled : bool array
    truth : float array
        1 and 0 for test rows, which train nobody; NaN for all others.  Known negatives are test rows.
    groups : int array or None
        Rows with the same number belong together.
    ids : array
        How the table calls its rows: the values of its id column, or row numbers from 0.
    feature_names : list of str
    description : list of str
        What was understood of the table, and what was found wrong with it.
    """

    X: np.ndarray
    labeled: np.ndarray
    truth: np.ndarray
    groups: np.ndarray | None
    ids: np.ndarray
    feature_names: list[str] = field(default_factory=list)
    description: list[str] = field(default_factory=list)

    @cached_property
    def test(self) -> np.ndarray:
        """Row numbers of those whose truth is known."""
        return np.flatnonzero(np.isfinite(self.truth))

    @cached_property
    def train(self) -> np.ndarray:
        """Row numbers of labeled and unlabeled rows."""
        return np.flatnonzero(~np.isfinite(self.truth))

    @cached_property
    def unlabeled(self) -> np.ndarray:
        """Row numbers of unlabeled rows."""
        return self.train[~self.labeled[self.train]]

    @cached_property
    def positives(self) -> np.ndarray:
        """Row numbers of labeled rows."""
        return self.train[self.labeled[self.train]]

    @property
    def labeled_share(self) -> float:
        return len(self.positives) / len(self.train)

    @property
    def labeled_weight(self) -> float:
        """How many independent draws a labeled row counts as; the rows of a group count as one together."""
        return 1.0 if self.groups is None else len(np.unique(self.groups[self.positives])) / len(self.positives)

    def digest(self) -> str:
        """What changes with anything that a model trains on."""
        found = hashlib.sha256()
        for array in (self.X, self.labeled, self.truth, np.empty(0) if self.groups is None else self.groups):
            found.update(f"{array.shape}{array.dtype}".encode())
            found.update(np.ascontiguousarray(array).data)
        return found.hexdigest()

    def save(self, folder: Path) -> None:
        """Write the training data of the models."""
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / "X.npy", self.X)
        groups: dict[str, Any] = {} if self.groups is None else {"groups": self.groups}
        np.savez(folder / "rows.npz", labeled=self.labeled, truth=self.truth, **groups)

    @classmethod
    def load(cls, folder: Path) -> Rows:
        """Load the files of :meth:`save`, with the matrix memory-mapped; rows are numbered, not named."""
        with np.load(folder / "rows.npz") as file:
            arrays = {"groups": None, **file}
        return cls(X=np.load(folder / "X.npy", mmap_mode="r"), ids=np.arange(len(arrays["labeled"])), **arrays)


def read_rows(question: Question) -> Rows:
    """Read and check the table of a question.

    Raises
    ------
    TableError
        For the first thing in the table that has no sure meaning, with column, values and remedy.
    """
    table = read_table(question.table, **question.reading())
    y = np.asarray(table.y)
    truth = np.full(len(y), np.nan) if table.truth is None else np.asarray(table.truth, dtype=np.float64)
    if (truth[y == -1] == 1).any():
        raise TableError(f"{(truth[y == -1] == 1).sum():,} known negatives are positive by their truth", column=question.label)
    truth[y == -1] = 0.0
    description = table.describe()
    if (y == -1).any():
        description.append(f"{(y == -1).sum():,} known negatives train no learner, and test all of them")
    rows = Rows(
        X=np.ascontiguousarray(table.X, dtype=np.float64),
        labeled=y == 1,
        truth=truth,
        groups=None if table.groups is None else np.unique(table.groups, return_inverse=True)[1],
        ids=np.asarray(table.ids),
        feature_names=list(table.feature_names),
        description=description,
    )
    for what, found in (("labeled", rows.positives), ("unlabeled", rows.unlabeled)):
        if len(found) < LEAST:
            raise TableError(
                f"{len(found)} {what} row{'s' * (len(found) != 1)} to train on; at least {LEAST} are needed",
                column=question.label,
                remedy="Rows with a truth only test: leave that of some rows empty, or omit truth=" if question.truth else "",
            )
        if rows.groups is not None and len(np.unique(rows.groups[found])) < LEAST:
            raise TableError(
                f"all {what} rows are of one group; at least {LEAST} groups are needed, to train on one and score the other",
                column=question.groups,
                remedy="groups= names a column with a value for each patient, place or product",
            )
    return rows
