"""Files and cells that programs write: containers, encodings, types, dates, flags, ids; read as meant, or one clear error."""

import csv
import gzip
import zipfile
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from purank.tables import TableError, read_table
from tests.purank.spoiled import clean, error_of, read, said, write


def column_of(table, name):
    return table.X[:, table.feature_names.index(name)]


def parquet(folder, frame, **options):
    frame.to_parquet(folder / "table.parquet")
    return read_table(folder / "table.parquet", **{"label": "labeled", **options})


def typed(**columns):
    return clean().astype({"age": int, "score": float, "amount": float, "labeled": int}).assign(**columns)


def zipped(folder, *names):
    path = folder / "table.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, clean().to_csv(index=False))
    return path


def test_a_zip_archive_with_one_file(tmp_path):
    assert read_table(zipped(tmp_path, "one.csv"), label="labeled").X.shape == (160, 6)
    assert read_table(zipped(tmp_path, "folder/one.csv", "__MACOSX/folder/._one.csv"), label="labeled").X.shape == (160, 6)
    with pytest.raises(TableError, match=r"holds 2 files \(one.csv, two.csv\); expected one"):
        read_table(zipped(tmp_path, "one.csv", "two.csv"), label="labeled")


@pytest.mark.parametrize("name", ["table.csv.gz", "table.zip", "table.parquet"])
def test_a_damaged_file_is_no_stack_trace(tmp_path, name):
    path = tmp_path / name
    if name.endswith("parquet"):
        typed().to_parquet(path)
    elif name.endswith("zip"):
        zipped(tmp_path, "one.csv")
    else:
        path.write_bytes(gzip.compress(clean().to_csv(index=False).encode()))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(TableError, match=r"cannot be (decompressed|read)"):
        read_table(path, label="labeled")


def test_the_size_of_a_compressed_file_is_that_of_its_text(tmp_path, monkeypatch):
    monkeypatch.setattr("pulib._memory._free_by_source", lambda: [(2e5, "are free")])
    text = clean().to_csv(index=False) + "\n" * 200_000
    (tmp_path / "table.csv").write_bytes(gzip.compress(text.encode()))
    with pytest.raises(MemoryError, match="once it is read"):
        read_table(tmp_path / "table.csv", label="labeled")


@pytest.mark.parametrize(
    ("texts", "hours"),
    [
        (["1:05 AM", "12:30 pm", "12:00 a.m."], [1 + 5 / 60, 12.5, 0]),
        (["0:15", "26:10", "101:30"], [0.25, 26 + 10 / 60, 101.5]),
        (["10:00:30", "23:59:59", "00:00:00.5"], [10 + 30 / 3600, 24 - 1 / 3600, 0.5 / 3600]),
    ],
)
def test_times_of_day_and_durations(tmp_path, texts, hours):
    table = read(tmp_path, clean().assign(at=[texts[k % 3] for k in range(160)]))
    np.testing.assert_allclose(column_of(table, "at")[:3], hours)
    assert "'at' (hours)" in said(table, "at")


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["2021-03-04T05:00:00Z", "2021-03-04T05:00:00+01:00"], ["2021-03-04T05:00", "2021-03-04T04:00"]),
        (["2021-03-04 10:00:00.25", "2021-03-05"], ["2021-03-04T10:00:00.25", "2021-03-05"]),
        (["2021-03", "2020-12"], ["2021-03-01", "2020-12-01"]),
        (["13.04.99", "02.05.07"], ["1999-04-13", "2007-05-02"]),
        (["7-Apr-71", "12-May-2021"], ["1971-04-07", "2021-05-12"]),
        (["Mo, 12. Mai 2024", "3. März 1999"], ["2024-05-12", "1999-03-03"]),
        (["1 juillet 2024", "lun. 3 AOÛT 2024"], ["2024-07-01", "2024-08-03"]),
        (["01MAR2021", "12apr1999"], ["2021-03-01", "1999-04-12"]),
        (["01MAR2021:10:00:00", "1 Mar 2021 11:30"], ["2021-03-01T10:00", "2021-03-01T11:30"]),
        (["2021-03-01 05:00:00 UTC", "2021-03-01 05:00:00 +0100"], ["2021-03-01T05:00", "2021-03-01T04:00"]),
        (["2021-03-01 05:00:00.5+02", "13.04.2021"], ["2021-03-01T03:00:00.5", "2021-04-13"]),
        (["03/14/2021", "03.04.2021"], ["2021-03-14", "2021-04-03"]),
        (["Mon, 01 Mar 2021 10:00:00 GMT", "Tue, 02 Mar 2021 10:00:00 +0100"], ["2021-03-01T10:00", "2021-03-02T09:00"]),
    ],
)
def test_moments(tmp_path, texts, days):
    table = read(tmp_path, clean().assign(at=[texts[k % 2] for k in range(160)]))
    expected = (np.array(days, "datetime64[us]") - np.datetime64(0, "us")) / np.timedelta64(1, "D")
    np.testing.assert_allclose(column_of(table, "at")[:2], expected)
    assert ("two digits" in said(table, "at")) == (texts[0] in ("13.04.99", "7-Apr-71"))


