"""Contaminated splits: counts, shared clean draws, test sets, errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulib.datasets import Dataset
from pulib.sampling import Contaminated, contaminated_split, make_splits


def dataset(n_positive=120, n_negative=200, n_train=None, seed=0):
    y = np.repeat(np.array([1, 0], dtype=np.int8), [n_positive, n_negative])
    y = np.random.default_rng(seed).permutation(y)
    return Dataset("toy", X=np.arange(len(y), dtype=float)[:, None], target=y, y=y, n_train=n_train)


SIZES = {"n_labeled": 30, "n_unlabeled": 60, "test": "random", "n_test_positive": 20, "n_test_negative": 25}


@settings(deadline=None, max_examples=60)
@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 10**6))
def test_counts_are_exact_and_parts_disjoint(c_p, c_u, seed):
    data = dataset()
    split = contaminated_split(data, random_state=seed, contamination_labeled=c_p, contamination_unlabeled=c_u, **SIZES)
    assert np.sum(data.y[split.labeled] == 0) == round(c_p * 30)
    assert np.sum(data.y[split.unlabeled] == 1) == round(c_u * 60)
    assert (len(split.labeled), len(split.unlabeled)) == (30, 60)
    assert np.sum(data.y[split.test] == 1) == 20
    assert np.sum(data.y[split.test] == 0) == 25
    everything = np.concatenate([split.labeled, split.unlabeled, split.test])
    assert len(np.unique(everything)) == len(everything)
    assert split.prior == round(c_u * 60) / 60


def test_settings_differ_in_the_contaminated_rows_only():
    data = dataset()
    levels = {"supervised": (0, 0), "pu": (0, 0.3), "semi": (0.3, 0.3)}
    splits = {
        name: contaminated_split(data, random_state=4, contamination_labeled=p, contamination_unlabeled=u, **SIZES)
        for name, (p, u) in levels.items()
    }
    for other in ("pu", "semi"):
        np.testing.assert_array_equal(splits["supervised"].test, splits[other].test)
    np.testing.assert_array_equal(splits["supervised"].labeled, splits["pu"].labeled)
    np.testing.assert_array_equal(splits["pu"].unlabeled, splits["semi"].unlabeled)
    assert len(np.setdiff1d(splits["supervised"].unlabeled, splits["pu"].unlabeled)) == 18
    assert len(np.setdiff1d(splits["pu"].labeled, splits["semi"].labeled)) == 9


def test_given_fixed_and_random_test_sets():
    data = dataset(n_train=250)
    sizes = {"n_labeled": 20, "n_unlabeled": 40}
    given_ = contaminated_split(data, random_state=0, **sizes)
    np.testing.assert_array_equal(given_.test, np.arange(250, 320))
    assert np.concatenate([given_.labeled, given_.unlabeled]).max() < 250
    counts = {"n_test_positive": 10, "n_test_negative": 10}
    fixed = [contaminated_split(data, random_state=k, shared_seed=9, test="fixed", **sizes, **counts).test for k in (0, 1)]
    np.testing.assert_array_equal(*fixed)
    fresh = [contaminated_split(data, random_state=k, shared_seed=9, test="random", **sizes, **counts).test for k in (0, 1)]
    assert not np.array_equal(*fresh)


def test_generated_rows_are_fresh_and_shared_by_settings(tmp_path):
    data = dataset()
    options = {"n_labeled": 20, "n_unlabeled": 40, "generator": "circle_noise", "n_test_positive": 30, "n_test_negative": 50}
    clean = make_splits(data, Contaminated(**options), {0: 11, 1: 12})
    dirty = make_splits(data, Contaminated(contamination_unlabeled=0.5, **options), {0: 11})
    np.testing.assert_array_equal(clean[0].arrays["X"], dirty[0].arrays["X"])
    assert not np.array_equal(clean[0].arrays["X"], clean[1].arrays["X"])
    y = dirty[0].arrays["y"]
    assert y[dirty[0].unlabeled].sum() == 20
    assert len(dirty[0].test) == 80


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_labeled": 101}, "toy has 100 positive rows to draw from, and 101 are needed"),
        ({"n_unlabeled": 150, "contamination_labeled": 1.0}, "toy has 175 negative rows to draw from, and 180 are needed"),
        ({"test": "given"}, "toy has no test set"),
        ({"n_test_positive": 500}, "toy has 120 positive rows to draw from, and 500 are needed"),
    ],
)
def test_errors_name_the_numbers(changes, message):
    with pytest.raises(ValueError, match=message):
        contaminated_split(dataset(), random_state=0, **{**SIZES, **changes})
