"""The networks as the workflow's configuration names them: every parameter is one that the classifiers take."""

import itertools
from fnmatch import fnmatchcase
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pulab.trials import runner  # noqa: E402
from pulab.plan.configuration import deep_merge, read_yaml  # noqa: E402
from pulab.plan.plan import load_plan  # noqa: E402
from pulab.trials.trial import TrialContext, TrialResult, import_object  # noqa: E402
from pulib.datasets.registry import load_registry  # noqa: E402
from pulib.neural._networks import build_network  # noqa: E402
from pulib.sampling import Split  # noqa: E402

ROOT = Path(__file__).parents[2]
METHODS = read_yaml(ROOT / "config" / "methods.yaml")
NEURAL = {name: entry for name, entry in METHODS.items() if entry.get("estimator", "").startswith("pulib.neural.")}
STUDIES = [read_yaml(file) for file in (ROOT / "config" / "studies").glob("*.yaml")]
WIDTHS = {"cifar10": 3072, "mnist": 784, "digits": 64}


def variants(name, entry):
    """Parameters with what each study's preset and each data set changes."""
    laid = [part for study in STUDIES for preset in study["presets"].values() for part in preset.get("methods", {}).items()]
    presets = [{}, *[part.get("params", {}) for pattern, part in laid if fnmatchcase(name, pattern)]]
    datasets = [("", {}), *[(name, change.get("params", {})) for name, change in entry.get("datasets", {}).items()]]
    for preset, (dataset, change) in itertools.product(presets, datasets):
        yield dataset, {**entry["params"], **preset, **change}


@pytest.mark.parametrize("name", NEURAL)
def test_every_variant_is_valid_and_builds_its_network(name):
    cls = import_object(NEURAL[name]["estimator"])
    built = 0
    for dataset, params in variants(name, NEURAL[name]):
        estimator = cls(**params, prior=0.5)
        estimator._validate_params()
        if dataset in WIDTHS or estimator.body != "cnn":
            network = build_network(estimator.body, WIDTHS.get(dataset, 30), estimator.body_params, 0)
            with torch.no_grad():
                assert network.eval()(torch.zeros(1, WIDTHS.get(dataset, 30))).shape == (1,)
            built += 1
    assert built
    assert NEURAL[name]["requires"] == ["torch"]
    assert NEURAL[name]["params"]["n_threads"] == 1  # else the number of cores might show in the results


@pytest.mark.parametrize("has_gpu", [True, False])
def test_what_needs_a_gpu_runs_where_there_is_one_and_says_so_elsewhere(monkeypatch, has_gpu):
    monkeypatch.setattr(runner, "gpu_available", lambda: has_gpu)
    empty = np.empty(0, dtype=int)
    context = TrialContext(
        "adapu", "cifar10", "published", "nnpu_cnn", 0, data=SimpleNamespace(meta={}), split=Split(empty, empty, empty, 0.4),
        method={**NEURAL["nnpu_cnn"], "options": {"needs": "gpu"}}, setting={},
    )  # fmt: skip
    rows = runner.run_repeat(context, protocol=lambda context: TrialResult(scalars={"accuracy": 0.5})).rows
    assert rows["status"].tolist() == ["ok" if has_gpu else "unavailable"]
    assert rows["message"].tolist() == ["" if has_gpu else "needs a GPU"]


def test_a_gpu_is_what_pytorch_finds(monkeypatch):
    for found in (True, False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda found=found: found)
        assert runner.gpu_available() is found


def test_every_convolutional_network_on_cifar_is_kept_for_a_gpu():
    config = deep_merge(*(read_yaml(ROOT / "config" / name) for name in ("config.yaml", "paper.yaml")))
    plan = load_plan(config | {"studies": ["puet", "adapu"]}, load_registry(), ROOT)
    kept = []
    for group in plan.groups.values():
        method = plan.method(group.study, group.method, group.dataset)
        bodies = [part.get("params", {}).get("body") for part in (method, method.get("options", {}).get("features", {}))]
        if group.dataset == "cifar10" and "cnn" in bodies:
            assert method["options"]["needs"] == "gpu", group.key
            kept.append((group.study, group.method))
    assert {*kept} >= {
        ("puet", "nnpu_mlp"),
        ("puet", "upu_mlp"),
        ("puet", "self_pu"),
        ("adapu", "nnpu_cnn"),
        ("adapu", "adapu_cnn"),
    }
