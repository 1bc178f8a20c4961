"""Find columns that leak the label, the truth among the features, and rows that belong together."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.neighbors import NearestNeighbors

from pulib.utils import find_repeats
from purank.tables._columns import Column
from purank.tables._findings import Finding, TableError
from purank.tables._labels import values_of
from purank.tables._options import MAX_LEVELS

_TRUTH = frozenset(
    ["truth", "ground_truth", "groundtruth", "y_true", "true_label", "true_class", "gold", "gold_label", "is_true"]
)
_LIKE_A_LABEL = frozenset(["1", "yes", "y", "true", "t", "x", "positive", "pos"])
#: By chance so rarely: a column that agrees with all labeled rows follows from the label, or the label from it.
_CHANCE = 1e-6
_NEARLY = 0.99
#: In fewer rows any column of two values may part them as the label does.
_LEAST_ROWS = 8
#: With fewer labeled or unlabeled rows, any column may separate them by chance.
_LEAST_OF_A_KIND = 5
_SAMPLE = 3_000
_MOST_PER_GROUP = 100
#: A column names the rows that belong together if this share of the nearest rows have the same value.
_KEY = 0.5


def check_leaks(
    columns: Sequence[Column], y: np.ndarray, label: Column, kept: Collection[str]
) -> tuple[list[Finding], dict[str, str]]:
    """Return warnings, and the columns to leave out with the reason; ``kept`` are those whose kind the user gave.

    Raises
    ------
    TableError
        For a copy of the label.
    """
    findings, out = [], {}
    known = y >= 0
    labeled, words = y[known] == 1, {text.lower() for text in values_of(label)[0]}
    for column in columns:
        name, level = column.name, column.codes[known]
        if column.kind in ("empty", "constant") or name in kept:
            continue
        if _is_copy(column, level, labeled, words):
            raise TableError(
                f"column {name!r} repeats the label {label.name!r} in every row, under another name; expected"
                " features that do not contain the label",
                column=name,
                values=column.levels,
                remedy=f"drop=[{name!r}] leaves it out",
            )
        values = None if column.values is None else column.values[known]
        remedy = f"kinds= with a kind for {name!r} keeps it"
        if message := _gives_away(level, values, labeled):
            out[name] = "leaks the label"
        elif name.strip().lower().replace(" ", "_") in _TRUTH:
            out[name] = message = "looks like the truth"
            message, remedy = f"{message}, which is never a feature", f"truth={name!r} tests by it; {remedy}"
        elif message := _follows(column, level, values, labeled):
            remedy = f"drop=[{name!r}] leaves it out, truth={name!r} tests by it"
        if message:
            ending = "left out" if name in out else "it stays a feature"
            findings.append(Finding("warning", name, f"column {name!r} {message}; {ending}", remedy))
    return findings, out


def _is_copy(column: Column, level: np.ndarray, labeled: np.ndarray, words: set[str]) -> bool:
    """Return whether two values (or one and empty cells) separate the rows exactly as the label does."""
    own, other = np.unique(level[labeled]), np.unique(level[~labeled])
    if len(level) < _LEAST_ROWS or len(own) != 1 or len(other) != 1 or own[0] == other[0]:
        return False
    if own[0] >= 0 and other[0] >= 0:
        return True
    value = column.levels[max(own[0], other[0])].lower()
    return value.removesuffix(".0") in _LIKE_A_LABEL | words


def _gives_away(level: np.ndarray, values: np.ndarray | None, labeled: np.ndarray) -> str:
    """Say how a column separates labeled from unlabeled rows without error; empty if it does not."""
    missing = level < 0
    if missing.any() and (np.array_equal(missing, labeled) or np.array_equal(missing, ~labeled)):
        how = "empty" if missing[labeled].any() else "filled"
        return f"is {how} for labeled rows only: it separates them from the others without error"
    level, values, labeled = level[~missing], None if values is None else values[~missing], labeled[~missing]
    if min(labeled.sum(), (~labeled).sum()) < _LEAST_OF_A_KIND:
        return ""
    own, other = np.unique(level[labeled]), np.unique(level[~labeled])
    if len(own) + len(other) <= MAX_LEVELS and not np.intersect1d(own, other).size:
        return "has other values in labeled than in unlabeled rows: it separates them without error"
    area = _area(values, labeled)
    if area in (0.0, 1.0):
        return f"has {'larger' if area else 'smaller'} values in labeled rows than in any unlabeled row"
    return ""


def _follows(column: Column, level: np.ndarray, values: np.ndarray | None, labeled: np.ndarray) -> str:
    """Say why a column nearly leaks the label, or may be the truth; empty otherwise."""
    own = np.unique(level[labeled])
    if len(own) == 1 and len(np.unique(level)) == 2:
        share = float(np.mean(level[~labeled] == own[0]))
        if share ** int(labeled.sum()) < _CHANCE:
            value = "no value" if own[0] < 0 else repr(column.levels[own[0]])
            where = f"has {value} in all labeled rows and in {share:.0%} of the others"
            return f"{where}: is it the truth, or does it follow from the label?"
    if min(labeled.sum(), (~labeled).sum()) < _LEAST_OF_A_KIND:
        return ""
    missing = level < 0
    area = 0.5 if values is None else _area(values[~missing], labeled[~missing])
    filled = 0.5 * (missing[labeled].mean() + (~missing)[~labeled].mean())
    if max(area, 1 - area) >= _NEARLY or max(filled, 1 - filled) >= _NEARLY:
        return "separates labeled from unlabeled rows almost without error: does it follow from the label?"
    return ""


def _area(values: np.ndarray | None, labeled: np.ndarray) -> float:
    """The area under the curve of a column of numbers, 0 or 1 only if it parts the rows; 0.5 where it has none."""
    n, m = int(labeled.sum()), int((~labeled).sum())
    if values is None or not n * m:
        return 0.5
    return float((rankdata(values)[labeled].sum() - n * (n + 1) / 2) / (n * m))


def check_repeats(columns: Sequence[Column], y: np.ndarray) -> tuple[list[Finding], dict[str, str]]:
    """A warning where several rows are nearly equal, with the column that says which belong together; that is no feature."""
    numbers = [column for column in columns if column.kind == "number"]
    if not numbers or len(y) < 20:
        return [], {}
    X = np.nan_to_num(np.column_stack([column.values for column in numbers]))  # type: ignore[misc]
    found = find_repeats(X.astype(np.float32), y == 1)
    many = X[:, [len(column.levels) > 20 for column in numbers]]
    equal = float(pd.DataFrame(many).duplicated(keep=False).mean()) if many.shape[1] > 1 else 0.0
    share, name = _key(columns, numbers, X)
    if found is None and equal < 0.15 and share < 0.9:
        return [], {}
    how = f"{max(equal, share):.0%} of them have equal or nearly equal ones"
    if found:
        how = f"{found.share:.0%} of the rows examined have near-duplicates, in sets of about {found.size:.0f}"
    message = f"rows look repeated: {how} (of one patient, place or product?); a method trained on one of them knows the others"
    if share < _KEY:
        return [Finding("warning", None, message, "groups= names the column of rows that belong together")], {}
    message += f"; column {name!r} identifies such rows and is not used as a feature"
    return [Finding("warning", name, message, f"groups={name!r} keeps such rows together")], {
        name: "says which rows belong together"
    }


def _key(columns: Sequence[Column], numbers: Sequence[Column], X: np.ndarray) -> tuple[float, str]:
    """How often the rows with the same value of a column are each other's nearest ones, and the column where most are."""
    n = len(X)
    rows = np.arange(n) if n <= _SAMPLE else np.flatnonzero(np.arange(n) // 64 % (n // _SAMPLE) == 0)
    X = (X[rows] - X[rows].mean(axis=0)) / np.maximum(X[rows].std(axis=0), 1e-300)
    many = np.array([len(column.levels) > 2 for column in numbers])
    near = _nearest(X[:, many]) if many.any() else np.arange(len(rows))
    found = [(0.0, 0, 0.0, "")]
    for key in (column for column in columns if _may_group(column, n)):
        codes = key.codes[rows]
        shared = np.bincount(codes + 1)[codes + 1] > 1
        # with itself among the columns, a key gets a greater share, and one search does for all columns
        if shared.any() and np.mean((codes == codes[near])[shared]) < _KEY:
            continue
        others = many & [column.name != key.name for column in numbers]
        share = _share_near(X[:, others], codes) if others.any() else 0.0
        if share > 2 * np.median(np.bincount(codes[codes >= 0])) / len(rows):  # which chance would give
            found.append((round(share, 1), len(key.levels), share, key.name))
    return max(found)[2:]


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
        shares.append((codes == codes[_nearest(X)])[~alone].mean())
    return float(min(shares, default=0.0))


def _nearest(X: np.ndarray) -> np.ndarray:
    """Return the nearest other row of each row."""
    nearest = NearestNeighbors(n_neighbors=2).fit(X).kneighbors(X, return_distance=False)
    return np.where(nearest[:, 0] == np.arange(len(X)), nearest[:, 1], nearest[:, 0])


def _may_group(column: Column, n: int) -> bool:
    """Whether a column has several rows for most of its values, and few for each."""
    if column.kind in ("empty", "constant", "boolean", "date", "text"):
        return False
    if column.values is not None and not np.array_equal(column.values, np.rint(column.values)):
        return False
    counts = np.bincount(column.codes[column.codes >= 0])
    return bool(len(counts) >= 5 and 2 <= np.median(counts) <= _MOST_PER_GROUP and counts.max() <= max(0.2 * n, 10))
