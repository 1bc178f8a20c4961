"""Features as large as floats allow: results as good as on scaled ones, or an error that names the remedy."""

import warnings
from itertools import cycle

import numpy as np
import pytest
from scipy import sparse

import pulib
from pulib._sizes import check_sizes
from tests.sizes import size

RNG = np.random.default_rng(21)
Y = (np.arange(160) < 60).astype(int)
TRUTH = np.arange(160) < 90
X = RNG.normal(size=(160, 4)) + 2.5 * TRUTH[:, None]

FEW_STEPS = 100_000  # at such sizes, linear kernels reach any limit, even LIBSVM's ten million steps
NEED_SQUARES = [
    pulib.OnlinePUClassifier(prior=0.3, random_state=0),
    pulib.OnlinePUClassifier(prior=0.3, alpha=0.01, batch_size=20, inner_steps=3, random_state=0),
    pulib.UnbiasedPUClassifier(prior=0.3),
    pulib.UnbiasedPUClassifier(prior=0.3, loss="square"),
    pulib.UnbiasedPUClassifier(prior=0.3, basis="gaussian"),
    pulib.ClassWeightedSVC(kernel="linear", max_iter=FEW_STEPS),
    pulib.BaggingSVC(3, random_state=0),
    pulib.RobustEnsembleSVC(3, kernel="linear", max_iter=FEW_STEPS, random_state=0),
    pulib.MappingConvergenceSVC(),
]
NEED_ORDER = [
    pulib.PUExtraTreesClassifier(size(20, 5), prior=0.3, random_state=0),
    pulib.PUDecisionTreeClassifier(prior=0.3),
    pulib.AdaPUClassifier(size(20, 5), prior=0.3, random_state=0),
    pulib.AdaPUClassifier(size(20, 5), prior=0.3, splitter="best", random_state=0),
]
SINGLE = [pulib.SGBDotaClassifier(3, random_state=0), pulib.AUCBoostingClassifier(3, random_state=0)]


def name(value):
    return type(value).__name__ if hasattr(value, "fit") else None


def as_large_as(greatest, rows=X):
    return rows / np.abs(rows).max() * greatest


@pytest.mark.parametrize(("learner", "greatest"), list(zip(NEED_SQUARES, cycle([1e142, 3e199, 1e307]), strict=False)), ids=name)
def test_learners_that_need_squares_work_or_name_the_remedy(learner, greatest, capfd):
    rows, message = as_large_as(greatest), ""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            learner.fit(rows, Y)
        except ValueError as error:
            message = str(error)
    assert ("scale the features" in message and "e+" in message) or np.isfinite(learner.decision_function(rows)).all()
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


def test_error_names_the_feature():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["age", "weight", "sodium", "pulse"])
    frame.loc[7, "sodium"] = -9.99e307  # marks a missing value in some files
    message = r"X's column 'sodium' contains values as large as 9\.99e\+307; OnlinePUClassifier .* replace it"
    with pytest.raises(ValueError, match=message):
        pulib.OnlinePUClassifier(prior=0.3).fit(frame, Y)


@pytest.mark.parametrize("learner", NEED_ORDER, ids=name)
def test_learners_that_compare_values_accept_any_size(learner):
    plain = np.mean((learner.fit(X, Y).decision_function(X) > 0) == TRUTH)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for greatest in (1e160, 1e307):
            rows = as_large_as(greatest)
            scores = learner.fit(rows, Y).decision_function(rows)
            assert np.isfinite(scores).all()
            assert np.mean((scores > 0) == TRUTH) > plain - 0.05


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
@pytest.mark.parametrize("learner", SINGLE, ids=name)
def test_learners_in_single_precision_raise_an_error(learner):
    with pytest.raises(ValueError, match=r"as large as 1e\+60; \w+ works in single precision.*MaxAbsScaler"):
        learner.fit(as_large_as(1e60), Y)


def test_row_that_is_too_large_does_not_change_a_stream():
    model = pulib.OnlinePUClassifier(prior=0.3, random_state=0).fit(X, Y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=r"X's column 2 contains values as large as 1e\+250"):
        model.partial_fit(np.array([[0.0, 1.0, 1e250, 0.0]]), [0], classes=[0, 1])
    assert np.array_equal(model.decision_function(X), before)


@pytest.mark.parametrize(
    "learner",
    [pulib.OnlinePUClassifier(prior=0.3, alpha=1e-9, random_state=0), pulib.UnbiasedPUClassifier(prior=0.3, alpha=1e-9)],
    ids=name,
)
def test_rows_too_large_to_be_scored_raise_an_error(learner):
    learner.fit(X * 1e-5, Y)
    weights = learner.coef_[0]
    assert np.abs(weights).max() > 1
    with pytest.raises(ValueError, match=r"the score of row 1 of X is too large"):
        learner.decision_function(np.array([np.zeros(4), 1.7e308 * np.sign(weights)]))


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("dtype", "fits", "too_large"), [("float64", 1e138, 1e139), ("float32", 1e17, 1e18)])
def test_limit_depends_on_the_precision(as_rows, dtype, fits, too_large):
    for sign in (1, -1):
        check_sizes(as_rows(np.diag([1.0, sign * fits, 0.0]).astype(dtype)), None, dtype)
        with pytest.raises(ValueError, match=f"X's column 1 contains values as large as {too_large:.3g}".replace("+", r"\+")):
            check_sizes(as_rows(np.diag([1.0, sign * too_large, 0.0]).astype(dtype)), None, dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("learner", [pulib.BiasedPUClassifier(propensity_features=[]), pulib.BiasedPUClassifier()])
def test_nan_from_scaling_huge_values_is_not_reported_as_missing(learner):
    rows = X.copy()
    rows[:, 2] *= 1e251 / np.abs(X[:, 2]).max()
    with pytest.raises(ValueError, match=r"X's column 2 contains values as large as .*BiasedPU.*MaxAbsScaler"):
        learner.fit(rows, Y)
    rows[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        learner.fit(rows, Y)
