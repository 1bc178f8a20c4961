"""Every method, of several studies or of one, runs on a data set of a user's own."""

import numpy as np
import pytest

import pulib
from pulab.plan.load import load_study, shared_methods, study_names
from pulab.trials.trial import import_object, make_estimator
from pulib.datasets import load_registry

#: One method of each class and set of parameters.
METHODS = shared_methods() | {method.name: method for name in study_names() for method in load_study(name).methods}
METHODS = {(method.estimator, *method.params, method.params.get("loss")): method for method in METHODS.values()}
METHODS = {method.name: method for method in METHODS.values()}
SMALL = {"n_estimators": 3, "epochs": 2, "n_passes": 2, "inner_steps": 5, "batch_size": 20}
#: The same where a method leaves it to the class: SGBDota chooses its share by thousands of trees.
SMALLER_THAN_DEFAULTS = {"n_estimators": 3, "drop_fraction": 0.3}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A table with a column of words, as a user would bring it."""
    folder = tmp_path_factory.mktemp("own")
    rng = np.random.default_rng(0)
    age, pay = rng.normal(size=(2, 240)).round(3)
    job = rng.choice(["cook", "nurse", "judge"], 240)
    lines = [f"{a},{j},{p},{'yes' if a + p > 0 else 'no'}" for a, j, p in zip(age, job, pay, strict=True)]
    (folder / "people.csv").write_text("age,job,pay,likes\n" + "\n".join(lines) + "\n")
    entry = {
        "title": "People",
        "loader": "table",
        "options": {"target": "likes", "dtype": "float32"},
        "positive": ["yes"],
        "files": [{"name": "people.csv", "path": str(folder / "people.csv")}],
    }
    return pulib.load_dataset("people", data_dir=folder, registry=load_registry(extra={"people": entry}))


def small(method):
    """The method's parameters, with less of what only takes time."""
    params = dict(method.params)
    accepted = import_object(method.estimator)._get_param_names()
    cut = {key: value for key, value in SMALL.items() if key in accepted and key in params}
    cut |= {key: value for key, value in SMALLER_THAN_DEFAULTS.items() if key in accepted}
    return params | cut, accepted


@pytest.mark.slow
@pytest.mark.jit("all methods of the papers, some of hundreds of members")
@pytest.mark.parametrize("name", list(METHODS))
def test_a_method_runs_on_a_data_set_of_ones_own(name, people):
    method = METHODS[name]
    for library in method.requires:
        pytest.importorskip(library)
    if method.params.get("body") == "cnn":
        pytest.skip("a convolutional network takes color images of 32 x 32 only")
    params, accepted = small(method)
    if method.prior_name in accepted:
        params[method.prior_name] = people.prior
    labeled = np.flatnonzero(people.y)[:40]
    X = np.concatenate([people.X[labeled], people.X])
    y = np.repeat([1, 0], [len(labeled), len(people.X)])
    model = make_estimator(method.estimator, params, seed=0, n_jobs=1).fit(X, y)
    if hasattr(model, "predict"):
        predicted = model.predict(people.X)
        assert predicted.shape == (len(people.X),)
        assert set(np.unique(predicted)) <= {0, 1}
    how = next(h for h in ("decision_function", "predict_proba", "transform") if hasattr(model, h))
    scores = getattr(model, how)(people.X)
    assert len(scores) == len(people.X)
    assert np.isfinite(scores).all()
