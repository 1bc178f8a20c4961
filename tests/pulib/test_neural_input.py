"""What the neural classifiers say to bad input, and where PyTorch is missing."""

import json
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pulib.neural import NeuralPUClassifier, SelfPUClassifier  # noqa: E402

X, Y = np.arange(24.0).reshape(12, 2), np.array([0, 1] * 6)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"input_scaling": "standard"}, "'input_scaling' parameter"),
        ({"body_params": {"depth": 3}}, "no option 'depth'"),
        ({"body_params": {"activation": "tanh"}}, "activation='tanh'"),
        ({"body": "cnn"}, "not a square image"),
        ({"body": "cnn", "body_params": {"image_shape": (1, 3, 3)}}, "9 values, but X has 2 features"),
        ({"device": "abacus"}, "device='abacus'"),
    ],
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        NeuralPUClassifier(**{"prior": 0.3, "epochs": 1, **params}).fit(X, Y)


@pytest.mark.parametrize(
    "schedule",
    [
        {"pace": (1, 2)},
        {"pace": (1, 5, 0)},
        {"shares": (0.5,)},
        {"shares": (0.5, 2.0)},
        {"teacher_decay": 1.0},
        {"teacher_start": -1},
        {"consistency": "much"},
        {"teacher_begin": 3},
    ],
)
def test_bad_self_pu_schedules_are_named(schedule):
    with pytest.raises(ValueError, match=f"schedule: .*{next(iter(schedule))}"):
        SelfPUClassifier(prior=0.3, schedule=schedule).fit(X, Y)


def test_evaluation_labels_must_be_those_of_fit():
    with pytest.raises(ValueError, match="eval_set contains the label 7"):
        NeuralPUClassifier("linear", prior=0.3, epochs=1).fit(X, Y, eval_set=(X, np.where(Y, 7, 0)))


NETWORKS = ["NeuralPUClassifier", "SelfPUClassifier"]
WITHOUT_TORCH = """
import json, sys
from importlib.abc import MetaPathFinder

class NoTorch(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            asked.append(name)
            raise ModuleNotFoundError("No module named 'torch'", name=name)

asked = []
sys.meta_path.insert(0, NoTorch())
import pulib
for name in sys.argv[1:]:
    getattr(pulib, name)
assert asked == [], "importing the classes leaves torch alone"
said = {}
for name in sys.argv[1:]:
    try:
        getattr(pulib, name)(prior=0.3).fit([[0.0], [1.0]], [0, 1])
    except ImportError as error:
        said[name] = str(error)
print(json.dumps(said))
"""


def test_without_torch_the_error_says_how_to_get_it():
    command = [sys.executable, "-c", WITHOUT_TORCH, *NETWORKS]
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert set(said) == set(NETWORKS)
    for error in said.values():
        assert "needs torch" in error
        assert "pip install -e '.[nn]'" in error
