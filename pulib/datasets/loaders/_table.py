"""Load tables with or without a header: CSV, whitespace-separated text, Parquet."""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pulib._dtypes import as_dtype
from pulib._optional import needed_by
from pulib.datasets._dataset import small_integers
from pulib.datasets._source import Prepared, Source
from pulib.datasets._streams import open_stream

with needed_by("a table", extra="studies"):
    import pandas as pd

_MISSING_RULES = ("error", "drop_rows", "median")
_COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def load_table(source: Source) -> Prepared:
    """Load a table with a target column from ``options.train`` and ``options.test``, or all files of the entry, in order.

    Options:

    - ``target``: the column; or, with ``by_file`` (from file names to the target of all their rows), a name for it.
    - ``names`` of the columns, if the file has no header; ``separator`` (``,`` by default, or ``whitespace``); ``skip_lines``;
      ``encoding``.
    - ``n_train``: number of training rows, which come first.
    - ``drop``: columns to leave out.
    - ``encode``: maps a column, or ``*`` for all others, to a mapping from labels to numbers; other text columns become one
      column per label.
    - ``codes``: maps the target's labels to whole numbers.
    - ``missing``: texts that mean a missing value; ``on_missing``: ``error``, ``drop_rows`` or ``median`` (of numbers; a
      missing text is 0 in all columns of its labels).
    - ``dtype``: float64 by default.
    """
    frame, n_train = _read_all(source)
    return from_frame(source, frame, source.option("target"), n_train)


def from_frame(source: Source, frame: pd.DataFrame, target_name: str, n_train: int | None = None) -> Prepared:
    """Convert a data frame with the target column ``target_name``; the other options are those of `load_table`."""
    details: dict[str, Any] = {}
    labels = _column(frame, target_name, source.name)
    features = frame.drop(columns=[labels.name])
    X, names, keep = _features(source, features, details)
    target, target_names = _target(source, labels[keep])
    if n_train is not None:
        n_train -= int(np.count_nonzero(~keep[:n_train]))
    return Prepared(X, target, n_train=n_train, feature_names=names, target_names=target_names, details=details)


def load_expansion_table(source: Source) -> Prepared:
    """Load a table whose positive class grows between training and test time (positive class expansion).

    The target is 0 for rows that are negative at both times, 1 for rows that are positive at training time, and 2 for rows that
    turn positive between training and test time.  Options, in addition to those of :func:`load_table`, are

    - either ``positive_at_training`` and ``positive_at_test`` as lists of the target's labels;
    - or ``time`` and ``event`` (columns), ``events`` (values of ``event`` that count), and ``positive_at_training`` and
      ``positive_at_test`` as conditions on the time, such as ``"<= 365"``.  Rows that were censored before the test horizon are
      left out;
    - and ``required``, columns in which rows must not have missing values; other rows are left out.
    """
    frame, _ = _read_all(source)
    details: dict[str, Any] = {}
    for name in source.options.get("required", []):
        frame = frame[_column(frame, name, source.name).notna()].reset_index(drop=True)
    if "time" in source.options:
        target, has_target, used = _survival_target(source, frame)
        if not has_target.all():
            details["rows_left_out"] = {"censored before the horizon": int((~has_target).sum())}
    else:
        target, used = _growing_target(source, frame)
        has_target = np.ones(len(frame), bool)
    frame, target = frame[has_target].reset_index(drop=True), target[has_target]
    X, names, keep = _features(source, frame.drop(columns=used), details)
    kinds = {0: "negative", 1: "positive at training time", 2: "turns positive before test time"}
    return Prepared(X, target[keep], feature_names=names, target_names=kinds, details=details)


def _read_all(source: Source) -> tuple[pd.DataFrame, int | None]:
    names = [source.options[key] for key in ("train", "test") if key in source.options]
    paths = [source.file(name) for name in names] or source.files()
    frames = [_read(path, source) for path in paths]
    of_files = source.options.get("by_file")
    if of_files is not None:
        unknown = {path.name for path in paths} ^ set(of_files)
        if unknown:
            raise ValueError(
                f"data set {source.name!r}: options.by_file: {sorted(unknown)[0]!r} is not in both; "
                "expected the names of the files of the entry, each with a target"
            )
        frames = [
            frame.assign(**{source.option("target"): of_files[path.name]}) for frame, path in zip(frames, paths, strict=True)
        ]
    n_train = len(frames[0]) if "test" in source.options else source.options.get("n_train")
    return pd.concat(frames, ignore_index=True), n_train


