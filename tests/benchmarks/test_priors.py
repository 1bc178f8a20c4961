"""The study of priors: errors by method and data set, and their table."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from benchmarks.priors import METHODS, prior_errors
from pulab.tables import sheet_of
from pulab.tables.priors import prior_cells
from pulab.tables.record import RECORD_COLUMNS
from pulib.priors import prior_interval
from pulib.sampling import label_two_sample


def test_table_of_errors_of_a_bundled_set():
    X, truth = load_breast_cancer(return_X_y=True)
    errors = prior_errors(X, truth, methods=METHODS, repeats=1, n_labeled=30, n_unlabeled=60)
    cells = prior_cells(errors.assign(dataset="breast_cancer"))
    assert list(cells) == RECORD_COLUMNS
    lines = sheet_of(cells, title="").markdown().splitlines()
    assert lines[0] == "| |π|best_bin|elkan_noto|tice|km1|km2|"
    assert lines[2].startswith("|breast_cancer|0.")
    assert lines[2].count("|") == lines[0].count("|")


def intervals(X, truth, label_counts, repeats):
    """Yield the ends of the default interval and the true share, with each class as the positive one."""
    for positive in (True, False):
        one = truth == positive
        for n_labeled in (n for n in label_counts if n <= one.sum() // 2):
            for repeat in range(repeats):
                rng = np.random.RandomState([0, repeat, n_labeled, int(positive)])
                labeled, unlabeled = label_two_sample(one, n_labeled, random_state=rng)
                unlabeled = np.sort(rng.choice(unlabeled, min(3000, len(unlabeled)), replace=False))
                found = prior_interval(X[np.r_[labeled, unlabeled]], np.repeat([1, 0], [len(labeled), len(unlabeled)]))
                yield found.low, one.mean(), found.high


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_intervals_cover_the_true_share(load):
    X, y = load(return_X_y=True)
    truth = y % 2 == 1
    low, share, high = np.array(list(intervals(X, truth, [10, 30, 100, 300], 5))).T
    assert np.mean((low <= share) & (share <= high)) >= 0.9
