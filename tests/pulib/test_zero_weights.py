"""A row of weight 0 is as good as none, also among the rows that are held out for a threshold."""

import numpy as np
import pytest
from sklearn.base import clone

from pulib import AdaPUClassifier, PUDecisionTreeClassifier, PUExtraTreesClassifier

LEARNERS = [
    AdaPUClassifier(5, prior=0.1, learning_rate=1.0, n_iter_no_change=None, random_state=0),
    PUDecisionTreeClassifier(prior=0.1, random_state=0),
    PUExtraTreesClassifier(5, prior=0.1, random_state=0),
    PUExtraTreesClassifier(5, prior=0.4, calibration="sigmoid", random_state=0),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize(("n_labeled", "n_unlabeled", "kept"), [(40, 160, 0.5), (3, 40, 0.08)])
def test_thresholds_are_those_of_the_rows_that_count(learner, n_labeled, n_unlabeled, kept):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [n_labeled, n_unlabeled])
    X = rng.normal(size=(len(y), 3)) + y[:, None]
    weights = np.where(rng.random(len(y)) < kept, 1.0, 0.0)
    weights[:2] = weights[-2:] = 1.0
    counted = weights > 0
    beside_others = clone(learner).fit(X, y, sample_weight=weights)
    alone = clone(learner).fit(X[counted], y[counted])
    assert beside_others.threshold_ == alone.threshold_
    np.testing.assert_array_equal(beside_others.decision_function(X), alone.decision_function(X))
