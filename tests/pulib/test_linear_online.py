"""OnlinePUClassifier: the compiled loops against the formulas and properties of streams."""

import pickle

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

from pulib.linear import OnlinePUClassifier, number_of_batches
from pulib.linear._batches import Batching
from pulib.linear._losses import CURVATURES, LOSS_CODES
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

#: Settings where the kinks of the hinge, not its curvature, limit the inner steps.
STIFF = {"seed": 0, "n": 40, "d": 3, "loss": "double_hinge", "alpha": 5.0, "prior": 0.5, "projection": None}
STIFF |= {"weighting": "unbiased", "scenario": "two_sample", "intercept": True, "dtype": np.float64, "kind": "dense"}


def with_gamma(clf, gamma):
    """Set another γ of the conservative term."""
    clf._batching = lambda size: Batching(size, clf.inner_steps, gamma, CURVATURES[clf.loss])
    return clf


def estimator(s, **more):
    same = {name: s[name] for name in ("prior", "scenario", "loss", "alpha", "projection")}
    return Reading(**same, stream_weighting=s["weighting"], fit_intercept=s["intercept"], **more)


def naive_arguments(s):
    radius = {"ball": s["alpha"] ** -0.5, None: np.inf}.get(s["projection"], s["projection"])
    unbiased, joined = s["weighting"] == "unbiased", s["scenario"] == "one_sample"
    return {"radius": radius, "unbiased": unbiased, "joined": joined, "bias": float(s["intercept"])}


@settings(max_examples=60)
@given(
    s=streams, batch_size=st.sampled_from([1, 1, 2, 5, 12]), inner_steps=st.integers(1, 4), gamma=st.sampled_from([None, 0.2])
)
@example(s=STIFF, batch_size=8, inner_steps=4, gamma=None)
def test_agrees_with_algorithm_1_and_in_batches_with_section_4_2(s, batch_size, inner_steps, gamma):
    X, y = draw(s["seed"], s["n"], s["d"], density=0.6)
    X, inner_steps = X.astype(s["dtype"]), 1 if batch_size == 1 else inner_steps
    path = naive.extended(X, y, s["loss"], s["prior"], s["alpha"], batch_size, inner_steps, gamma, **naive_arguments(s))
    rows = sparse.csr_array(X) if s["kind"] == "csr" else X
    clf = estimator(s, batch_size=batch_size, inner_steps=inner_steps)
    (clf if gamma is None else with_gamma(clf, gamma)).partial_fit(rows, y, classes=[0, 1])
    np.testing.assert_allclose(weights(clf), path[-1], rtol=1e-7, atol=1e-8 * max(1, np.abs(path).max()))
    assert clf.t_ == len(path)


@pytest.mark.parametrize(
    ("options", "kind", "cuts"),
    [
        ({"loss": "square", "stream_weighting": "paper"}, "dense", [1, 3, 100, 101, 300]),
        ({"loss": "double_hinge"}, "csr", [1, 3, 100, 101, 4500]),
        ({"batch_size": 50, "inner_steps": 3}, "csr", [50, 150, 4500]),
    ],
)
def test_stream_cut_anywhere_and_pickled_gives_identical_weights(options, kind, cuts):
    X, y = draw(4, 9000, 6, density=0.5)  # enough rows to refresh the norm of the CSR form
    X = sparse.csr_array(X) if kind == "csr" else X
    whole, parts = (Reading(prior=0.3, alpha=1e-4, **options) for _ in range(2))
    whole.partial_fit(X, y)
    for rows in np.split(np.arange(9000), cuts):
        parts = pickle.loads(pickle.dumps(parts)).partial_fit(X[rows], y[rows], classes=[0, 1])
    assert weights(parts).tobytes() == weights(whole).tobytes()
    assert pickle.dumps(parts.__getstate__()["_counts"]) == pickle.dumps(whole.__getstate__()["_counts"])


