"""Subnormal numbers: taken for 0 while a step is computed, in both classifiers, and nowhere else."""

import pytest

torch = pytest.importorskip("torch")

from pulib.neural import NeuralPUClassifier, SelfPUClassifier  # noqa: E402
from tests.pulib.test_neural import blobs  # noqa: E402

pytestmark = pytest.mark.skipif(not torch.set_flush_denormal(False), reason="this processor does not flush subnormal numbers")

#: Both classifiers, with all that Self-PU does in four epochs: selection after the first, teachers from the third.
CLASSIFIERS = pytest.mark.parametrize(
    ("classifier", "params"),
    [(NeuralPUClassifier, {}), (SelfPUClassifier, {"schedule": {"pace": (1, 2, 1), "pace_length": 1, "teacher_start": 2}})],
    ids=["NeuralPUClassifier", "SelfPUClassifier"],
)


def subnormals_are_zero():
    return (torch.full((1,), 1e-40) * 1.0).item() == 0.0


class Listening(torch.nn.Module):
    """A linear network that notes the arithmetic of its steps, and may fail."""

    def __init__(self, d, heard, fail=False):
        super().__init__()
        self.head, self.heard, self.fail = torch.nn.Linear(d, 1), heard, fail

    def forward(self, x):
        if torch.is_grad_enabled() and self.training:
            self.heard.append(subnormals_are_zero())
        if self.fail:
            raise RuntimeError("as asked")
        return self.head(x)


@CLASSIFIERS
@pytest.mark.parametrize("set_before", [False, True])
def test_steps_flush_and_callbacks_find_the_setting_as_it_was(classifier, params, set_before):
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
