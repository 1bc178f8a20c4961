"""Subtypes of positives that are labeled at different rates: the warning, and the estimate by subtype."""

import numpy as np
import pytest
from scipy import sparse

from pulib import prior_interval
from pulib._priors._from_scores import BestBin
from pulib._priors._subtypes import Subtypes, cells_of
from pulib.exceptions import PUWarning


def uneven(shares, prior, seed, n_labeled=250, n_unlabeled=1500, d=6):
    """Positives of three subtypes, equally frequent among unlabeled rows, with the given shares among labeled rows."""
    rng = np.random.default_rng(seed)
    places = 3.5 * np.eye(3, d)
    labeled = np.repeat(np.arange(3), np.round(np.multiply(shares, n_labeled)).astype(int))
    n_positive = round(prior * n_unlabeled)
    hidden = np.arange(n_positive) % 3
    X = rng.normal(size=(len(labeled) + n_unlabeled, d))
    X[: len(labeled)] += places[labeled]
    X[len(labeled) : len(labeled) + n_positive] += places[hidden]
    X[len(labeled) + n_positive :] -= 1.5
    return X, (np.arange(len(X)) < len(labeled)).astype(int)


def test_warns_about_uneven_labels_and_covers_the_truth():
    prior = 0.4
    X, y = uneven((0.8, 0.1, 0.1), prior, 0)
    with pytest.warns(PUWarning, match=r"Labels do not look selected at random: .*by_subtype") as warned:
        estimate = prior_interval(X, y)
    assert len(warned) == 1
    assert estimate.prior < 0.7 * prior
    assert estimate.low < prior < estimate.high
    by_subtype = prior_interval(X, y, "by_subtype")
    assert abs(by_subtype.prior - prior) < 0.25 * prior
    assert by_subtype.low < prior < by_subtype.high
    assert "within each subtype" in by_subtype.assumption


def test_even_labels_do_not_warn():
    estimate = prior_interval(*uneven((1 / 3, 1 / 3, 1 / 3), 0.4, 1))
    assert not any("selected at random" in text for text in estimate.warnings)
    assert abs(estimate.prior - 0.4) < 0.05
    assert estimate.low < 0.4 < estimate.high


def test_share_is_the_sum_over_cells():
    rng = np.random.default_rng(0)
    positive = np.arange(900) < 300
    scores, cells = rng.normal(size=900) + 2 * (np.arange(900) < 500), rng.integers(0, 3, 900)
    ones = np.ones(900)
    expected = 0.0
    for cell in range(3):
        own = cells == cell
        share = BestBin(scores[own], positive[own]).share(ones[own])
        expected += min(share, 1.0) * (own & ~positive).sum() / 600
    assert Subtypes(scores, positive, cells).share(ones) == pytest.approx(expected)
    one = Subtypes(scores, positive, np.zeros(900, int))
    assert one.share(ones) == one.without_cells().share(ones) == BestBin(scores, positive).share(ones)


def test_finds_subtypes_of_very_wide_sparse_rows_in_folded_columns():
    """Three topics with their own words, all beyond the columns that are kept, and words that all topics share."""
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 3, 600)
    words = 300_000 + 1000 * topic[:, None] + rng.integers(0, 40, (600, 30))
    shared = 100_000 + rng.integers(0, 2000, (600, 5))
    columns = np.hstack([words, shared])
    X = sparse.csr_array(
        (np.ones(columns.size), (np.repeat(np.arange(600), columns.shape[1]), columns.ravel())), (600, 400_000)
    )
    cells = cells_of(X, np.arange(600) < 300, 0)
    for cell in np.unique(cells):
        assert len(np.unique(topic[cells == cell])) == 1
