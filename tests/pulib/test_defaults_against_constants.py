"""At their defaults, the learners of the field's other families do better than a constant, or warn."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits

import pulib
from pulib.exceptions import PUWarning

GIVEN_PRIOR = {"NeuralPUClassifier", "CVIRClassifier", "OneClassPUClassifier", "DEDPULClassifier"}
NAMES = ("NeuralPUClassifier", "VariationalPUClassifier", "CVIRClassifier", "DEDPULClassifier", "OneClassPUClassifier")
LEARNERS = [
    *((name, {}) for name in (*NAMES, "LabelingBiasPUClassifier")),
    ("CVIRClassifier", {"prior": "bbe"}),
    *(("TwoStepPUClassifier", {"reliable": how}) for how in ("spy", "quantile", "knn", "rocchio", "cvir")),
]


def digits(rng):
    X, y = load_digits(return_X_y=True)
    return X, y % 2 == 0


def unscaled(rng):
    truth = rng.random(1200) < 0.1
    X = rng.normal(size=(1200, 4)) + 1.5 * truth[:, None]
    return X * [1.0, 1e4, 1e-3, 100.0] + [0.0, 1e6, 5.0, -300.0], truth


def cases():
    """Each learner on two tables; each class on one of them in the fast tier."""
    tables, seen = [unscaled, digits], set()
    for k, (name, params) in enumerate(LEARNERS):
        for j, table in enumerate(tables):
            told = f"{name}-{str(params).strip('{}')}-{table.__name__}"
            slow = j != k % len(tables) or name in seen
            yield pytest.param(name, params, table, marks=[pytest.mark.slow] * slow, id=told)
        seen.add(name)


@pytest.mark.parametrize(("name", "params", "table"), list(cases()))
def test_no_worse_than_a_constant_without_a_warning(name, params, table):
    kind = getattr(pulib, name)
    if kind.__module__.startswith("pulib.neural"):
        pytest.importorskip("torch")
    X, truth = table(np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(len(X))
    train, test = order[: len(X) // 2], order[len(X) // 2 :]
    labeled = train[truth[train]][: int(truth[train].sum() * 0.4)]  # of one sample, 40% of the positives are labeled
    options = {"scenario": "one_sample", "prior": float(truth.mean()), "random_state": 0, "n_threads": 1, **params}
    if name not in GIVEN_PRIOR:
        options.pop("prior")
    model = kind(**{key: value for key, value in options.items() if key in kind._get_param_names()})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PUWarning)
        answers = model.fit(X[train], np.isin(train, labeled)).predict(X[test])
    warned = any(issubclass(warning.category, PUWarning) for warning in caught)
    right, constant = answers == truth[test], truth[test] == (truth[test].mean() > 0.5)
    gain = right.sum() - constant.sum()
    assert gain >= -2.0 * np.sqrt(np.count_nonzero(right != constant)) or warned  # two standard errors of the difference
