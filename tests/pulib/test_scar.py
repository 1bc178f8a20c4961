"""The check of selection at random: what it reports, and its parts against SciPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse, stats
from sklearn.linear_model import LogisticRegression

from pulib import check_scar
from pulib._priors._rank_test import compare_ranks, rank_sums, standardized_ranks
from pulib.priors import _scar


def two_clouds(n, rng):
    """Two classes that are far apart in the first of three features."""
    truth = rng.random(n) < 0.4
    X = rng.normal(size=(n, 3))
    X[:, 0] += np.where(truth, 4.0, -4.0)
    return X, truth


def logistic_check(X, y, **options):
    return check_scar(X, y, classifier=LogisticRegression(), **{"n_permutations": 99, **options})


def test_reports_the_feature_and_its_label_frequencies():
    rng = np.random.default_rng(1)
    X, truth = two_clouds(1000, rng)
    propensity = 1 / (1 + np.exp(-2 * X[:, 2]))
    y = truth & (rng.random(1000) < propensity)
    check = logistic_check(X, y)
    assert check.feature == 2
    assert check.quarter_frequencies[0] < check.quarter_frequencies[1] < check.quarter_frequencies[3]
    assert str(check).startswith("labels do not look selected at random (p = 0.01; feature 2;")


def test_at_most_5_percent_of_permutations_exceed_the_critical_value(monkeypatch):
    found = []
    monkeypatch.setattr(_scar, "compare_ranks", lambda *arguments: found.append(compare_ranks(*arguments)) or found[-1])
    X, truth = two_clouds(200, np.random.default_rng(0))
    check = logistic_check(X, truth & (np.random.default_rng(1).random(200) < 0.5))
    assert np.sort(found[0].drawn)[-5] == check.critical_value


def test_rank_sums_agree_with_mann_whitney():
    rng = np.random.default_rng(0)
    rows, labeled = rng.integers(0, 6, size=(50, 4)).astype(float), np.arange(50) < 20
    z = rank_sums(standardized_ranks(rows), labeled[None, :])[0]
    for j in range(4):
        expected = stats.mannwhitneyu(rows[labeled, j], rows[~labeled, j], method="asymptotic", use_continuity=False)
        assert_allclose(2 * stats.norm.sf(abs(z[j])), expected.pvalue, rtol=1e-9)


def test_constant_columns_and_permutations():
    rng = np.random.default_rng(0)
    z = standardized_ranks(np.c_[np.ones(30), rng.normal(size=30)])
    sums = rank_sums(z, np.stack([rng.permutation(np.arange(30) < 12) for _ in range(4000)]))
    assert np.all(sums[:, 0] == 0)
    assert_allclose(sums[:, 1].std(), 1, atol=0.04)


def test_labels_of_any_kind_sparse_rows_and_the_label_frequency():
    X, truth = two_clouds(600, np.random.default_rng(0))
    y = truth & (np.random.default_rng(1).random(600) < 0.5)
    expected = logistic_check(X, y)
    assert expected.label_frequency_low < y.sum() / truth.sum() < expected.label_frequency_high
    assert_allclose(expected.label_frequency, y.sum() / truth.sum(), atol=0.05)
    assert logistic_check(sparse.csr_matrix(X), np.where(y, "P", "U"), pos_label="P") == expected


def test_missing_values_raise_an_error_if_the_classifier_rejects_them():
    X, truth = two_clouds(200, np.random.default_rng(0))
    X[::3, 1] = np.nan
    with pytest.raises(ValueError, match=r"p-value is 0.001, so that nothing could be found; pass n_permutations=1999 or more"):
        check_scar(X, truth, alpha=0.0005)
    with pytest.raises(ValueError, match="contains NaN"):
        logistic_check(X, truth & (np.arange(200) % 2 == 0))
