"""Saved models record the version that made them; trees are exported to SHAP as arrays."""

import copy
import io
import pickle
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone

import pulib
from pulib.exceptions import PUWarning
from pulib.trees import export_trees
from tests.sizes import size

RNG = np.random.default_rng(8)
Y = (np.arange(150) < 50).astype(int)
X = RNG.normal(size=(150, 4)) + 1.5 * (np.arange(150) < 80)[:, None]
LEARNERS = [
    pulib.PUExtraTreesClassifier(size(9, 3), prior=0.3, random_state=0),
    pulib.AdaPUClassifier(5, prior=0.3, random_state=0),
    pulib.PUGridSearchCV(pulib.UnbiasedPUClassifier(prior=0.3), {"alpha": [0.1, 1.0]}),
]


def name(value):
    return type(value).__name__


def loaded_by(model, monkeypatch, version):
    saved = pickle.dumps(model)
    monkeypatch.setattr(pulib, "__version__", version)
    return pickle.loads(saved)


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_warns_only_if_another_version_saved_the_model(learner, monkeypatch):
    monkeypatch.setattr(pulib, "__version__", "3.1.0")
    model = clone(learner).fit(X, Y)
    saved = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("error", PUWarning)
        joblib.dump(model, saved)
        saved.seek(0)
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), joblib.load(saved)):
            assert np.array_equal(again.decision_function(X), model.decision_function(X))
            assert vars(again).keys() == vars(model).keys()
    with pytest.warns(PUWarning, match=rf"This {type(learner).__name__} was saved by pulib 3\.1\.0, and 4\.0\.0 loads it"):
        again = loaded_by(model, monkeypatch, "4.0.0")
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    with warnings.catch_warnings():  # saved again, it belongs to that version
        warnings.simplefilter("error", PUWarning)
        pickle.loads(pickle.dumps(again))


def test_warns_if_a_model_was_saved_without_a_version(monkeypatch):
    model = pulib.UnbiasedPUClassifier(prior=0.3).fit(X, Y)
    state = model.__getstate__()
    assert state.pop("_pulib_version") == pulib.__version__
    again = pulib.UnbiasedPUClassifier.__new__(pulib.UnbiasedPUClassifier)
    with pytest.warns(PUWarning, match="saved by an earlier version of pulib"):
        again.__setstate__(state)
    assert np.array_equal(again.coef_, model.coef_)


def test_builds_of_one_version_do_not_warn(monkeypatch):
    monkeypatch.setattr(pulib, "__version__", "3.1.0.dev4+g1234567")
    model = pulib.UnbiasedPUClassifier(prior=0.3).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PUWarning)
        loaded_by(model, monkeypatch, "3.1.0.dev4+g89abcde")


def walk(tree, row):
    """Return the value of the leaf that a row reaches."""
    node = 0
    while tree["children_left"][node] >= 0:
        value = row[tree["features"][node]]
        way = "default" if np.isnan(value) else "left" if value <= tree["thresholds"][node] else "right"
        node = tree[f"children_{way}"][node]
    return tree["values"][node, 0]


MISSING = np.where(RNG.random(X.shape) < 0.2, np.nan, X)


@pytest.mark.parametrize(
    ("learner", "rows"),
    [
        (pulib.PUExtraTreesClassifier(size(9, 3), prior=0.3, random_state=1), MISSING),
        (pulib.PUExtraTreesClassifier(size(20, 5), prior=0.3, calibration="isotonic", bootstrap=True, random_state=1), X),
        (pulib.PUDecisionTreeClassifier(prior=0.3, max_depth=3), X),
    ],
    ids=["forest", "calibrated", "tree"],
)
def test_exported_trees_add_up_to_the_decision_function(learner, rows):
    model = learner.fit(rows, Y)
    exported = export_trees(model)
    sums = [sum(walk(tree, row) for tree in exported["trees"]) + exported["base_offset"] for row in rows]
    np.testing.assert_allclose(sums, model.decision_function(rows), atol=1e-12)
    for tree in exported["trees"]:
        inner = np.flatnonzero(tree["children_left"] >= 0)
        weight = tree["node_sample_weight"]
        assert np.array_equal(weight[inner], weight[tree["children_left"][inner]] + weight[tree["children_right"][inner]])


@pytest.mark.parametrize("background", [None, X[:40]], ids=["by path", "against rows"])
def test_shap_accepts_exported_trees(background):
    shap = pytest.importorskip("shap", reason="shap is not installed")
    model = pulib.PUExtraTreesClassifier(size(9, 3), prior=0.3, random_state=2).fit(X, Y)
    explainer = shap.TreeExplainer(export_trees(model), data=background)
    values = np.reshape(explainer.shap_values(X), X.shape)
    np.testing.assert_allclose(
        values.sum(axis=1) + np.ravel(explainer.expected_value)[0], model.decision_function(X), atol=1e-6
    )


def test_skops_saves_and_loads_models(tmp_path):
    skops_io = pytest.importorskip("skops.io", reason="skops is not installed")
    model = pulib.UnbiasedPUClassifier(prior=0.3).fit(X, Y)
    skops_io.dump(model, tmp_path / "model.skops")
    trusted = skops_io.get_untrusted_types(file=tmp_path / "model.skops")
    assert all(kind.startswith("pulib.") for kind in trusted)
    again = skops_io.load(tmp_path / "model.skops", trusted=trusted)
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
