"""uPU and nnPU networks: steps, batches, bodies, reproducibility, and errors on bad input."""

import pickle
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils import check_random_state

torch = pytest.importorskip("torch")

from pulib._held_out import hold_out  # noqa: E402
from pulib.metrics import pu_risk  # noqa: E402
from pulib.neural import NeuralPUClassifier, SelfPUClassifier, _linear  # noqa: E402
from pulib.neural._batches import BatchSampler, batch_weights  # noqa: E402
from pulib.neural._held_out import HeldOut  # noqa: E402
from pulib.neural._linear import Dense  # noqa: E402
from pulib.neural._losses import pu_objective, pu_risks  # noqa: E402
from pulib.neural._networks import build_network  # noqa: E402
from tests.pulib.naive import neural as naive  # noqa: E402

#: The network of nnPU.
PAPER = {"hidden_layers": 4, "width": 300, "batch_norm": True}
SMALL = {"body_params": {"hidden_layers": 2, "width": 24}, "batch_size": 100, "n_threads": 1}
ROWS, LABELS = np.arange(24.0).reshape(12, 2), np.array([0, 1] * 6)


def blobs(n=600, gap=2.0, seed=0, labeled=0.3):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.5
    X = rng.normal(size=(n, 4)) + np.where(truth, gap, -gap)[:, None]
    return X, (truth & (rng.random(n) < labeled)).astype(int), truth


def objective_of(scores, labeled, prior, risk="nnpu", beta=0.0, gamma=1.0):
    weights = [torch.from_numpy(w.astype(np.float64)) for w in batch_weights(labeled, prior)]
    return pu_objective(*pu_risks(scores, *weights, "sigmoid"), risk, beta, gamma)


@given(
    seed=st.integers(0, 2**20),
    n=st.integers(2, 30),
    prior=st.floats(0.05, 0.95),
    beta=st.sampled_from([0.0, 0.05, 0.2]),
    gamma=st.sampled_from([0.0, 0.5, 1.0]),
    push=st.sampled_from([-3.0, 0.0, 3.0]),
)
@settings(max_examples=60)
def test_step_is_the_gradient_of_the_descended_risk(seed, n, prior, beta, gamma, push):
    rng = np.random.default_rng(seed)
    X, labeled = rng.normal(size=(n, 3)), np.arange(n) < rng.integers(1, n)
    w = rng.normal(size=3) * 2
    X[labeled] += push * w  # makes R_n negative or positive
    weight = torch.tensor(w, requires_grad=True)
    objective, reported, corrected = objective_of(torch.from_numpy(X) @ weight, labeled, prior, beta=beta, gamma=gamma)
    objective.sum().backward()
    r_p, r_n = naive.pu_risks(X @ w, labeled, prior)
    if abs(r_n + beta) < 1e-6:
        return
    np.testing.assert_allclose(weight.grad.numpy(), naive.nnpu_direction(X, labeled, w, prior, beta, gamma), atol=1e-6)
    assert bool(corrected) == (r_n < -beta)
    np.testing.assert_allclose(float(reported.sum()), r_p - beta if r_n < -beta else r_p + r_n, atol=1e-6)


SAMPLES = {"n_p": st.integers(1, 60), "n_u": st.integers(1, 200), "size": st.integers(1, 80), "seed": st.integers(0, 2**20)}


