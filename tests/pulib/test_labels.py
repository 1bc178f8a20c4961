"""PU labels as people have them: taken right, or refused with the mend."""

import numpy as np
import pandas as pd
import pytest

from pulib import PUExtraTreesClassifier
from pulib._labels import encode_pu_labels

X = np.random.default_rng(0).normal(size=(40, 2))
LABELED = np.arange(40) < 12


@pytest.mark.parametrize(
    "y",
    [
        LABELED,
        LABELED.astype(float),
        np.where(LABELED, 1, -1),
        np.where(LABELED, 1.0, np.nan),
        np.where(LABELED, 1, None),
        np.where(LABELED, True, None),
        pd.Series(LABELED).astype("category"),
        pd.array(np.where(LABELED, 1, pd.NA), dtype="Int64"),
        pd.array(np.where(LABELED, True, pd.NA), dtype="boolean"),
        pd.Series(LABELED.astype(int), dtype="Int8"),
    ],
    ids=["bool", "float", "1/-1", "1/NaN", "1/None", "True/None", "category", "Int64 NA", "boolean NA", "Int8"],
)
def test_clear_labels(y):
    positive, classes = encode_pu_labels(y)
    assert np.array_equal(positive, LABELED)
    assert classes[1] == 1


@pytest.mark.parametrize("values", [("P", "U"), ("positive", "unlabeled"), ("known", "unknown"), (1, 2), (0, 2), ("1", "0")])
def test_other_labels_are_refused_and_told(values):
    y = np.where(LABELED, *values)
    for word in values:
        with pytest.raises(ValueError, match=f"pos_label={word!r}"):
            encode_pu_labels(y)
    model = PUExtraTreesClassifier(5, prior=0.5, random_state=0, pos_label=values[0]).fit(X, y)
    reference = PUExtraTreesClassifier(5, prior=0.5, random_state=0).fit(X, LABELED)
    assert model.decision_function(X).tobytes() == reference.decision_function(X).tobytes()
    assert np.array_equal(model.predict(X) == values[0], reference.predict(X))
    assert model.classes_.tolist() == [values[1], values[0]]


def test_categories_of_text():
    y = pd.Series(np.where(LABELED, "P", "U")).astype("category")
    assert np.array_equal(encode_pu_labels(y, "P")[0], LABELED)


@pytest.mark.parametrize(
    ("y", "pos_label", "message"),
    [
        (np.where(LABELED, 1, np.where(np.arange(40) < 20, 0, -1)), None, "known negatives"),
        (np.where(LABELED, 1.0, np.where(np.arange(40) < 20, 0.0, np.nan)), None, "known negatives"),
        (np.where(LABELED, "P", None), None, "pos_label='P'"),
        (np.where(LABELED, 0.0, np.nan), None, "pos_label=0.0"),
        (np.where(LABELED, "P", "U"), "Q", "no label in y"),
        (np.where(LABELED, "P", None), "Q", "no label in y"),
        (np.ones(40), None, "one class only"),
        (np.arange(40), None, "40 kinds"),
    ],
)
def test_refused(y, pos_label, message):
    with pytest.raises(ValueError, match=message):
        encode_pu_labels(y, pos_label)
