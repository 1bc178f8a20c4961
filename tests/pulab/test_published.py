"""What the papers print: claims are whole sentences of their texts, and every published number is in its table.

Texts are looked at where they are at hand.
"""

import os
import re
import unicodedata
from pathlib import Path

import pandas as pd
import pytest

from pulab.claims import claims_of
from pulab.plan.load import load_study, study_names

ROOT = Path(__file__).parents[2]
TEXTS = Path(os.environ.get("PULIB_PAPERS", ROOT.parent / "shared" / "papers"))
FILES = sorted((ROOT / "studies").glob("*/published.csv"))
assert FILES, "no study has a file of published numbers"
NUMBERS = ["mean", "sd", "low", "high"]
#: Claims of the studies that repeat a paper.
CLAIMS = {study.name: claims_of(study) for study in map(load_study, study_names()) if study.repeats_paper}
#: How the papers' texts write what a page shows as a sign; and how one of them repeats its formulas.
COMMANDS = (
    r"\\(?:mathcal|overline|text|rm|hat|frac|neq|leq|lambda|alpha|[lr]ceil|sqrt)|\([^()]*\)formulae-sequence[^(]*|\\gamma"
)


def text_of(study):
    """A paper's text."""
    file = TEXTS / f"{study}.txt"
    if not file.is_file():
        pytest.skip(f"the paper's text {file.name} is not at hand (PULIB_PAPERS names its folder)")
    return file.read_text(encoding="utf-8")


def letters(text):
    """Letters and digits alone: blanks, hyphens at line ends, and the marks of italics and mathematics make no difference."""
    text = unicodedata.normalize("NFKC", re.sub(COMMANDS, "", text))
    return "".join(re.findall(r"[a-z0-9]", text.lower()))


def quoted(sentence, text):
    """Whether a text has the sentence, which the end of a page may interrupt once."""
    words = sentence.split()
    whole = letters(sentence) in text
    return whole or any(all(letters(" ".join(p)) in text for p in (words[:k], words[k:])) for k in range(2, len(words) - 1))


@pytest.mark.parametrize("study", CLAIMS)
def test_claims_are_whole_sentences(study):
    for own in CLAIMS[study]:
        assert own.quote[0].isupper() or own.quote.startswith("nnPU"), own.id
        assert re.search(r"[.:]$", own.quote), own.id
    sentences = [own.quote for own in CLAIMS[study]]
    assert [own.id for own in CLAIMS[study] if sentences.count(own.quote) > 1 and not own.part] == []


@pytest.mark.parametrize("study", CLAIMS)
def test_quotations_are_in_the_study(study):
    text = letters(text_of(study))
    assert [own.id for own in CLAIMS[study] if not quoted(own.quote, text)] == []


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
    text = text_of(file.parent.name)
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
