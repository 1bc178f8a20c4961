"""censored_split: who is hidden, which folds make a partition, what stays the same between settings."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pulib.datasets import Dataset
from pulib.sampling import Censored, censored_split, make_splits


def dataset(n=200, share=0.4, n_train=None, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(np.int8)
    y[:4] = 1, 0, 1, 0
    y[-4:] = 1, 0, 1, 0
    return Dataset("toy", rng.normal(size=(n, 2)), y, y, n_train=n_train)


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(40, 300), share=st.floats(0.3, 0.7), r=st.floats(0.1, 0.9), folds=st.integers(2, 6), seed=st.integers(0, 99)
)
def test_folds_of_a_partition(n, share, r, folds, seed):
    data = dataset(n, share, seed=seed)
    n_positive = int(data.y.sum())
    assume(n_positive - round(r * n_positive) > -(-n_positive // folds))  # else one fold may hold all that stay labeled
    splits = make_splits(data, Censored(r=r, n_folds=folds), {k: 1000 + k for k in range(folds)}, shared_seed=seed)
    tests = np.concatenate([s.test for s in splits.values()])
    assert sorted(tests) == list(range(n))
    sizes = [len(s.test) for s in splits.values()]
    assert max(sizes) - min(sizes) <= 1
    in_test = [int(data.y[s.test].sum()) for s in splits.values()]
    assert max(in_test) - min(in_test) <= 1
    labeled = set()
    for split in splits.values():
        assert sorted([*split.labeled, *split.unlabeled, *split.test]) == list(range(n))
        assert data.y[split.labeled].all()
        assert set(np.flatnonzero(data.y == 0)) <= {*split.unlabeled, *split.test}
        assert split.prior == data.y[split.unlabeled].mean()
        assert split.arrays["population_prior"] == data.y.mean()
        labeled |= set(split.labeled)
    assert len(labeled) == data.y.sum() - round(r * data.y.sum())  # labels are taken away once, before the folds


@settings(deadline=None, max_examples=30)
@given(share=st.sampled_from([0.0, 0.1, 0.5]), seed=st.integers(0, 99))
def test_validation_rows(share, seed):
    split = censored_split(dataset(), random_state=seed, validation_share=share)
    rows = split.arrays["validation"]
    assert len(set(rows)) == len(rows)
    for part in (split.labeled, split.unlabeled):
        assert np.isin(rows, part).sum() == round(share * len(part))
    assert not np.isin(rows, split.test).any()


def test_more_hidden_positives_include_fewer():
    data = dataset()
    low, high = (make_splits(data, Censored(r=r), {2: 9}, shared_seed=5)[2] for r in (0.2, 0.4))
    np.testing.assert_array_equal(low.test, high.test)
    assert set(high.labeled) < set(low.labeled)
    assert high.prior > low.prior


def test_the_publishers_test_rows_are_kept():
    data = dataset(300, n_train=220)
    splits = make_splits(data, Censored(r=0.3), {0: 7, 1: 8}, shared_seed=5)
    n_positive = int(data.y[:220].sum())
    for split in splits.values():
        np.testing.assert_array_equal(split.test, np.arange(220, 300))
        assert len(split.labeled) == n_positive - round(0.3 * n_positive)
    assert not np.array_equal(splits[0].labeled, splits[1].labeled)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"r": 0.0}, "r=0.0"),
        ({"n_folds": 201}, "n_folds=201"),
        ({"validation_share": 1.0}, "validation_share=1.0"),
        ({"r": 0.999}, "no labeled rows are left"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        censored_split(dataset(), random_state=0, **options)


def test_last_positives_of_the_file_hidden():
    data = dataset(200, 0.4)
    splits = make_splits(data, Censored(r=0.3, hide="last"), {k: k for k in range(5)}, shared_seed=0)
    positives = np.flatnonzero(data.y == 1)
    hidden = set(positives[len(positives) - round(0.3 * len(positives)) :].tolist())
    for split in splits.values():
        assert hidden.isdisjoint(split.labeled)
        assert set(positives.tolist()) - hidden - set(split.test.tolist()) == set(split.labeled.tolist())
    with pytest.raises(ValueError, match="hide='first'"):
        censored_split(data, random_state=0, hide="first")
