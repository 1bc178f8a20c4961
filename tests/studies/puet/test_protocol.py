"""Trials of the PU Extra Trees paper on a small data set: what each task returns, and that it depends on its identity only."""

import numpy as np
import pytest

from pulab.plan import Method
from pulab.trials.trial import TrialContext
from pulib.datasets import Dataset
from pulib.sampling import case_control_split
from studies.puet import protocol as puet
from studies.puet.study import Classify, ClassImportance, Reference, Thresholds, Time, TopFeatures, Trees

FOREST, EXTRA_TREES = "pulib.trees.PUExtraTreesClassifier", "sklearn.ensemble.ExtraTreesClassifier"
TEN = {"n_estimators": 10}
PU_ET = Method(name="m", label="PU ET", estimator=FOREST, params={**TEN, "risk": "nnpu"})
PN_ET = Method(name="m", label="PN ET", estimator=FOREST, params={**TEN, "risk": "pn"}, labels="all")
SKLEARN = Method(name="m", label="ET", estimator=EXTRA_TREES, params=TEN, labels="all")
NAIVE = Method(
    name="m",
    label="naive ET",
    estimator="pulib.reductions.NaivePUClassifier",
    params={"estimator": {"estimator": EXTRA_TREES, "params": TEN}},
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 3, 400)
    X = rng.integers(0, 60, (400, 9)).astype(np.uint8)
    X[:, 0] += (80 * (target == 2)).astype(np.uint8)
    X[:, 1] += (40 * (target == 0)).astype(np.uint8)
    return Dataset("toy", X, target, (target == 2).astype(np.int8))


def context(data, method, task=None, n_jobs=1):
    split = case_control_split(data, random_state=1, n_labeled=30)
    return TrialContext("puet", "toy", "standard", "m", 0, data, split, method, task or Classify(), n_jobs)


def run(trial):
    return puet.RUN[type(trial.task)](trial)


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
    result = run(context(data, method, Classify(importance=method is PU_ET)))
    assert result.scalars["test_risk"] == pytest.approx(1 - result.scalars["accuracy"])
    assert (result.scalars["n_train"], result.scalars["n_test"], result.scalars["n_features"]) == (320, 80, 9)
    assert ("train_risk" in result.scalars) == (method is PU_ET)
    if method is not NAIVE:
        assert result.scalars["accuracy"] > 0.9
    if method is PU_ET:
        assert np.argmax(result.series["importance"]) == 0
    again = run(context(data, method, Classify(importance=method is PU_ET), n_jobs=2))
    assert again.scalars == result.scalars


def test_params_of_the_task_reach_those_that_have_them(data):
    assert run(context(data, SKLEARN, Classify(params={"threshold_range": "released"}))).scalars
    few = run(context(data, PU_ET, Classify(params={"max_depth": 1, "n_estimators": 1})))
    assert few.scalars["accuracy"] != run(context(data, PU_ET)).scalars["accuracy"]


def test_time(data):
    timed = {"ours": Reference(estimator=FOREST, params=PU_ET.params)}
    timed["theirs"] = Reference(estimator=EXTRA_TREES, params=TEN, labels="all")
    result = run(context(data, PU_ET, Time(timed=timed, times=2, params={"n_estimators": 1})))
    assert set(result.seconds) == {"ours", "theirs"}
    assert all(seconds > 0 for seconds in result.seconds.values())


def test_thresholds(data):
    reference = Reference(estimator=EXTRA_TREES, params=TEN, labels="all", times=10)
    task = Thresholds(n_thresholds=(4, 1), params={"max_features": None}, reference=reference)
    result = run(context(data, PU_ET, task))
    assert set(result.scalars) == {"accuracy_4", "accuracy_1"}
    assert set(result.seconds) == {"fit_4", "fit_1", "reference"}


@pytest.mark.parametrize("method", [PU_ET, PN_ET, SKLEARN])
def test_class_importance(data, method):
    result = run(context(data, method, ClassImportance()))
    assert np.argmax(result.series["importance_2"]) == 0
    assert np.argmax(result.series["importance_0"]) == 1
    assert all(len(result.series[f"normalized_importance_{code}"]) == 9 for code in range(3))


def test_top_features(data):
    result = run(context(data, PU_ET, TopFeatures(sizes=(1, 4, 9))))
    sizes, accuracies = result.series["accuracy_by_risk_reduction"]
    assert list(sizes) == [1, 4, 9]
    assert accuracies[0] > 0.9
    areas = [result.scalars[f"area_by_{name}"] for name in ("risk_reduction", "impurity_reduction")]
    assert result.scalars["area_difference"] == pytest.approx(areas[0] - areas[1])


def test_forests_are_compared_tree_by_tree(data):
    """Where all labels are known, and with the non-negative estimator, two losses give the same trees (proposition 3)."""
    found = run(context(data, PU_ET, Trees())).scalars
    assert (found["same_pn"], found["same_nnpu"]) == (1.0, 1.0)
    assert found["same_upu"] < 1.0
    assert all(found[f"depth_{risk}_{loss}"] >= 1 for risk in ("pn", "nnpu", "upu") for loss in ("quadratic", "logistic"))
    assert abs(found["accuracy_scaled"] - found["accuracy_plain"]) < 0.05
