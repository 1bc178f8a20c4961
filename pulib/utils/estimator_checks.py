"""Checks of the conventions of PU estimators, in addition to scikit-learn's own checks.

Each check takes an unfitted estimator and raises AssertionError if it fails.  :func:`pu_checks` lists all checks; you can also
run them on your own method.
"""

from __future__ import annotations

import importlib.util
import inspect
import pickle
import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from pulib._labels import is_missing
from pulib._optional import needed_by

_PRIOR = 0.4


def _data(seed: int = 0, n_labeled: int = 40, n_unlabeled: int = 80) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two Gaussian clouds: rows, PU labels, and true labels."""
    rng = np.random.default_rng(seed)
    truth = np.r_[np.ones(n_labeled), np.arange(n_unlabeled) < _PRIOR * n_unlabeled].astype(int)
    y = np.r_[np.ones(n_labeled), np.zeros(n_unlabeled)].astype(int)
    X = rng.normal(size=(len(y), 4)) + np.where(truth, 1.2, -1.2)[:, None]
    order = rng.permutation(len(y))
    return X[order], y[order], truth[order]


def _new(estimator: Any, **params: Any) -> Any:
    """Clone the estimator with a fixed seed and, if it has one, a fixed prior."""
    accepted = estimator.get_params(deep=False)
    settings: dict[str, Any] = {}
    if "random_state" in accepted:
        settings["random_state"] = 0
    if "prior" in accepted:
        settings["prior"] = _PRIOR
    return clone(estimator).set_params(**{**settings, **params})


def _is_free_of_prior(estimator: Any) -> bool:
    """Whether the estimator uses π only if it is given or ``prior="estimate"``."""
    return any("estimate" in str(constraint) for constraint in type(estimator)._parameter_constraints.get("prior", []))


def _asking_for_estimate(estimator: Any) -> str | None:
    return "estimate" if _is_free_of_prior(estimator) else None


def _scores(estimator: Any, X: Any) -> np.ndarray:
    return estimator.decision_function(X)


def _raises(what: str, mentions: str, function: Callable[[], Any]) -> None:
    message = None
    try:
        function()
    except (ValueError, TypeError) as error:
        message = str(error)
    assert message is not None, f"{what}: no error"
    assert re.search(mentions, message), f"{what}: the message does not match {mentions!r}: {message}"


def check_label_conventions(estimator: Any) -> None:
    """1/0, 1/-1, True/False, and 1 with missing values are equivalent; other labels need ``pos_label`` and ``unlabeled_label``.

    Predictions use the given labels, and codes 0 and 1 of other labels raise an error.
    """
    X, y, _ = _data()
    reference = _new(estimator).fit(X, y)
    expected = _scores(reference, X)
    conventions: dict[str, Any] = {
        "-1/1": np.where(y == 1, 1, -1),
        "bool": y == 1,
        "float": y.astype(float),
        "uint8": y.astype(np.uint8),
        "NaN": np.where(y == 1, 1.0, np.nan),
        "None": np.array([1 if labeled else None for labeled in y == 1], dtype=object),
        "list": y.tolist(),
    }
    if importlib.util.find_spec("pandas") is not None:
        import pandas as pd

        conventions["nullable"] = pd.array(np.where(y == 1, 1, pd.NA), dtype="Int64")
    for name, labels in conventions.items():
        _check_labels(_new(estimator).fit(X, labels), X, np.asarray(labels), y, expected, name)
    for pos_label, unlabeled in (("P", "U"), ("known", "unknown"), (1, 2)):
        labels = np.where(y == 1, pos_label, unlabeled)
        # required, because silently flipped labels are the worst error
        _raises(f"labels {pos_label!r} and {unlabeled!r}", "pos_label", partial(_new(estimator).fit, X, labels))
        alone = _telling(_new(estimator), pos_label=pos_label)
        _raises(f"pos_label={pos_label!r} alone", "unlabeled_label", partial(alone.fit, X, labels))
        with_labels = _telling(_new(estimator), pos_label=pos_label, unlabeled_label=unlabeled)
        for codes in (y, 1 - y):
            _raises("codes 0 and 1 of other labels", "1 .labeled. and 0 .unlabeled.", partial(with_labels.fit, X, codes))
        for kind in (labels, labels.astype(object)):
            _check_labels(with_labels.fit(X, kind), X, kind, y, expected, f"{pos_label!r} and {unlabeled!r}")


def _telling(estimator: Any, **labels: Any) -> Any:
    """Set parameters that name the labels; for a search, on its estimator."""
    place = "" if "pos_label" in estimator.get_params(deep=False) else "estimator__"
    return estimator.set_params(**{f"{place}{name}": label for name, label in labels.items()})


def _check_labels(fitted: Any, X: Any, labels: np.ndarray, y: np.ndarray, expected: np.ndarray, name: str) -> None:
    unlabeled = labels[y == 0][0]
    if is_missing(unlabeled):  # a missing value is no class: the negative class is 0 or False
        positive = type(labels[y == 1][0])(1)
        classes = np.array([type(positive)(0), positive]).tolist()
        assert fitted.classes_.dtype.kind in "biuf", f"labels {name}: classes_ has dtype {fitted.classes_.dtype}"
        assert fitted.classes_.tolist() == classes, f"labels {name}: classes_ is {fitted.classes_}"
        assert_array_equal(_scores(fitted, X), expected, err_msg=f"labels {name}: scores differ from those with 0/1")
        assert_array_equal(fitted.predict(X), (expected > 0).astype(int), err_msg=f"labels {name}: predict")
        truth = (expected > 0).astype(int)
        assert fitted.score(X, truth) == 1.0, f"labels {name}: score of true labels"
        share = np.mean((truth == 1) == (y == 1))
        assert abs(fitted.score(X, labels) - share) < 1e-12, f"labels {name}: score of the labels themselves"
        return
    classes = [unlabeled, labels[y == 1][0]]
    assert_array_equal(_scores(fitted, X), expected, err_msg=f"labels {name}: scores differ from those with 0/1")
    assert repr(fitted.classes_.tolist()) == repr(np.array(classes, dtype=labels.dtype).tolist()), f"labels {name}: classes_"
    predictions = fitted.predict(X)
    assert repr(predictions.tolist()) == repr(fitted.classes_[(expected > 0).astype(int)].tolist()), f"labels {name}: predict"


def check_scores_agree(estimator: Any) -> None:
    """Scores above 0 predict the positive class; probabilities are in [0, 1] and sum to 1; importances are finite."""
    X, y, _ = _data()
    fitted = _new(estimator).fit(X, y)
    scores = _scores(fitted, X)
    assert scores.shape == (len(X),), f"decision_function has shape {scores.shape}"
    assert np.all(np.isfinite(scores)), "decision_function is not finite"
    assert_array_equal(fitted.predict(X), fitted.classes_[(scores > 0).astype(int)])
    if hasattr(fitted, "predict_proba"):
        p = fitted.predict_proba(X)
        assert p.shape == (len(X), 2), f"predict_proba has shape {p.shape}"
        assert np.all((p >= 0) & (p <= 1)), "predict_proba leaves [0, 1]"
        assert_allclose(p.sum(axis=1), 1.0, rtol=1e-5)
    if hasattr(fitted, "feature_importances_"):
        importances = fitted.feature_importances_
        assert importances.shape == (X.shape[1],), f"feature_importances_ has shape {importances.shape}"
        assert np.all(np.isfinite(importances)), "feature_importances_ is not finite"


def check_learns(estimator: Any) -> None:
    """New rows from two Gaussian clouds are ranked well and, given the right prior, classified well."""
    X, y, _ = _data(n_labeled=60, n_unlabeled=150)
    X_new, _, truth = _data(seed=1, n_labeled=60, n_unlabeled=150)
    fitted = _new(estimator).fit(X, y)
    area = roc_auc_score(truth, _scores(fitted, X_new))
    assert area > 0.9, f"area under the ROC curve on new rows is {area:.3f}"
    if "prior" in estimator.get_params(deep=False):
        accuracy = np.mean((fitted.predict(X_new) == 1) == truth)
        assert accuracy > 0.8, f"accuracy on new rows is {accuracy:.3f} with the right prior"


def check_prior(estimator: Any) -> None:
    """A given prior is used, a missing one is estimated, and an invalid one raises an error that names it."""
    if "prior" not in estimator.get_params(deep=False):
        return
    X, y, _ = _data()
    assert _new(estimator, prior=0.25).fit(X, y).prior_ == 0.25
    if _is_free_of_prior(estimator):
        assert not hasattr(_new(estimator, prior=None).fit(X, y), "prior_"), "prior=None, and yet there is a prior_"
        X_new, y_new, _ = _data(seed=1)
        share = np.mean(_new(estimator, prior=_PRIOR).fit(X, y).predict(X_new[y_new == 0]) == 1)
        assert abs(share - _PRIOR) < 0.15, f"{share:.2f} of the unlabeled rows are called positive, with prior={_PRIOR}"
    estimated = _new(estimator, prior=_asking_for_estimate(estimator)).fit(X, y).prior_
    assert isinstance(estimated, float), f"prior_ is a {type(estimated).__name__}"
    assert 0 < estimated < 1, f"prior_ = {estimated}"
    for wrong in (0.0, 1.0, -0.1, 1.5, "half", np.nan):
        _raises(f"prior={wrong!r}", "prior", partial(_new(estimator, prior=wrong).fit, X, y))


def check_scenario(estimator: Any) -> None:
    """Both scenarios are accepted; others raise an error that names ``scenario``."""
    accepted = estimator.get_params(deep=False)
    if "scenario" not in accepted:
        return
    X, y, _ = _data()
    # in a single sample, the prior must exceed the share of labeled rows, a third
    for scenario in ("two_sample", "one_sample"):
        if "prior" not in accepted:
            assert 0 < _new(estimator, scenario=scenario).fit(X, y).prior_ < 1
            continue
        _new(estimator, scenario=scenario, prior=0.6).fit(X, y)
        asking = _asking_for_estimate(estimator)
        assert 0 < _new(estimator, scenario=scenario, prior=asking).fit(X, y).prior_ < 1
    _raises("scenario='three_sample'", "scenario", partial(_new(estimator, scenario="three_sample").fit, X, y))


def check_deterministic(estimator: Any) -> None:
    """The same seed gives bit-identical scores for any number of threads."""
    X, y, _ = _data()
    expected = _scores(_new(estimator).fit(X, y), X)
    assert_array_equal(_scores(_new(estimator).fit(X, y), X), expected, err_msg="two fits with one seed differ")
    if "n_jobs" in estimator.get_params(deep=False):
        for n_jobs in (1, 2, 3):
            fitted = _new(estimator, n_jobs=n_jobs).fit(X, y)
            assert_array_equal(_scores(fitted, X), expected, err_msg=f"n_jobs={n_jobs} changes the scores")
            if hasattr(fitted, "predict_proba"):
                fitted.predict_proba(X)


def check_refit(estimator: Any) -> None:
    """A second fit forgets the first."""
    (X, y, _), (X2, y2, _) = _data(), _data(seed=2, n_labeled=30, n_unlabeled=50)
    expected = _scores(_new(estimator).fit(X2, y2), X)
    assert_array_equal(_scores(_new(estimator).fit(X, y).fit(X2, y2), X), expected)


def check_dtype_and_order(estimator: Any) -> None:
    """Memory order does not matter; float32, integers and strided views are accepted and give the same results."""
    X, y, _ = _data()
    X = X.astype(np.float32).astype(np.float64)  # the same numbers in both precisions
    expected = _scores(_new(estimator).fit(X, y), X)
    scale = np.max(np.abs(expected))
    wide = np.repeat(X, 2, axis=1)[:, ::2]
    for name, same in {"Fortran order": np.asfortranarray(X), "strided": wide, "reversed": X[::-1][::-1]}.items():
        got = _scores(_new(estimator).fit(same, y), same)
        assert_allclose(got, expected, rtol=1e-6, atol=1e-6 * scale, err_msg=name)
    for order in ("C", "F"):
        narrow = np.asarray(X, dtype=np.float32, order=order)
        fitted = _new(estimator).fit(narrow, y)
        agree = np.mean((_scores(fitted, narrow) > 0) == (expected > 0))
        assert agree >= 0.95, f"float32 in {order} order: {agree:.0%} of the predictions agree with float64"
    whole = np.round(4 * X).astype(int)
    same_as_float = _scores(_new(estimator).fit(whole.astype(float), y), whole.astype(float))
    got = _scores(_new(estimator).fit(whole, y), whole)
    assert_allclose(got, same_as_float, rtol=1e-6, atol=1e-6 * np.max(np.abs(same_as_float)), err_msg="integers")


def check_memory_map(estimator: Any) -> None:
    """Read-only memory maps are accepted."""
    X, y, _ = _data()
    expected = _scores(_new(estimator).fit(X, y), X)
    with tempfile.TemporaryDirectory() as folder:
        for dtype in (np.float64, np.float32):
            np.save(Path(folder) / "X.npy", X.astype(dtype))
            np.save(Path(folder) / "y.npy", y)
            mapped = np.load(Path(folder) / "X.npy", mmap_mode="r")
            fitted = _new(estimator).fit(mapped, np.load(Path(folder) / "y.npy", mmap_mode="r"))
            got = _scores(fitted, mapped)
            if dtype is np.float64:
                assert_array_equal(got, expected)
            del mapped, fitted


def check_bad_input(estimator: Any) -> None:
    """Bad input raises an error that names the problem."""
    X, y, _ = _data()
    for name, value, allowed in (("NaN", np.nan, estimator.__sklearn_tags__().input_tags.allow_nan), ("inf", np.inf, False)):
        broken = X.copy()
        broken[3, 1] = value
        if not allowed:
            _raises(f"{name} in fit", r"X contains|NaN|infinity", partial(_new(estimator).fit, broken, y))
            _raises(f"{name} in predict", r"X contains|NaN|infinity", partial(_new(estimator).fit(X, y).predict, broken))
    three = y.copy()
    three[:5] = 2
    _raises("three kinds of labels", "Only binary classification", partial(_new(estimator).fit, X, three))
    _raises("labeled rows only", "one class", partial(_new(estimator).fit, X, np.ones(len(X), dtype=int)))
    _raises("unlabeled rows only", "one class", partial(_new(estimator).fit, X, np.zeros(len(X), dtype=int)))
    _raises("continuous y", "continuous|Unknown label type", partial(_new(estimator).fit, X, X[:, 0]))
    missing = np.where(np.arange(len(y)) < 5, np.nan, y)
    if not getattr(estimator, "_takes_unknown_labels", False):
        _raises("NaN with 0 and 1", "Only binary classification", partial(_new(estimator).fit, X, missing))
    _raises("NaN only", "NaN|y contains", partial(_new(estimator).fit, X, np.full(len(X), np.nan)))
    _raises("too few labels", "inconsistent numbers of samples|samples", partial(_new(estimator).fit, X, y[:-1]))
    _raises("no rows", "0 sample|minimum of", partial(_new(estimator).fit, X[:0], y[:0]))
    fitted = _new(estimator).fit(X, y)
    _raises("wrong width", "X has 3 features", partial(fitted.predict, X[:, :3]))
    _raises("one row as a vector", "1D array", partial(fitted.decision_function, X[0]))


def check_pickle_and_clone(estimator: Any) -> None:
    """An unpickled estimator gives the same scores; a clone has the same parameters and no fitted attributes."""
    X, y, _ = _data()
    fitted = _new(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(_scores(again, X), _scores(fitted, X))
    fresh = clone(fitted)
    assert not [name for name in vars(fresh) if name.endswith("_")], "a clone carries fitted attributes"
    assert repr(fresh.get_params(deep=False)) == repr(clone(fitted).get_params(deep=False))
    assert_array_equal(_scores(fresh.fit(X, y), X), _scores(fitted, X))


def check_pandas(estimator: Any) -> None:
    """Data frames and series with any index are accepted; columns in another order raise an error."""
    with needed_by("check_pandas", extra="studies"):
        import pandas as pd

    X, y, _ = _data()
    index = np.arange(len(X))[::-1] + 1000
    frame = pd.DataFrame(X, columns=list("abcd"), index=index)
    expected = _scores(_new(estimator).fit(X, y), X)
    fitted = _new(estimator).fit(frame, pd.Series(y, index=index))
    assert_array_equal(fitted.feature_names_in_, list("abcd"))
    assert_allclose(_scores(fitted, frame), expected, rtol=1e-6, atol=1e-9)
    _raises("columns in another order", "feature names", partial(fitted.predict, frame[list("dcba")]))


def check_pandas_out(estimator: Any) -> None:
    """Transformers return a data frame if requested, with column names, the rows' index, and the same numbers."""
    if not hasattr(estimator, "transform"):
        return
    with needed_by("check_pandas_out", extra="studies"):
        import pandas as pd

    X, y, _ = _data()
    index = np.arange(len(X))[::-1] + 1000
    frame = pd.DataFrame(X, columns=list("abcd"), index=index)
    expected = _new(estimator).fit(frame, y).transform(frame)
    assert isinstance(expected, np.ndarray), f"transform gives a {type(expected).__name__} without set_output"
    fitted = _new(estimator).set_output(transform="pandas").fit(frame, y)
    got = fitted.transform(frame)
    assert isinstance(got, pd.DataFrame), f"transform gives a {type(got).__name__} after set_output(transform='pandas')"
    assert_array_equal(got.index, index)
    assert_array_equal(got.columns, fitted.get_feature_names_out())
    assert_array_equal(got.to_numpy(), expected)


