"""Tables as people have them: each usual way to spoil one ends with the right answer, said once, or with one clear error."""

import bz2
import datetime
import gzip
import lzma
import re
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestNeighbors

from purank.tables import TableError, read_table
from tests.purank.spoiled import clean, error_of, hidden, read, said, write

NUMBERS = ["age", "score", "amount"]


def numbers_of(table, frame, columns=NUMBERS):
    places = [table.feature_names.index(name) for name in columns]
    np.testing.assert_array_equal(table.X[:, places], frame[columns].astype(float))


def test_a_clean_table_is_read_without_a_word(tmp_path):
    frame = clean()
    table = read(tmp_path, frame)
    assert table.feature_names == [*NUMBERS, "region=east", "region=north", "region=south"]
    numbers_of(table, frame)
    np.testing.assert_array_equal(table.X[:, 3], frame["region"] == "east")
    np.testing.assert_array_equal(table.y, frame["labeled"].astype(int))
    assert table.findings == []
    assert table.lines.tolist() == list(range(2, 162))


@pytest.mark.parametrize(
    ("spellings", "column"),
    [
        (["N/A", "-", "#DIV/0!", "#N/A"], "age"),
        (["?", "n.a.", "NA", "—", "."], "score"),
        (["null", "None", "nan", "missing", "unknown", ""], "amount"),
    ],
)
def test_spellings_of_missing_leave_a_column_numeric(tmp_path, spellings, column):
    frame = clean(3)
    rng = np.random.default_rng(4)
    rows = rng.choice(160, 13, replace=False)
    expected = frame[column].astype(float)
    expected[rows] = np.nan
    frame.loc[rows, column] = rng.choice(spellings, 13)
    table = read(tmp_path, frame)
    assert table.kinds[column] == "number"
    assert table.X.shape[1] == 6
    assert table.missing == {column: 13}
    np.testing.assert_array_equal(table.X[:, NUMBERS.index(column)], expected.fillna(expected.median()))
    words = said(table, column)
    assert "13" in words
    assert all(repr(spelling) in words for spelling in set(frame.loc[rows, column]) - {""})


def test_what_becomes_of_missing_values(tmp_path):
    frame = clean()
    frame.loc[[3, 7], "score"] = "N/A"
    frame.loc[9, "region"] = ""
    table = read(tmp_path, frame, on_missing="drop_rows")
    assert (len(table.X), table.n_dropped) == (157, 3)
    assert f"; in the file, '1' positive ({(frame['labeled'] == '1').sum()}), '0' unlabeled" in table.describe()[1]
    assert table.lines.tolist() == [line for line in range(2, 162) if line - 2 not in (3, 7, 9)]
    assert "column 'score' has 2 missing values" in str(error_of(tmp_path, frame, on_missing="error"))
    np.testing.assert_array_equal(read(tmp_path, frame).X[9, 3:], 0)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " "])
def test_decimal_commas_and_separators(tmp_path, separator):
    frame = clean()
    spoiled = frame.assign(score=frame["score"].str.replace(".", ","), amount=frame["amount"].str.replace(".", ","))
    path = write(tmp_path, spoiled, sep=separator)
    table = read_table(path, label="labeled")
    numbers_of(table, frame)
    assert "decimal commas: columns 'score', 'amount'" in said(table, "score")
    assert any("separator is" in f.message or "separated by" in f.message for f in table.findings) == (separator != ",")
    numbers_of(read_table(write(tmp_path, frame, sep=separator), label="labeled"), frame)


