"""Every estimator of the library, found by ``all_estimators``, under scikit-learn's checks and our own."""

import importlib.util
import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import pulib
from pulib.bagging import NaivePUClassifier
from pulib.utils import all_estimators
from pulib.utils.estimator_checks import pu_checks
from tests.sizes import NOT_COMPILED, size

CLASSES = dict(all_estimators())

# Smaller than the defaults, where those take long; nothing else is changed.
SMALLER = {"n_estimators": size(10, 5), "n_iter": 2, "cv": 3, "epochs": 20, "n_basis": 30}
# What a class cannot do without.
REQUIRED = {
    "PUGridSearchCV": {
        "estimator": NaivePUClassifier(LogisticRegression()),
        "param_grid": {"estimator__C": [0.1, 1.0]},
    },
    "PURandomizedSearchCV": {
        "estimator": NaivePUClassifier(LogisticRegression()),
        "param_distributions": {"estimator__C": [0.1, 1.0, 10.0]},
    },
}


NO_KERNELS = {"GetEnsembleClassifier", "NaivePUClassifier", "NeuralPUClassifier", "PUBaggingClassifier", "SelfPUClassifier"}


def skip_without_kernels(name):
    if NOT_COMPILED and name in NO_KERNELS:
        pytest.skip(f"NUMBA_DISABLE_JIT: {name} has nothing to compile, and so nothing to check twice")


def make(name):
    cls = CLASSES[name]
    accepted = inspect.signature(cls.__init__).parameters
    return cls(**REQUIRED.get(name, {}), **{key: value for key, value in SMALLER.items() if key in accepted})


# Linear models of the risk believe the prior more than the rows.  The unlabeled rows of one check hold no positives, and so the
# estimate is nearly 0 (see test_linear_checks.py): there they are given a prior.
GIVEN_A_PRIOR = {("OnlinePUClassifier", "check_classifiers_train"), ("UnbiasedPUClassifier", "check_classifiers_train")}


@pytest.mark.jit("fits every estimator hundreds of times")
@parametrize_with_checks([make(name) for name in CLASSES])
def test_scikit_learn(estimator, check):
    skip_without_kernels(type(estimator).__name__)
    if (type(estimator).__name__, getattr(check, "func", check).__name__) in GIVEN_A_PRIOR:
        estimator.set_params(prior=0.1)
    check(estimator)


@pytest.mark.parametrize("check", pu_checks(), ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("name", CLASSES)
def test_pu(name, check):
    skip_without_kernels(name)
    check(make(name))


@pytest.mark.parametrize("name", ["AdaPUClassifier", "PUDecisionTreeClassifier", "PUExtraTreesClassifier"])
def test_a_refused_fit_leaves_models_on_their_own_features(name):
    """Their kernels read rows by feature number, and would read past narrower ones."""
    rng = np.random.default_rng(0)
    y = np.arange(200) < 40
    X = rng.normal(size=(200, 4)) + y[:, None]
    model = make(name).set_params(prior=0.3, random_state=0).fit(X, y)
    scores = model.decision_function(X)
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X[:, :1], np.zeros(len(X)))
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.predict(X[:, :1])
    assert model.decision_function(X).tobytes() == scores.tobytes()


def test_all_public_estimators_are_found_and_exported():
    exported = {name for name in pulib.__all__ if _is_estimator(name)}
    if importlib.util.find_spec("torch") is None:
        exported -= {"NeuralPUClassifier", "SelfPUClassifier"}
    assert exported == set(CLASSES) & set(pulib.__all__)
    assert not set(CLASSES) - set(pulib.__all__), "estimators that cannot be imported from pulib"


def _is_estimator(name):
    try:
        value = getattr(pulib, name)
    except ModuleNotFoundError:
        pytest.skip(f"{name} needs a library that is not installed")
    return inspect.isclass(value) and issubclass(value, BaseEstimator)
