"""Reading a table with PU labels: one call from the file to a matrix, with all that was understood."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from purank.tables._checked_table import CheckedTable
from purank.tables._columns import KINDS, MAX_LEVELS, Column, Rules, as_text, raw_column, table_mark
from purank.tables._files import Cells, read_cells
from purank.tables._findings import Finding, Said, TableError, listed
from purank.tables._labels import read_labels, read_truth, words
from purank.tables._leaks import check_leaks, check_repeats
from purank.tables._matrix import MISSING_RULES, build_matrix
from purank.tables._reader import Reader

SCENARIOS = ("one_sample", "two_sample")
TEXT_RULES = ("drop", "hash")
LIMIT_RULES = ("half", "limit")


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
    skip_lines: int = 0,
    dtype: str = "float64",
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
        The column that says which rows belong together (those of one patient, say); never a feature.
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
        From a column to the number of each of its values; ``*`` for all columns of text.
    decimal : {".", ","}, optional
        The decimal mark, if the cells do not show it.
    encoding, separator, sheet : optional
        Properties of the file, if it does not show them.
    names : sequence of str, optional
        Names of the columns, if the file has no header.
    skip_lines : int
        Lines before the header.
    dtype : str
        Of the matrix.
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
    path = Path(path)
    rules = Rules(
        missing=tuple(map(str, _strings(missing))),
        not_missing=frozenset(str(word).strip() for word in _strings(not_missing)),
        limits=limits,
        dates=dates,
        text=text,
        kinds=dict(kinds or {}),
        encode=dict(encode or {}),
        decimal=decimal,
        max_levels=max_levels,
    )
    _check_options(rules, on_missing, scenario, prior)
    if not path.is_file():
        raise TableError(f"{path}: no such file")
    given_roles = {"label": label, "truth": truth, "groups": groups, "id": id}
    roles = {role: name for role, name in given_roles.items() if name is not None}
    drop = list(_strings(drop))
    cells = read_cells(
        path,
        expected=list(roles.values()),
        encoding=encoding,
        separator=separator,
        sheet=sheet,
        names=names,
        skip_lines=skip_lines,
        dropped={*drop} - {*roles.values()},
    )
    _check_names(cells, roles, [*drop, *(set(rules.kinds) | set(rules.encode)) - {"*"}])

    given = words(pos_label, neg_label, unlabeled_label, drop_label)
    special = {role: raw_column(name, cells.frame[name]) for role, name in roles.items()}
    y, keep, counts, meaning = read_labels(special["label"], given)
    known = read_truth(special["truth"], given)[keep] if truth is not None else None
    y, lines = y[keep], cells.lines[keep]
    named = {role: _texts(special[role])[keep] for role in ("groups", "id") if role in special}

    said = Said()
    others = [name for name in cells.frame.columns if name not in {*roles.values(), *drop}]
    columns = [raw_column(name, cells.frame.loc[keep, name]) for name in others]
    reader = Reader(rules, lines, cells.unit, table_mark(columns), said)
    columns = [part for column in columns for part in reader.understand(column)]
    label_column = raw_column(label, cells.frame.loc[keep, label])
    leaks, left_out = _check_columns(columns, y, label_column, rules, grouped=groups is not None)
    left_out = dict.fromkeys(drop, "as drop= says") | {name: f"it is {role}" for role, name in roles.items()} | left_out
    features = _features(columns, rules, left_out, said)
    if not features:
        raise TableError(
            f"{path} has no column left as a feature: {listed((f'{name!r} ({why})' for name, why in left_out.items()), 10)}"
        )
    matrix = build_matrix(features, on_missing, dtype, said, lines, cells.unit)
    rows = matrix.keep
    named = {role: _named(own, lines, cells.unit) for role, own in named.items()}
    ids, id_name = (named["id"], id) if id is not None else _found_ids(columns, keep)
    table = CheckedTable(
        path=path,
        form=cells.form,
        X=matrix.X,
        y=y[rows],
        truth=None if known is None else known[rows],
        groups=named["groups"][rows] if groups is not None else None,
        ids=ids[rows],
        lines=lines[rows],
        feature_names=matrix.names,
        findings=[*cells.findings, *said.findings(), *leaks],
        labels={text: (count, meaning[text]) for text, count in counts.items()},
        kinds={column.name: column.kind for column in features},
        left_out=left_out,
        id_name=id_name,
        missing=matrix.missing,
        n_dropped=len(keep) - len(matrix.X),
        scenario=scenario,
        prior=prior,
    )
    _check_whole(table, label, truth)
    return table


_READ_OTHERWISE = "separator= and skip_lines= say how the file is read, names= gives the columns of a file without a header"


def _strings(given: Sequence[str] | str) -> Iterable[str]:
    return [given] if isinstance(given, str) else given


def _check_options(rules: Rules, on_missing: str, scenario: str, prior: float | None) -> None:
    for option, value, known in (
        ("on_missing", on_missing, MISSING_RULES),
        ("text", rules.text, TEXT_RULES),
        ("limits", rules.limits, (None, *LIMIT_RULES)),
        ("scenario", scenario, SCENARIOS),
        ("decimal", rules.decimal, (None, ".", ",")),
        *((f"kinds: {name}", kind, KINDS) for name, kind in rules.kinds.items()),
    ):
        if value not in known:
            raise TableError(f"{option}={value!r}; expected one of {', '.join(map(str, known))}")
    both = sorted(rules.not_missing & {word.strip() for word in rules.missing})
    if both:
        raise TableError(f"missing= and not_missing= both name {both[0]!r}; expected each spelling in one of them")
    if rules.dates not in ("number", "drop") and "%" not in rules.dates:
        raise TableError(f"dates={rules.dates!r}; expected number, drop, or a format such as %d/%m/%Y")
    if prior is not None and not (isinstance(prior, int | float) and 0 < prior < 1):
        raise TableError(f"prior={prior!r}; expected a number between 0 and 1, both excluded")
    if not isinstance(rules.max_levels, int) or rules.max_levels < 2:
        raise TableError(f"max_levels={rules.max_levels!r}; expected a whole number from 2 on")


def _check_columns(
    columns: list[Column], y: np.ndarray, label: Column, rules: Rules, *, grouped: bool
) -> tuple[list[Finding], dict[str, str]]:
    """Columns that leak the label and, of a table without groups, rows that repeat; which columns are left out for it."""
    stated = frozenset(rules.kinds) | frozenset(rules.encode)
    leaks, left_out = check_leaks(columns, y, label, stated)
    if grouped:
        return leaks, left_out
    repeats, keys = check_repeats([column for column in columns if column.name not in left_out], y)
    return leaks + repeats, left_out | {name: why for name, why in keys.items() if name not in stated}


def _features(columns: list[Column], rules: Rules, left_out: dict[str, str], said: Said) -> list[Column]:
    """The columns that become features; ``left_out`` has all others, with the reason."""
    for column in columns:
        if column.name not in left_out and (why := _reason_to_leave_out(column, rules)):
            left_out[column.name] = why
            if column.kind == "text":
                said.add("text out", column.name, values=column.levels[:1].tolist())
    return [column for column in columns if column.name not in left_out]


def _found_ids(columns: list[Column], keep: np.ndarray) -> tuple[np.ndarray, str | None]:
    """The first column that names each row, and its name; row numbers from 0 if there is none."""
    names = next((column for column in columns if column.kind == "id" and len(column.levels) == keep.sum()), None)
    return (np.flatnonzero(keep), None) if names is None else (_texts(names), names.name)


def _named(cells: np.ndarray, lines: np.ndarray, unit: str) -> np.ndarray:
    """Names of rows; a row without one is called by its line."""
    return np.where(cells == "", np.array([f"({unit} {line})" for line in lines], dtype=object), cells)


def _check_names(cells: Cells, roles: Mapping[str, str], others: Iterable[str]) -> None:
    there = list(cells.frame.columns)
    for role, name in [*roles.items(), *(("an option", name) for name in others)]:
        if name not in there:
            near = difflib.get_close_matches(name, there, n=1, cutoff=0.6)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            whose = f"{'of' if role == 'an option' else 'the'} {role}"
            raise TableError(
                f"no column {name!r}, {whose}{hint}; there are {listed(map(repr, there), 20)}, read as {cells.form}",
                column=name,
                remedy="" if near or role != "label" else _READ_OTHERWISE,
            )
    for role, name in roles.items():
        other = next(other for other in roles if roles[other] == name)
        if other != role and {other, role} != {"groups", "id"}:
            raise TableError(f"the column {name!r} is named as {other} and as {role}; expected two columns", column=name)


def _texts(column: Column) -> np.ndarray:
    return np.array([*(as_text(level) for level in column.levels), ""], dtype=object)[column.codes]


def _reason_to_leave_out(column: Column, rules: Rules) -> str:
    if column.kind == "text" and rules.text == "drop":
        return "free text"
    if column.kind == "date" and rules.dates == "drop":
        return "dates"
    return {"id": "an id", "empty": "no value", "constant": "one value", "rare": "many different values, each in few rows"}.get(
        column.kind, ""
    )


def _check_whole(table: CheckedTable, label: str, truth: str | None) -> None:
    """What label, truth and π say of each other."""
    n_labeled = int(np.sum(table.y == 1))
    names, counts = np.unique(table.ids.astype(str), return_counts=True)
    if counts.max() > 1 and table.groups is None:
        message = f"column {table.id_name!r}, the id, has {len(names):,} different values in {len(table.ids):,} rows"
        message += f", such as {str(names[counts.argmax()])!r} in {counts.max():,}"
        remedy = f"groups={table.id_name!r} if rows of one id belong together"
        table.findings.append(Finding("warning", table.id_name, (str(names[counts.argmax()]),), (), message, remedy))
    if table.truth is not None:
        against = np.flatnonzero((table.y == 1) & (table.truth == 0))
        if len(against):
            message = f"{len(against):,} rows are labeled in column {label!r} and negative by column {truth!r}"
            table.findings.append(
                Finding("warning", truth, (), tuple(map(int, table.lines[against][:20])), message, "one of the two is wrong")
            )
    if table.scenario == "one_sample" and table.prior is not None and table.prior < n_labeled / len(table.y):
        raise TableError(
            f"prior={table.prior} contradicts the labels: {n_labeled:,} of {len(table.y):,} rows are labeled"
            f" ({n_labeled / len(table.y):.1%})",
            column=label,
            remedy="prior= is the share of positives among all rows; scenario='two_sample': labeled rows come from elsewhere",
        )