def test_a_thousand_and_a_decimal(tmp_path):
    """Where the cells leave it open it is an error; an option, or the rest of the table, decides it."""
    frame = clean()
    whole = np.random.default_rng(5).integers(1000, 9999, 160)
    frame["pay"] = [f"{value // 1000},{value % 1000:03d}" for value in whole]
    whole_only = frame.drop(columns=["score", "amount"])
    error = error_of(tmp_path, whole_only)
    assert error.column == "pay"
    assert "decimal='.'" in error.remedy
    assert frame["pay"][0] in error.values
    assert read(tmp_path, whole_only, decimal=".").X[0, 2 - 1 + 3] == whole[0]
    table = read(tmp_path, whole_only, decimal=",")
    assert table.X[0, table.feature_names.index("pay")] == whole[0] / 1000
    table = read(tmp_path, frame)  # the other columns have decimal points
    np.testing.assert_array_equal(table.X[:, table.feature_names.index("pay")], whole)
    assert "thousands" in said(table, "pay")


@pytest.mark.parametrize(("before", "after"), [("", " kg"), ("€ ", ""), ("", "%"), ("$", ""), ("", "°C")])
def test_a_unit_of_all_numbers_is_taken_off(tmp_path, before, after):
    frame = clean()
    spoiled = frame.assign(amount=before + frame["amount"] + after)
    table = read(tmp_path, spoiled)
    numbers_of(table, frame)
    assert "units were removed" in said(table, "amount")
    spoiled.loc[7, "amount"] = "3.5 lb"
    error = error_of(tmp_path, spoiled)
    assert (error.column, error.values, error.rows) == ("amount", ("3.5 lb",), (9,))
    assert "kinds={'amount': 'category'}" in error.remedy


@pytest.mark.parametrize(
    ("wrong", "row"), [("12.4O", 0), ("12..4", 77), ("l2", 159), ("twelve", 3), ("12;4", 158), ("3,4,5", 1)]
)
def test_one_typing_error(tmp_path, wrong, row):
    frame = clean()
    right = frame["amount"].astype(float).drop(row)
    frame.loc[row, "amount"] = wrong
    error = error_of(tmp_path, frame)
    assert (error.column, error.values, error.rows) == ("amount", (wrong,), (row + 2,))
    assert "kinds={'amount': 'category'} takes all as categories" in error.remedy
    assert f"{wrong!r} in line {row + 2}" in str(error)
    table = read(tmp_path, frame, missing=[wrong])
    assert table.missing == {"amount": 1}
    assert table.X[row, 2] == right.median()
    assert read(tmp_path, frame, kinds={"amount": "category"}, max_levels=1000).X.shape[1] > 100
    assert len(read(tmp_path, frame, kinds={"amount": "category"}).feature_names) == 2 + 20 + 3


def test_lines_count_cells_with_line_breaks(tmp_path):
    frame = clean()
    assert read(tmp_path, frame.rename(columns={"age": "age\nin years"})).lines[0] == 3
    frame.loc[10, "region"] = "no\nrth"
    frame.loc[77, "amount"] = "12.4O"
    assert error_of(tmp_path, frame).rows == (80,)


def test_ids_dates_and_text(tmp_path):
    rng = np.random.default_rng(0)
    frame = clean()
    frame.insert(0, "customer", [f"C{100_000 + 7 * k}" for k in range(160)])
    times = pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 10_000, 160), unit="h")
    frame["opened"] = times.strftime("%Y-%m-%d %H:%M")
    words = ["card", "call", "refund", "late", "new", "closed", "paid", "again"]
    frame["note"] = [" ".join(rng.choice(words, rng.integers(3, 7))) for _ in range(160)]
    table = read(tmp_path, frame)
    assert table.feature_names[:4] == [*NUMBERS, "region=east"]
    assert table.X.shape[1] == 7
    assert table.left_out["customer"] == "an id"
    assert table.left_out["note"] == "free text"
    assert table.id_name == "customer"
    assert table.ids.tolist() == frame["customer"].tolist()
    np.testing.assert_allclose(table.X[:, 6], (times - pd.Timestamp(0)) / pd.Timedelta(days=1))
    assert "ids" in said(table, "customer")
    assert "dates became numbers" in said(table, "opened")
    assert "free text" in said(table, "note", "warning")
    hashed = read(tmp_path, frame, text="hash", dates="drop")
    assert hashed.X.shape[1] == 6 + 32
    assert np.abs(hashed.X[:, 6:]).sum() > 0
    assert "hashed" in said(hashed, "note")
    frame["pressure"] = [f"{a}/{b}" for a, b in rng.integers([100, 60], [160, 100], (160, 2))]
    assert "turn it into columns of numbers" in said(read(tmp_path, frame), "pressure", "warning"), "it names no rows"


