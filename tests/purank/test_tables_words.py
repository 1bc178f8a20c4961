"""Cells that are words in one column and missing values in another, and numbers that an instrument could not measure."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from purank.tables import TableError, read_table
from tests.purank.spoiled import clean, error_of, read, said, write


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
@pytest.mark.parametrize("column", ["element", "*"])
def test_a_number_that_encode_gives_wins(tmp_path, column, form):
    words = {"Na": 11, "NA": 7, "K": 19, "?": 0, "unknown": -1, "": 5}
    frame = with_words("element", list(words)).drop(columns="region")
    if form == "csv":
        path = write(tmp_path, frame)
    else:
        path = tmp_path / "table.parquet"
        frame.assign(**{name: frame[name].astype(float) for name in ("age", "score", "amount", "labeled")}).to_parquet(path)
    encode = {column: words}
    if column == "*" and form == "csv":
        encode = {"element": words}
    table = read_table(path, label="labeled", encode=encode)
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
    frame.loc[:2, "score"] = ["<-1,5", ">2,5", "< 0,5"]
    table = read(tmp_path, frame, limits="half")
    assert table.X[:3, 1].tolist() == [-1.5, 2.5, 0.25]
    assert {"score below limit", "score above limit"} < set(table.feature_names)
    assert table.kinds["score"] == "number"


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["<", "", *UPPER]), st.floats(0.01, 1e6).map(lambda v: round(v, 3))), min_size=30, max_size=60
    )
)
def test_limits_of_any_numbers(tmp_path_factory, made):
    frame = clean(n=len(made))
    frame["score"] = [f"{sign}{value}" for sign, value in made]
    if all(sign for sign, _ in made):
        return
    table = read_table(
        write(tmp_path_factory.mktemp("limits"), frame), label="labeled", limits="half", kinds={"score": "number"}
    )
    found = table.X[:, table.feature_names.index("score")]
    np.testing.assert_allclose(found, [value * (0.5 if sign == "<" else 1) for sign, value in made])
    for signs, name in ((("<",), "score below limit"), (UPPER, "score above limit")):
        flags = np.array([own in signs for own, _ in made])
        assert (name in table.feature_names) == flags.any()
        if flags.any():
            np.testing.assert_array_equal(table.X[:, table.feature_names.index(name)], flags)


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
