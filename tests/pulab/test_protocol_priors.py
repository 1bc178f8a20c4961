"""The study of priors: errors by method and data set, and their table."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from pulab.benchmarks.priors import METHODS, error_table, interval_coverage, prior_errors
from pulab.tables.sheet import Grid


def test_study_tells_the_errors():
    rng = np.random.default_rng(0)
    truth = np.arange(300) < 90
    X = rng.normal(size=(300, 3)) + np.where(truth, 3, -3)[:, None]
    errors = prior_errors(X, truth, methods=["elkan_noto", "tice"], repeats=2, n_labeled=40)
    assert list(errors.method) == ["elkan_noto", "tice"] * 2
    assert np.all((errors.prior > 0.1) & (errors.prior < 0.3))
    assert np.all((errors.estimate - errors.prior).abs() < 0.3)


def test_table_of_errors_of_a_bundled_set():
    X, truth = load_breast_cancer(return_X_y=True)
    errors = prior_errors(X, truth, methods=METHODS, repeats=1, n_labeled=30, n_unlabeled=60)
    lines = Grid.of_frame(error_table(errors.assign(dataset="breast_cancer")), "data").markdown().splitlines()
    assert lines[0] == "| data | π | best_bin | elkan_noto | tice | tice_ratio | km1 | km2 | km_blend |"
    assert lines[2].startswith("| breast_cancer | 0.")
    assert lines[2].count("|") == lines[0].count("|")


def test_intervals_of_either_class():
    truth = np.arange(200) < 60
    X = np.random.default_rng(0).normal(size=(200, 2)) + np.where(truth, 4, -4)[:, None]
    found = interval_coverage(X, truth, label_counts=[10, 40], repeats=1, n_unlabeled=50)
    assert found[["positive", "n_labeled"]].to_numpy().tolist() == [[1, 10], [0, 10], [0, 40]]  # 40 are more than half of 60
    assert found.prior.tolist() == [0.3, 0.7, 0.7]
    assert np.all((found.low <= found.estimate) & (found.estimate <= found.high))


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_intervals_hold_the_truth(load):
    X, y = load(return_X_y=True)
    truth = y % 2 == 1
    found = interval_coverage(X, truth, label_counts=[10, 30, 100, 300], repeats=5)
    assert np.mean((found.low <= found.prior) & (found.prior <= found.high)) >= 0.9
