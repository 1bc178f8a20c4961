"""Expansion splits, and the generated set they are made for."""

import numpy as np
import pytest

from pulib.datasets import CLUSTERS, PATHS, Dataset, make_expanding_clusters
from pulib.sampling import Expansion, expansion_split, make_splits


def make_dataset(counts=(50, 20, 30)):
    target = np.repeat([0, 1, 2], counts)
    return Dataset("toy", np.arange(len(target))[:, None], target, (target == 1).astype(np.int8))


def test_labels_are_early_in_training_and_late_in_testing():
    data = make_dataset()
    split = expansion_split(data, random_state=0, later=[1, 2])
    rows = np.concatenate([split.labeled, split.unlabeled, split.test])
    assert sorted(rows) == list(range(100))
    assert len(split.test) == 33
    assert (data.target[split.labeled] == 1).all()
    assert (data.target[split.unlabeled] != 1).all()
    np.testing.assert_array_equal(split.arrays["test_positive"], data.target[split.test] > 0)
    assert split.prior == np.mean(data.target[split.unlabeled] == 2)


def test_a_rare_class_is_always_in_training():
    data = make_dataset((24, 2, 64))
    splits = make_splits(data, Expansion(later=[1, 2]), {k: k for k in range(50)})
    assert all(1 <= len(split.labeled) <= 2 for split in splits.values())
    again = make_splits(data, Expansion(later=[1, 2]), {7: 7})
    np.testing.assert_array_equal(again[7].test, splits[7].test)


def test_stratified_draws_keep_the_shares():
    data = make_dataset((60, 30, 90))
    split = expansion_split(data, random_state=1, later=[1, 2], stratify=True)
    assert np.bincount(data.target[split.test]).tolist() == [20, 10, 30]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"later": [2]}, "positive at training time but not later"),
        ({"later": [1, 2], "train_share": 1.0}, r"train_share=1\.0"),
        ({"later": [0, 1, 2]}, "no split with both classes"),
        ({"later": [1]}, "the class does not expand"),
        ({"later": [1, 7]}, r"no row has the target \[7\]; there are \[0, 1, 2\]"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        expansion_split(make_dataset(), random_state=0, **options)


def test_expanding_clusters():
    X, y = make_expanding_clusters(4000, random_state=0)
    assert ((X >= 0) & (X <= 1)).all()
    nearest = np.argmin(np.linalg.norm(X[:, None] - np.array([c.center for c in CLUSTERS])[None], axis=2), axis=1)
    early = {c.name: np.mean(y[nearest == i] == 1) for i, c in enumerate(CLUSTERS)}
    assert early["right"] > 0.8
    assert max(early[name] for name in ("top", "left", "bottom")) < 0.15
    assert {name for path in PATHS for name in path} == set(early)
    np.testing.assert_array_equal(
        make_expanding_clusters(50, random_state=1)[0], make_expanding_clusters(50, random_state=1)[0]
    )
    with pytest.raises(ValueError, match="n_samples=3"):
        make_expanding_clusters(3)
