"""The networks as studies and the configuration name them: every parameter is one that the classifiers take."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from pulab.plan import own  # noqa: E402
from pulab.plan.configuration import read_yaml  # noqa: E402
from pulab.plan.load import load_study, shared_methods, study_names  # noqa: E402
from pulab.plan.plan import load_plan  # noqa: E402
from pulab.trials.trial import import_object  # noqa: E402
from pulib.datasets.registry import load_registry  # noqa: E402
from pulib.neural._networks import build_network  # noqa: E402

ROOT = Path(__file__).parents[2]
METHODS = [
    (name, method)
    for name in study_names()
    for preset in load_study(name).presets
    for method in load_study(name).methods_of(preset).values()
] + [("shared", method) for method in shared_methods().values()]
NEURAL: dict = {}
for study, network in METHODS:
    if network.estimator.startswith("pulib.neural."):
        NEURAL.setdefault(f"{study}-{network.name}", []).append(network)
WIDTHS = {"cifar10": 3072, "mnist": 784, "digits": 64}


def variants(name):
    """A network as each preset and each data set has it."""
    for method in NEURAL[name]:
        yield from [("", method), *method.by_dataset.items()]


@pytest.mark.parametrize("name", NEURAL)
def test_every_variant_is_valid_and_builds_its_network(name):
    built = 0
    for dataset, method in variants(name):
        estimator = import_object(method.estimator)(**method.params)
        if "prior" in estimator.get_params():  # VPU takes none
            estimator.set_params(prior=0.5)
        estimator._validate_params()
        if dataset in WIDTHS or estimator.body != "cnn":
            network = build_network(estimator.body, WIDTHS.get(dataset, 30), estimator.body_params, 0)
            with torch.no_grad():
                assert network.eval()(torch.zeros(1, WIDTHS.get(dataset, 30))).shape == (1,)
            built += 1
        assert method.requires == ("torch",)
        assert method.params["n_threads"] == 1  # else the number of cores might show in the results
    assert built


def test_pytorch_is_asked_for_a_gpu_only_if_the_system_has_a_device(monkeypatch):
    for found in (True, False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda found=found: found)
        monkeypatch.setattr(own.os.path, "exists", lambda path: True)
        assert own.gpu_available() is found
        monkeypatch.setattr(own.os.path, "exists", lambda path: False)
        assert not own.gpu_available() or own.sys.platform != "linux", "no device, and PyTorch is not asked"


def test_convolutional_networks_on_cifar_need_a_gpu():
    config = read_yaml(ROOT / "config" / "config.yaml") | read_yaml(ROOT / "config" / "paper.yaml")
    plan = load_plan(config | {"studies": ["puet", "adapu"]}, load_registry())
    kept = []
    for group in plan.groups.values():
        method = plan.recipe(group).method
        bodies = [part.get("params", {}).get("body") for part in ({"params": method.params}, method.features)]
        if group.dataset == "cifar10" and "cnn" in bodies:
            assert method.needs_gpu, group.key
            assert group.gpus == 1
            kept.append((group.study, group.method))
    assert {("puet", "nnpu_mlp"), ("puet", "upu_mlp"), ("puet", "self_pu")} <= {*kept}
    assert {("adapu", "nnpu_cnn"), ("adapu", "adapu_cnn")} <= {*kept}
