"""Columns that give the label away, the truth among the features, and rows that belong together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.neighbors import NearestNeighbors

from pulib.utils import find_repeats
from purank.tables._columns import MAX_LEVELS, Column
from purank.tables._findings import Finding, TableError
from purank.tables._labels import values_of

_TRUTH = frozenset(
    ["truth", "ground_truth", "groundtruth", "y_true", "true_label", "true_class", "gold", "gold_label", "is_true"]
)
_LIKE_A_LABEL = frozenset(["1", "yes", "y", "true", "t", "x", "positive", "pos"])
#: By chance so rarely: a column that agrees with all labeled rows follows from the label, or the label from it.
_CHANCE = 1e-6
_NEARLY = 0.99
#: In fewer rows any column of two values may part them as the label does.
_LEAST_ROWS = 8
_SAMPLE = 3_000
_MOST_PER_GROUP = 100


def check_leaks(
    columns: Sequence[Column], y: np.ndarray, label: Column, kept: frozenset[str]
) -> tuple[list[Finding], dict[str, str]]:
    """Warnings, and the columns to leave out with the reason; ``kept`` are those whose kind the user gave.

    Raises
    ------
    TableError
        For a copy of the label.
    """
    findings, out = [], {}
    known = y >= 0
    labeled = y[known] == 1
    for column in columns:
        if column.kind in ("empty", "constant") or column.name in kept:
            continue
        level, values = column.codes[known], None if column.values is None else column.values[known]
        words = {text.lower() for text in values_of(label)[0]}
        if _is_copy(column, level, labeled, words):
            raise TableError(
                f"column {column.name!r} repeats the label {label.name!r} in every row, under another name; expected"
                " features that do not contain the label",
                column=column.name,
                values=column.levels,
                remedy=f"drop=[{column.name!r}] leaves it out",
            )
        message = _gives_away(level, values, labeled)
        if message:
            out[column.name] = "leaks the label"
            findings.append(
                _warning(
                    column.name,
                    f"column {column.name!r} {message}; left out",
                    f"kinds= with a kind for {column.name!r} keeps it",
                )
            )
        elif column.name.strip().lower().replace(" ", "_") in _TRUTH:
            out[column.name] = "looks like the truth"
            remedy = f"truth={column.name!r} tests by it; kinds= with a kind for {column.name!r} keeps it"
            findings.append(
                _warning(
                    column.name, f"column {column.name!r} looks like the truth, which is never a feature; left out", remedy
                )
            )
        elif message := _follows(column, level, values, labeled):
            findings.append(
                _warning(
                    column.name,
                    f"column {column.name!r} {message}; it stays a feature",
                    f"drop=[{column.name!r}] leaves it out, truth={column.name!r} tests by it",
                )
            )
    return findings, out


def _warning(name: str, message: str, remedy: str) -> Finding:
    return Finding("warning", name, (), (), message, remedy)


def _is_copy(column: Column, level: np.ndarray, labeled: np.ndarray, words: set[str]) -> bool:
    """Two values (or one and nothing) that part the rows as the label does, in this or the other direction."""
    own, other = np.unique(level[labeled]), np.unique(level[~labeled])
    if len(level) < _LEAST_ROWS or len(own) != 1 or len(other) != 1 or own[0] == other[0]:
        return False
    if own[0] >= 0 and other[0] >= 0:
        return True
    value = str(column.levels[max(own[0], other[0])]).lower()
    return value.removesuffix(".0") in _LIKE_A_LABEL | words


def _gives_away(level: np.ndarray, values: np.ndarray | None, labeled: np.ndarray) -> str:
    """Why a column parts labeled from unlabeled rows without an error; an empty text if it does not."""
    missing = level < 0
    if missing.any() and np.array_equal(missing, ~labeled):
        return "is filled for labeled rows only: it separates them from the others without error"
    if missing.any() and np.array_equal(missing, labeled):
        return "is empty for labeled rows only: it separates them from the others without error"
    level, values, labeled = level[~missing], None if values is None else values[~missing], labeled[~missing]
    own, other = np.unique(level[labeled]), np.unique(level[~labeled])
    if (
        len(own) + len(other) <= MAX_LEVELS
        and not np.intersect1d(own, other).size
        and min(labeled.sum(), (~labeled).sum()) >= 5
    ):
        return "has other values in labeled than in unlabeled rows: it separates them without error"
    area = _area(values, labeled)
    if area in (0.0, 1.0) and min(labeled.sum(), (~labeled).sum()) >= 5:
        return (
            "has larger values in labeled rows than in any unlabeled row"
            if area
            else "has smaller values in labeled rows than in any unlabeled row"
        )
    return ""


def _follows(column: Column, level: np.ndarray, values: np.ndarray | None, labeled: np.ndarray) -> str:
    """Why a column nearly leaks the label, or may be the truth."""
    own = np.unique(level[labeled])
    if len(own) == 1 and len(np.unique(level)) == 2:
        share = float(np.mean(level[~labeled] == own[0]))
        if share ** int(labeled.sum()) < _CHANCE:
            value = "no value" if own[0] < 0 else repr(str(column.levels[own[0]]))
            where = f"has {value} in all labeled rows and in {share:.0%} of the others"
            return f"{where}: is it the truth, or does it follow from the label?"
    if min(labeled.sum(), (~labeled).sum()) < 5:  # chance does that, too
        return ""
    missing = level < 0
    area = 0.5 if values is None else _area(values[~missing], labeled[~missing])
    filled = 0.5 * (missing[labeled].mean() + (~missing)[~labeled].mean())
    if max(area, 1 - area) >= _NEARLY or max(filled, 1 - filled) >= _NEARLY:
        return "separates labeled from unlabeled rows almost without error: does it follow from the label?"
    return ""


def _area(values: np.ndarray | None, labeled: np.ndarray) -> float:
    """The area under the curve of a column of numbers; 0.5 where it has none."""
    n, m = int(labeled.sum()), int((~labeled).sum())
    if values is None or not n * m:
        return 0.5
    if values[labeled].min() > values[~labeled].max():
        return 1.0
    if values[labeled].max() < values[~labeled].min():
        return 0.0
    area = (rankdata(values)[labeled].sum() - n * (n + 1) / 2) / (n * m)
    return float(np.clip(area, 1e-9, 1 - 1e-9))


def check_repeats(columns: Sequence[Column], y: np.ndarray) -> tuple[list[Finding], dict[str, str]]:
    """A warning where several rows are nearly equal, with the column that says which belong together; that is no feature."""
    numbers = [column for column in columns if column.kind == "number" and column.values is not None]
    if not numbers or len(y) < 20:
        return [], {}
    X = np.column_stack([np.nan_to_num(column.values) for column in numbers]).astype(np.float32)  # type: ignore[arg-type]
    found = find_repeats(X, y == 1)
    best, share = _key(columns, numbers)
    equal = _share_equal(numbers)
    if found is None and equal < 0.15 and share < 0.9:
        return [], {}
    if share < 0.5:
        if found is None and equal < 0.15:
            return [], {}
        best = ""
    how = (
        f"{found.share:.0%} of the rows examined have near-duplicates, in sets of about {found.size:.0f}"
        if found
        else f"{max(equal, share):.0%} of them have equal or nearly equal ones"
    )
    message = f"rows look repeated: {how} (of one patient, place or product?); a method trained on one of them knows the others"
    if not best:
        return [Finding("warning", None, (), (), message, "groups= names the column of rows that belong together")], {}
    message += f"; column {best!r} identifies such rows and is not used as a feature"
    return [Finding("warning", best, (), (), message, f"groups={best!r} keeps such rows together")], {
        best: "says which rows belong together"
    }


def _share_equal(numbers: Sequence[Column]) -> float:
    """The share of rows that have an equal one, by the columns of many values; 0 where there are fewer than two."""
    many = [column.values for column in numbers if len(column.levels) > 20]
    if len(many) < 2:
        return 0.0
    return float(pd.DataFrame(np.column_stack(many)).duplicated(keep=False).mean())  # type: ignore[arg-type]


def _key(columns: Sequence[Column], numbers: Sequence[Column]) -> tuple[str, float]:
    """The column of which rows with the same value are each other's nearest ones, and how often they are."""
    n = len(columns[0].codes)
    keys = [column for column in columns if _may_group(column, n)]
    if not keys:
        return "", 0.0
    rows = np.arange(n) if n <= _SAMPLE else np.flatnonzero(np.arange(n) // 64 % (n // _SAMPLE) == 0)
    found = []
    for key in keys:
        others = [column.values[rows] for column in numbers if column.name != key.name and len(column.levels) > 2]  # type: ignore[index]
        if not others:
            continue
        X = np.nan_to_num(np.column_stack(others))
        X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-300)
        codes = key.codes[rows]
        share = _share_near(X, codes)
        chance = 2 * np.median(np.bincount(codes[codes >= 0])) / len(rows)
        if share > chance:
            found.append((round(share, 1), _is_dense(key), len(key.levels), share, key.name))
    return (max(found)[4], max(found)[3]) if found else ("", 0.0)


