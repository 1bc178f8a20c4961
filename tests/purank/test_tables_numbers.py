"""Numbers, however they are spelled: what was spoiled at random comes back equal."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from purank.tables import TableError, read_table
from purank.tables._dates import read_dates
from purank.tables._numbers import read_numbers
from purank.tables._spellings import MISSING, MISSING_WORDS

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
        (["1,234,567.5", "\u22123.5"], [1234567.5, -3.5]),
    ],
)
def test_which_mark_is_the_decimal_one(texts, values):
    found = read_numbers(texts, None, None)
    assert not found.problem
    assert not found.wrong.any()
    np.testing.assert_array_equal(found.values, values)


@pytest.mark.parametrize(
    "texts", [["1,234", "2,345"], ["1,234", "1.234"], ["12,40", "3.5", "1,234"], ["12 kg", "12 lb"], ["12%", "12 kg"]]
)
def test_what_two_readings_fit_is_a_problem(texts):
    assert read_numbers(texts, None, None).problem


@pytest.mark.parametrize(
    "texts", [["A12", "B3"], ["2021-03-01", "2021-03-02"], ["12:30", "13:00"], ["1.2.3.4", "10.0.0.1"], ["1-2", "3-4"]]
)
def test_what_is_no_number(texts):
    assert read_numbers(texts, None, None).wrong.all()
