"""Columns of data frames: nullable numbers, ordered categories, text, and dates."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from pulib import (
    AdaPUClassifier,
    OnlinePUClassifier,
    PUExtraTreesClassifier,
    UnbiasedPUClassifier,
    check_scar,
    estimate_prior,
    prior_interval,
)

RNG = np.random.default_rng(0)
Y = (np.arange(80) < 20).astype(int)
NUMBERS = RNG.normal(size=(80, 2)) + Y[:, None]
SIZES = ["low", "mid", "high"]
RANKS = RNG.integers(0, 3, 80)
LEARNERS = [
    PUExtraTreesClassifier(3, prior=0.4, random_state=0),
    AdaPUClassifier(5, prior=0.4, random_state=0),
    UnbiasedPUClassifier(prior=0.4, random_state=0),
    OnlinePUClassifier(prior=0.4, random_state=0),
]


def frame(sizes=None):
    return pd.DataFrame(NUMBERS, columns=["a", "b"]).assign(
        size=pd.Categorical.from_codes(RANKS if sizes is None else sizes, SIZES, ordered=True)
    )


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_ordered_text_categories_become_ranks(learner):
    scores = learner.fit(frame(), Y).decision_function(frame())
    as_numbers = frame().assign(size=RANKS.astype(float))
    assert_allclose(scores, learner.fit(as_numbers, Y).decision_function(as_numbers), rtol=1e-9)
    learner.fit(frame(), Y)
    assert_array_equal(learner.decision_function(frame().astype({"size": object})), scores)
    fewer = frame()[RANKS > 0].assign(size=lambda rows: rows["size"].cat.remove_unused_categories())
    assert_allclose(learner.decision_function(fewer), scores[RANKS > 0], rtol=1e-9)
    with pytest.raises(ValueError, match=r"'size' contains 'huge'; in fit its ordered categories were \['low', 'mid'"):
        learner.predict(frame().astype({"size": object}).assign(size="huge"))
    if hasattr(learner, "partial_fit"):
        both = (clone(learner).fit(rows, Y).partial_fit(rows, Y).coef_ for rows in (frame(), as_numbers))
        assert_array_equal(*both)


def test_missing_categories_and_nullable_numbers_are_missing_values():
    holes = np.arange(80) % 5 == 0
    nullable = frame(np.where(holes, -1, RANKS)).assign(n=pd.array(np.where(holes, pd.NA, RANKS), dtype="Int64"))
    plain = np.column_stack([NUMBERS, np.where(holes, np.nan, RANKS), np.where(holes, np.nan, RANKS)])
    for learner in LEARNERS[:2]:
        assert_array_equal(learner.fit(nullable, Y).decision_function(nullable), learner.fit(plain, Y).decision_function(plain))
    with pytest.raises(ValueError, match="NaN"):
        LEARNERS[2].fit(nullable, Y)


@pytest.mark.parametrize("estimate", [estimate_prior, prior_interval, check_scar])
def test_dates_raise_an_error_that_names_their_columns(estimate):
    days = pd.Series(pd.date_range("2020-01-01", periods=60))
    kinds = [days, days.dt.tz_localize("UTC"), days.dt.to_period("D"), days.dt.date, days - days[0]]
    y, rows = np.arange(60) < 20, pd.DataFrame({"size": np.random.default_rng(0).normal(size=60)})
    for dates in kinds:
        with pytest.raises(ValueError, match=r"column 'day' contains dates or durations .* days since a date"):
            estimate(rows.assign(day=dates), y)
    with pytest.raises(ValueError, match=r"columns 'day', 'age' contain dates or durations"):
        estimate(rows.assign(day=days, age=days - days[0]), y)


@pytest.fixture
def pl():
    return pytest.importorskip("polars", reason="polars is not installed")


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_polars_columns_and_labels(learner, pl):
    rows = pl.DataFrame(NUMBERS, schema=["a", "b"])
    expected = learner.fit(NUMBERS, Y).decision_function(NUMBERS)
    for labels in (pl.Series(Y), pl.Series(Y == 1), pl.Series([1 if label else None for label in Y])):
        assert_allclose(learner.fit(rows, labels).decision_function(rows), expected, rtol=1e-9)
        assert learner.classes_[1] == 1
    assert_array_equal(learner.feature_names_in_, ["a", "b"])
    with pytest.raises(ValueError, match="same order"):
        learner.predict(rows.select("b", "a"))
    with pytest.raises(ValueError, match=r"column 'size' contains text \('(low|mid|high)'\)"):
        learner.fit(rows.with_columns(size=pl.Series([SIZES[rank] for rank in RANKS])), Y)


def test_polars_nulls_are_missing_values(pl):
    holes = np.arange(80) % 5 == 0
    plain = np.column_stack([NUMBERS, np.where(holes, np.nan, RANKS)])
    rows = pl.DataFrame(NUMBERS, schema=["a", "b"]).with_columns(
        n=pl.Series([None if hole else int(rank) for hole, rank in zip(holes, RANKS, strict=True)])
    )
    for learner in LEARNERS[:2]:
        assert_array_equal(learner.fit(rows, Y).decision_function(rows), learner.fit(plain, Y).decision_function(plain))
    assert estimate_prior(rows, Y) == estimate_prior(plain, Y)
