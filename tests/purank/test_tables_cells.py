"""Cells: numbers however they are spelled, words that are missing values in another column, and detection limits."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from purank.tables import TableError, read_table
from purank.tables._columns import MISSING, MISSING_WORDS
from purank.tables._dates import read_dates
from purank.tables._numbers import read_numbers
from tests.purank.spoiled import clean, error_of, read, said, write

SPELLINGS = sorted(MISSING | MISSING_WORDS)


@st.composite
def spoiled(draw):
    """A table of numbers of two decimals, and the texts that stand for it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(30, 80)), draw(st.integers(2, 5))
    values = np.round(rng.normal(0, 10.0 ** rng.integers(-1, 5, d), (n, d)), 2)
    decimal, thousands = draw(st.sampled_from([(".", ""), (",", ""), (".", ","), (",", "."), (",", " "), (".", "'")]))
    texts = np.array(
        [[f"{value:,.2f}".replace(",", "_").replace(".", decimal).replace("_", thousands) for value in row] for row in values],
        object,
    )
    gaps = rng.random((n, d)) < draw(st.sampled_from([0.0, 0.05, 0.3]))
    texts[gaps] = rng.choice(draw(st.lists(st.sampled_from(SPELLINGS), min_size=1, max_size=3)), gaps.sum())
    texts[gaps] = [draw(st.sampled_from([str.upper, str.lower, str.title]))(text) for text in texts[gaps]]
    return np.where(gaps, np.nan, values), texts, draw(st.sampled_from([",", ";", "\t"]))


@settings(max_examples=30, deadline=None)
@given(spoiled())
def test_a_table_of_numbers_comes_back_equal(tmp_path_factory, made):
    values, texts, separator = made
    n = len(values)
    frame = pd.DataFrame(texts, columns=[f"x{k}" for k in range(texts.shape[1])])
    frame["labeled"] = (np.arange(n) * 7 % 11 < 4).astype(int)
    path = tmp_path_factory.mktemp("tables") / "table.csv"
    frame.to_csv(path, index=False, sep=separator)
    try:
        table = read_table(path, label="labeled")
    except TableError as error:
        assume("no column left" not in str(error))  # few rows of noise may give the label away, all columns of them
        raise
    for name, column in zip(frame.columns[:-1], values.T, strict=True):
        if name in table.kinds:
            assert table.kinds[name] == "number"
            expected = np.where(np.isnan(column), np.nanmedian(column), column)
            np.testing.assert_array_equal(table.X[:, table.feature_names.index(name)], expected)
        else:  # nothing in it, or the label by chance
            assert table.left_out[name] in ("no value", "one value", "leaks the label")
    assert sum(table.missing.values()) == np.isnan(values[:, [name in table.kinds for name in frame.columns[:-1]]]).sum()


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="0123456789.,-+ eE'€%kg()", min_size=1, max_size=12))
def test_no_text_breaks_the_reading(text):
    found = read_numbers([text.strip() or "0", "1.5"], None, None)
    assert found.problem or (np.isnan(found.values[0]) == found.wrong[0])
    read_dates([text.strip() or "0"])


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1,234", "950", "12"], [1234, 950, 12]),
        (["1,234", "0,5"], [1.234, 0.5]),
        (["1,234", "7.5"], [1234, 7.5]),
        (["12,40", "3.5"], [12.4, 3.5]),
        (["1.234", "5,5"], [1234, 5.5]),
        (["(1,234.50)", "-3"], [-1234.5, -3]),
        (["$ 5", "-$7.25"], [5, -7.25]),
        (["5e3", "1,5"], [5000, 1.5]),
        (["1,234,567.5", "\u22123.5", "\u20132.5"], [1234567.5, -3.5, -2.5]),
        (["1\u2009234,5", "12\u2007345\u2007678", "1\u202f234"], [1234.5, 12345678, 1234]),
        (["1.234,50-", "3,5"], [-1234.5, 3.5]),
        (["12,34,567", "1,00,000.50", "45,678"], [1234567, 100000.5, 45678]),
        (["R$ 1.234,50", "R$3,5"], [1234.5, 3.5]),
        (["1 234,50 Kč", "3,5 Kč"], [1234.5, 3.5]),
    ],
)
def test_which_mark_is_the_decimal_one(texts, values):
    found = read_numbers(texts, None, None)
    assert not found.problem
    assert not found.wrong.any()
    np.testing.assert_array_equal(found.values, values)


@pytest.mark.parametrize(
    "texts",
    [["1,234", "2,345"], ["1,234", "1.234"], ["12,40", "3.5", "1,234"], ["12 kg", "12 lb"], ["12%", "12 kg"], ["1.020", "950"]],
)
def test_what_two_readings_fit_is_a_problem(texts):
    assert read_numbers(texts, None, None).problem