@pytest.mark.parametrize(
    "values",
    [
        [f"{k:08x}-{k * 7919 % 65536:04x}" for k in range(160)],
        [str(10_000 + 3 * k) for k in range(160)],
        [str(k) for k in range(160)],
        [f"person{k}@example.org" for k in range(160)],
        [str(10**17 + k * 13) for k in range(160)],
        [f"{k:04d}" for k in range(160)],
    ],
    ids=["hexadecimal", "whole numbers", "row numbers", "addresses", "long numbers", "padded numbers"],
)
def test_what_names_rows_is_no_feature(tmp_path, values):
    frame = clean().assign(user_id=values)
    table = read(tmp_path, frame)
    assert table.left_out["user_id"] == "an id"
    assert table.X.shape[1] == 6
    assert table.ids.tolist() == values
    assert read(tmp_path, frame, id="user_id").ids.tolist() == values
    measured = [str(v) for v in np.random.default_rng(0).permutation(90_000)[:160]]
    assert "income" in read(tmp_path, clean().assign(income=measured)).feature_names, "different whole numbers may be measured"


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y %H:%M", "%d-%b-%Y", "%Y%m%d"])
def test_dates_in_several_forms(tmp_path, form):
    times = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(np.random.default_rng(0).integers(0, 700, 160), unit="D"))
    frame = clean().assign(opened=times.dt.strftime(form))
    table = read(tmp_path, frame)
    assert table.kinds["opened"] == "date"
    np.testing.assert_array_equal(table.X[:, 6], (times - pd.Timestamp(0)) / pd.Timedelta(days=1))


def test_a_date_that_may_be_two_and_one_that_is_none(tmp_path):
    days = np.random.default_rng(0).integers(1, 13, (160, 2))
    frame = clean().assign(opened=[f"{a}/{b}/2021" for a, b in days])
    assert "are ambiguous" in str(error_of(tmp_path, frame.assign(opened=frame["opened"].where(frame.index > 9, "31.01.2021"))))
    error = error_of(tmp_path, frame)
    assert error.column == "opened"
    assert "dates='%d/%m/%Y'" in error.remedy
    table = read(tmp_path, frame, dates="%d/%m/%Y")
    assert table.X[0, 6] == (pd.Timestamp(2021, days[0, 1], days[0, 0]) - pd.Timestamp(0)).days
    assert "opened" not in read(tmp_path, frame, dates="drop").feature_names
    frame["opened"] = "2021-02-1" + pd.Series(days[:, 0] % 9).astype(str)
    frame.loc[4, "opened"] = "2021-02-30"
    error = error_of(tmp_path, frame)
    assert (error.column, error.values, error.rows) == ("opened", ("2021-02-30",), (6,))
    assert "missing=['2021-02-30'] reads them as missing, kinds={'opened': 'category'}" in error.remedy
    frame.loc[4, "opened"] = "N/A"
    assert read(tmp_path, frame).missing == {"opened": 1}


def test_many_categories_never_become_hundreds_of_columns(tmp_path):
    rng = np.random.default_rng(0)
    frame = clean(n=2000).assign(city=[f"city{k}" for k in np.minimum(rng.geometric(0.03, 2000), 400)])
    table = read(tmp_path, frame)
    own = [name for name in table.feature_names if name.startswith("city=")]
    assert len(own) == 20
    assert "city=any other" in own
    assert (table.X[:, [table.feature_names.index(name) for name in own]].sum(axis=1) == 1).all()
    assert "20" not in said(table, "city", "note")
    assert "all others share one" in said(table, "city", "warning")
    frame["city"] = [f"c{k}" for k in rng.integers(0, 700, 2000)]
    table = read(tmp_path, frame)
    assert "city" in table.left_out
    assert "each in few rows" in said(table, "city", "warning")