@given(**SAMPLES)
@settings(max_examples=60)
def test_proportional_batches_contain_both_kinds_and_every_row(n_p, n_u, size, seed):
    positive, unlabeled = np.arange(n_p), np.arange(n_p, n_p + n_u)
    epoch = BatchSampler(positive, unlabeled, size, "proportional", np.random.default_rng(seed)).epoch()
    assert epoch.bounds[0][0] == 0
    assert epoch.bounds[-1][1] == len(epoch.rows) == len(epoch.is_positive)
    counts = np.array([[epoch.is_positive[a:b].sum(), (~epoch.is_positive[a:b]).sum()] for a, b in epoch.bounds])
    assert counts.min() >= 1
    assert np.ptp(counts, axis=0).max() <= 1  # as even as possible
    if len(epoch.bounds) < n_u:
        assert counts.sum(axis=1).max() <= max(size, 2) + 1
    assert sorted(epoch.rows[~epoch.is_positive]) == list(unlabeled)
    assert set(epoch.rows[epoch.is_positive]) <= set(positive)
    if n_p >= len(epoch.bounds):
        assert sorted(epoch.rows[epoch.is_positive]) == list(positive)
        assert len(epoch.bounds) == min(-(-(n_p + n_u) // max(size, 2)), n_u)


@given(**SAMPLES)
@settings(max_examples=40)
def test_random_batches_shuffle_all_rows(n_p, n_u, size, seed):
    positive, unlabeled = np.arange(n_p), np.arange(n_u)  # a row may be in both
    epoch = BatchSampler(positive, unlabeled, size, "random", np.random.default_rng(seed)).epoch()
    assert sorted(epoch.rows[epoch.is_positive]) == list(positive)
    assert sorted(epoch.rows[~epoch.is_positive]) == list(unlabeled)
    assert all(b - a >= 2 for a, b in epoch.bounds)
    sizes = [b - a for a, b in epoch.bounds]
    assert sum(sizes) == n_p + n_u
    assert set(sizes[:-1]) <= {max(size, 2)}
    assert sizes[-1] <= max(size, 2) + 1


CONVOLUTIONS = [96, 96, 96, 192, 192, 192, 192, 192, 10]


@pytest.mark.parametrize(
    ("body", "params", "n_features", "sizes"),
    [
        ("linear", None, 30, [1]),
        ("mlp", PAPER, 784, [300, 300, 300, 300, 1]),
        ("mlp", {**PAPER, "hidden_layers": 1, "batch_norm": False, "activation": "softsign"}, 30, [300, 1]),
        ("mlp", None, 30, [100, 100, 1]),
        ("cnn", None, 3072, [*CONVOLUTIONS, 1000, 1000, 1]),
    ],
)
def test_networks_have_the_shapes_of_the_studies(body, params, n_features, sizes):
    network = build_network(body, n_features, params, 0)
    layers = [module for module in network.modules() if isinstance(module, torch.nn.Linear | torch.nn.Conv2d)]
    assert [len(layer.weight) for layer in layers] == sizes
    with torch.no_grad():
        assert network.eval()(torch.zeros(2, n_features)).shape == (2,)
    for module in network.modules():
        if isinstance(module, torch.nn.Linear) and body == "mlp" and module is not network.head:
            assert (module.bias is None) == (params or {}).get("batch_norm", body == "cnn")


def test_cnn_learns_images_and_its_features_are_the_last_hidden_layer():
    rng = np.random.default_rng(0)
    truth = rng.random(300) < 0.5
    X = rng.integers(0, 100, size=(300, 64), dtype=np.uint8)
    X[truth, :32] += 100
    y = (truth & (rng.random(300) < 0.4)).astype(int)
    clf = NeuralPUClassifier(
        "cnn", prior=0.38, epochs=14, batch_size=60, body_params={"channels": 8, "head": 20}, input_scaling=255, random_state=0
    ).fit(X, y)
    assert np.mean(clf.predict(X) == truth) > 0.9
    features = clf.transform(X)
    assert features.shape == (300, 20)
    with torch.no_grad():
        again = clf.module_.head(torch.from_numpy(features)).squeeze(-1).numpy()
    np.testing.assert_allclose(again, clf.decision_function(X), rtol=1e-4, atol=1e-5)


def test_predict_proba_exists_only_if_scores_are_logits():
    X, y, _ = blobs(100)
    clf = NeuralPUClassifier("linear", loss="logistic", prior=0.4, epochs=3).fit(X, y)
    assert hasattr(NeuralPUClassifier(), "predict_proba")
    assert not hasattr(NeuralPUClassifier(loss="sigmoid"), "predict_proba")
    far = np.repeat([[-1e6], [1e6]], X.shape[1], axis=1)
    assert clf.decision_function(np.r_[far, -far]).min() < -1000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(clf.predict_proba(np.r_[far, -far]).ravel()) == {0.0, 1.0}


def test_global_generators_do_not_change():
    X, y, _ = blobs(100)
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    NeuralPUClassifier(prior=0.4, epochs=1, random_state=0, **SMALL).fit(X, y)
    assert torch.equal(torch.rand(3), expected)


class Watch(torch.nn.Module):
    def __init__(self, d, seen):
        super().__init__()
        self.linear, self.seen = torch.nn.Linear(d, 1), seen

    def forward(self, x):
        self.seen.append(x.numpy().copy())
        return self.linear(x)


def test_callback_sees_every_epoch_and_can_predict():
    X, y, truth = blobs(200)
    X = X * 1e3 + 1e9  # evaluation rows are scaled like training rows
    seen = []
    clf = NeuralPUClassifier("linear", prior=0.4, epochs=4, random_state=0)
    clf.set_params(callback=lambda epoch, model: seen.append((epoch, np.mean(model.predict(X) == truth))))
    clf.fit(X, y, eval_set=(X, truth.astype(int)))
    assert [epoch for epoch, _ in seen] == [1, 2, 3, 4]
    np.testing.assert_allclose([a for _, a in seen], clf.history_["eval_accuracy"])
    silent = NeuralPUClassifier("linear", prior=0.4, epochs=4, random_state=0).fit(X, y)
    np.testing.assert_array_equal(clf.decision_function(X), silent.decision_function(X))  # evaluation has no effect


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
def test_keeps_the_weights_of_the_epoch_with_the_lowest_held_out_risk(scenario):
    X, y, _ = blobs(300, gap=0.7)
    known = {"prior": 0.5, "scenario": scenario}
    options = {**known, **SMALL, "batch_size": 50, "validation_fraction": 0.3, "learning_rate": 0.02, "random_state": 0}
    whole = NeuralPUClassifier(epochs=12, n_iter_no_change=12, **options).fit(X, y)
    risks = whole.history_["held_out_risk"]
    assert len(risks) == 12
    assert whole.n_iter_ == np.argmin(risks) + 1
    up_to_best = NeuralPUClassifier(epochs=whole.n_iter_, n_iter_no_change=12, **options).fit(X, y)
    np.testing.assert_array_equal(whole.decision_function(X), up_to_best.decision_function(X))
    held = hold_out(y == 1, 0.3, int(check_random_state(0).randint(2**31 - 1)))
    scores = whole.decision_function(X[held])
    assert pu_risk(y[held], scores, loss="sigmoid", risk="nnpu", **known) == pytest.approx(risks.min(), abs=1e-5)
    impatient = NeuralPUClassifier(epochs=12, n_iter_no_change=1, **options).fit(X, y)
    stopped = len(impatient.history_["risk"])
    assert stopped == min(12, 1 + impatient.n_iter_)
    np.testing.assert_array_equal(impatient.history_["held_out_risk"], risks[:stopped])


def test_held_out_rows_do_not_train_and_diverged_epochs_are_not_best():
    X, y, _ = blobs(120)
    held = hold_out(y == 1, 0.1, int(check_random_state(3).randint(2**31 - 1)))
    kept = X.copy()
    kept[held] = 1e6
    options = {"prior": 0.5, "body": "linear", "epochs": 2, "n_iter_no_change": 5, "random_state": 3, "n_threads": 1}
    options["input_scaling"] = None  # or held-out rows would affect the scaling
    one, other = (NeuralPUClassifier(**options).fit(rows, y) for rows in (X, kept))
    np.testing.assert_array_equal(one.history_["risk"], other.history_["risk"])
    held_out = HeldOut(None, y == 1, None, 0.5, "two_sample", 2)
    scores = np.where(y == 1, 9.0, -9.0)  # their negative part of the risk is below 0
    assert held_out._risk(scores) == pytest.approx(pu_risk(y, scores, prior=0.5, loss="sigmoid", risk="nnpu"))
    held_out.risks = [0.4, 0.3, np.nan, np.nan]
    assert held_out.best == 2
    assert held_out.exhausted
    for learner in (NeuralPUClassifier, SelfPUClassifier):
        with pytest.raises(ValueError, match=r"training diverged.* Lower learning_rate=1e\+30"):
            learner(prior=0.5, epochs=2, learning_rate=1e30).fit(X, y)


def test_user_network_works_and_is_copied():
    X, y, truth = blobs()
    own = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Dropout(0.2), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    before = own[0].weight.detach().clone()
    fits = [NeuralPUClassifier(own, prior=0.41, epochs=30, batch_size=100, learning_rate=0.01, random_state=1) for _ in "ab"]
    for clf in fits:
        clf.fit(X, y)
    assert torch.equal(own[0].weight, before)
    assert np.mean(fits[0].predict(X) == truth) > 0.95
    np.testing.assert_array_equal(fits[0].decision_function(X), fits[1].decision_function(X))  # dropout is seeded too
    torch.set_default_dtype(torch.float64)
    try:
        doubled = NeuralPUClassifier(lambda d: torch.nn.Linear(d, 1), prior=0.41, epochs=1).fit(X, y)
    finally:
        torch.set_default_dtype(torch.float32)
    assert doubled.module_.weight.dtype == torch.float32
    with pytest.raises(TypeError, match="attribute 'body'"):
        fits[0].transform(X)


@pytest.mark.parametrize("library", [_linear._find_onednn(), None], ids=["oneDNN", "PyTorch"])
def test_dense_layer_agrees_with_torch_linear(monkeypatch, library):
    monkeypatch.setattr(_linear, "_onednn", library)
    x = torch.randn(9, 5, requires_grad=True)
    dense, linear = Dense(5, 3), torch.nn.Linear(5, 3)
    linear.load_state_dict(dense.state_dict())
    grads = []
    for layer in (dense, linear):
        y = layer(x)
        grads.append(torch.autograd.grad((y**2).sum(), (x, layer.weight, layer.bias)))
    for a, b in zip(*grads, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_gpu_and_cpu_agree_on_a_short_run():
    X, y, _ = blobs()
    fits = [NeuralPUClassifier(prior=0.4, epochs=2, random_state=0, device=d, **SMALL).fit(X, y) for d in ("cpu", "cuda")]
    np.testing.assert_allclose(fits[0].decision_function(X), fits[1].decision_function(X), rtol=1e-2, atol=1e-3)
    assert next(pickle.loads(pickle.dumps(fits[1])).module_.parameters()).device.type == "cpu"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (NeuralPUClassifier(body_params={"depth": 3}), "no option 'depth'"),
        (NeuralPUClassifier(body_params={"activation": "tanh"}), "activation='tanh'"),
        (NeuralPUClassifier("cnn"), "not a square image"),
        (NeuralPUClassifier("cnn", body_params={"image_shape": (1, 3, 3)}), "9 values, but X has 2 features"),
        (NeuralPUClassifier(device="abacus"), "device='abacus'"),
        (NeuralPUClassifier(body_params={"width": 0}), "body_params: width=0; expected a whole number from 1"),
        (NeuralPUClassifier(torch.nn.Linear(2, 2)), r"body: the network maps \d+ rows to shape \(\d+, 2\)"),
        *(
            (SelfPUClassifier(schedule={name: value}), f"schedule: .*{name}")
            for name, value in (
                ("pace", (1, 2)),
                ("pace", (1, 5, 0)),
                ("shares", (0.5, 2.0)),
                ("teacher_decay", 1.0),
                ("consistency", "much"),
                ("teacher_begin", 3),
            )
        ),
    ],
)
def test_errors_name_bad_parameters(model, message):
    with pytest.raises(ValueError, match=message):
        model.set_params(prior=0.3, epochs=1).fit(ROWS, LABELS)


@pytest.mark.parametrize(
    ("eval_set", "message"),
    [
        ((ROWS, np.where(LABELS, 7, 0)), "eval_set contains the label 7"),
        (np.ones(len(ROWS)), r"eval_set: expected a pair .*sample_weight="),
        ((ROWS, LABELS[:1]), "inconsistent numbers of samples"),
    ],
)
def test_bad_evaluation_sets_raise_an_error(eval_set, message):
    with pytest.raises(ValueError, match=message):
        NeuralPUClassifier("linear", prior=0.3, epochs=1).fit(ROWS, LABELS, eval_set)


@pytest.mark.parametrize("cls", [NeuralPUClassifier, SelfPUClassifier])
def test_error_without_torch_names_the_install_command(cls, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"needs torch, .*pip install -e '\.\[nn\]'"):
        cls(prior=0.3).fit(ROWS, LABELS)


#: Both classifiers; Self-PU does everything in four epochs: selection after the first, teachers from the third.
CLASSIFIERS = pytest.mark.parametrize(
    ("classifier", "params"),
    [(NeuralPUClassifier, {}), (SelfPUClassifier, {"schedule": {"pace": (1, 2, 1), "pace_length": 1, "teacher_start": 2}})],
    ids=["NeuralPUClassifier", "SelfPUClassifier"],
)


def subnormals_are_zero():
    return (torch.full((1,), 1e-40) * 1.0).item() == 0.0


class Listening(torch.nn.Module):
    """A linear network that records the arithmetic of its steps, and may fail."""

    def __init__(self, d, heard, fail=False):
        super().__init__()
        self.head, self.heard, self.fail = torch.nn.Linear(d, 1), heard, fail

    def forward(self, x):
        if torch.is_grad_enabled() and self.training:
            self.heard.append(subnormals_are_zero())
        if self.fail:
            raise RuntimeError("as asked")
        return self.head(x)


@pytest.mark.skipif(not torch.set_flush_denormal(False), reason="this processor does not flush subnormal numbers")
@CLASSIFIERS
@pytest.mark.parametrize("set_before", [False, True])
def test_steps_flush_subnormals_and_restore_the_setting(classifier, params, set_before):
    """Subnormal numbers are treated as 0 only while a step is computed."""
    X, y, _ = blobs(60)
    steps, callbacks = [], []
    params = {"prior": 0.4, "epochs": 4, "n_threads": 1, **params}
    try:
        torch.set_flush_denormal(set_before)
        listening = classifier(lambda d: Listening(d, steps), **params)
        listening.set_params(callback=lambda epoch, clf: callbacks.append(subnormals_are_zero())).fit(X, y)
        assert len(steps) >= 4
        assert all(steps)
        assert callbacks == [set_before] * 4
        assert subnormals_are_zero() is set_before
        with pytest.raises(RuntimeError, match="as asked"):
            classifier(lambda d: Listening(d, steps, fail=True), **params).fit(X, y)
        assert subnormals_are_zero() is set_before
    finally:
        torch.set_flush_denormal(False)