def test_a_mark_that_is_given_does_not_bend_numbers_that_show_another():
    """Where no cell leaves it open, they are read as they are; where some do, the two cannot be told apart."""
    np.testing.assert_array_equal(read_numbers(["12,40", "3,5"], ".").values, [12.4, 3.5])
    np.testing.assert_array_equal(read_numbers(["1,234", "950.5"], ".").values, [1234, 950.5])
    assert "both mark decimals" in read_numbers(["12,40", "1,234"], ".").problem


@pytest.mark.parametrize(
    "texts", [["A12", "B3"], ["2021-03-01", "2021-03-02"], ["12:30", "13:00"], ["1.2.3.4", "10.0.0.1"], ["1-2", "3-"]]
)
def test_what_is_no_number(texts):
    assert read_numbers(texts, None, None).wrong.all()


def with_words(column, words, seed=0):
    """A clean table with a column of some words, each of which comes often."""
    frame = clean(seed)
    frame[column] = np.resize(words, len(frame))
    return frame


@pytest.mark.parametrize(
    ("words", "word"),
    [
        (["Li", "K", "Na"], "Na"),
        (["US", "DE", "NA"], "NA"),
        (["up", "down", "na"], "na"),
        (["Kim", "Ann", "Nan"], "Nan"),
        (["White", "Null", "Mead"], "Null"),
    ],
)
def test_a_category_that_is_spelled_like_missing(tmp_path, words, word):
    frame = with_words("what", words)
    n = int((frame["what"] == word).sum())
    table = read(tmp_path, frame)
    assert table.missing == {"what": n}
    assert repr(word) in said(table, "what", "warning")
    assert "not_missing=" in next(finding for finding in table.findings if finding.level == "warning").remedy
    table = read(tmp_path, frame, not_missing=[word])
    assert table.findings == []
    np.testing.assert_array_equal(table.X[:, table.feature_names.index(f"what={word}")], frame["what"] == word)