@pytest.mark.parametrize("codes", [["01067", "10115", "80331"], ["3_12", "4_1"], ["012", "07"], [str(10**16), "7"]])
def test_codes_are_no_numbers(tmp_path, codes):
    table = read(tmp_path, clean().assign(code=np.resize(codes, 160)))
    assert table.kinds["code"] == "category"
    assert f"code={codes[0]}" in table.feature_names


def test_yes_and_no_are_one_column(tmp_path):
    frame = clean().assign(smokes=np.random.default_rng(0).choice(["yes", "no", "N/A"], 160), member=["TRUE", "FALSE"] * 80)
    table = read(tmp_path, frame)
    assert table.kinds["smokes"] == table.kinds["member"] == "boolean"
    assert table.X[0, -1] == 1.0


def test_a_third_label_needs_a_word(tmp_path):
    frame = clean()
    frame["labeled"] = frame["labeled"].map({"1": "confirmed", "0": ""})
    frame.loc[frame.index[frame["labeled"] == ""][:20], "labeled"] = "rejected"
    counts = frame["labeled"].value_counts()
    error = error_of(tmp_path, frame)
    for value, count in counts.items():
        assert f"{value!r} in {count} rows" in str(error) if value else f"nothing in {count} rows" in str(error)
    assert "neg_label" in error.remedy
    assert "drop_label" in error.remedy
    assert error_of(tmp_path, frame, pos_label="confirmed").column == "labeled"
    table = read(tmp_path, frame, neg_label="rejected")
    assert [int((table.y == value).sum()) for value in (1, -1, 0)] == [counts["confirmed"], 20, counts[""]]
    assert len(read(tmp_path, frame, drop_label="rejected").y) == 140
    assert (read(tmp_path, frame, unlabeled_label="rejected").y == 0).sum() == 20 + counts[""]
    frame["labeled"] = frame["labeled"].replace({"confirmed": "1", "rejected": "0"})
    assert [(read(tmp_path, frame, **{option: ""}).y == 0).sum() for option in ("neg_label", "drop_label")] == [20, 20]


@pytest.mark.parametrize(
    ("words", "options", "wrong"),
    [
        (["1", ""], {}, ""),
        (["1", "0"], {}, ""),
        (["1.0", "0.0"], {}, ""),
        (["1", "-1"], {}, ""),
        (["yes", "no"], {}, ""),
        (["True", "False"], {}, ""),
        (["confirmed", ""], {}, ""),
        (["confirmed", "unknown"], {}, ""),
        (["fraud", "other"], {}, "Say what each of them means"),
        (["fraud", "other"], {"pos_label": "fraud"}, ""),
        (["2", "1"], {}, "Say what '2' means"),
        (["2", "1"], {"pos_label": 2}, ""),
        (["yes", "other"], {}, "Say what 'other' means"),
        (["0", ""], {}, "Say what '0' means"),
        (["fraud", "other"], {"pos_label": "fruad"}, "no 'fruad' in column 'labeled', the label"),
        (["x", "y"], {"pos_label": "x", "neg_label": "x"}, "the label 'x' is given two meanings"),
    ],
)
def test_words_of_labels(tmp_path, words, options, wrong):
    """1 and 2 may be "labeled" and "not" either way round."""
    frame = clean()
    labeled = frame["labeled"] == "1"
    frame["labeled"] = np.where(labeled, *words)
    if wrong:
        assert wrong in str(error_of(tmp_path, frame, **options))
    else:
        table = read(tmp_path, frame, **options)
        np.testing.assert_array_equal(table.y == 1, labeled)
        assert (table.y[~labeled] == 0).all()


