"""The networks as the workflow's configuration names them: every parameter is one that the classifiers take."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import yaml

torch = pytest.importorskip("torch")

from pulib.experiments.runner import gpu_available, run_repeat  # noqa: E402
from pulib.experiments.trial import TrialContext, import_object  # noqa: E402
from pulib.neural._networks import build_network  # noqa: E402
from pulib.sampling import Split  # noqa: E402

ROOT = Path(__file__).parents[1]
METHODS = yaml.safe_load((ROOT / "config" / "methods.yaml").read_text(encoding="utf-8"))
NEURAL = {name: entry for name, entry in METHODS.items() if entry.get("estimator", "").startswith("pulib.neural.")}
WIDTHS = {"cifar10": 3072, "mnist": 784, "digits": 64}


def variants(entry):
    """Parameters with what each preset and data set changes."""
    presets = [{}, *[change.get("params", {}) for change in entry.get("presets", {}).values()]]
    datasets = [("", {}), *[(name, change.get("params", {})) for name, change in entry.get("datasets", {}).items()]]
    for preset, (dataset, change) in itertools.product(presets, datasets):
        yield dataset, {**entry["params"], **preset, **change}


@pytest.mark.parametrize("name", NEURAL)
def test_every_variant_is_valid_and_builds_its_network(name):
    cls = import_object(NEURAL[name]["estimator"])
    built = 0
    for dataset, params in variants(NEURAL[name]):
        estimator = cls(**params, prior=0.5)
        estimator._validate_params()
        if dataset in WIDTHS or params["body"] != "cnn":
            network = build_network(estimator.body, WIDTHS.get(dataset, 30), estimator.body_params, 0)
            with torch.no_grad():
                assert network.eval()(torch.zeros(1, WIDTHS.get(dataset, 30))).shape == (1,)
            built += 1
    assert built >= 2
    assert NEURAL[name]["requires"] == ["torch"]
    assert NEURAL[name]["params"]["n_threads"] == 1  # else the number of cores might show in the results


def test_what_needs_a_gpu_says_so_instead_of_failing():
    if gpu_available():
        pytest.skip("there is a GPU here")
    empty = np.empty(0, dtype=int)
    context = TrialContext(
        "adapu", "cifar10", "published", "nnpu_cnn", 0, data=None, split=Split(empty, empty, empty, 0.4),
        method={**NEURAL["nnpu_cnn"], "options": {"needs": "gpu"}}, setting={},
    )  # fmt: skip
    rows = run_repeat(context, protocol=None).rows
    assert rows["status"].tolist() == ["unavailable"]
    assert rows["message"].tolist() == ["needs a GPU"]