def test_missing_among_categories_of_another_look_is_a_note(tmp_path):
    table = read(tmp_path, with_words("color", ["red", "blue", "NA"]))
    assert [finding.level for finding in table.findings] == ["note"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_number_that_encode_gives_wins(tmp_path, form):
    words = {"Na": 11, "NA": 7, "K": 19, "?": 0, "unknown": -1, "": 5}
    frame = with_words("element", list(words)).drop(columns="region")
    path = tmp_path / f"table.{form}"
    if form == "csv":
        write(tmp_path, frame)
    else:
        frame.assign(**{name: frame[name].astype(float) for name in ("age", "score", "amount", "labeled")}).to_parquet(path)
    table = read_table(path, label="labeled", encode={"element": words})
    np.testing.assert_array_equal(table.X[:, table.feature_names.index("element")], frame["element"].map(words))
    assert table.missing == {}


def test_encode_says_what_it_leaves_missing(tmp_path):
    frame = with_words("element", ["Na", "K", "NA"])
    table = read(tmp_path, frame, encode={"element": {"Na": 11, "K": 19}})
    n = int((frame["element"] == "NA").sum())
    assert table.missing == {"element": n}
    assert f"{n} 'NA'" in said(table, "element")


def test_numbers_of_a_typed_file_are_encoded_as_written(tmp_path):
    frame = clean().astype({"age": float, "score": float, "amount": float})
    frame["level"] = np.resize([1.0, 2.0, 3.0], len(frame))
    frame.to_parquet(tmp_path / "table.parquet")
    table = read_table(tmp_path / "table.parquet", label="labeled", encode={"level": {1: 10, 2.0: 20, 3: 30}})
    np.testing.assert_array_equal(table.X[:, table.feature_names.index("level")], 10 * frame["level"])


def test_a_spelling_that_is_kept_stays_missing_among_numbers_and_dates(tmp_path):
    frame = with_words("country", ["NA", "DE", "US"]).assign(day=np.resize(["2021-03-01", "2021-04-15", "NA"], 160))
    frame.loc[[3, 7], "score"] = "NA"
    table = read(tmp_path, frame, not_missing="NA")
    assert set(table.missing) == {"score", "day"}
    assert "country=NA" in table.feature_names
    yes = with_words("smokes", ["yes", "no", "NA"])
    assert read(tmp_path, yes).kinds["smokes"] == "boolean"
    assert read(tmp_path, yes, not_missing=["NA"]).kinds["smokes"] == "category"


def test_a_spelling_has_one_meaning(tmp_path):
    with pytest.raises(TableError, match="missing= and not_missing= both name 'Na'"):
        read(tmp_path, clean(), missing=["Na"], not_missing=["Na"])
    table = read(tmp_path, with_words("what", ["Na", "K", "na"]), missing=["na"], not_missing=["Na"])
    assert {"what=Na", "what=K"} < set(table.feature_names)
    assert "what=na" not in table.feature_names


@pytest.mark.parametrize("word", ["NA", "unknown", "n/a", "-"])
def test_a_label_that_is_named_is_not_missing(tmp_path, word):
    frame = clean()
    labeled = frame["labeled"] == "1"
    frame["labeled"] = np.where(labeled, word, "other")
    table = read(tmp_path, frame, pos_label=word, unlabeled_label="other")
    np.testing.assert_array_equal(table.y, labeled)
    frame["labeled"] = np.where(labeled, "case", word)
    frame.loc[frame.index[~labeled][:40], "labeled"] = "open"
    table = read(tmp_path, frame, pos_label="case", neg_label=word, unlabeled_label="open")
    assert (table.y == -1).sum() == (~labeled).sum() - 40


UPPER = (">", "> ", "≥", ">=", "=>")


def measured(n=1000, seed=0):
    """A concentration that positives have less of, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    frame = pd.DataFrame({"other": rng.normal(size=n).round(3), "labeled": (truth & (rng.random(n) < 0.5)).astype(int)})
    return np.exp(rng.normal(size=n) - 1.6 * truth).round(3), truth, frame


@pytest.mark.parametrize(
    ("spelling", "rule", "share"),
    [("<{}", "half", 0.5), ("< {}", "limit", 1.0), ("≤{}", "half", 0.5), ("<= {}", "limit", 1.0), ("=<{}", "half", 0.5),
     ("＜{}", "limit", 1.0), ("<{} mg/l", "half", 0.5)],
)  # fmt: skip
def test_a_lower_limit_is_a_low_number_with_a_mark(tmp_path, spelling, rule, share):
    values, truth, frame = measured()
    unit = " mg/l" if "mg" in spelling else ""
    below = values < 0.3
    frame["conc"] = [spelling.format(0.3) if low else f"{value}{unit}" for value, low in zip(values, below, strict=True)]
    error = error_of(tmp_path, frame)
    assert error.remedy.startswith("limits='half'")
    assert "missing=" not in error.remedy
    table = read(tmp_path, frame, limits=rule)
    conc, mark = (table.X[:, table.feature_names.index(name)] for name in ("conc", "conc below limit"))
    np.testing.assert_allclose(conc, np.where(below, 0.3 * share, values))
    np.testing.assert_array_equal(mark, below)
    assert any(f"column 'conc' ({below.sum()}: " in finding.message for finding in table.findings)
    gone = read(tmp_path, frame, missing=[spelling.format(0.3)])
    assert "limits='half'" in next(f for f in gone.findings if f.level == "warning" and f.column == "conc").remedy
    area, area_of_missing = (roc_auc_score(truth, -one.X[:, one.feature_names.index("conc")]) for one in (table, gone))
    assert area > area_of_missing + 0.1
    assert area > roc_auc_score(truth, -values) - 0.05


def test_limits_on_both_sides_with_decimal_commas_and_below_zero(tmp_path):
    frame = clean()
    frame["score"] = frame["score"].str.replace(".", ",")
    frame.loc[:6, "score"] = ["<-1,5", "< 0,5", *(f"{sign}2,5" for sign in UPPER)]
    table = read(tmp_path, frame, limits="half")
    assert table.X[:7, 1].tolist() == [-1.5, 0.25] + 5 * [2.5]
    for name, n in (("score below limit", 2), ("score above limit", 5)):
        assert table.X[:, table.feature_names.index(name)].sum() == n
    assert table.kinds["score"] == "number"


def test_few_values_of_which_some_are_limits_stay_categories_with_a_word(tmp_path):
    frame = with_words("children", ["0", "1", "2", ">2"])
    assert "some of them detection limits" in said(read(tmp_path, frame), "children")
    assert read(tmp_path, frame, limits="limit").kinds["children"] == "number"
    groups = with_words("group", ["<18", "18-65", ">65"])
    for options in ({}, {"limits": "half"}):
        assert read(tmp_path, groups, **options).kinds["group"] == "category"


def test_a_limit_without_its_number_and_other_texts_get_their_own_remedy(tmp_path):
    frame = clean()
    frame.loc[[3, 4, 5], "score"] = ["<LOQ", "<0.5", "1.2.3"]
    remedy = error_of(tmp_path, frame).remedy
    assert "limits='half' reads '<0.5'" in remedy
    assert "needs its number" in remedy
    assert "missing=['<LOQ', '1.2.3']" in remedy
    assert "missing=['<0.5'" not in remedy