def test_labels_of_one_kind_and_of_many(tmp_path):
    assert "has no unlabeled row" in str(error_of(tmp_path, clean().assign(labeled="1")))
    for only in ("0", "", "no"):
        assert "column 'labeled', the label, has no labeled row; it c" in str(error_of(tmp_path, clean().assign(labeled=only)))
    assert "has one value: 'x' in 160 rows; expected" in str(error_of(tmp_path, clean().assign(labeled="x")))
    assert "reversed?" in said(read(tmp_path, clean().assign(labeled=["0"] * 9 + ["1"] * 151)), "labeled", "warning")
    many = error_of(tmp_path, clean(), label="age")
    assert "different values" in str(many)
    assert len(str(many)) < 700


@pytest.mark.parametrize("words", [("1", "0"), ("0", "1"), ("yes", "no"), ("1", ""), ("case", "control"), ("open", "closed")])
def test_a_copy_of_the_label_is_an_error(tmp_path, words):
    frame = clean()
    frame.insert(2, "is_case", np.where(frame["labeled"] == "1", *words))
    error = error_of(tmp_path, frame)
    assert error.column == "is_case"
    assert "drop=['is_case']" in error.remedy
    assert read(tmp_path, frame, drop=["is_case"]).X.shape[1] == 6


@pytest.mark.parametrize("kind", ["filled", "empty", "one name", "greater", "other values", "copy with gaps"])
def test_what_gives_the_label_away_is_named_and_left_out(tmp_path, kind):
    rng = np.random.default_rng(0)
    frame = clean()
    labeled = (frame["labeled"] == "1").to_numpy()
    people = rng.choice(["anna", "ben", "carla"], 160)
    frame["reviewed_by"] = {
        "filled": np.where(labeled, people, ""),
        "empty": np.where(labeled, "", people),
        "one name": np.where(labeled, "anna", ""),
        "greater": np.round(rng.random(160) + 2 * labeled, 4).astype(str),
        "other values": np.where(labeled, rng.choice(["a", "b"], 160), rng.choice(["c", "d"], 160)),
        "copy with gaps": np.where(np.arange(160) % 10, np.where(labeled, "1", "0"), ""),
    }[kind]
    table = read(tmp_path, frame)
    assert table.left_out["reviewed_by"] == "leaks the label"
    assert table.X.shape[1] == 6
    assert "'reviewed_by'" in said(table, "reviewed_by", "warning")
    assert read(tmp_path, frame, kinds={"reviewed_by": "category"}).X.shape[1] > 6


def test_the_truth_is_never_a_feature(tmp_path):
    frame = clean()
    frame["truth"] = hidden(frame).astype(int).astype(str)
    table = read(tmp_path, frame)
    assert table.left_out["truth"] == "looks like the truth"
    assert "truth" in said(table, "truth", "warning")
    assert table.X.shape[1] == 6
    named = read(tmp_path, frame, truth="truth")
    np.testing.assert_array_equal(named.truth, frame["truth"].astype(float))
    assert named.X.shape[1] == 6
    other = read(tmp_path, frame.rename(columns={"truth": "final_state"}))
    assert "is it the truth" in said(other, "final_state", "warning")


def test_truth_and_labels_that_disagree(tmp_path):
    frame = clean()
    frame["t"] = np.where(hidden(frame), "1", "0")
    frame.loc[30:, "t"] = ""
    table = read(tmp_path, frame, truth="t")
    assert (np.isnan(table.truth) == (np.arange(160) >= 30)).all()
    assert "of 130 rows to train on are labeled" in str(error_of(tmp_path, frame, truth="t", prior=1e-3))
    frame.loc[0, "t"] = "0"
    assert "labeled in column 'labeled' and negative by column 't'" in said(read(tmp_path, frame, truth="t"), "t", "warning")
    frame.loc[1, "t"] = "maybe"
    assert "must hold '1' for positive rows" in str(error_of(tmp_path, frame, truth="t"))


