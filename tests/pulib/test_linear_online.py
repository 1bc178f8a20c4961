"""OnlinePUClassifier: the compiled loops against the formulas, and what a stream promises."""

import pickle

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

from pulib.linear import OnlinePUClassifier, UnbiasedPUClassifier, number_of_batches
from pulib.linear._batches import Batching
from pulib.linear._losses import CURVATURES, LOSS_CODES, sum_unlabeled_loss, unlabeled_slope
from pulib.linear._stream import CsrRows, Objective, ScaledWeights, stream_csr
from studies.opu.readings import OnlinePUClassifier as Reading
from tests.pulib.naive import linear as naive

LOSSES = sorted(LOSS_CODES)


def draw(seed, n, d, share=0.4, density=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < density)
    return X, (rng.random(n) < share).astype(int)


def weights(clf):
    return np.append(clf.coef_[0], clf.intercept_)


streams = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "n": st.integers(1, 60),
        "d": st.integers(1, 9),
        "loss": st.sampled_from(LOSSES),
        "alpha": st.sampled_from([1e-4, 1e-2, 0.3, 5.0]),
        "prior": st.sampled_from([0.1, 0.5, 0.8]),
        "projection": st.sampled_from(["ball", None, 0.7]),
        "weighting": st.sampled_from(["paper", "unbiased"]),
        "scenario": st.sampled_from(["two_sample", "one_sample"]),
        "intercept": st.booleans(),
        "dtype": st.sampled_from([np.float64, np.float32]),
        "kind": st.sampled_from(["dense", "csr"]),
    }
)


#: Inner steps whose length the hinge's corners bound, not its curvature.
STIFF = {"seed": 0, "n": 40, "d": 3, "loss": "double_hinge", "alpha": 5.0, "prior": 0.5, "projection": None}
STIFF |= {"weighting": "unbiased", "scenario": "two_sample", "intercept": True, "dtype": np.float64, "kind": "dense"}


def with_gamma(clf, gamma):
    """With another γ of the conservative term."""
    clf._batching = lambda size: Batching(size, clf.inner_steps, gamma, CURVATURES[clf.loss])
    return clf


def estimator(s, **more):
    return Reading(
        prior=s["prior"],
        scenario=s["scenario"],
        loss=s["loss"],
        alpha=s["alpha"],
        projection=s["projection"],
        stream_weighting=s["weighting"],
        fit_intercept=s["intercept"],
        **more,
    )


def twin_arguments(s):
    radius = {"ball": s["alpha"] ** -0.5, None: np.inf}.get(s["projection"], s["projection"])
    unbiased, joined = s["weighting"] == "unbiased", s["scenario"] == "one_sample"
    return {"radius": radius, "unbiased": unbiased, "joined": joined, "bias": float(s["intercept"])}


@settings(deadline=None, max_examples=30)
@given(s=streams)
def test_basic_is_algorithm_1(s):
    X, y = draw(s["seed"], s["n"], s["d"], density=0.6)
    X = X.astype(s["dtype"])
    expected = naive.basic(X, y, s["loss"], s["prior"], s["alpha"], **twin_arguments(s))[-1]
    rows = sparse.csr_array(X) if s["kind"] == "csr" else X
    clf = estimator(s).partial_fit(rows, y, classes=[0, 1])
    np.testing.assert_allclose(weights(clf), expected, rtol=1e-8, atol=1e-9 * max(1, np.abs(expected).max()))
    assert clf.t_ == s["n"]


@settings(deadline=None, max_examples=30)
@given(s=streams, batch_size=st.integers(2, 12), inner_steps=st.integers(1, 4), gamma=st.sampled_from([None, 0.2]))
@example(s=STIFF, batch_size=8, inner_steps=4, gamma=None)
def test_extended_is_section_4_2(s, batch_size, inner_steps, gamma):
    X, y = draw(s["seed"], s["n"], s["d"], density=0.6)
    X = X.astype(s["dtype"])
    path = naive.extended(X, y, s["loss"], s["prior"], s["alpha"], batch_size, inner_steps, gamma, **twin_arguments(s))
    rows = sparse.csr_array(X) if s["kind"] == "csr" else X
    clf = estimator(s, batch_size=batch_size, inner_steps=inner_steps)
    (clf if gamma is None else with_gamma(clf, gamma)).partial_fit(rows, y, classes=[0, 1])
    np.testing.assert_allclose(weights(clf), path[-1], rtol=1e-7, atol=1e-8 * max(1, np.abs(path).max()))
    assert clf.t_ == len(path)


