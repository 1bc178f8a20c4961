"""Searches: shared fits compared with single fits, splitters, scores, errors, and memory."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ParameterGrid, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pulib import (
    BaggingSVC,
    ClassWeightedSVC,
    NaivePUClassifier,
    OnlinePUClassifier,
    PUGridSearchCV,
    RobustEnsembleSVC,
    make_circle_noise,
)
from pulib.exceptions import PUWarning
from pulib.metrics import PUScorer, pu_score
from pulib.model_selection._scores import pu_scores


def rows(n_positive=30, n_unlabeled=70, seed=0):
    X, y = make_circle_noise(n_positive, n_unlabeled, random_state=seed)
    y[:4] = 0
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


GRIDS = {
    ClassWeightedSVC: {"C_positive": [1, 10], "C_unlabeled": [0.1, 1], "gamma": [0.1, 0.5]},
    BaggingSVC: {"C": [0.1, 1], "n_unlabeled": [10, 40], "gamma": ["scale", 0.5]},
    RobustEnsembleSVC: {"C": [0.1, 1], "w_positive": [0.8, 3], "n_positive": [5, 12], "n_unlabeled": [15]},
}


class OneByOne(PUGridSearchCV):
    _shares = False


@pytest.mark.jit("hundreds of machines")
@pytest.mark.parametrize(("cls", "kernel"), [(ClassWeightedSVC, "linear"), (BaggingSVC, "rbf"), (RobustEnsembleSVC, "rbf")])
def test_shared_fits_score_like_single_fits(cls, kernel):
    X, y = rows()
    estimator = cls(kernel=kernel, tol=1e-4, **({} if cls is ClassWeightedSVC else {"n_estimators": 9, "random_state": 7}))
    shared = PUGridSearchCV(estimator, GRIDS[cls], cv=5, random_state=3).fit(X, y)
    single = OneByOne(estimator, GRIDS[cls], cv=5, random_state=3).fit(X, y)
    assert shared.shares_kernel_
    assert not single.shares_kernel_
    assert shared.cv_results_["params"] == single.cv_results_["params"] == list(ParameterGrid(GRIDS[cls]))
    differences = np.abs(shared.cv_results_["mean_test_score"] - single.cv_results_["mean_test_score"])
    # a row on the boundary may fall on either side of it
    assert np.mean(differences < 1e-9) > 0.85
    assert differences.max() < 0.25
    assert shared.best_score_ == pytest.approx(single.best_score_, rel=0.05)


def split_scores(estimator, grid, share, X, y, n_jobs=None):
    search = (PUGridSearchCV if share else OneByOne)(estimator, grid, cv=5, refit=False, n_jobs=n_jobs, random_state=0)
    search.fit(X, y)
    assert search.shares_kernel_ == share
    return np.array([search.cv_results_[f"split{f}_test_score"] for f in range(5)])


@pytest.mark.jit("many iterations of the solver")
def test_offset_of_features_costs_the_shared_kernel_no_precision():
    rng = np.random.default_rng(0)
    truth = rng.random(150) < 0.5
    y = (truth & (rng.random(150) < 0.5)).astype(int)
    X = rng.normal(size=(150, 5)) + np.where(truth, 0.5, -0.5)[:, None] + 2000
    machine = ClassWeightedSVC(kernel="linear", C_positive=3.0, tol=1e-4, max_iter=300_000)
    shared, single = (split_scores(machine, {"C_unlabeled": [0.1, 1.0]}, share, X, y) for share in (True, False))
    assert np.sum(shared != single) <= 1, "a row on the boundary may fall to either side"
    np.testing.assert_allclose(shared, single, atol=0.1)


def test_generator_as_seed_gives_the_draws_of_single_fits():
    X, y = rows()
    y = np.where(np.random.default_rng(1).random(len(y)) < 0.2, 1 - y, y)
    grid = {"C": [0.1, 10.0], "w_positive": [1.0, 3.0]}

    def run(share):
        machine = RobustEnsembleSVC(7, n_positive=5, n_unlabeled=20, gamma=0.5, random_state=np.random.RandomState(3))
        return split_scores(machine, grid, share, X, y, 1 + share)

    np.testing.assert_array_equal(run(True), run(False))


@pytest.mark.parametrize(
    ("machine", "grid"),
    [
        (ClassWeightedSVC(), {"C_positive": [1.0, 10.0, 100.0]}),
        (RobustEnsembleSVC(4, random_state=0), {"C": [1.0, 10.0, 100.0]}),
    ],
)
def test_fits_are_not_shared_if_the_iteration_limit_is_reached(machine, grid):
    X, y = rows()
    search = PUGridSearchCV(machine, grid, cv=5, refit=False, random_state=0)
    shared = search.fit(X, y).cv_results_["mean_test_score"]
    machine.set_params(max_iter=100_000)
    assert search.fit(X, y).shares_kernel_
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], shared)
    machine.set_params(max_iter=3)
    with pytest.warns(ConvergenceWarning, match="stopped at max_iter=3") as caught:
        search.fit(X, y)
    assert len([warning for warning in caught if warning.category is ConvergenceWarning]) == 15
    assert not search.shares_kernel_
    with pytest.warns(ConvergenceWarning):
        single = split_scores(machine, grid, False, X, y)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], single.mean(axis=0))


def test_candidates_and_folds_repeat_no_warning_of_the_best_estimator():
    with pytest.warns(PUWarning, match="π is estimated") as caught:
        PUGridSearchCV(OnlinePUClassifier(random_state=0), {"alpha": [0.1, 1.0]}, scoring="pu_score", cv=3).fit(*rows(20, 80))
    assert sum("π is estimated" in str(warning.message) for warning in caught) == 1


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 30))
def test_batch_scores_equal_the_metric(seed, n_candidates, n):
    rng = np.random.default_rng(seed)
    answers, positive = rng.random((n_candidates, n)) < rng.random(), rng.random(n) < 0.5
    positive[0], positive[-1] = True, False
    scores = pu_scores(answers, positive)
    for score, row in zip(scores, answers, strict=True):
        assert score == pytest.approx(pu_score(positive.astype(int), row.astype(int)))


@pytest.mark.parametrize(
    ("cv", "shares"),
    [
        (KFold(4, shuffle=True, random_state=0), True),
        (ShuffleSplit(4, test_size=0.3, random_state=0), False),
        ([(half, half) for half in np.arange(100).reshape(2, 50)], False),
    ],
    ids=["folds", "rows twice", "folds that train on what they hold out"],
)
def test_splitters(cv, shares):
    X, y = rows()
    grid = {"C_positive": [1, 10, 100]}
    search, single = (kind(ClassWeightedSVC(), grid, cv=cv).fit(X, y) for kind in (PUGridSearchCV, OneByOne))
    assert search.shares_kernel_ is shares
    tolerance = 0.05 if shares else 0
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], single.cv_results_["mean_test_score"], rtol=tolerance)


def test_candidates_receive_the_input_unchanged():
    X, y = rows()
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(side=np.where(X[:, 0] > 0, "right", "left"))
    columns = ColumnTransformer([("scaled", StandardScaler(), ["a", "b"]), ("kinds", OneHotEncoder(), ["side"])])
    pipeline = make_pipeline(columns, NaivePUClassifier(LogisticRegression(class_weight="balanced")))
    grid = {"naivepuclassifier__estimator__C": [0.1, 1]}
    ours = PUGridSearchCV(pipeline, grid, cv=4, random_state=0).fit(frame, y)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    theirs = GridSearchCV(pipeline, grid, scoring=PUScorer("pu_score"), cv=folds).fit(frame, y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(ours.predict(frame), theirs.predict(frame))


@pytest.mark.parametrize("scoring", ["proxy_auc", lambda estimator, X, y: pu_score(y, estimator.predict(X))])
def test_other_scores_do_not_share_fits(scoring):
    X, y = rows()
    search = PUGridSearchCV(ClassWeightedSVC(), {"C_positive": [0.01, 10]}, scoring=scoring, cv=4).fit(X, y)
    assert not search.shares_kernel_
    assert search.best_params_ == {"C_positive": 10}


def test_ties_go_to_the_first_candidate():
    X, y = rows()
    grid = {"C_positive": [50.0, 20.0, 1e3], "C_unlabeled": [1e-8]}  # all rows of U at their bounds: equal predictions
    search = PUGridSearchCV(ClassWeightedSVC(gamma=0.01), grid, cv=4).fit(X, y)
    assert np.ptp(search.cv_results_["mean_test_score"]) == 0
    assert search.best_params_["C_positive"] == 50.0


@pytest.mark.parametrize(
    ("grid", "options", "message"),
    [
        ({"C_positive": [-1]}, {"cv": 3}, "'C_positive' parameter"),
        ({"C_positive": [1]}, {"scoring": "accuracy"}, "'scoring' parameter"),
        ({"C_positive": [1]}, {"cv": GroupKFold(3)}, "groups"),
        ({"C_positive": [1]}, {"cv": iter([])}, "1 candidates and 0 folds"),
        ({"C_positive": [1]}, {"cv": [(np.flatnonzero(rows()[1] == 0), np.arange(100))]}, "fold 0 trains on one kind of rows"),
        ([], {"cv": 3}, "0 candidates and 3 folds"),
    ],
)
def test_bad_arguments_raise_an_error(grid, options, message):
    with pytest.raises(ValueError, match=message):
        PUGridSearchCV(ClassWeightedSVC(), grid, **options).fit(*rows())


def test_predicting_without_refit_raises_an_error():
    X, y = rows()
    search = PUGridSearchCV(ClassWeightedSVC(), {"C_positive": [1]}, cv=3, refit=False, scoring=lambda *_: np.nan)
    with pytest.warns(PUWarning, match="gave NaN for 1 of 1 candidates"):
        search.fit(X, y)
    with pytest.raises(AttributeError, match="refit=False"):
        search.predict(X)
    with pytest.raises(AttributeError):
        search.predict_proba(X)


def test_kernel_values_are_computed_once():
    """Once per pair of rows and kernel, regardless of the numbers of candidates, folds, and members."""
    X, y = rows()
    calls = []

    def kernel(A, B):
        calls.append(len(A) * len(B))
        return A @ B.T

    PUGridSearchCV(RobustEnsembleSVC(8, kernel=kernel, random_state=0), GRIDS[RobustEnsembleSVC], cv=5, refit=False).fit(X, y)
    assert sum(calls) == len(X) ** 2


@pytest.mark.slow
@pytest.mark.jit("machines on 2,000 rows")
@pytest.mark.parametrize("cls", list(GRIDS))
def test_memory_is_a_few_single_precision_kernel_matrices(cls, monkeypatch):
    """At ijcnn1's 10,100 rows, the bound is 1.7 GB for the search and the final fit."""
    monkeypatch.setattr("pulib.svm._kernels.DOUBLE_ROWS", 10)
    X, y = rows(60, 1940)
    X = X.astype(np.float32)
    more = {} if cls is ClassWeightedSVC else {"n_estimators": 5, "random_state": 0}
    tracemalloc.start()
    PUGridSearchCV(cls(**more), {**GRIDS[cls], "gamma": [0.1, 0.5]}, cv=10, random_state=0).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # distances are computed in double-precision blocks whose size does not grow with the number of rows
    assert peak <= 4 * 4 * len(X) ** 2 + 20e6