@pytest.mark.parametrize(
    ("label", "words", "options"),
    [
        (("yes", "no"), ("1", "0"), {"pos_label": "yes"}),
        (("1", "0"), ("yes", "no"), {"pos_label": 1}),
        (("case", ""), ("case", "control"), {}),
        (("case", "unknown"), ("TRUE", "FALSE"), {}),
        (("0", "1"), ("0", "1"), {"pos_label": 0}),
    ],
)
def test_the_truth_in_the_words_of_the_label_or_in_plain_ones(tmp_path, label, words, options):
    frame = clean()
    frame["t"], frame["labeled"] = np.where(hidden(frame), *words), np.where(frame["labeled"] == "1", *label)
    table = read(tmp_path, frame, truth="t", **options)
    np.testing.assert_array_equal(table.truth, frame["t"] == words[0])
    frame.loc[frame["t"] == words[0], "t"] = ""
    if label[0] != "0" and words[1] != "control":  # all whose truth is known are negative
        assert np.nansum(read(tmp_path, frame, truth="t", **options).truth) == 0
    else:
        assert "must hold" in str(error_of(tmp_path, frame, truth="t", **options))


@pytest.mark.parametrize("cell", ["", "N/A", "  "])
def test_an_empty_and_a_constant_column_are_left_out(tmp_path, cell):
    frame = clean().assign(empty=cell, always="3")
    table = read(tmp_path, frame)
    assert table.X.shape[1] == 6
    assert "all values missing" in said(table, "empty")
    assert "the same value in all rows" in said(table, "always")


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ("sums", "the sums of the others, in columns 'age', 'score', 'amount'"),
        ("sums, with labels", "the sums of the others, in columns 'age', 'score', 'amount', 'labeled'"),
        ("a note", "one cell"),
    ],
)
def test_a_last_row_that_is_no_case(tmp_path, last, words):
    """It is named before its label or its cells are found to be strange."""
    frame = clean()
    frame.loc[160] = {"age": "of our registry", "score": "", "amount": "", "region": "", "labeled": ""}
    if last.startswith("sums"):
        frame.loc[160, "labeled"] = "" if last == "sums" else str((frame["labeled"] == "1").sum())
        frame = frame.replace({"labeled": {"0": ""}})
        frame.loc[160, "age"] = ""
        frame.loc[160, NUMBERS] = frame[NUMBERS].replace("", 0).astype(float).sum().round(1).astype(str)
    error = error_of(tmp_path, frame)
    assert "the last row, line 162, h" in str(error)
    assert words in str(error)
    assert error.rows == (162,)


def test_names(tmp_path):
    frame = clean()
    path = tmp_path / "table.csv"
    for name in ("score", " score", "labeled"):
        path.write_text(frame.to_csv(index=False).replace("amount", name, 1))
        with pytest.raises(TableError, match=f"2 columns are called '{name.strip()}'") as caught:
            read_table(path, label="labeled")
        assert caught.value.column == name.strip()
    with pytest.raises(TableError, match=r"no column 'labelled', the label \(did you mean 'labeled'"):
        read(tmp_path, frame, label="labelled")
    with pytest.raises(TableError, match="no column 'Amount', of an option"):
        read(tmp_path, frame, drop=["Amount"])


@pytest.mark.parametrize(("long", "short"), [(41, 42), (2, 161), (80, 3)])
def test_rows_of_another_length(tmp_path, long, short):
    lines = clean().to_csv(index=False).splitlines()
    lines[long - 1] += ",7"
    lines[short - 1] = lines[short - 1].rpartition(",")[0]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(TableError, match="2 rows do not have as many cells as the header, 5") as caught:
        read_table(path, label="labeled")
    assert sorted(caught.value.rows) == sorted([long, short])
    assert f"line {long} has 6" in str(caught.value)
    assert f"line {short} has 4" in str(caught.value)
    path.write_text("\n".join([lines[0], *(line + ",9" for line in clean().to_csv(index=False).splitlines()[1:])]))
    with pytest.raises(TableError, match="does the header lack a name"):
        read_table(path, label="labeled")


def test_empty_lines_and_separators_at_the_end_are_harmless(tmp_path):
    frame = clean()
    lines = frame.to_csv(index=False).splitlines()
    path = tmp_path / "table.csv"
    path.write_text("\r\n".join([lines[0], *(line + "," for line in lines[1:80]), "", *lines[80:], ",,,,", ""]))
    table = read_table(path, label="labeled")
    numbers_of(table, frame)
    assert table.lines[-1] == 162