@pytest.mark.parametrize("name", LOSSES)
def test_losses_are_the_studies_and_linear_odd(name):
    z = np.linspace(-6, 6, 97)
    np.testing.assert_allclose(naive.loss(z, name) - naive.loss(-z, name), -z, atol=1e-12)
    code = LOSS_CODES[name]
    for g in z:
        assert sum_unlabeled_loss(np.array([g]), np.array([2.0]), code) == pytest.approx(2 * naive.loss(-g, name), abs=1e-14)
        if name != "double_hinge" or min(abs(g - 1), abs(g + 1)) > 1e-6:
            numeric = (naive.loss(-(g + 1e-6), name) - naive.loss(-(g - 1e-6), name)) / 2e-6
            assert unlabeled_slope(g, code) == pytest.approx(numeric, abs=1e-8)


@pytest.mark.parametrize(
    ("kind", "weighting", "loss"),
    [("dense", "paper", "square"), ("csr", "unbiased", "double_hinge"), ("csr", "paper", "logistic")],
)
def test_cut_anywhere_the_same_bits(kind, weighting, loss):
    X, y = draw(3, 300, 13, density=0.4)
    X = sparse.csr_array(X) if kind == "csr" else X
    make = lambda: Reading(prior=0.3, loss=loss, alpha=1e-3, stream_weighting=weighting)  # noqa: E731
    whole = make().partial_fit(X, y, classes=[0, 1])
    singles = make()
    for i in range(300):
        singles.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    uneven = make()
    for first, last in [(0, 1), (1, 3), (3, 100), (100, 101), (101, 300)]:
        uneven.partial_fit(X[first:last], y[first:last], classes=[0, 1])
    assert weights(whole).tobytes() == weights(singles).tobytes() == weights(uneven).tobytes()


@pytest.mark.parametrize(
    ("options", "kind"), [({}, "csr"), ({"batch_size": 50}, "dense"), ({"batch_size": 50, "inner_steps": 3}, "csr")]
)
def test_saved_and_resumed_the_same_bits(options, kind):
    X, y = draw(4, 9000, 6, density=0.5)  # past the refresh of the CSR form's norm
    X = sparse.csr_array(X) if kind == "csr" else X
    make = lambda: OnlinePUClassifier(prior=0.3, alpha=1e-4, **options)  # noqa: E731
    straight = make().partial_fit(X[:4500], y[:4500]).partial_fit(X[4500:], y[4500:])
    resumed = pickle.loads(pickle.dumps(make().partial_fit(X[:4500], y[:4500])))
    resumed.partial_fit(X[4500:], y[4500:])
    assert weights(straight).tobytes() == weights(resumed).tobytes()
    assert pickle.dumps(straight.__getstate__()["_counts"]) == pickle.dumps(resumed.__getstate__()["_counts"])


def test_fit_is_one_shuffled_pass():
    X, y = draw(5, 300, 4)
    clf = OnlinePUClassifier(prior=0.4, alpha=1e-2, random_state=7, n_passes=2).fit(X, y)
    rng = np.random.RandomState(7)
    stream = OnlinePUClassifier(prior=0.4, alpha=1e-2)
    for _ in range(2):
        order = rng.permutation(300)
        stream.partial_fit(X[order], y[order])
    assert weights(clf).tobytes() == weights(stream).tobytes()
    assert clf.t_ == 600


