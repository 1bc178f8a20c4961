"""A table that was read: the matrix and the labels, with everything that was inferred from the file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from purank.tables._findings import Finding, listed


@dataclass
class CheckedTable:
    """A table as :func:`read_table` interpreted it.

    Attributes
    ----------
    path : Path
    form : str
        How the file was read.
    X : float array of shape (n_samples, n_features)
        Without missing values.
    y : int8 array of shape (n_samples,)
        1 for labeled rows, 0 for unlabeled ones, -1 for known negatives.
    truth : float array of shape (n_samples,) or None
        1 for positive and 0 for negative rows, NaN if not known.
    groups : array of str of shape (n_samples,) or None
    ids : array of shape (n_samples,)
        The values of the column ``id``, or of a column that was left out as an id; otherwise row numbers from 0.
    lines : int array of shape (n_samples,)
        The line of each row in the file.
    feature_names : list of str
        Names of the columns of ``X``.
    findings : list of Finding
    labels : dict
        For each value of the label, how many rows have it and what it means.
    kinds : dict
        For each column that is a feature, its kind: number, boolean, date, category or text.
    left_out : dict
        For each other column, why it was left out.
    id_name : str or None
        The column that ``ids`` come from.
    missing : dict
        For each feature with missing values, how many there are.
    n_dropped : int
        Rows left out: by ``drop_label``, or for missing values.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from purank import read_table
    >>> file = pathlib.Path(tempfile.mkdtemp(), "people.csv")
    >>> _ = file.write_text("age,place,labeled\\n30,north,1\\n40,south,\\n50,south,\\n")
    >>> table = read_table(file, label="labeled")
    >>> table.feature_names, table.y.tolist(), table.kinds
    (['age', 'place=north', 'place=south'], [1, 0, 0], {'age': 'number', 'place': 'category'})
    """

    path: Path
    form: str
    X: np.ndarray
    y: np.ndarray
    truth: np.ndarray | None
    groups: np.ndarray | None
    ids: np.ndarray
    lines: np.ndarray
    feature_names: list[str]
    findings: list[Finding]
    labels: dict[str, tuple[int, str]]
    kinds: dict[str, str]
    left_out: dict[str, str]
    id_name: str | None
    missing: dict[str, int] = field(default_factory=dict)
    n_dropped: int = 0

    def describe(self) -> list[str]:
        """Return the interpretation, followed by each finding, as lines of text."""
        n_labeled, n_negative = int(np.sum(self.y == 1)), int(np.sum(self.y == -1))
        n_unlabeled = len(self.y) - n_labeled - n_negative
        dropped = f", {self.n_dropped:,} left out" if self.n_dropped else ""
        size = f"{len(self.y):,} rows{dropped}, {self.X.shape[1]:,} features from {len(self.kinds):,} columns"
        lines = [f"{self.path.name}: {self.form}, {size}"]
        spelled = listed(
            (
                f"{text!r} {what} ({count:,})" if text else f"nothing {what} ({count:,})"
                for text, (count, what) in self.labels.items()
            ),
            10,
        )
        in_file = "in the file, " if self.n_dropped else ""
        negatives = f", {n_negative:,} known negatives" if n_negative else ""
        lines.append(f"labels: {n_labeled:,} labeled, {n_unlabeled:,} unlabeled{negatives}; {in_file}{spelled}")
        if self.truth is not None:
            known = ~np.isnan(self.truth)
            lines.append(f"truth: known for {known.sum():,} rows, {int(np.nansum(self.truth)):,} of them positive")
        if self.groups is not None:
            lines.append(f"groups: {len(np.unique(self.groups)):,}")
        for kind, count in Counter(self.kinds.values()).items():
            names = [name for name, own in self.kinds.items() if own == kind]
            lines.append(f"{kind}: {count:,} column{'s' if count > 1 else ''} ({listed(names, 8)})")
        return lines + [str(finding) for finding in self.findings]
