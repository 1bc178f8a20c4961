"""Columns as people have them: nullable, ordered categories, text."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pulib import AdaPUClassifier, PUExtraTreesClassifier, UnbiasedPUClassifier

RNG = np.random.default_rng(0)
Y = (np.arange(80) < 20).astype(int)
NUMBERS = RNG.normal(size=(80, 2)) + Y[:, None]
SIZES = ["low", "mid", "high"]
RANKS = RNG.integers(0, 3, 80)
LEARNERS = [
    PUExtraTreesClassifier(3, prior=0.4, random_state=0),
    AdaPUClassifier(5, prior=0.4, random_state=0),
    UnbiasedPUClassifier(prior=0.4, random_state=0),
]


def frame(sizes=None):
    return pd.DataFrame(NUMBERS, columns=["a", "b"]).assign(
        size=pd.Categorical.from_codes(RANKS if sizes is None else sizes, SIZES, ordered=True)
    )


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_ordered_categories_of_text_are_ranks(learner):
    scores = learner.fit(frame(), Y).decision_function(frame())
    as_numbers = frame().assign(size=RANKS.astype(float))
    assert_allclose(scores, learner.fit(as_numbers, Y).decision_function(as_numbers), rtol=1e-9)
    learner.fit(frame(), Y)
    assert_array_equal(learner.decision_function(frame().astype({"size": object})), scores)
    fewer = frame()[RANKS > 0].assign(size=lambda rows: rows["size"].cat.remove_unused_categories())
    assert_allclose(learner.decision_function(fewer), scores[RANKS > 0], rtol=1e-9)
    with pytest.raises(ValueError, match=r"'size' holds 'huge'; in fit its ordered categories were \['low', 'mid', 'high'\]"):
        learner.predict(frame().astype({"size": object}).assign(size="huge"))


def test_missing_categories_and_nullable_numbers_are_missing_values():
    holes = np.arange(80) % 5 == 0
    nullable = frame(np.where(holes, -1, RANKS)).assign(n=pd.array(np.where(holes, pd.NA, RANKS), dtype="Int64"))
    plain = np.column_stack([NUMBERS, np.where(holes, np.nan, RANKS), np.where(holes, np.nan, RANKS)])
    for learner in LEARNERS[:2]:
        assert_array_equal(learner.fit(nullable, Y).decision_function(nullable), learner.fit(plain, Y).decision_function(plain))
    with pytest.raises(ValueError, match="NaN"):
        LEARNERS[2].fit(nullable, Y)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_text_is_refused_by_the_name_of_its_column(learner):
    with pytest.raises(ValueError, match=r"column 'size' holds text \('(low|mid|high)'\).*OneHotEncoder"):
        learner.fit(frame().astype({"size": object}), Y)
