"""Published numbers: one row per cell, and every number is in the paper's table, where its text is at hand."""

import os
import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
TEXTS = Path(os.environ.get("PULIB_PAPERS", ROOT.parent / "shared" / "papers"))
FILES = sorted((ROOT / "studies").glob("*/published.csv"))
assert FILES, "no study has a file of published numbers"
NUMBERS = ["mean", "sd", "low", "high"]


def published(file):
    return pd.read_csv(file, dtype=str, keep_default_na=False)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.parent.name)
def test_one_row_per_cell_with_numbers_in_it(file):
    frame = published(file)
    assert list(frame.columns[:7]) == ["paper", "table", "row", "column", "mean", "sd", "unit"]
    assert set(frame["paper"]) == {file.parent.name}
    repeated = frame[frame.duplicated(["table", "row", "column"])]
    assert repeated.empty, repeated
    for name in set(NUMBERS) & set(frame.columns):
        pd.to_numeric(frame.loc[frame[name] != "", name])
    assert (frame["mean"] != "").any()


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.parent.name)
def test_percentages_are_printed_alike_within_a_table(file):
    """One with more digits than the others is a share that slipped in: it is kept as a percentage, and its mark says so."""
    for table, cells in published(file).query("unit == '%' and mean != ''").groupby("table"):
        digits = cells["mean"].map(lambda text: len(text.partition(".")[2]))
        assert cells[digits > digits.mode().max()].empty, table
        for cell in cells.to_dict("records"):
            if cell.get("mark", "").startswith("printed as 0."):
                share = float(cell["mark"].removeprefix("printed as "))
                assert float(cell["mean"]) == pytest.approx(100 * share), (cell["row"], cell["column"])


def table_text(text, table):
    """What stands around a table's captions: from the caption before to the one after, since some papers put theirs below."""
    captions = list(re.finditer(r"^ *\**Table (\d+(?:\.\d+)?)[.:]", text, re.M | re.I))
    here = [k for k, m in enumerate(captions) if m[1] == table]
    assert here, f"no caption of table {table}"
    ends = [0, *(m.start() for m in captions), len(text)]
    return "\n".join(text[ends[k] : ends[k + 2]] for k in here)


def numbers_in(text):
    """All numbers; two that could be one with a blank or a comma between its thousands (50 000) count as that one, too."""
    thousands = {float(a + b) for a, b in re.findall(r"(?=(?<![\d.])(\d{1,3})(?:[ ,]|, )(\d{3})(?![\d.]))", text)}
    return thousands | {float(n) for n in re.findall(r"\d*\.\d+|\d+", text)}


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.parent.name)
def test_every_published_number_is_in_its_table(file):
    text_file = TEXTS / f"{file.parent.name}.txt"
    if not text_file.is_file():
        pytest.skip(f"the paper's text {text_file.name} is not at hand (PULIB_PAPERS names its folder)")
    text = text_file.read_text(encoding="utf-8")
    missing = []
    for table, cells in published(file).groupby("table"):
        # numbers that a paper gives in its running text or beside a figure are looked for in the whole of it
        found = numbers_in(table_text(text, table) if re.fullmatch(r"[\d.]+", table) else text)
        for cell in cells.to_dict("records"):
            for name in sorted(set(NUMBERS) & set(cell)):
                value = abs(float(cell[name])) if cell[name] else None
                # some papers print shares that we keep as percentages
                readings = {value} | ({round(value / 100, 6)} if value is not None and cell["unit"] == "%" else set())
                if value is not None and not readings & found:
                    missing.append((table, cell["row"], cell["column"], name, cell[name]))
    assert not missing, missing[:20]
