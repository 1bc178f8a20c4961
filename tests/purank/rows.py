"""Rows in which some positives are labeled, what learners make of them, and the table that they are read from."""

import numpy as np
import pandas as pd

from pulib.priors import PriorEstimate
from purank import scoring
from purank.table import Rows

FEW = ["naive_lr", "elkan_noto_lr"]


def make_rows(n=400, prior=0.3, label_share=0.4, n_test=0, shift=1.5, seed=0, group_size=0):
    """Rows in normal classes, some positives labeled, some rows kept for testing; and the truth of all."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < prior
    X = rng.normal(size=(n, 3)) + shift * truth[:, None]
    test = rng.permutation(n) < n_test
    labeled = truth & (rng.random(n) < label_share) & ~test
    groups = np.arange(n) // group_size if group_size else None
    known = np.where(test, truth, np.nan)
    rows = Rows(X, labeled, known, groups, np.array([f"r{i}" for i in range(n)]), ["a", "b", "c"], ["a table"])
    return rows, truth


def scored_by(rows, truth, quality=1.5, seed=1):
    """Places as a learner of some quality would give them."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=len(truth)) + quality * truth
    place = scoring.places(scores, scores[rows.unlabeled])
    return scoring.Scored(place, (place > 0.7).astype(float), 0.5, 0.01, 100)


def known_prior(rows, prior, low=None, high=None):
    ends = (low if low is not None else prior, high if high is not None else prior)
    counts = {"n_labeled": len(rows.positives), "n_unlabeled": len(rows.unlabeled)}
    return PriorEstimate(prior, *ends, 0.95, "best_bin", "one_sample", **counts)


def write_table(path, n=120, **changes):
    rows, _ = make_rows(n=n)
    frame = pd.DataFrame(rows.X, columns=["age", "pay", "size"]).assign(labeled=rows.labeled.astype(int), **changes)
    frame.to_csv(path, index=False)