def check_sample_order(estimator: Any) -> None:
    """The order of rows does not matter, unless the estimator is random or cross-fits."""
    random = any(name.rpartition("__")[2] == "random_state" for name in estimator.get_params(deep=True))
    if random or getattr(estimator, "_cross_fits", False):
        return
    X, y, _ = _data()
    order = np.random.default_rng(3).permutation(len(X))
    # no prior, because the threshold at π is set on folds, which depend on the order of rows
    plain = {"prior": None} if _is_free_of_prior(estimator) else {}
    expected = _scores(_new(estimator, **plain).fit(X, y), X)
    got = _scores(_new(estimator, **plain).fit(X[order], y[order]), X)
    assert_allclose(got, expected, rtol=1e-2, atol=1e-2 * np.max(np.abs(expected)))


def check_constraints(estimator: Any) -> None:
    """Every argument of the constructor has a declared constraint and is documented, as are attributes and references."""
    cls = type(estimator)
    arguments = [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
    undeclared = sorted(set(arguments) - set(cls._parameter_constraints))
    assert not undeclared, f"no constraint in _parameter_constraints for {undeclared}"
    strange = sorted(set(cls._parameter_constraints) - set(arguments))
    assert not strange, f"_parameter_constraints names {strange}, which the constructor does not take"
    section = (cls.__doc__ or "").partition("Parameters\n")[2]
    section = re.split(r"\n\s*(Attributes|Returns|Notes|References|Examples|See Also)\n\s*-{3,}", section)[0]
    documented = [
        name.strip() for line in re.findall(r"^    (\w[\w, ]*) : ", section, flags=re.MULTILINE) for name in line.split(",")
    ]
    assert documented, "the docstring has no section Parameters"
    undocumented = [name for name in arguments if name not in documented]
    assert not undocumented, f"the docstring does not document {undocumented}"
    wrong = [name for name in documented if name not in arguments]
    assert not wrong, f"the docstring documents {wrong}, which the constructor does not take"
    for heading in ("Attributes", "Examples", "References"):
        assert heading in (cls.__doc__ or ""), f"the docstring has no section {heading}"


def pu_checks() -> list[Callable[[Any], None]]:
    """Return all checks of this module, each a function of an unfitted estimator.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pulib import NaivePUClassifier
    >>> from pulib.utils.estimator_checks import pu_checks
    >>> for check in pu_checks()[:3]:
    ...     check(NaivePUClassifier(LogisticRegression()))
    ...     print(check.__name__)
    check_label_conventions
    check_scores_agree
    check_learns
    """
    return [
        check_label_conventions,
        check_scores_agree,
        check_learns,
        check_prior,
        check_scenario,
        check_deterministic,
        check_refit,
        check_dtype_and_order,
        check_memory_map,
        check_bad_input,
        check_pickle_and_clone,
        check_pandas,
        check_pandas_out,
        check_sample_order,
        check_constraints,
    ]
