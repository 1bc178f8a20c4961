"""Mixtures: numbers of rows, the class that is positive, and what is wrong."""

import numpy as np
import pytest

from pulib.datasets import Dataset
from pulib.sampling import Mixture, mixture_split

Y = np.repeat(np.array([1, 0], dtype=np.int8), [40, 60])
DATA = Dataset("toy", X=np.zeros((100, 1)), target=Y, y=Y)


def test_unlabeled_rows_have_the_numbers_that_are_asked_for_and_are_judged():
    split = mixture_split(DATA, random_state=3, n_labeled=10, n_positive=6, n_negative=18)
    assert (Y[split.labeled] == 1).all()
    assert (Y[split.unlabeled].sum(), len(split.unlabeled)) == (6, 24)
    assert split.prior == 0.25
    assert np.array_equal(split.test, split.unlabeled)
    assert not np.intersect1d(split.labeled, split.unlabeled).size
    assert len(np.unique(split.unlabeled)) == 24
    assert not split.arrays


def test_repeats_toss_a_coin_for_the_positive_class():
    scheme, positive = Mixture(n_labeled=20, n_positive=20, n_negative=10, either_class=True), []
    for seed in range(40):
        split = scheme.draw(DATA, random_state=seed)
        y = split.arrays.get("y", Y)
        assert (y[split.labeled] == 1).all()
        assert y[split.unlabeled].sum() == 20
        positive.append(bool(split.arrays))
        if split.arrays:
            assert np.array_equal(y, 1 - Y)
    assert 10 < sum(positive) < 30


def test_equal_seeds_draw_equal_rows_and_more_negatives_keep_the_positives():
    few, many = (mixture_split(DATA, random_state=5, n_labeled=10, n_positive=10, n_negative=n) for n in (10, 40))
    assert np.array_equal(few.labeled, many.labeled)
    assert set(few.unlabeled) < set(many.unlabeled)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_labeled": 31, "n_positive": 10}, "toy has 40 positives; 41 are needed, labeled and unlabeled ones together"),
        ({"n_labeled": 1, "n_positive": 1, "n_negative": 61}, "toy has 60 negatives; 61 are needed"),
    ],
)
def test_too_few_rows_are_an_error(options, message):
    with pytest.raises(ValueError, match=message):
        mixture_split(DATA, random_state=0, **{"n_negative": 5, **options})
