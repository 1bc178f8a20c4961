"""The inputs of the level field's methods that golden numbers do not cover, and kernels compiled in advance."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from pulab.plan import Method
from pulab.trials.protocol import build, warm_up
from pulab.trials.trial import TrialContext
from pulib._priors._build import METHODS as ESTIMATORS
from studies.levelfield.study import STUDY, Fit, Tune
from studies.levelfield.tuning import list_candidates

METHODS = STUDY.methods_of(None)
SETTINGS = {setting.name: setting for part in STUDY.presets["paper"].experiments for setting in part.settings}


def test_every_estimator_of_the_prior_has_a_setting():
    named = {name.removeprefix("prior_estimated_") for name in SETTINGS if name.startswith("prior_estimated_")}
    # the study's best_bin is the paper's, and the study is older than DEDPUL
    assert named == set(ESTIMATORS) - {"best_bin_paper", "best_bin_binomial", "by_subtype", "dedpul"}


def context(method, task):
    return TrialContext("levelfield", "toy", "s", method.name, 0, None, None, method, task)


def test_prior_is_passed_under_the_name_that_a_package_uses():
    method = Method(name="m", label="M", estimator="studies.levelfield.protocol.ShareAtRandom")
    assert build(context(replace(method, prior_name="share"), Fit()), prior=0.25).share == 0.25
    assert build(context(replace(method, params={"prior": None}), Fit()), prior=0.25).prior is None


def test_tuning_a_method_without_a_grid_raises_an_error():
    with pytest.raises(ValueError, match="no grid"):
        list_candidates(context(METHODS["lf_all_positive"], Tune()), None)


class Recorder(BaseEstimator):
    fits: ClassVar[list] = []

    def fit(self, X, y):
        self.fits.append((len(X), sorted(set(y)), self.get_params()))
        return self

    def predict(self, X):
        return np.zeros(len(X))


class RecorderForest(Recorder):
    def __init__(self, n_estimators=100):
        self.n_estimators = n_estimators


@pytest.mark.parametrize(
    ("module", "kind", "fits"),
    [
        ("pulib.trees.spy", RecorderForest, [(300, [0, 1], {"n_estimators": 2})]),
        ("pulib.linear.spy", Recorder, [(80, [0, 1], {})]),
        ("sklearn.spy", Recorder, []),
    ],
)
def test_warm_up_fits_trees_to_all_rows_and_others_to_a_few(monkeypatch, module, kind, fits):
    monkeypatch.setattr(Recorder, "fits", [])
    monkeypatch.setattr(kind, "__module__", module)
    warm_up(kind(), np.zeros((300, 2)), np.repeat([1, 0], [100, 200]))
    assert Recorder.fits == fits


def test_warm_up_runs_once_for_repeats_of_a_method(monkeypatch):
    monkeypatch.setattr(Recorder, "fits", [])
    monkeypatch.setattr(RecorderForest, "__module__", "pulib.trees.spy")
    y = np.repeat([1, 0], [100, 200])
    rows = {"n": np.zeros((300, 3)), "n once more": np.ones((300, 3)), "float32": np.zeros((300, 3), np.float32)}
    for trees, X, n_fits in [(7, "n", 1), (7, "n once more", 1), (8, "n", 2), (7, "float32", 3)]:
        warm_up(RecorderForest(trees), rows[X], y)
        assert len(Recorder.fits) == n_fits, (trees, X)


def test_only_ceilings_get_true_labels():
    for name, method in METHODS.items():
        assert name.startswith("lf_")
        assert (method.labels == "all") == (method.role == "ceiling"), name
    assert sum(not method.role for method in METHODS.values()) >= 18