@pytest.mark.parametrize(("batch_size", "n_batches"), [(0.05, 20), (0.3, 3), (10, 21), (199, 2), (500, 1), (0.001, 201)])
def test_no_batch_is_much_smaller_than_another(batch_size, n_batches):
    """201 rows in batches of 5%, or of ten, do not end with a batch of one row."""
    X, y = draw(7, 201, 3)
    clf = OnlinePUClassifier(prior=0.4, batch_size=batch_size, random_state=0).fit(X, y)
    assert clf.t_ == number_of_batches(batch_size, 201) == n_batches
    order = np.random.RandomState(0).permutation(201)
    by_hand = OnlinePUClassifier(prior=0.4, batch_size=0.5)
    by_hand.set_params(alpha=clf.alpha_)
    for part in np.array_split(order, n_batches):
        by_hand.partial_fit(X[part], y[part], classes=[0, 1])
    np.testing.assert_allclose(weights(clf), weights(by_hand), rtol=1e-12)


@pytest.mark.parametrize(("loss", "alpha"), [("double_hinge", 1e-6), ("logistic", 1e-2), ("square", 1e-6)])
def test_no_inner_step_climbs(loss, alpha):
    """A first step of length 1/(λt) would, for a small λ, to weights from which ten more do not come back."""
    X, y = draw(8, 40, 5)
    before = np.inf
    for inner_steps in (2, 5, 10, 40):
        clf = Reading(
            prior=0.4, loss=loss, alpha=alpha, batch_size=40, inner_steps=inner_steps, projection=None, stream_weighting="paper"
        ).partial_fit(X, y)
        w, g = weights(clf), clf.decision_function(X)
        value = np.where(y == 1, -0.4 * g, naive.loss(-g, loss)).mean() + (alpha + clf.alpha / np.sqrt(40)) * w @ w
        assert value < min(before + 1e-3, naive.loss(0.0, loss) * np.mean(y == 0))
        before = value


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_many_inner_steps_solve_the_sub_problem(loss):
    X, y = draw(8, 40, 5)
    options = {"batch_size": 40, "inner_steps": 4000, "projection": None, "stream_weighting": "paper"}
    clf = with_gamma(Reading(prior=0.4, loss=loss, alpha=0.5, **options), 0.3).partial_fit(X, y)
    w = weights(clf)
    Z = np.column_stack([X, np.ones(40)])
    pulls = np.where(y == 1, -0.4, [naive.slope(g, loss) for g in Z @ w])
    gradient = Z.T @ pulls / 40 + 0.5 * w + (0.3 + 0.5) * w
    assert np.linalg.norm(gradient) < 1e-8


def test_scaled_form_survives_endless_projection():
    """With a tiny ball every step projects; s and |v|² must stay finite and the weights right."""
    X, y = draw(9, 12_000, 4, density=0.7)
    options = {"prior": 0.5, "loss": "square", "alpha": 1e-5, "projection": 1e-3}
    dense = Reading(**options).partial_fit(X, y)
    csr = Reading(**options).partial_fit(sparse.csr_array(X), y)
    assert np.linalg.norm(weights(dense)) <= 1e-3 * (1 + 1e-12)
    np.testing.assert_allclose(weights(csr), weights(dense), rtol=1e-6, atol=1e-12)


def test_csr_costs_its_non_zeros():
    """A stream in a space of ten million features touches only the features that its rows have."""
    d = 10_000_000
    v, scale, counts = np.zeros(d + 1), np.array([1.0, 0.0]), np.zeros(3, dtype=np.int64)
    counts[0] = 1  # the first step clears v
    X = sparse.csr_array((np.ones(3, dtype=float), np.array([5, 77, 9_999_999]), np.array([0, 2, 3])), shape=(2, d))
    v[123] = np.nan  # would spread to the norm and to s, were it read
    order = np.array([0, 1] * 300)
    labels = np.array([True, False])
    objective = Objective(loss=0, prior=0.5, alpha=1e-2, radius=10.0, unbiased=False, joined=False, bias=1.0)
    stream_csr(CsrRows(X.data, X.indices, X.indptr), labels, order, ScaledWeights(v, scale), counts, objective)
    assert np.isfinite(scale).all()
    assert np.flatnonzero(v).tolist() == [5, 77, 123, 9_999_999, d]


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
def test_unbiased_weighting_approaches_the_batch_solution(scenario):
    rng = np.random.default_rng(0)
    truth = rng.random(4000) < 0.5
    X = rng.normal(size=(4000, 3)) + np.where(truth, 1.0, -1.0)[:, None]
    y = (truth & (rng.random(4000) < 0.3)).astype(int)
    options = {"prior": 0.4, "scenario": scenario, "loss": "square", "alpha": 0.05}
    batch = UnbiasedPUClassifier(**options).fit(X, y)
    target = np.append(batch.coef_[0], batch.intercept_)
    unbiased = OnlinePUClassifier(**options, n_passes=50, random_state=0).fit(X, y)
    printed = Reading(**options, stream_weighting="paper", n_passes=50, random_state=0).fit(X, y)
    assert np.linalg.norm(weights(unbiased) - target) < 0.02 * np.linalg.norm(target)
    assert np.linalg.norm(weights(printed) - target) > 0.2 * np.linalg.norm(target)