PACKED = {
    "utf-8": bytes,
    "utf-8-sig": gzip.compress,
    "utf-16": bz2.compress,
    "utf-16-le": lzma.compress,
    "utf-32": bytes,
    "latin-1": bytes,
    "cp1252": lzma.compress,
}


@pytest.mark.parametrize("encoding", PACKED)
def test_encodings_and_containers(tmp_path, encoding):
    frame = clean()
    frame.loc[3, "region"] = "Zürich"
    path = tmp_path / "table.csv"
    path.write_bytes(PACKED[encoding](frame.to_csv(index=False).encode(encoding)))
    table = read_table(path, label="labeled")
    numbers_of(table, frame)
    assert "region=Zürich" in table.feature_names
    notes = [str(finding) for finding in table.findings]
    if encoding in ("latin-1", "cp1252"):
        assert re.search("not UTF-8; read as Windows-1252.*'Zürich' in line 5", notes[0])
    elif "16" in encoding:
        assert "UTF-16" in notes[0]
    elif encoding.startswith("utf-8"):
        assert notes == []


def test_files_that_were_joined(tmp_path):
    """Of two encodings, with a mark of byte order in between."""
    lines = clean().replace("north", "Zürich").to_csv(index=False).encode().splitlines(keepends=True)
    path = tmp_path / "table.csv"
    parts = lines[:80], [b"\xef\xbb\xbf" + lines[80]], [line.decode().encode("cp1252") for line in lines[81:]]
    path.write_bytes(b"".join(line for part in parts for line in part))
    assert read_table(path, label="labeled").feature_names == [*NUMBERS, "region=Zürich", "region=east", "region=south"]


@pytest.mark.parametrize(
    ("at", "line"), [(1, "years,,EUR,,"), (1, "|".join(["---"] * 5)), (80, "age,score,amount,region,labeled")]
)
def test_a_line_below_the_header_that_is_no_case_is_named(tmp_path, at, line):
    lines = clean().to_csv(index=False).splitlines()
    path = tmp_path / "table.csv"
    path.write_text("\n".join([*lines[:at], line, *lines[at:], "(160 rows)" if "|" in line else ""]))
    with pytest.raises(TableError, match=r"[Rr]emove") as error:
        read_table(path, label="labeled")
    assert f"line {at + 1}" in str(error.value)


def test_an_encoding_that_cannot_be_seen(tmp_path):
    path = write(tmp_path, clean())
    path.write_bytes(path.read_bytes().replace(b"north", b"n\x81rth"))
    with pytest.raises(TableError, match=r"cannot be read as UTF-8 or Windows-1252: byte 0x81 in line \d+\. encoding="):
        read_table(path, label="labeled")
    with pytest.raises(TableError, match="is unknown to Python"):
        read_table(path, label="labeled", encoding="utf-9")
    assert read_table(path, label="labeled", encoding="cp437").X.shape[1] == 6


