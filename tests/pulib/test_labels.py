"""Common forms of PU labels are understood, or raise an error that names the fix."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from pulib import OnlinePUClassifier, PUDecisionTreeClassifier, estimate_prior, proxy_accuracy
from pulib._labels import encode_pu_labels
from pulib.metrics import PUScorer

X = np.random.default_rng(0).normal(size=(40, 2))
LABELED = np.arange(40) < 12


@pytest.mark.parametrize("y", [pd.Series(LABELED).astype("category"), pd.Series(LABELED.astype(int), dtype="Int8")])
def test_unambiguous_pandas_labels(y):
    positive, classes = encode_pu_labels(y)
    assert np.array_equal(positive, LABELED)
    assert classes[1] == 1


@pytest.mark.parametrize("unlabeled", [0, -1, np.nan])
def test_unlabeled_label_suffices_if_labels_are_unambiguous(unlabeled):
    y = np.where(LABELED, 1, unlabeled)
    model = PUDecisionTreeClassifier(prior=0.5, random_state=0, unlabeled_label=unlabeled).fit(X, y)
    assert np.array_equal(model.predict(X), PUDecisionTreeClassifier(prior=0.5, random_state=0).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="Pass pos_label= too"):
        PUDecisionTreeClassifier(prior=0.5, unlabeled_label=2).fit(X, np.where(LABELED, 1, 2))


@pytest.mark.parametrize(
    ("y", "pos_label", "message"),
    [
        (np.where(LABELED, 1.0, np.where(np.arange(40) < 20, 0.0, np.nan)), None, "known negatives"),
        (np.where(LABELED, "P", None), None, "pos_label='P'"),
        (np.where(LABELED, 0.0, np.nan), None, "pos_label=0.0"),
        (np.where(LABELED, "P", None), "Q", "not a label in y"),
    ],
)
def test_ambiguous_labels_raise_an_error(y, pos_label, message):
    with pytest.raises(ValueError, match=message):
        encode_pu_labels(y, pos_label)


def with_missing(label):
    """Yield labels with each spelling of "no label"."""
    yield np.where(LABELED, label, None)
    yield np.array([label if labeled else float("nan") for labeled in LABELED], dtype=object)
    yield np.array([label if labeled else pd.NA for labeled in LABELED], dtype=object)
    yield pd.Series([label if labeled else None for labeled in LABELED])
    yield pd.Series([label if labeled else None for labeled in LABELED]).astype("category")
    yield np.where(LABELED, label, None)[:, None]
    if isinstance(label, bool):
        yield pd.array([label if labeled else pd.NA for labeled in LABELED], dtype="boolean")
    elif isinstance(label, str):
        yield pd.array([label if labeled else pd.NA for labeled in LABELED], dtype="string")
    else:
        yield np.where(LABELED, label, np.nan).astype(np.float32)
        yield pd.array([label if labeled else pd.NA for labeled in LABELED], dtype="Int64")


OTHER = {1: 0, "known": "not known", 0: 1}  # True is 1, and False is 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@pytest.mark.parametrize("label", [1, True, "known", 0], ids=repr)
def test_missing_labels_are_not_a_class(label):
    given = {} if label == 1 else {"pos_label": label}
    reference = PUDecisionTreeClassifier(prior=0.4, random_state=0).fit(X, LABELED)
    expected = reference.predict(X)
    truth = np.where(expected, label, OTHER[label])
    for y in with_missing(label):
        model = PUDecisionTreeClassifier(prior=0.4, random_state=0, **given).fit(X, y)
        assert model.classes_.tolist() == [OTHER[label], label]
        predicted = model.predict(X)
        assert predicted.dtype == model.classes_.dtype
        assert predicted.tolist() == truth.tolist()
        assert model.score(X, truth) == 1.0
        assert model.score(X, y) == np.mean(expected == LABELED)
        for metric in ("pu_score", "proxy_accuracy", "proxy_auc", "pu_risk"):
            scorer = PUScorer(metric, prior=0.4)
            assert scorer(model, X, y) == scorer(reference, X, LABELED), (metric, y)
            assert scorer(model, X, truth) == scorer(reference, X, expected)
    prior = estimate_prior(X, LABELED, classifier=LogisticRegression())
    assert estimate_prior(X, y, classifier=LogisticRegression(), **given) == prior


def test_negative_predictions_with_missing_labels():
    expected = proxy_accuracy(LABELED, np.arange(40) < 20, prior=0.4)
    for negative in (0, -1, None, np.nan):
        predicted = np.where(np.arange(40) < 20, 1, negative)
        assert proxy_accuracy(np.where(LABELED, 1, None), predicted, prior=0.4) == expected
    named = np.where(LABELED, "P", None)
    assert proxy_accuracy(named, np.where(np.arange(40) < 20, "P", "N"), prior=0.4, pos_label="P") == expected
    for strange in (0.3, 2, "N"):
        predicted = np.array([1] * 20 + [strange] * 20, dtype=object)
        with pytest.raises(ValueError, match=f"y_pred contains {strange!r}"):
            proxy_accuracy(np.where(LABELED, 1.0, np.nan), predicted, prior=0.4)
    with pytest.raises(ValueError, match="y_pred contains nan"):
        proxy_accuracy(LABELED, np.where(np.arange(40) < 20, 1.0, np.nan), prior=0.4)


def test_streams_with_missing_labels():
    reference = OnlinePUClassifier(prior=0.4).partial_fit(X, LABELED, classes=[0, 1])
    model = OnlinePUClassifier(prior=0.4).partial_fit(X, np.where(LABELED, 1.0, np.nan), classes=[np.nan, 1])
    for rows in (slice(12, 20), slice(0, 5), slice(5, 20)):  # only unlabeled rows, only labeled ones, both
        reference.partial_fit(X[rows], LABELED[rows])
        model.partial_fit(X[rows], np.where(LABELED[rows], 1.0, np.nan), classes=[1, None])
    assert np.array_equal(model.coef_, reference.coef_)
    assert model.classes_.tolist() == [0, 1]


def test_only_missing_labels_raise_an_error():
    for y in (np.full(40, np.nan), np.array([None] * 40), pd.array([pd.NA] * 40, dtype="Int64")):
        calls = PUDecisionTreeClassifier(prior=0.4).fit, estimate_prior, lambda X, y: proxy_accuracy(y, LABELED, prior=0.4)
        for call in calls:
            with pytest.raises(ValueError, match="y contains missing values only"):
                call(X, y)
