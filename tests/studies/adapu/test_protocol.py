"""The Ada-PU paper's published split, and trials without golden numbers: other libraries' boosting, and networks."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from pulab.plan import Method
from pulab.trials.trial import TrialContext, import_object
from pulib.datasets import Dataset
from pulib.sampling import AdaPUSplit, make_splits
from studies.adapu.protocol import RUN, accuracy_curve
from studies.adapu.study import BOOSTING, READING, Classify

PUBLISHED = AdaPUSplit(n_labeled=0.5, test="last", n_test=113)
NETWORK = {
    "estimator": "pulib.neural.NeuralPUClassifier",
    "params": {"body": "mlp", "epochs": 3, "batch_size": 100, "body_params": {"width": 8}, "n_threads": 1},
}


@pytest.fixture(scope="module")
def data():
    X, y = load_breast_cancer(return_X_y=True)
    return Dataset("breast_cancer", X, y, y.astype(np.int8))


def method(estimator=BOOSTING, **fields):
    return Method(name="m", label="m", estimator=estimator, **fields)


def run(data, own):
    split = make_splits(data, PUBLISHED, {0: 1})[0]
    return RUN[Classify](TrialContext("adapu", data.name, "published", "m", 0, data, split, own, Classify()))


def test_published_split_of_breast_cancer(data):
    split = make_splits(data, PUBLISHED, {0: 1})[0]
    np.testing.assert_array_equal(split.test, np.arange(456, 569))
    np.testing.assert_array_equal(split.unlabeled, np.arange(456))
    assert len(split.labeled) == 135
    assert split.prior == pytest.approx(270 / 456)
    assert len(split.arrays["negatives"]) == round((186 / 540) ** 2 * 135)
    # the accuracy of calling every test row benign is 76.99%: the paper's value for XGBoost, with sd 0
    assert round(100 * np.mean(data.y[456:]), 2) == 76.99


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "given"}, "gives no test rows"),
        ({"test": "last", "n_labeled": 400}, "n_labeled=400; expected 1 to 270"),
        ({"test": "last", "n_test": 0}, "n_test=0"),
    ],
)
def test_bad_splits_raise_an_error(data, options, message):
    with pytest.raises(ValueError, match=message):
        make_splits(data, AdaPUSplit(**options), {0: 1})


def test_accuracy_counts_a_score_of_zero_as_negative_or_half():
    scores, truth = np.array([1.0, -1.0, 0.0]), np.array([1, 0, 1])
    plain, half = accuracy_curve([scores, -scores], truth)
    np.testing.assert_allclose(plain, [2 / 3, 0])
    np.testing.assert_allclose(half, [2.5 / 3, 0.5 / 3])


def test_other_boosting_classifier_gets_negatives_and_is_scored_by_round(data):
    pytest.importorskip("xgboost")
    result = run(data, method("xgboost.XGBClassifier", params={"n_estimators": 5, "max_depth": 1}, labels="pn"))
    assert result.scalars["n_train"] == 135 + 16
    assert len(result.series["accuracy_by_round"][1]) == 5
    assert result.scalars["accuracy"] > 0.6


def test_networks_are_scored_by_epoch_and_give_features(data):
    pytest.importorskip("torch")
    assert len(run(data, method(**NETWORK)).series["accuracy_by_round"][1]) == 3
    boosted = method(params={"n_estimators": 4, "n_iter_no_change": None}, features=NETWORK)
    assert len(run(data, boosted).series["feature_counts"]) == 8


def test_reading_with_defaults_equals_the_librarys_class(data):
    params = {"n_estimators": 6, "learning_rate": 0.3, "n_iter_no_change": None}
    plain, same = (run(data, method(name, params=params)) for name in (BOOSTING, READING))
    assert plain.scalars == same.scalars
    changed = {"shrink_weights": False, "threshold_range": "unlabeled", "splitter": "best"}
    assert changed.items() <= clone(import_object(READING)(**changed)).get_params().items()
