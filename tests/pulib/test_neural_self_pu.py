"""Self-PU: which rows are trusted, and that only training rows affect the fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from pulib.neural import SelfPUClassifier  # noqa: E402
from pulib.neural._device_rows import DeviceRows  # noqa: E402
from pulib.neural._networks import build_network  # noqa: E402
from pulib.neural._self_paced import SelfPUSettings, SelfPUTraining, select_trusted, trusted_count  # noqa: E402
from tests.pulib import test_neural  # noqa: E402

SCHEDULE = {"pace": (4, 12, 4), "pace_length": 20, "teacher_start": 10, "consistency_length": 10}
STEPS = {"prior": 0.41, "epochs": 16, "batch_size": 80, "learning_rate": 2e-3}
NETWORK = {"body_params": {"hidden_layers": 2, "width": 24}, "n_threads": 1, "random_state": 0}
SHORT = {**STEPS, **NETWORK, "schedule": SCHEDULE}


def blobs(n=500):
    X, y, truth = test_neural.blobs(n, gap=1.5)
    return X.astype(np.float32), y, truth


def training(X, y, **changes):
    positive = y == 1
    own = {"weight_decay": 0.005, "device": torch.device("cpu"), **SCHEDULE}
    options = SelfPUSettings(**{**STEPS, **own, **changes})
    networks = [build_network("mlp", X.shape[1], {"hidden_layers": 1, "width": 10, "batch_norm": True}, s) for s in (0, 1)]
    rest = np.flatnonzero(~positive)
    return SelfPUTraining(
        networks, DeviceRows(X, None, options.device), np.flatnonzero(positive), rest, rest, options, (0, 1)
    ), options


@given(n=st.integers(1, 60), count=st.integers(0, 60), seed=st.integers(0, 2**20))
@settings(max_examples=50)
def test_half_of_the_trusted_rows_come_from_each_end(n, count, seed):
    count = min(count, n)
    rng = np.random.default_rng(seed)
    candidates, scores = rng.permutation(1000)[:n], rng.permutation(n).astype(float)
    rows, pseudo = select_trusted(scores, candidates, count)
    half = count // 2
    ranked = [row for _, row in sorted(zip(scores, candidates, strict=True))]
    assert list(rows[:half]) == ranked[:half]
    assert list(rows[half:]) == ranked[n - half :]
    assert pseudo.tolist() == [0.0] * half + [1.0] * half


def test_selection_follows_the_schedule_and_leaves_the_rest_to_nnpu():
    X, y, truth = blobs()
    run, options = training(X, y)
    sizes = []
    for epoch in range(14):
        run.run_epoch(epoch)
        sizes.append([len(s.trusted) for s in run.students])
        for student in run.students:
            assert not np.intersect1d(student.trusted, np.flatnonzero(y)).size  # no labeled row
            assert not np.intersect1d(student.trusted, student.sampler.unlabeled).size  # trusted rows leave U
            assert len(student.trusted) + len(student.sampler.unlabeled) == np.sum(y == 0)
            assert student.pseudo.sum() == len(student.pseudo) / 2
    expected = {e: [2 * (trusted_count(e, share, options, int(np.sum(y == 0))) // 2) for share in (0.4, 0.6)] for e in (4, 8)}
    assert sizes[:4] == [[0, 0]] * 4
    assert sizes[4:8] == [expected[4]] * 4
    assert sizes[8:] == [expected[8]] * 6
    for student in run.students:  # pseudo labels are mostly correct on easy data
        assert np.mean((student.pseudo == 1) == truth[student.trusted]) > 0.9


def test_batch_norm_of_a_teacher_matches_its_own_activations():
    # The average of its student's statistics does not: fluctuating weights cancel out (up to 4 times too large).
    X, y, _ = blobs(300)
    run, _ = training(X, y, teacher_start=2, epochs=30, learning_rate=0.03)
    for epoch in range(30):
        run.run_epoch(epoch)
    for student in run.students:
        linear, norm = student.teacher.body[:2]
        assert isinstance(norm, torch.nn.BatchNorm1d)
        with torch.no_grad():
            hidden = linear(torch.from_numpy(X))
        np.testing.assert_allclose(norm.running_var / hidden.var(0), 1.0, atol=0.25)


def test_evaluation_rows_are_reported_and_have_no_effect():
    X, y, truth = blobs()
    plain = SelfPUClassifier(**SHORT).fit(X, y)
    watched = SelfPUClassifier(**SHORT).fit(X, y, eval_set=(X[::2] * 3, ~truth[::2]))  # not even with wrong labels
    np.testing.assert_array_equal(plain.decision_function(X), watched.decision_function(X))
    assert np.mean(plain.predict(X) == truth) > 0.95
    assert set(plain.history_) | {"eval_accuracy"} == set(watched.history_) == {"risk", "n_trusted", "eval_accuracy"}
    assert watched.history_["eval_accuracy"][-1] == pytest.approx(np.mean(watched.predict(X[::2] * 3) != truth[::2]))