def test_a_birthday_of_two_digits_is_of_either_century(tmp_path):
    rng = np.random.default_rng(0)
    frame = clean().assign(born=[f"{d:02d}.{m:02d}.{y}" for d, m, y in rng.integers([1, 1, 30], [29, 13, 99], (160, 3))])
    error = error_of(tmp_path, frame)
    assert "column 'born': years of two digits may be of this century or the last" in str(error)
    assert "%y" in error.remedy
    assert read(tmp_path, frame, dates="%d.%m.%y").kinds["born"] == "date"
    assert "born" in read(tmp_path, frame, dates="drop").left_out


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("never", ["9999-12-31", "0001-01-01"])
def test_a_date_that_stands_for_none(tmp_path, form, never):
    days = [never if k % 9 == 4 else f"2021-03-{1 + k % 28:02d}" for k in range(160)]
    frame = typed(until=np.array(days, "datetime64[us]")) if form == "parquet" else clean().assign(until=days)
    reading = parquet if form == "parquet" else read
    with pytest.raises(TableError, match=rf"18 values before 1678 or after 2261.*missing=\['{never}'\]"):
        reading(tmp_path, frame)
    assert reading(tmp_path, frame, missing=[never]).missing == {"until": 18}


@pytest.mark.parametrize("number", ["inf", "-Infinity", "1e400", "-1e308"])
def test_numbers_that_no_learner_computes_with(tmp_path, number):
    frame = clean()
    frame.loc[[5, 9], "amount"] = number
    error = error_of(tmp_path, frame)
    assert (error.column, error.values, error.rows) == ("amount", (number, number), (7, 11))
    assert read(tmp_path, frame, missing=[number]).missing == {"amount": 2}
    values = frame["amount"].astype(float)
    with pytest.raises(TableError, match="infinite or beyond"):
        parquet(tmp_path, typed(amount=values))
    assert parquet(tmp_path, typed(amount=values), missing=[str(values[5])]).missing == {"amount": 2}


@pytest.mark.parametrize("sentinel", ["-999", "9999", "-99"])
def test_a_number_that_may_stand_for_missing_ones(tmp_path, sentinel):
    frame = clean()
    frame.loc[range(3, 90, 7), "score"] = sentinel
    table = read(tmp_path, frame)
    assert f"'score' ({sentinel} in 13 rows)" in said(table, "score", "warning")
    assert read(tmp_path, frame, missing=[sentinel]).missing == {"score": 13}
    assert parquet(tmp_path, typed(score=frame["score"].astype(float)), missing=[sentinel]).missing == {"score": 13}
    assert said(read(tmp_path, clean().assign(score=[str(900 + k % 100) for k in range(160)])), "score", "warning") == ""


@pytest.mark.parametrize("cell", ["1", "yes", "TRUE", "3.5"])
def test_one_value_or_nothing_is_a_flag(tmp_path, cell):
    table = read(tmp_path, clean().assign(dog=[cell if k % 3 else "" for k in range(160)]), on_missing="error")
    np.testing.assert_array_equal(column_of(table, "dog"), np.arange(160) % 3 > 0)
    assert any("became 1 and 0: column 'dog'" in finding.message for finding in table.findings)


