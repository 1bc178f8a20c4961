"""Tables that others made, spoiled in each of the usual ways: the right answer or one clear error, before any training."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from pulib.datasets import open_stream
from purank.tables import TableError, read_table
from tests.test_packaging import ROOT

MIRROR = Path(os.environ.get("PULIB_MIRROR") or ROOT.parent / "shared" / "mirror")
CASES = ROOT.parent / "shared" / "cases"


def _bundled(load, positive):
    frame = load(as_frame=True).frame
    return frame.drop(columns="target"), (frame["target"] == positive).to_numpy()


def _of_statsmodels(name, column, positive):
    module = pytest.importorskip(f"statsmodels.datasets.{name}")
    frame = module.load_pandas().data
    return frame.drop(columns=column), positive(frame[column]).to_numpy()


def _of_mirror(path, names, column, positive, **how):
    if not (MIRROR / path).is_file():
        pytest.skip("no data mirror: PULIB_MIRROR is not set, and there is none beside the repository")
    with open_stream(MIRROR / path) as stream:
        frame = pd.read_csv(stream, names=names, header=None if names else 0, **how)
    return frame.drop(columns=column), frame[column].isin(positive).to_numpy()


#: Measurements of wines and patients; customers; patients with gaps and words.
TABLES = {
    "wine": lambda: _bundled(datasets.load_wine, 1),
    "ccard": lambda: _of_statsmodels("ccard", "OWNRENT", lambda values: values > 0),
    "pbc": lambda: _of_mirror("pbc/pbc.csv", None, "status", [2]),
    "diabetes": lambda: _diabetes(),
}


def _diabetes():
    frame = datasets.load_diabetes(as_frame=True, scaled=False).frame
    return frame.drop(columns="target"), (frame["target"] > 150).to_numpy()


@pytest.fixture(params=TABLES)
def key(request):
    return request.param


@pytest.fixture
def table(key):
    """Features as texts, with labels of a third of the positives."""
    features, positive = TABLES[key]()
    rng = np.random.default_rng(len(features))
    texts = features.astype(object).where(features.notna(), "").astype(str)
    texts["labeled"] = np.where(positive & (rng.random(len(texts)) < 0.35), "1", "0")
    return texts, rng


def _number(frame):
    """A column of numbers with decimals, of many values."""
    return next(
        name
        for name in frame.columns
        if frame[name].str.fullmatch(r"-?\d+\.\d*[1-9]\d*").mean() > 0.3 and frame[name].nunique() > 15
    )


def save(folder, frame, **how):
    path = folder / "table.csv"
    frame.to_csv(path, index=False, **how)
    return path


def right(folder, frame, **options):
    """The columns of the table as it was before it was spoiled."""
    return read_table(save(folder, frame), label="labeled", **options)


CLEAN = {}


@pytest.fixture
def clean(key, table, tmp_path):
    """The table that is not spoiled, read once for all the ways to spoil it."""
    if key not in CLEAN:
        CLEAN[key] = right(tmp_path, table[0])
    return CLEAN[key]


def same(spoiled, clean, names=None):
    names = names or clean.feature_names
    own = [spoiled.feature_names.index(name) for name in names]
    np.testing.assert_array_equal(spoiled.X[:, own], clean.X[:, [clean.feature_names.index(name) for name in names]])


def test_missing_words(tmp_path, table, clean):
    frame, rng = table
    name = _number(frame)
    rows = rng.choice(np.flatnonzero(frame[name] != ""), 9, replace=False)
    frame.loc[rows, name] = rng.choice(["N/A", "-", "?"], 9)
    found = right(tmp_path, frame)
    assert found.missing[name] == clean.missing.get(name, 0) + 9
    assert found.feature_names == clean.feature_names
    same(found, clean, [other for other in clean.feature_names if other != name])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_decimal_commas(tmp_path, table, clean, separator):
    frame, _ = table
    commas = frame.apply(
        lambda column: column.str.replace(".", ",") if column.str.fullmatch(r"-?\d*\.?\d*(e-?\d+)?").all() else column
    )
    same(read_table(save(tmp_path, commas, sep=separator), label="labeled"), clean)


def test_one_typing_error(tmp_path, table):
    frame, rng = table
    name, row = _number(frame), int(rng.integers(len(frame)))
    frame.loc[row, name] = "12.4O"
    with pytest.raises(TableError, match=r"'12\.4O' in line") as caught:
        right(tmp_path, frame)
    assert (caught.value.column, caught.value.rows) == (name, (row + 2,))


def test_ids_dates_and_text(tmp_path, table, clean):
    frame, rng = table
    n = len(frame)
    frame.insert(0, "case_id", [f"X-{k * 7919 % 10_007:05d}" for k in range(n)])
    frame["day"] = (pd.Timestamp("2001-02-03") + pd.to_timedelta(rng.integers(0, 4000, n), unit="D")).strftime("%d.%m.%Y")
    frame["remark"] = [" ".join(rng.choice(["was", "seen", "late", "again", "by", "phone"], 5)) for _ in range(n)]
    found = right(tmp_path, frame)
    same(found, clean)
    assert found.feature_names == [*clean.feature_names, "day"]
    assert found.id_name == "case_id"


def test_a_third_label_and_labels_twice(tmp_path, table):
    frame, _ = table
    with pytest.raises(TableError, match="is_it"):
        right(tmp_path, frame.assign(is_it=frame["labeled"].map({"1": "true", "0": "false"})))
    frame.loc[frame.index[frame["labeled"] == "0"][:15], "labeled"] = "2"
    with pytest.raises(TableError, match=r"3 different values.*'2' in 15 rows"):
        right(tmp_path, frame)
    assert (right(tmp_path, frame, neg_label=2).y == -1).sum() == 15


def test_what_tells_the_label_and_the_truth(tmp_path, table, clean):
    frame, rng = table
    labeled = (frame["labeled"] == "1").to_numpy()
    spoiled = frame.assign(
        checked_on=np.where(labeled, "2020-01-0" + pd.Series(rng.integers(1, 9, len(frame))).astype(str), "")
    )
    spoiled["truth"] = np.where(labeled | (rng.random(len(frame)) < 0.2), "1", "0")
    found = right(tmp_path, spoiled)
    assert found.feature_names == clean.feature_names
    assert {"checked_on", "truth"} <= {finding.column for finding in found.findings if finding.level == "warning"}


def test_rows_that_repeat(tmp_path, table):
    frame, rng = table
    name, n = _number(frame), len(frame)
    visits = frame.loc[frame.index.repeat(3)].reset_index(drop=True)
    moved = pd.to_numeric(visits[name], errors="coerce") * (1 + 0.0005 * rng.standard_normal(3 * n))
    visits[name] = moved.astype(object).where(moved.notna(), "").astype(str)
    visits["subject"] = [f"s{k}" for k in np.repeat(rng.permutation(n), 3)]
    found = right(tmp_path, visits)
    assert any("groups='subject'" in finding.remedy for finding in found.findings if finding.level == "warning")
    assert "subject" not in found.kinds


#: What must come of each small table beside the repository: level and column of a finding, and features or line of an error.
ANSWERS = {
    "missing_words": ("note", "amount", 6),
    "decimal_commas": ("note", "score, amount", 6),
    "semicolons": ("note", "score, amount", 6),
    "one_typing_error": ("error", "amount", 79),
    "ids_dates_text": ("note", "customer", 7),
    "third_label": ("error", "labeled", None),
    "label_twice": ("error", "is_case", None),
    "feature_gives_label_away": ("warning", "reviewed_by", 6),
    "empty_column": ("note", "empty", 6),
    "latin1": ("note", None, 6),
    "ragged": ("error", None, 41),
    "same_name_twice": ("error", "score", None),
    "truth_left_in": ("warning", "truth", 6),
    "rows_repeat": ("warning", "patient", 6),
    "labels_missing_means_unlabeled": (None, None, 6),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_small_tables_as_people_have_them(case):
    if not CASES.is_dir():
        pytest.skip("the small tables are not at hand: there are none beside the repository")
    level, column, number = ANSWERS[case]
    if level == "error":
        with pytest.raises(TableError) as caught:
            read_table(CASES / f"{case}.csv", label="labeled")
        assert caught.value.column == column
        assert number is None or number in caught.value.rows
        return
    found = read_table(CASES / f"{case}.csv", label="labeled")
    assert found.X.shape[1] == number
    assert level is None or (level, column) in {(finding.level, finding.column) for finding in found.findings}
    with open(CASES / f"{case}.csv", encoding="latin-1", newline="") as file:
        header, *rows = csv.reader(file, delimiter=";" if case == "semicolons" else ",")
    np.testing.assert_array_equal(found.y, [row[header.index("labeled")] in ("1", "1.0") for row in rows])
