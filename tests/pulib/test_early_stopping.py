"""Histogram boosting stops early above 10,000 rows: the folds that set a threshold do as the model does."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, VotingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib import (
    DEDPULClassifier,
    ElkanNotoClassifier,
    NaivePUClassifier,
    PUBaggingClassifier,
    PUCalibratedClassifier,
    PUThresholdClassifier,
    TwoStepPUClassifier,
)

N_ROWS, N_LABELED = 10_400, 400  # folds train on 8,320 of them; early stopping begins above 10,000


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    truth = np.r_[np.ones(N_LABELED, bool), rng.random(N_ROWS - N_LABELED) < 0.3]
    X = rng.normal(size=(N_ROWS, 2)) + np.where(truth, 0.6, -0.6)[:, None]
    return X, np.repeat([1, 0], [N_LABELED, N_ROWS - N_LABELED])


def boosting(early_stopping="auto"):
    return HistGradientBoostingClassifier(max_iter=15, early_stopping=early_stopping, random_state=0)


def voting(base):
    return VotingClassifier([("one", make_pipeline(StandardScaler(), base))], voting="soft")


@pytest.mark.parametrize(
    ("make", "early"),
    [
        (lambda base: PUThresholdClassifier(voting(base), prior=0.3), True),
        (lambda base: PUThresholdClassifier(NaivePUClassifier(base), prior=0.3), True),
        (lambda base: PUCalibratedClassifier(base, prior=0.3), True),
        (lambda base: ElkanNotoClassifier(base, prior=0.3), True),
        (lambda base: DEDPULClassifier(base, prior=0.3), True),
        (lambda base: TwoStepPUClassifier(base, reliable="quantile", prior=0.3, random_state=0), False),
        (lambda base: TwoStepPUClassifier(base, reliable="cvir", prior=0.01, random_state=0), True),
        (lambda base: PUBaggingClassifier(base, 2, max_samples=9_900, prior=0.3, random_state=0), True),
        (lambda base: PUBaggingClassifier(base, 2, prior=0.3, random_state=0), False),
    ],
)
def test_folds_stop_early_where_the_model_does(rows, make, early):
    """The learner whose base decides by itself is the one whose base is told what the model does."""
    X, y = rows
    decides, told = (make(boosting(choice)).fit(X, y) for choice in ("auto", early))
    assert decides.threshold_ == told.threshold_
    assert [own for name, own in decides.get_params().items() if name.endswith("early_stopping")] == ["auto"]  # as it was given
