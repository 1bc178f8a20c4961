"""Trials of the study of results published elsewhere: unlabeled rows are classified by models that have not seen them."""

import numpy as np
import pytest

from pulab.plan import Method
from pulab.trials.trial import TrialContext
from pulib.datasets import Dataset
from pulib.sampling import CaseControl, Mixture
from studies.elsewhere import protocol
from studies.elsewhere.study import SIZES, STUDY, OnTestRows, OnUnlabeled

NEIGHBOR = Method(
    name="m",
    label="M",
    estimator="pulib.reductions.NaivePUClassifier",
    params={"estimator": {"estimator": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 1}}, "prior": None},
)
BAGGING = Method(
    name="m", label="M", estimator="pulib.reductions.PUBaggingClassifier", params={"oob_score": True, "n_estimators": 40}
)


def data(distance=3.0):
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.5).astype(np.int8)
    return Dataset("toy", rng.normal(size=(400, 2)) + distance * y[:, None], y, y)


def run(method, task, split, source):
    return protocol.RUN[type(task)](TrialContext("elsewhere", "toy", "s", "m", 0, source, split, method, task)).scalars


def test_no_unlabeled_row_is_classified_by_a_model_that_has_seen_it():
    """The nearest neighbor of a row that was seen is itself, which is unlabeled: no row would be called positive."""
    source = data()
    split = Mixture(n_labeled=60, n_positive=60, n_negative=60).draw(source, random_state=0)
    found = run(NEIGHBOR, OnUnlabeled(), split, source)
    assert 0.1 < found["share_positive"] < 0.5


@pytest.mark.parametrize("either_class", [False, True])
def test_truth_is_that_of_the_class_that_was_drawn(either_class):
    source = data()
    for seed in range(3):
        split = Mixture(n_labeled=40, n_positive=60, n_negative=60, either_class=either_class).draw(source, random_state=seed)
        found = run(BAGGING, OnUnlabeled(), split, source)
        assert found["unlabeled_auc"] > 0.95
        assert found["unlabeled_accuracy"] > 0.9
        assert found["share_positive"] == pytest.approx(0.5, abs=0.02), "π sets the threshold"


def test_test_rows_are_judged_where_there_are_some():
    source = data()
    split = CaseControl(n_labeled=50, prior="train").draw(source, random_state=0)
    assert run(BAGGING, OnTestRows(), split, source)["accuracy"] > 0.9


@pytest.mark.parametrize("dataset", SIZES)
def test_percentages_are_those_of_the_sizes(dataset):
    for share, (n_labeled, n_positive, n_negative) in SIZES[dataset].items():
        assert 100 * n_positive / (n_positive + n_negative) == pytest.approx(share, abs=0.6)
        setting = STUDY.settings_of("paper")[f"positive_{share:02}"]
        assert setting.split_for(dataset) == Mixture(n_labeled=n_labeled, n_positive=n_positive, n_negative=n_negative)