def test_labels_of_a_stream():
    X, y = draw(10, 20, 2)
    named = np.where(y == 1, "yes", "no")
    first = int(np.flatnonzero(y)[0])
    clf = OnlinePUClassifier(prior=0.4, pos_label="yes", unlabeled_label="no").partial_fit(
        X[[first]], named[[first]], classes=["no", "yes"]
    )
    assert clf.classes_.tolist() == ["no", "yes"]
    clf.partial_fit(X, named)
    assert set(clf.predict(X)) <= {"no", "yes"}
    with pytest.raises(ValueError, match="contains the label 'maybe'"):
        clf.partial_fit(X[:1], ["maybe"])
    with pytest.raises(ValueError, match="differs from the classes of the first call"):
        clf.partial_fit(X[:1], ["no"], classes=["a", "b"])
    with pytest.raises(ValueError, match="one class only"):
        OnlinePUClassifier(prior=0.4).partial_fit(X[:1], [1])
    with pytest.raises(ValueError, match="Pass prior="):
        OnlinePUClassifier().partial_fit(X[:1], [1], classes=[0, 1])


def test_a_prior_set_between_calls_takes_effect():
    X, y = draw(11, 60, 3)
    stream = OnlinePUClassifier(prior=0.2).partial_fit(X[:30], y[:30], classes=[0, 1])
    other = OnlinePUClassifier(prior=0.2).partial_fit(X[:30], y[:30], classes=[0, 1])
    stream.set_params(prior=0.8).partial_fit(X[30:], y[30:])
    other.partial_fit(X[30:], y[30:])
    assert stream.prior_ == 0.8
    assert not np.array_equal(weights(stream), weights(other))
    assert stream.set_params(prior=None).partial_fit(X[:5], y[:5]).prior_ == 0.8


def test_a_first_call_that_failed_leaves_nothing_fitted():
    X, y = draw(12, 20, 3)
    stream = OnlinePUClassifier()
    with pytest.raises(ValueError, match="prior=None"):
        stream.partial_fit(X, np.ones(20), classes=[0, 1])
    with pytest.raises(NotFittedError):
        stream.predict(X)
    stream.set_params(prior=0.4).partial_fit(X[:, :2], y, classes=[0, 1])
    assert stream.predict(X[:, :2]).shape == (20,)


def test_dense_and_csr_calls_may_alternate():
    X, y = draw(11, 400, 5, density=0.5)
    S = sparse.csr_array(X)
    mixed = OnlinePUClassifier(prior=0.4, alpha=1e-3)
    for k, first in enumerate(range(0, 400, 40)):
        rows = slice(first, first + 40)
        mixed.partial_fit(S[rows] if k % 2 else X[rows], y[rows], classes=[0, 1])
    dense = OnlinePUClassifier(prior=0.4, alpha=1e-3).partial_fit(X, y)
    np.testing.assert_allclose(weights(mixed), weights(dense), rtol=1e-9, atol=1e-12)


def test_probabilities_only_where_the_score_is_a_log_odds():
    X, y = draw(13, 50, 2)
    clf = OnlinePUClassifier(prior=0.4, loss="logistic", random_state=0).fit(X, y)
    p = clf.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert ((p[:, 1] > 0.5) == (clf.decision_function(X) > 0)).all()
    assert not hasattr(OnlinePUClassifier(loss="square"), "predict_proba")