def test_whole_numbers_that_floats_do_not_hold(tmp_path):
    """Next to each other they are one float, which would make one group of all and one name of all rows."""
    names = [2**60 + k for k in range(160)]
    table = parquet(tmp_path, typed(customer=names))
    assert table.left_out["customer"] == "an id"
    assert table.ids.tolist() == [str(name) for name in names]
    assert parquet(tmp_path, typed(c=names), id="c").ids.tolist() == [str(name) for name in names]
    pairs = parquet(tmp_path, typed(c=[2**60 + k // 2 for k in range(160)]), groups="c")
    assert len(np.unique(pairs.groups)) == 80
    gaps = parquet(tmp_path, typed(c=pd.array([None if k == 3 else 100 + k for k in range(160)], dtype="Int64")), id="c")
    assert gaps.ids[2:5].tolist() == ["102", "(row 4)", "104"]
    assert column_of(parquet(tmp_path, typed(c=names), kinds={"c": "number"}), "c")[0] == 2.0**60
    many = parquet(tmp_path, typed(code=[1_234_567 + k % 3 for k in range(160)]), kinds={"code": "category"})
    assert {"code=1234567", "code=1234568", "code=1234569"} <= set(many.feature_names)


def test_parquet_of_other_programs(tmp_path):
    frame = typed(
        level=pd.Categorical([["low", "mid", "high"][k % 3] for k in range(160)], ["low", "mid", "high"], ordered=True),
        visits=pd.array([None if k % 9 == 0 else k % 5 for k in range(160)], dtype="Int64"),
        empty=pd.array([None] * 160, dtype="Int64"),
        flag=pd.array([True, False, None, True] * 40, dtype="boolean"),
        zone=pd.date_range("2021-01-01", periods=160, tz="Europe/Berlin").to_series().sample(frac=1, random_state=0).to_numpy(),
    )
    labeled = frame["labeled"] == 1
    frame["labeled"] = pd.Categorical(labeled)
    frame.index = pd.Index([f"r{k}" for k in range(160)])
    table = parquet(tmp_path, frame)
    assert (table.kinds["level"], table.kinds["zone"], table.kinds["flag"]) == ("category", "date", "boolean")
    np.testing.assert_array_equal(table.y, labeled)
    np.testing.assert_array_equal(column_of(table, "amount"), frame["amount"])
    assert table.missing == {"visits": 18, "flag": 40}
    assert table.left_out["empty"] == "no value"
    assert table.id_name == "index"
    assert table.ids[:2].tolist() == ["r0", "r1"]
    with pytest.raises(TableError, match="has columns and no row"):
        parquet(tmp_path, frame.iloc[:0])
    with pytest.raises(TableError, match=r"column 'tags' has cells of several values.*drop=\['tags'\]"):
        parquet(tmp_path, frame.assign(tags=[[k, k + 1] for k in range(160)]))


@pytest.mark.parametrize("decimal", [None, ","])
def test_numbers_of_a_typed_file_have_decimal_points(tmp_path, decimal):
    frame = typed(pay=[f"{k},5" for k in range(160)], share=[1.001 + k / 1000 for k in range(160)])
    frame["exact"] = [Decimal(f"{share:.3f}") for share in frame["share"]]
    table = parquet(tmp_path, frame, decimal=decimal)
    for name in ("share", "exact"):
        np.testing.assert_array_equal(column_of(table, name), frame[name].astype(float))
    np.testing.assert_array_equal(column_of(table, "pay"), np.arange(160) + 0.5)


def test_names_of_rows_that_repeat_or_lack(tmp_path):
    frame = clean().assign(patient=[f"p{k // 2}" for k in range(160)])
    table = read(tmp_path, frame, id="patient")
    assert "80 different values in 160 rows" in said(table, "patient", "warning")
    assert read(tmp_path, frame, id="patient", groups="patient").findings == []
    frame["clinic"] = np.resize(["1", "1.0", "NA", "2"], 160)
    both = read(tmp_path, frame, groups="clinic")
    assert both.groups[:4].tolist() == ["1", "1", "(line 4)", "2"]
    assert "a name got their line as one: column 'clinic' (40: 40 'NA') (not_missing=" in said(both, "clinic")
    assert len(np.unique(read(tmp_path, frame, groups="clinic", not_missing="NA").groups)) == 3
    frame.loc[7, "patient"] = "?"
    assert read(tmp_path, frame, id="patient").ids[7] == "(line 9)"


def test_equal_rows_make_no_key_of_a_measurement(tmp_path):
    table = read(tmp_path, pd.concat([clean(), clean()], ignore_index=True))
    assert "age" in table.kinds
    assert any("rows look repeated" in finding.message for finding in table.findings)


@pytest.mark.parametrize(
    ("sheets", "options", "words"),
    [
        ({"a": 160}, {}, ""),
        ({"a": 160, "notes": 3}, {}, "2 sheets that are not empty: 'a', 'notes'. sheet= selects one"),
        ({"a": 160, "notes": 3}, {"sheet": "a"}, ""),
        ({"a": 160, "notes": 0}, {}, ""),
        ({"a": 160}, {"sheet": "b"}, "has no sheet 'b'; there are 'a'"),
    ],
)
def test_workbooks(tmp_path, sheets, options, words):
    pytest.importorskip("openpyxl")
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        for name, rows in sheets.items():
            (typed().iloc[:rows] if rows else pd.DataFrame()).to_excel(book, sheet_name=name, index=False)
    if words:
        with pytest.raises(TableError, match=words.replace("(", r"\(")):
            read_table(path, label="labeled", **options)
    else:
        np.testing.assert_array_equal(read_table(path, label="labeled", **options).X[:, 0], typed()["age"])


@pytest.mark.parametrize("n", [200_000, 3_000_000])
def test_cells_of_any_length_that_people_have(tmp_path, n):
    frame = clean()
    frame["note"] = [f"case {k} of some words" for k in range(len(frame))]
    frame.loc[3, "note"] = "long " * (n // 5)
    before = csv.field_size_limit()
    table = read(tmp_path, frame)
    assert table.left_out["note"] == "free text"
    assert len(table.y) == len(frame)
    assert csv.field_size_limit() == before
    assert max(map(len, table.describe())) < 3_000
    frame["region"] = frame["note"].where(frame.index == 3, frame["region"])
    assert len(read(tmp_path, frame, drop=["note"]).y) == len(frame)


@pytest.mark.parametrize(("column", "row"), [("region", 2), ("labeled", 100), ("score", 2), ("region", 100)])
def test_a_quotation_mark_that_is_not_closed(tmp_path, column, row):
    """Also where the row seems whole, since all that follows is in its last cell."""
    frame = clean()[["age", "score", "amount", "labeled", "region"]]
    lines = frame.to_csv(index=False).splitlines()
    cells = lines[row].split(",")
    cells[frame.columns.get_loc(column)] = '"' + cells[frame.columns.get_loc(column)]
    lines[row] = ",".join(cells)
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(TableError, match="quotation mark that is not closed") as found:
        read_table(path, label="labeled")
    assert found.value.rows == (row + 1,)
    with pytest.raises(TableError, match="quotation mark that is not closed"):
        read_table(path, label="labeled", drop=["region"])


@pytest.mark.parametrize(
    "comments", [["# a", "# b"], ["# made by X, v2", "# units: a, b, c"], ["Report", "of all, our; patients", "", "x"]]
)
def test_lines_above_the_header_are_left_out_with_a_note(tmp_path, comments):
    path = tmp_path / "table.csv"
    frame = clean()
    separator = ";" if comments[0] == "# a" else ","
    path.write_text("\n".join(comments) + "\n" + frame.to_csv(index=False, sep=separator))
    table = read_table(path, label="labeled")
    assert table.lines[0] == len(comments) + 2
    assert table.X.shape == (160, 6)
    assert any(f"the header is in line {len(comments) + 1}; left out above it: line 1, '{comments[0][:3]}" in f.message
               for f in table.findings)  # fmt: skip
    with pytest.raises(TableError, match="did you mean 'labeled'" if comments[0][0] == "#" else "Is the first line a title?"):
        read_table(path, label="lable")


def test_a_value_that_is_called_like_the_label_makes_no_header_of_its_row(tmp_path):
    frame = clean().assign(labeled=lambda table: table["labeled"].map({"1": "labeled", "0": "unlabeled"}))
    frame = frame.rename(columns={"labeled": "state"})
    with pytest.raises(TableError, match=r"line 1 seems to be a header, 'age, .*but the names that you give are in line"):
        read_table(write(tmp_path, frame), label="labeled")


def test_rows_above_the_header_of_a_spreadsheet_are_left_out_with_a_note(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "table.xlsx"
    clean().to_excel(path, index=False, startrow=3)
    book = openpyxl.load_workbook(path)
    book.active["A1"], book.active["A2"] = "Our patients", "of 2021"
    book.save(path)
    table = read_table(path, label="labeled")
    assert (len(table.y), table.lines[0]) == (160, 5)
    assert "left out above it: row 1, 'Our patients', row 2, 'of 2021'" in table.findings[0].message


def test_names_of_a_file_without_a_header(tmp_path):
    path = tmp_path / "table.csv"
    clean().to_csv(path, index=False, header=False)
    with pytest.raises(TableError, match=r"no column 'labeled', the label.*names= gives the columns"):
        read_table(path, label="labeled")
    table = read_table(path, label="labeled", names=list(clean().columns))
    assert (table.X.shape, table.lines[0]) == ((160, 6), 1)
    with pytest.raises(TableError, match="160 rows do not have as many cells"):
        read_table(path, label="labeled", names=[*clean().columns, "more"])