@pytest.mark.parametrize(("batch_size", "n_batches"), [(0.3, 3), (10, 21), (500, 1), (0.001, 201)])
def test_batches_have_almost_equal_sizes(batch_size, n_batches):
    """For example, 201 rows in batches of 5%, or of ten, do not end with a batch of one row."""
    X, y = draw(7, 201, 3)
    clf = OnlinePUClassifier(prior=0.4, batch_size=batch_size, random_state=0).fit(X, y)
    assert clf.t_ == number_of_batches(batch_size, 201) == n_batches
    order = np.random.RandomState(0).permutation(201)
    by_hand = OnlinePUClassifier(prior=0.4, batch_size=0.5, alpha=clf.alpha_)
    for part in np.array_split(order, n_batches):
        by_hand.partial_fit(X[part], y[part], classes=[0, 1])
    np.testing.assert_allclose(weights(clf), weights(by_hand), rtol=1e-12)


def test_scaled_form_survives_projection_at_every_step():
    """With a tiny ball, every step projects; s and |v|² must stay finite and the weights correct."""
    X, y = draw(9, 12_000, 4, density=0.7)
    options = {"prior": 0.5, "loss": "square", "alpha": 1e-5, "projection": 1e-3}
    dense = Reading(**options).partial_fit(X, y)
    csr = Reading(**options).partial_fit(sparse.csr_array(X), y)
    assert np.linalg.norm(weights(dense)) <= 1e-3 * (1 + 1e-12)
    np.testing.assert_allclose(weights(csr), weights(dense), rtol=1e-6, atol=1e-12)


def test_csr_cost_depends_on_non_zeros_only():
    """A stream with ten million features touches only the features that its rows contain."""
    d = 10_000_000
    v, scale, counts = np.zeros(d + 1), np.array([1.0, 0.0]), np.zeros(3, dtype=np.int64)
    counts[0] = 1  # the first step clears v
    X = sparse.csr_array((np.ones(3, dtype=float), np.array([5, 77, 9_999_999]), np.array([0, 2, 3])), shape=(2, d))
    v[123] = np.nan  # would spread to the norm and to s if it were read
    order = np.array([0, 1] * 300)
    labels = np.array([True, False])
    objective = Objective(loss=0, prior=0.5, alpha=1e-2, radius=10.0, unbiased=False, joined=False, bias=1.0)
    stream_csr(CsrRows(X.data, X.indices, X.indptr), labels, order, ScaledWeights(v, scale), counts, objective)
    assert np.isfinite(scale).all()
    assert np.flatnonzero(v).tolist() == [5, 77, 123, 9_999_999, d]


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


def test_prior_set_between_calls_takes_effect():
    X, y = draw(11, 60, 3)
    stream, other = (OnlinePUClassifier(prior=0.2).partial_fit(X[:30], y[:30], classes=[0, 1]) for _ in range(2))
    stream.set_params(prior=0.8).partial_fit(X[30:], y[30:])
    assert stream.prior_ == 0.8
    assert not np.array_equal(weights(stream), weights(other.partial_fit(X[30:], y[30:])))
    assert stream.set_params(prior=None).partial_fit(X[:5], y[:5]).prior_ == 0.8


def test_failed_first_call_leaves_the_model_unfitted():
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
    mixed = OnlinePUClassifier(prior=0.4, alpha=1e-3)
    for k, rows in enumerate(np.split(np.arange(400), 10)):
        mixed.partial_fit(sparse.csr_array(X[rows]) if k % 2 else X[rows], y[rows], classes=[0, 1])
    dense = OnlinePUClassifier(prior=0.4, alpha=1e-3).partial_fit(X, y)
    np.testing.assert_allclose(weights(mixed), weights(dense), rtol=1e-9, atol=1e-12)


def test_predict_proba_exists_only_for_the_logistic_loss():
    assert hasattr(OnlinePUClassifier(loss="logistic"), "predict_proba")
    assert not hasattr(OnlinePUClassifier(loss="square"), "predict_proba")


def test_stream_keeps_the_penalty_of_its_first_call():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), np.arange(400) % 4 == 0
    stream = OnlinePUClassifier(prior=0.3).partial_fit(X[:50], y[:50])
    first = stream.alpha_
    assert first == pytest.approx(0.1 * (1 + np.mean((X[:50] ** 2).sum(axis=1))) * (0.3 + 0.5) / np.sqrt(1000))
    assert stream.partial_fit(10 * X[50:], y[50:]).alpha_ == first
    assert stream.set_params(alpha=0.5).partial_fit(X, y).alpha_ == 0.5