def _share_near(X: np.ndarray, codes: np.ndarray) -> float:
    """How often the nearest row has the same code, counted for rows that are equal and for different ones; the less of both.

    Of rows that are equal every column has the same value, so that these alone would make a key of any column.
    """
    X, first, place = np.unique(X, axis=0, return_index=True, return_inverse=True)
    repeated = np.ones(len(codes), bool)
    repeated[first] = False
    shares = [(codes == codes[first][place.ravel()])[repeated].mean()] if repeated.any() else []
    codes = codes[first]
    alone = np.bincount(codes + 1)[codes + 1] < 2
    if not alone.all():
        nearest = NearestNeighbors(n_neighbors=2).fit(X).kneighbors(X, return_distance=False)
        nearest = np.where(nearest[:, 0] == np.arange(len(X)), nearest[:, 1], nearest[:, 0])
        shares.append((codes == codes[nearest])[~alone].mean())
    return float(min(shares, default=0.0))


def _is_dense(key: Column) -> bool:
    """Texts, and whole numbers without gaps: more of a name than a measurement is."""
    return key.values is None or bool(np.nanmax(key.values) - np.nanmin(key.values) + 1 == len(key.levels))


def _may_group(column: Column, n: int) -> bool:
    """Whether a column has several rows for most of its values, and few for each."""
    if column.kind in ("empty", "constant", "boolean", "date", "text"):
        return False
    if column.values is not None and not np.array_equal(column.values, np.rint(column.values)):
        return False
    counts = np.bincount(column.codes[column.codes >= 0])
    return bool(len(counts) >= 5 and 2 <= np.median(counts) <= _MOST_PER_GROUP and counts.max() <= max(0.2 * n, 10))
