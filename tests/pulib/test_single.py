"""Features that single precision cannot represent, such as seconds since 1970."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score

from pulib import (
    AUCBoostingClassifier,
    ElkanNotoClassifier,
    GetEnsembleClassifier,
    NaivePUClassifier,
    PUBaggingClassifier,
    SGBDotaClassifier,
)
from pulib._single import centers_for_single, to_single
from pulib.exceptions import PUWarning

NOW = 1.7e9


def draw(seed, n=600):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    X = rng.normal(size=(n, 2))
    X[:, 1] = np.round(np.where(truth, 30, 0) + rng.normal(scale=12, size=n))
    return X, (truth & (rng.random(n) < 0.5)).astype(int), truth


@pytest.mark.parametrize(
    ("model", "dtype"),
    [
        (PUBaggingClassifier(n_estimators=10, prior=0.4, random_state=0), np.float64),
        (AUCBoostingClassifier(10, random_state=0), np.int64),
        (GetEnsembleClassifier(3, random_state=0), np.int64),
        (SGBDotaClassifier(5, drop_fraction=0.3, prior=0.4, random_state=0), np.float64),
    ],
)
def test_seconds_since_1970(model, dtype):
    (X, y, _), (new, _, truth) = draw(0), draw(1)
    X, new = ((1000 * rows).astype(np.int64) // [1, 1000] for rows in (X, new))
    plain = roc_auc_score(truth, model.fit(X, y).decision_function(new))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        far = model.fit((X + np.array([0, int(NOW)])).astype(dtype), y)
    assert plain > 0.85
    assert roc_auc_score(truth, far.decision_function((new + np.array([0, int(NOW)])).astype(dtype))) > plain - 0.02


@pytest.mark.parametrize("wrapper", [NaivePUClassifier, ElkanNotoClassifier])
def test_warns_about_bases_in_single_precision(wrapper):
    X, y, _ = draw(0)
    model = wrapper(ExtraTreesClassifier(10, random_state=0))
    with warnings.catch_warnings(record=True) as before:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert not any("single precision" in str(warning.message) for warning in before)
    with pytest.warns(PUWarning, match=r"feature 1 become equal in single precision.*StandardScaler"):
        model.fit(X + np.array([0, NOW]), y)


@given(st.floats(-1e12, 1e12), st.floats(1e-3, 1e3), st.integers(10, 60))
@settings(max_examples=50)
def test_distinct_values_stay_distinct(place, unit, n):
    steps = np.random.default_rng(n).permutation(n)[:, None].astype(float)
    X = place + unit * steps
    if len(np.unique(X)) < n:
        return  # not distinct in double precision either
    single = to_single(X, centers_for_single(X), NaivePUClassifier())
    merged = np.mean(np.diff(np.sort(single, axis=0), axis=0) == 0)
    assert single.dtype == np.float32
    assert merged < 0.2 or abs(place) * 2**-24 < unit * n


def test_rows_that_fit_single_precision_are_not_centered():
    X = np.random.default_rng(0).normal(size=(1000, 3)) * [1e-6, 1, 1e6]
    X[[3, 503], 1] = 0.4, 0.4 + 1e-9  # one pair that merges is chance
    assert centers_for_single(X) is None
