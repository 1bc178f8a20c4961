"""Trials of the PU Extra Trees paper that golden numbers do not cover: times, true labels, released thresholds."""

import numpy as np
import pytest

from pulab.plan import Method
from pulab.trials.trial import TrialContext
from pulib.datasets import Dataset
from pulib.sampling import case_control_split
from studies.puet import protocol as puet
from studies.puet.study import Classify, ClassImportance, Reference, Thresholds, Time

FOREST, EXTRA_TREES = "pulib.trees.PUExtraTreesClassifier", "sklearn.ensemble.ExtraTreesClassifier"
TEN = {"n_estimators": 10}
PU_ET = Method(name="m", label="PU ET", estimator=FOREST, params={**TEN, "risk": "nnpu"})
PN_ET = Method(name="m", label="PN ET", estimator=FOREST, params={**TEN, "risk": "pn"}, labels="all")
SKLEARN = Method(name="m", label="ET", estimator=EXTRA_TREES, params=TEN, labels="all")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 3, 400)
    X = rng.integers(0, 60, (400, 9)).astype(np.uint8)
    X[:, 0] += (80 * (target == 2)).astype(np.uint8)
    X[:, 1] += (40 * (target == 0)).astype(np.uint8)
    return Dataset("toy", X, target, (target == 2).astype(np.int8))


def run(data, method, task):
    split = case_control_split(data, random_state=1, n_labeled=30)
    return puet.RUN[type(task)](TrialContext("puet", "toy", "standard", "m", 0, data, split, method, task))


def test_released_range_of_thresholds_gives_different_trees(data):
    tasks = Classify(), Classify(params={"threshold_range": "released"})
    plain, released = (run(data, PU_ET, task).scalars["accuracy"] for task in tasks)
    assert plain != released


def test_times(data, monkeypatch):
    """The time of a reference with fewer trees is multiplied by its ``times``."""
    monkeypatch.setattr(puet, "_seconds", lambda context, estimator, rows: 1.0 if estimator.fit(rows.X, rows.y) else 0.0)
    theirs = Reference(estimator=EXTRA_TREES, params=TEN, labels="all", times=10)
    timed = {"ours": Reference(estimator=FOREST, params=PU_ET.params), "theirs": theirs}
    assert run(data, PU_ET, Time(timed=timed, times=2, params={"n_estimators": 1})).seconds == {"ours": 1.0, "theirs": 1.0}
    task = Thresholds(n_thresholds=(4, 1), params={"max_features": None}, reference=theirs)
    assert run(data, PU_ET, task).seconds == {"fit_4": 1.0, "fit_1": 1.0, "reference": 10.0}


@pytest.mark.parametrize("method", [PN_ET, SKLEARN])
def test_class_importance_with_true_labels(data, method):
    result = run(data, method, ClassImportance())
    assert np.argmax(result.series["importance_2"]) == 0
    assert np.argmax(result.series["importance_0"]) == 1
    assert all(len(result.series[f"normalized_importance_{code}"]) == 9 for code in range(3))
