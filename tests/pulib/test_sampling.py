"""Splits: which rows are labeled, unlabeled, or for testing; golden numbers cover the rows themselves."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulib.datasets import Dataset, make_expanding_clusters
from pulib.sampling import CaseControl, Censored, Contaminated, Expansion, Mixture, make_splits


def of_counts(*counts):
    """Return a data set with a target for each count, in order."""
    target = np.repeat(np.arange(len(counts)), counts)
    return Dataset("toy", np.arange(1.0 * len(target))[:, None], target, (target == 1).astype(np.int8))


class TestContaminated:
    SIZES = {"n_labeled": 30, "n_unlabeled": 60, "test": "random", "n_test_positive": 20, "n_test_negative": 25}  # noqa: RUF012
    data = of_counts(200, 120)

    @settings(max_examples=60)
    @given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 10**6))
    def test_counts_are_exact_and_parts_disjoint(self, c_p, c_u, seed):
        scheme = Contaminated(contamination_labeled=c_p, contamination_unlabeled=c_u, **self.SIZES)
        split, y = scheme.draw(self.data, random_state=seed), self.data.y
        assert (len(split.labeled), np.sum(y[split.labeled] == 0)) == (30, round(c_p * 30))
        assert (len(split.unlabeled), np.sum(y[split.unlabeled] == 1)) == (60, round(c_u * 60))
        assert np.bincount(y[split.test]).tolist() == [25, 20]
        everything = np.concatenate([split.labeled, split.unlabeled, split.test])
        assert len(np.unique(everything)) == len(everything)
        assert split.prior == round(c_u * 60) / 60

    def test_given_test_rows_are_kept(self):
        data = replace(self.data, n_train=250)
        split = Contaminated(n_labeled=20, n_unlabeled=40).draw(data, random_state=0)
        np.testing.assert_array_equal(split.test, np.arange(250, 320))
        assert np.concatenate([split.labeled, split.unlabeled]).max() < 250


class TestExpansion:
    def test_rare_class_is_always_in_training(self):
        splits = make_splits(of_counts(24, 2, 64), Expansion(later=[1, 2]), {k: k for k in range(50)})
        assert all(1 <= len(split.labeled) <= 2 for split in splits.values())

    def test_expanding_clusters_need_a_row_each(self):
        with pytest.raises(ValueError, match="n_samples=3"):
            make_expanding_clusters(3)


def test_mixture_draws_the_positive_class_at_random():
    data, swapped = of_counts(60, 40), 0
    scheme = Mixture(n_labeled=20, n_positive=20, n_negative=10, either_class=True)
    for seed in range(40):
        split = scheme.draw(data, random_state=seed)
        y = split.arrays.get("y", data.y)
        assert (y[split.labeled] == 1).all()
        assert y[split.unlabeled].sum() == 20
        assert np.array_equal(y, 1 - data.y) == bool(split.arrays)
        swapped += bool(split.arrays)
    assert 10 < swapped < 30


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        (CaseControl(n_labeled=21), "n_labeled=21; expected 1 to"),
        (Censored(n_folds=101), "n_folds=101"),
        (Censored(r=0.999), "no labeled rows are left"),
        (Contaminated(n_labeled=51, n_unlabeled=9, test="given"), "toy has no test set"),
        (
            Contaminated(n_labeled=15, n_unlabeled=9, test="random", n_test_positive=6, n_test_negative=1),
            "toy has 14 positive rows to draw from, and 15 are needed",
        ),
        (
            Contaminated(n_labeled=1, n_unlabeled=80, test="random", n_test_positive=6, n_test_negative=1),
            "toy has 79 negative rows to draw from, and 80 are needed",
        ),
        (Expansion(later=[2]), "positive at training time but not later"),
        (Expansion(later=[0, 1, 2]), "no split with both classes"),
        (Expansion(later=[1]), "the class does not expand"),
        (Expansion(later=[1, 7]), r"no row has the target \[7\]; there are \[0, 1, 2\]"),
        (Mixture(n_labeled=11, n_positive=10, n_negative=5), "toy has 20 positives; 21 are needed, labeled and unlabeled ones"),
        (Mixture(n_labeled=1, n_positive=1, n_negative=81), "toy has 80 negatives; 81 are needed"),
    ],
)
def test_schemes_that_do_not_fit_the_data_raise_an_error(scheme, message):
    with pytest.raises(ValueError, match=message):
        scheme.draw(of_counts(50, 20, 30), random_state=0)