@pytest.mark.parametrize("groups", [None, "patient"])
def test_rows_that_repeat_ask_for_groups(tmp_path, groups):
    frame = clean().drop(columns="region")
    frame = frame.loc[frame.index.repeat(4)].reset_index(drop=True)
    frame["score"] = (frame["score"].astype(float) + np.random.default_rng(0).normal(0, 0.005, 640)).round(3).astype(str)
    frame["patient"] = [str(k // 4) for k in range(640)]
    table = read(tmp_path, frame, groups=groups)
    assert "patient" not in table.feature_names
    if groups:
        assert table.groups.tolist() == frame["patient"].tolist()
        assert not [finding for finding in table.findings if finding.level == "warning"]
    else:
        assert "groups='patient'" in said(table, "patient", "warning")
        named = frame.assign(patient="P" + frame["patient"])
        assert any("groups='patient'" in finding.remedy for finding in read(tmp_path, named).findings)


def test_rows_that_belong_together_are_sought_once_in_a_wide_table(tmp_path, monkeypatch):
    searches, fit = [], NearestNeighbors.fit
    monkeypatch.setattr(NearestNeighbors, "fit", lambda *given: searches.append(1) or fit(*given))
    counts = np.random.default_rng(0).integers(0, 20, (160, 60)).astype(str)
    read(tmp_path, clean().join(pd.DataFrame(counts).add_prefix("gene")))
    assert len(searches) < 5


def test_a_matrix_that_does_not_fit_is_not_begun(tmp_path, monkeypatch):
    monkeypatch.setattr("pulib._memory._free_by_source", lambda: [(4e4, "are free")])
    with pytest.raises(MemoryError, match="The matrix of 160 rows and 26 columns"):
        read(tmp_path, clean().assign(kind=[f"k{k % 20}" for k in range(160)]))


def test_spreadsheets(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    frame = clean()
    typed = frame.astype({"age": int, "score": float, "labeled": float})
    typed.loc[3, "amount"] = "#N/A"
    typed["when"] = pd.Timestamp("2021-01-01") + pd.to_timedelta(np.arange(160) % 37, unit="D")
    path = tmp_path / "table.xlsx"
    typed.rename(columns={"region": 2020}).to_excel(path, index=False)
    book = openpyxl.load_workbook(path)
    for k in range(161):
        book.active[f"G{k + 1}"] = datetime.timedelta(hours=12 * (k % 31)) if k else "stay"
    book.save(path)
    table = read_table(path, label="labeled", drop=["2020"])
    numbers_of(table, frame, ["age", "score"])
    np.testing.assert_array_equal(table.X[:, table.feature_names.index("stay")], 0.5 * (np.arange(1, 161) % 31))
    assert table.kinds["amount"] == "number"
    assert table.kinds["when"] == "date"
    assert table.missing == {"amount": 1}
    typed.loc[9, "amount"] = "12.4O"
    typed.to_excel(path, index=False)
    with pytest.raises(TableError, match=r"'12\.4O' in row 11"):
        read_table(path, label="labeled")


def test_a_spreadsheet_without_its_reader_names_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with zipfile.ZipFile(tmp_path / "table.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    with pytest.raises(TableError, match="needs openpyxl, which is not installed"):
        read_table(tmp_path / "table.xlsx", label="labeled")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"on_missing": "mean"}, "on_missing='mean': Input should be 'median', 'drop_rows' or 'error'"),
        ({"text": "keep"}, "text='keep'"),
        ({"dates": "yes"}, "dates='yes'"),
        ({"kinds": {"age": "nominal"}}, "kinds: age='nominal'"),
        ({"scenario": "both"}, "scenario='both'"),
        ({"prior": 30}, "prior=30"),
        ({"prior": 0.01}, "contradicts the labels"),
        ({"truth": "labeled"}, "named as label and as truth"),
        ({"groups": "labeled"}, "named as label and as groups"),
        ({"id": "labeled"}, "named as label and as id"),
        ({"separator": "::"}, "separator='::'"),
    ],
)
def test_options_that_cannot_be_meant(tmp_path, options, words):
    assert words in str(error_of(tmp_path, clean(), **options))


def test_files_that_are_no_tables(tmp_path):
    file = tmp_path / "table.csv"
    with pytest.raises(TableError, match="no such file"):
        read_table(file, label="labeled")
    for text, words in (("", "is empty"), ("a,labeled\n", "a header but no rows")):
        file.write_text(text)
        with pytest.raises(TableError, match=words):
            read_table(file, label="labeled")
    forms = {"to_feather": "Arrow", "to_pickle": "pickle", "to_json": "JSON", "to_html": "HTML", "to_stata": "Stata"}
    for form, kind in forms.items():
        getattr(clean(), form)(file)
        with pytest.raises(
            TableError, match=rf"looks like .*{kind}.*; expected a text file such as CSV, a spreadsheet, or Parq"
        ):
            read_table(file, label="labeled")
