"""The own table's folds keep equal rows together, and are unchanged where there are none."""

import numpy as np

from purank.scoring import fold_numbers
from purank.table import Rows


def rows_of(X, labeled, n_test=0):
    truth = np.full(len(X), np.nan)
    truth[len(X) - n_test :] = 0.0
    return Rows(X=X, labeled=labeled, truth=truth, groups=None, ids=np.arange(len(X)))


def test_copies_share_a_fold_and_labeled_rows_are_spread():
    rng = np.random.default_rng(0)
    U = rng.normal(size=(300, 3))
    X, labeled = np.r_[U[:40], U], np.arange(340) < 40
    folds = fold_numbers(rows_of(X, labeled, n_test=20), 5, seed=3)
    assert np.array_equal(folds[:40], folds[40:80])
    assert np.bincount(folds[:40]).tolist() == [8] * 5
    assert (folds[-20:] == -1).all()


def test_two_kinds_of_rows_are_dealt_out_one_by_one():
    labeled = np.arange(60) < 12
    folds = fold_numbers(rows_of((np.arange(60) % 2)[:, None].astype(float), labeled), 4, seed=0)
    assert np.bincount(folds[labeled]).tolist() == [3] * 4
