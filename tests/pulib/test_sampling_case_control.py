"""Case-control splits: who is labeled, who is unlabeled, what is kept for testing, and what the repeats share."""

import numpy as np
import pytest

from pulib.datasets import Dataset
from pulib.sampling import CaseControl, case_control_split, make_splits


def make_dataset(n=200, n_train=None, seed=0):
    y = (np.random.default_rng(seed).random(n) < 0.4).astype(np.int8)
    return Dataset("toy", np.arange(2.0 * n).reshape(n, 2), y, y, n_train)


def test_random_test_rows_are_shared_by_repeats_and_labeled_rows_are_not():
    data = make_dataset()
    splits = make_splits(data, CaseControl(n_labeled=20), {0: 11, 1: 12}, shared_seed=5)
    np.testing.assert_array_equal(splits[0].test, splits[1].test)
    assert len(splits[0].test) == 40
    assert set(splits[0].labeled) != set(splits[1].labeled)
    again = make_splits(data, CaseControl(n_labeled=20), {1: 12}, shared_seed=5)
    np.testing.assert_array_equal(again[1].labeled, splits[1].labeled)
    same = make_splits(data, CaseControl(n_labeled=20, redraw_labeled=False), {0: 11, 1: 12}, shared_seed=5)
    np.testing.assert_array_equal(same[0].labeled, same[1].labeled)


@pytest.mark.parametrize("unlabeled", ["all", "rest"])
@pytest.mark.parametrize("n_train", [None, 150])
def test_rows(unlabeled, n_train):
    data = make_dataset(n_train=n_train)
    split = case_control_split(data, random_state=3, n_labeled=20, unlabeled=unlabeled)
    assert np.all(data.y[split.labeled] == 1)
    assert len(np.unique(split.labeled)) == 20
    train = set(range(200)) - set(split.test)
    assert set(split.labeled) <= train
    assert set(split.unlabeled) == (train if unlabeled == "all" else train - set(split.labeled))
    if n_train:
        np.testing.assert_array_equal(split.test, np.arange(n_train, 200))


def test_prior():
    data = make_dataset(n_train=120)
    assert case_control_split(data, random_state=0, n_labeled=9).prior == data.prior
    assert case_control_split(data, random_state=0, n_labeled=9, prior="train").prior == data.y[:120].mean()
    assert case_control_split(data, random_state=0, n_labeled=9, prior=0.25).prior == 0.25
    rest = case_control_split(data, random_state=0, n_labeled=9, prior="unlabeled", unlabeled="rest")
    assert rest.prior == data.y[rest.unlabeled].mean()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_labeled": 0}, "n_labeled=0; expected 1 to"),
        ({"n_labeled": 10**6}, "n_labeled=1000000; expected 1 to"),
        ({"n_labeled": 5, "prior": "test"}, "prior='test'"),
    ],
)
def test_errors_name_the_argument(options, message):
    with pytest.raises(ValueError, match=message):
        case_control_split(make_dataset(), random_state=0, **options)
