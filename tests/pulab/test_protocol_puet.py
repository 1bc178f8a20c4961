"""Trials of the PU Extra Trees paper on a small data set: what each task returns, and that it depends on its identity only."""

import numpy as np
import pytest

from pulab.protocols import puet
from studies.puet.protocol import run
from pulab.trials.trial import TrialContext
from pulib.datasets import Dataset
from pulib.sampling import case_control_split

PU_ET = {"estimator": "pulib.trees.PUExtraTreesClassifier", "params": {"n_estimators": 10, "risk": "nnpu"}}
PN_ET = {
    "estimator": "pulib.trees.PUExtraTreesClassifier",
    "params": {"n_estimators": 10, "risk": "pn"},
    "options": {"labels": "all"},
}
SKLEARN = {"estimator": "sklearn.ensemble.ExtraTreesClassifier", "params": {"n_estimators": 10}, "options": {"labels": "all"}}
NAIVE = {
    "estimator": "pulib.reductions.NaivePUClassifier",
    "params": {"estimator": {"estimator": "sklearn.ensemble.ExtraTreesClassifier", "params": {"n_estimators": 10}}},
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 3, 400)
    X = rng.integers(0, 60, (400, 9)).astype(np.uint8)
    X[:, 0] += (80 * (target == 2)).astype(np.uint8)
    X[:, 1] += (40 * (target == 0)).astype(np.uint8)
    return Dataset("toy", X, target, (target == 2).astype(np.int8))


def context(data, method, n_jobs=1, **setting):
    split = case_control_split(data, random_state=1, n_labeled=30)
    return TrialContext("puet", "toy", "standard", "m", 0, data, split, method, setting, n_jobs)


def test_training_rows(data):
    c = context(data, PU_ET)
    rows = puet._rows(c)
    assert (len(rows.X), rows.y.sum()) == (350, 30)
    np.testing.assert_array_equal(rows.X[:30], data.X[c.split.labeled])
    rows = puet._rows(context(data, PN_ET))
    assert len(rows.X) == 320
    assert rows.y.mean() == data.y[np.sort(c.split.unlabeled)].mean()


@pytest.mark.parametrize("method", [PU_ET, PN_ET, SKLEARN, NAIVE])
def test_classify(data, method):
    result = run(context(data, method, importance=method is PU_ET))
    assert result.scalars["test_risk"] == pytest.approx(1 - result.scalars["accuracy"])
    assert (result.scalars["n_train"], result.scalars["n_test"], result.scalars["n_features"]) == (320, 80, 9)
    assert ("train_risk" in result.scalars) == (method is PU_ET)
    if method is not NAIVE:
        assert result.scalars["accuracy"] > 0.9
    if method is PU_ET:
        assert np.argmax(result.series["importance"]) == 0
    again = run(context(data, method, n_jobs=2, importance=method is PU_ET))
    assert again.scalars == result.scalars


def test_setting_params_reach_those_that_have_them(data):
    assert run(context(data, SKLEARN, params={"threshold_range": "released"})).scalars
    few = run(context(data, PU_ET, params={"max_depth": 1, "n_estimators": 1}))
    assert few.scalars["accuracy"] != run(context(data, PU_ET)).scalars["accuracy"]


def test_time(data):
    timed = {"ours": PU_ET, "theirs": {**SKLEARN, "labels": "all"}}
    result = run(context(data, PU_ET, task="time", timed=timed, times=2, params={"n_estimators": 1}))
    assert set(result.seconds) == {"ours", "theirs"}
    assert all(seconds > 0 for seconds in result.seconds.values())


def test_thresholds(data):
    setting = {"task": "thresholds", "n_thresholds": [4, 1], "params": {"max_features": None}}
    result = run(context(data, PU_ET, **setting, reference={**SKLEARN, "times": 10}))
    assert set(result.scalars) == {"accuracy_4", "accuracy_1"}
    assert set(result.seconds) == {"fit_4", "fit_1", "reference"}


@pytest.mark.parametrize("method", [PU_ET, PN_ET, SKLEARN])
def test_class_importance(data, method):
    result = run(context(data, method, task="class_importance"))
    assert np.argmax(result.series["importance_2"]) == 0
    assert np.argmax(result.series["importance_0"]) == 1
    assert all(len(result.series[f"normalized_importance_{code}"]) == 9 for code in range(3))


def test_top_features(data):
    result = run(context(data, PU_ET, task="top_features", sizes=[1, 4, 9]))
    sizes, accuracies = result.series["accuracy_by_risk_reduction"]
    assert list(sizes) == [1, 4, 9]
    assert accuracies[0] > 0.9
    areas = [result.scalars[f"area_by_{name}"] for name in ("risk_reduction", "impurity_reduction")]
    assert result.scalars["area_difference"] == pytest.approx(areas[0] - areas[1])


def test_unknown_task_is_named(data):
    with pytest.raises(ValueError, match="task='nap'"):
        run(context(data, PU_ET, task="nap"))