def _read(path: Path, source: Source) -> pd.DataFrame:
    with open(path, "rb") as file:
        if file.read(4) == b"PAR1":
            return pd.read_parquet(path)
    with open_stream(path) as stream:
        return read_text(stream, source.options, header="names" not in source.options)


def read_text(stream: BinaryIO, options: Mapping[str, Any], *, header: bool) -> pd.DataFrame:
    """Read a table from text; without a header or ``names``, columns are numbered."""
    separator = options.get("separator", ",")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Length of header or names", pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(
                stream,
                sep=r"\s+" if separator == "whitespace" else separator,
                names=options.get("names"),
                header=0 if header else None,
                index_col=False,  # by default, columns without a name would name the rows
                skiprows=options.get("skip_lines", 0),
                na_values=["", *options.get("missing", [])],
                keep_default_na=False,
                skipinitialspace=True,
                low_memory=False,
                encoding=options.get("encoding", "utf-8-sig"),
            )
        except pd.errors.ParserWarning:
            raise ValueError("a table has more columns than names of columns; set options.names for all of them") from None
    for name in frame.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]]:
        frame[name] = frame[name].map(lambda value: value.strip() if isinstance(value, str) else value)
    return frame


def _column(frame: pd.DataFrame, name: str, dataset: str) -> pd.Series:
    if name not in frame.columns:
        raise ValueError(f"data set {dataset!r}: no column {name!r}; there are {', '.join(map(str, frame.columns))}")
    return frame[name]


def _complete(frame: pd.DataFrame, source: Source, option: str) -> pd.Series:
    """Return the column that an option names; a missing value, which is neither time nor label, raises an error."""
    column = _column(frame, source.option(option), source.name)
    if missing := int(column.isna().sum()):
        raise ValueError(
            f"data set {source.name!r}: column {column.name!r}, the {option}, has {missing} missing values; name it in "
            "options.required to leave these rows out"
        )
    return column


