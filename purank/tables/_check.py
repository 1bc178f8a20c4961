"""Read a table with PU labels: one call from the file to a matrix, with everything that was inferred."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from purank.tables._checked_table import CheckedTable
from purank.tables._columns import Column, raw_column
from purank.tables._files import Cells, read_cells
from purank.tables._findings import Finding, Notes, TableError, did_you_mean, listed
from purank.tables._labels import given_meanings, read_labels, read_truth
from purank.tables._leaks import check_leaks, check_repeats
from purank.tables._matrix import build_matrix
from purank.tables._numbers import read_numbers, table_mark
from purank.tables._options import MAX_LEVELS, Reading, checked
from purank.tables._reader import Reader


def read_table(
    path: str | Path,
    *,
    label: str,
    pos_label: Any = None,
    neg_label: Any = None,
    unlabeled_label: Any = None,
    drop_label: Any = None,
    truth: str | None = None,
    groups: str | None = None,
    id: str | None = None,
    drop: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
    missing: Sequence[str] = (),
    not_missing: Sequence[str] = (),
    limits: str | None = None,
    on_missing: str = "median",
    dates: str = "number",
    text: str = "drop",
    max_levels: int = MAX_LEVELS,
    encode: Mapping[str, Mapping[Any, float]] | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | int | None = None,
    names: Sequence[str] | None = None,
    scenario: str = "one_sample",
    prior: float | None = None,
) -> CheckedTable:
    """Read a table with PU labels, check each column, and turn it into numbers.

    Nothing is guessed silently: ``findings`` lists every interpretation, and anything ambiguous raises an error that names the
    column, the cells and the option that resolves it.

    Parameters
    ----------
    path : path
        CSV or a similar text file (any usual separator and encoding, plain or compressed), a spreadsheet, or Parquet.
    label : str
        The column of labels: 1, yes or true for labeled rows, and 0 or nothing for the others.
    pos_label, neg_label, unlabeled_label, drop_label : value or list of values, optional
        Which values of ``label`` mark labeled positives, known negatives and unlabeled rows, and which rows to leave out.
    truth : str, optional
        The column that says whether some rows are positive, in the same words as ``label``; never a feature.
    groups : str, optional
        The column that says which rows belong together (those of one patient, say); a row without a value stands alone.
    id : str, optional
        The column that names the rows; never a feature.
    drop : sequence of str
        Columns to leave out.
    kinds : mapping, optional
        The kind of a column, if its cells do not show it: number, date, category, text or id.
    missing : sequence of str
        Further spellings of a missing value.
    not_missing : sequence of str
        Spellings that are categories in a column of categories, such as "Na" for sodium or "NA" for Namibia, exactly as they
        are written. Among numbers and dates, they still mean a missing value. A spelling with a number in ``encode`` needs no
        mention here.
    limits : {"half", "limit"}, optional
        How to read detection limits in a column of numbers: "<0.5" as 0.25 or as 0.5, and ">100" as 100. Another column marks
        such cells. Without this option, a column of numbers with detection limits raises an error.
    on_missing : {"median", "drop_rows", "error"}
        How to treat missing numbers.  A missing category has 0 in all columns of its categories.
    dates : str
        ``number`` (days since 1970), ``drop``, or a format for ``strptime`` (``%d/%m/%Y``).
    text : {"drop", "hash"}
        Whether to leave out free text or to hash its words into columns.
    max_levels : int
        If a column has more categories, only the frequent ones get a column each; all others share one.
    encode : mapping, optional
        From a column to the number of each of its values.
    decimal : {".", ","}, optional
        The decimal mark, if the cells do not show it.
    encoding, separator, sheet : optional
        Properties of the file, if it does not show them.
    names : sequence of str, optional
        Names of the columns, if the file has no header.
    scenario : {"one_sample", "two_sample"}
    prior : float in (0, 1), optional

    Returns
    -------
    CheckedTable

    Raises
    ------
    TableError
        If the table cannot be used as it is, with the column, the cells, their lines and the remedy.
    MemoryError
        If the matrix would not fit in memory; raised before it is built.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from purank.tables import read_table
    >>> file = pathlib.Path(tempfile.mkdtemp(), "people.csv")
    >>> _ = file.write_text("age;pay;labeled\\n30;1,5;1\\n40;n/a;\\n50;2,5;\\n")
    >>> people = read_table(file, label="labeled")
    >>> people.X.tolist(), people.y.tolist()
    ([[30.0, 1.5], [40.0, 2.0], [50.0, 2.5]], [1, 0, 0])
    >>> print(*people.describe(), sep="\\n")
    people.csv: text (UTF-8, separator semicolon), 3 rows, 2 features from 2 columns
    labels: 1 labeled, 2 unlabeled; '1' positive (1), nothing unlabeled (2)
    number: 2 columns (age, pay)
    note: the separator is a semicolon (separator= says another)
    note: decimal commas: column 'pay' (decimal= sets another mark)
    note: read as missing: column 'pay' (1: 1 'n/a') (on_missing= sets how to treat them, missing= names further spellings, \
not_missing= keeps some as categories)
    """
    options = checked(Reading, {name: value for name, value in locals().items() if name != "path" and value is not None})
    path = Path(path)
    given = given_meanings(options)
    named = {"label": label, "truth": truth, "groups": groups, "id": id}
    roles = {role: name for role, name in named.items() if name is not None}
    cells = read_cells(path, options, list(roles.values()))
    _check_names(cells, roles, [*options.drop, *options.kinds, *options.encode])

    special = {role: raw_column(name, cells.frame[name]) for role, name in roles.items()}
    try:
        y, keep, labels = read_labels(special["label"], given, cells.lines, cells.unit)
        truths = read_truth(special["truth"], labels)[keep] if truth is not None else None
    except TableError:  # a row of sums has a label of its own
        texts = [raw_column(name, cells.frame[name]) for name in cells.frame.columns if name not in options.drop]
        numbers = [column.with_values("number", read_numbers(column.levels, decimal)) for column in texts]
        _check_sums(numbers, cells.lines, cells.unit)
        raise
    y, lines = y[keep], cells.lines[keep]

    notes = Notes()
    others = [name for name in cells.frame.columns if name not in {*roles.values(), *options.drop}]
    columns = [raw_column(name, cells.frame.loc[keep, name]) for name in others]
    mark = table_mark(column.levels for column in columns if not column.kind)
    reader = Reader(options, lines, cells.unit, mark, notes)
    columns = [part for column in columns for part in reader.understand(column)]
    texts = {
        role: reader.names(raw_column(name, cells.frame.loc[keep, name]), by_value=role == "groups")
        for role, name in roles.items()
        if role in ("groups", "id")
    }
    _check_sums(columns, lines, cells.unit)
    stated = {*options.kinds, *options.encode}
    leaks, leaking = check_leaks(columns, y, raw_column(label, cells.frame.loc[keep, label]), stated)
    if groups is None:
        repeats, keys = check_repeats([column for column in columns if column.name not in leaking], y)
        leaks, leaking = leaks + repeats, leaking | {name: why for name, why in keys.items() if name not in stated}
    left_out = dict.fromkeys(options.drop, "as drop= says") | {name: f"it is {role}" for role, name in roles.items()}
    left_out |= leaking
    for column in columns:
        if column.name not in left_out and (why := _reason_to_leave_out(column, options)):
            left_out[column.name] = why
        if column.kind == "text" and left_out.get(column.name) in (None, "free text"):
            notes.add("text" if column.name not in left_out else "text out", column.name)
    features = [column for column in columns if column.name not in left_out]
    if not features:
        why = listed((f"{name!r} ({why})" for name, why in left_out.items()), 10)
        raise TableError(f"{path} has no column left as a feature: {why}")
    matrix = build_matrix(features, on_missing, lines)
    rows = matrix.keep
    ids, id_name = (texts["id"], id) if id is not None else _found_ids(columns, keep)
    table = CheckedTable(
        path=path,
        form=cells.form,
        X=matrix.X,
        y=y[rows],
        truth=None if truths is None else truths[rows],
        groups=texts["groups"][rows] if groups is not None else None,
        ids=ids[rows],
        lines=lines[rows],
        feature_names=matrix.names,
        findings=[*cells.findings, *notes.findings(), *leaks],
        labels=labels,
        kinds={column.name: column.kind for column in features},
        left_out=left_out,
        id_name=id_name,
        missing=matrix.missing,
        n_dropped=len(keep) - len(matrix.X),
    )
    _check_whole(table, options)
    return table


#: In fewer rows, the last may be the sum of the others by chance; and how much rounding may change a sum.
_LEAST_ROWS, _ROUNDED = 20, 1e-3
#: Rarely is a greater share of the rows labeled, and an ordinary table of two classes may be meant.
_MOST_LABELED = 0.9
_READ_OTHERWISE = "separator= says how cells are divided, names= gives the columns of a file without a header"


def _found_ids(columns: list[Column], keep: np.ndarray) -> tuple[np.ndarray, str | None]:
    """Return the first column that names each row, and its name; row numbers from 0 if there is none."""
    names = next((column for column in columns if column.kind == "id" and len(column.levels) == keep.sum()), None)
    return (np.flatnonzero(keep), None) if names is None else (names.texts(), names.name)


def _check_names(cells: Cells, roles: Mapping[str, str], others: Iterable[str]) -> None:
    there = list(cells.frame.columns)
    for role, name in [*roles.items(), *(("an option", name) for name in others)]:
        if name not in there:
            hint = did_you_mean(name, there)
            whose = f"{'of' if role == 'an option' else 'the'} {role}"
            raise TableError(
                f"no column {name!r}, {whose}{hint}; there are {listed(map(repr, there), 20)}, read as {cells.form}",
                column=name,
                remedy="" if hint or role != "label" else _READ_OTHERWISE,
            )
    for role, name in roles.items():
        other = next(other for other in roles if roles[other] == name)
        if other != role and {other, role} != {"groups", "id"}:
            raise TableError(f"the column {name!r} is named as {other} and as {role}; expected two columns", column=name)


def _check_sums(columns: list[Column], lines: np.ndarray, unit: str) -> None:
    """An error if the last row holds the sums of the others."""
    if len(lines) < _LEAST_ROWS:
        return
    numbers = [column for column in columns if column.kind == "number" and not np.isnan(column.values[-1])]  # type: ignore[index]
    sums = []
    for column in numbers:
        values = np.nan_to_num(np.asarray(column.values, float))
        if abs(values[-1]) > np.abs(values[:-1]).max() and np.isclose(values[-1], values[:-1].sum(), rtol=_ROUNDED):
            sums.append(column.name)
    if 2 * len(sums) > len(numbers):
        message = f"the last row, {unit} {lines[-1]}, holds the sums of the others, in columns {listed(map(repr, sums))}"
        raise TableError(f"{message}; expected a case in each row", rows=lines[-1:], remedy="Remove it from the file")


def _reason_to_leave_out(column: Column, options: Reading) -> str:
    if column.kind == "text" and options.text == "drop":
        return "free text"
    if column.kind == "date" and options.dates == "drop":
        return "dates"
    return {"id": "an id", "empty": "no value", "constant": "one value", "rare": "many different values, each in few rows"}.get(
        column.kind, ""
    )


def _check_whole(table: CheckedTable, options: Reading) -> None:
    """Check label, truth and π against each other."""
    names, counts = np.unique(table.ids.astype(str), return_counts=True)
    if counts.max() > 1 and table.groups is None:
        message = f"column {table.id_name!r}, the id, has {len(names):,} different values in {len(table.ids):,} rows"
        message += f", such as {str(names[counts.argmax()])!r} in {counts.max():,}"
        remedy = f"groups={table.id_name!r} if rows of one id belong together"
        table.findings.append(Finding("warning", table.id_name, message, remedy))
    if table.truth is not None:
        against = table.lines[(table.y == 1) & (table.truth == 0)]
        if len(against):
            message = f"{len(against):,} rows are labeled in column {options.label!r} and negative by column {options.truth!r}"
            table.findings.append(
                Finding("warning", options.truth, f"{message}: rows or lines {listed(against)}", "one of the two is wrong")
            )
    labels = table.y[(table.y >= 0) & (True if table.truth is None else np.isnan(table.truth))]  # of the rows that π is about
    share = float((labels == 1).sum() / max(len(labels), 1))
    if share > _MOST_LABELED:
        message = f"{share:.0%} of {len(labels):,} rows are labeled in column {options.label!r}: are the labels reversed?"
        table.findings.append(Finding("warning", options.label, message, "pos_label= says what labeled rows have there"))
    if options.scenario == "one_sample" and options.prior is not None and options.prior < share:
        raise TableError(
            f"prior={options.prior} contradicts the labels: {share:.1%} of {len(labels):,} rows to train on are labeled",
            column=options.label,
            remedy="prior= is the share of positives among these rows; scenario='two_sample': labeled rows come from elsewhere",
        )
