"""Each job of both presets is given a conda environment that holds what its methods need."""

import json
from pathlib import Path

import pytest

from pulab.plan.configuration import read_yaml
from pulab.plan.identity import OURS

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

# Snakemake's own answer, for each job, to which environment it is given.
CHECK = """
include: "Snakefile"
import json
from dataclasses import asdict

class Place(dict):
    __getattr__ = dict.__getitem__

jobs = []
for job in PLAN.jobs.values():
    place = {"study": job.study, "dataset": job.dataset, "job": job.name, "first": str(job.first), "last": str(job.last)}
    given = workflow.get_rule("run_trials").expand_conda_env(Place(place))
    methods = [asdict(PLAN.recipe(group).method) for group in job.groups]
    jobs.append((given.file.get_path_or_uri(secret_free=True), methods))
with open("jobs.json", "w") as file:
    json.dump(jobs, file)
"""
#: What a package is called where it is installed, if not as it is imported.
NAMES = {"torch": "pytorch", "xgboost": "xgboost-cpu", "sklearn": "scikit-learn", "pu_toolbox": "pu-toolbox"}


def pins(file):
    """Versions of an environment's packages, by conda's names, or by pip's where they come from there."""
    entries = read_yaml(Path(file))["dependencies"]
    conda = [entry.split(" =") for entry in entries if isinstance(entry, str)]
    return dict(conda) | dict(line.split("==") for entry in entries if isinstance(entry, dict) for line in entry["pip"])


def paths(entry):
    """Dotted paths of classes anywhere in a method's entry."""
    if not isinstance(entry, dict):
        return []
    own = [entry["estimator"]] if isinstance(entry.get("estimator"), str) else []
    return own + [path for part in entry.values() for path in paths(part)]


@pytest.mark.parametrize("preset", [[], ["--configfile", "config/paper.yaml"]], ids=["quick", "paper"])
def test_every_job_finds_the_packages_that_its_methods_need(make_workspace, preset):
    space = make_workspace()
    (space.folder / "check.smk").write_text(CHECK)
    run = space.snakemake("--snakefile", "check.smk", "-n", "--quiet", "all", *preset, "--", "data")
    assert run.code == 0, run.text
    jobs = json.loads((space.folder / "jobs.json").read_text())
    assert {file.rsplit("/", 1)[1] for file, _ in jobs} == {"core.yaml", "nn.yaml"}
    for file, methods in jobs:
        held = set(pins(file))
        for method in methods:
            used = [path.split(".")[0] for path in paths(method)]
            needed = {NAMES.get(name, name) for name in [*method.get("requires", []), *used] if name not in OURS}
            assert needed <= held, (file, method)
            networks = [path for path in paths(method) if path.startswith("pulib.neural.")]
            assert not networks or "torch" in method["requires"], "a network that does not say that it needs PyTorch"
        assert file.endswith("nn.yaml") or not any("torch" in method.get("requires", []) for method in methods)