def _features(source: Source, frame: pd.DataFrame, details: dict[str, Any]) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Return the matrix, the names of its columns, and a mask of the rows kept."""
    options = source.options
    for name in options.get("drop", []):
        _column(frame, name, source.name)
    frame = frame.drop(columns=options.get("drop", []))
    frame = _encode(frame, options.get("encode", {}), source.name)
    rule = options.get("on_missing", "error")
    if rule not in _MISSING_RULES:
        raise ValueError(f"data set {source.name!r}: options.on_missing: {rule!r}; expected one of {', '.join(_MISSING_RULES)}")
    missing = frame.isna()
    keep = np.ones(len(frame), bool)
    if missing.to_numpy().any():
        counts = missing.sum()
        counts = counts[counts > 0]
        if rule == "error":
            raise ValueError(
                f"data set {source.name!r}: column {counts.index[0]!r} has {counts.iloc[0]} missing values; say what to do "
                "with them: options.on_missing: drop_rows or median"
            )
        if rule == "drop_rows":
            keep = ~missing.any(axis=1).to_numpy()
            details.setdefault("rows_left_out", {})["missing values"] = int((~keep).sum())
            frame = frame[keep]
        else:
            numeric = frame.select_dtypes("number")
            if (empty := numeric.columns[numeric.isna().all()]).size:
                raise ValueError(f"data set {source.name!r}: column {empty[0]!r} has no values; name it in options.drop")
            frame = frame.fillna(numeric.median())
            details["missing_values_replaced_by_the_median"] = {str(k): int(n) for k, n in counts.items() if k in numeric}
    frame = pd.get_dummies(frame, prefix_sep="=", dtype=np.uint8)
    with np.errstate(over="ignore"):  # the error below names the column
        X = _in_type(frame, options.get("dtype", "float64"), source.name)
    infinite = ~np.isfinite(X).all(axis=0) if X.dtype.kind == "f" else np.zeros(X.shape[1], bool)
    if infinite.any():
        name = frame.columns[infinite][0]
        raise ValueError(
            f"data set {source.name!r}: column {name!r} contains infinite numbers, or some too large for {X.dtype}; if they "
            "mark missing values, set options.missing and options.on_missing"
        )
    return X, [str(name) for name in frame.columns], keep


def _in_type(frame: pd.DataFrame, dtype: str, dataset: str) -> np.ndarray:
    """Convert to ``dtype``; numbers that an integer type cannot represent raise an error."""
    if np.dtype(dtype).kind == "f":
        return frame.to_numpy(dtype=dtype)
    try:
        return as_dtype(frame.to_numpy(dtype=np.float64), dtype, [str(name) for name in frame.columns])
    except ValueError as error:
        raise ValueError(f"data set {dataset!r}: {error}") from error


def _encode(frame: pd.DataFrame, encode: Mapping[str, Mapping[Any, float]], dataset: str) -> pd.DataFrame:
    frame = frame.copy()
    for name in encode:
        if name != "*":
            _column(frame, name, dataset)
    for name in frame.columns:
        numbers = encode.get(name, encode.get("*"))
        if numbers is None or pd.api.types.is_numeric_dtype(frame[name]):
            continue
        unknown = sorted(set(frame[name].dropna()) - set(numbers))
        if unknown:
            raise ValueError(f"data set {dataset!r}: options.encode: nothing for {unknown[0]!r} of column {name!r}")
        frame[name] = frame[name].map(dict(numbers)).astype(np.float64)
    return frame


def _target(source: Source, labels: pd.Series) -> tuple[np.ndarray, dict[int, str] | None]:
    if labels.isna().any():
        raise ValueError(
            f"data set {source.name!r}: column {labels.name!r}, the target, has {labels.isna().sum()} missing values"
        )
    codes = source.options.get("codes")
    if codes is None and _is_whole(labels):
        return small_integers(labels.to_numpy(np.float64), source.name), None
    if codes is None:
        codes = {label: code for code, label in enumerate(sorted(labels.unique(), key=str))}
    unknown = sorted(set(labels) - set(codes), key=str)
    if unknown:
        raise ValueError(f"data set {source.name!r}: options.codes: no code for the target {unknown[0]!r}")
    return small_integers(labels.map(codes).to_numpy(), source.name), {int(code): str(label) for label, code in codes.items()}


def _is_whole(labels: pd.Series) -> bool:
    """Whether all labels are whole numbers, including floats such as 1.0 and 2.0 in a column that had missing values."""
    if pd.api.types.is_float_dtype(labels):
        return bool((labels == labels.round()).all())
    return pd.api.types.is_integer_dtype(labels)


def _growing_target(source: Source, frame: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    labels = _complete(frame, source, "target")
    early, late = set(source.option("positive_at_training")), set(source.option("positive_at_test"))
    if not early < late:
        raise ValueError(
            f"data set {source.name!r}: options.positive_at_test must hold all of options.positive_at_training, and more"
        )
    if unknown := sorted(late - set(labels), key=str):
        raise ValueError(f"data set {source.name!r}: options.positive_at_test: no row has the target {unknown[0]!r}")
    target = np.where(labels.isin(early), 1, np.where(labels.isin(late), 2, 0)).astype(np.int16)
    return target, [str(labels.name)]


def _survival_target(source: Source, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, list[str]]:
    time = _complete(frame, source, "time")
    happened = _complete(frame, source, "event").isin(source.option("events")).to_numpy()
    early, late = (_condition(source.option(key))(time).to_numpy() for key in ("positive_at_training", "positive_at_test"))
    target = np.where(happened & early, 1, np.where(happened & late, 2, 0)).astype(np.int16)
    return target, happened | ~late, [str(time.name), source.option("event")]


def _condition(text: str) -> Any:
    match = re.fullmatch(r"\s*(<=|<|>=|>)\s*([0-9.]+)\s*", str(text))
    if match is None:
        raise ValueError(f"condition {text!r} on the time: expected a comparison with a number, such as '<= 365'")
    compare, bound = _COMPARISONS[match[1]], float(match[2])
    return lambda time: compare(time, bound)
