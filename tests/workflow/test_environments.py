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
from pulab.plan.canonical import estimators_in

class Place(dict):
    __getattr__ = dict.__getitem__

jobs = []
for job in PLAN.jobs.values():
    place = {"study": job.study, "dataset": job.dataset, "job": job.name, "first": str(job.first), "last": str(job.last)}
    given = workflow.get_rule("run_trials").expand_conda_env(Place(place))
    methods = [PLAN.recipe(group).method for group in job.groups]
    needed = [(method.requires, estimators_in(method)) for method in methods]
    jobs.append((given.file.get_path_or_uri(secret_free=True), needed))
with open("jobs.json", "w") as file:
    json.dump(jobs, file)
"""
#: What a package is called where it is installed, if not as it is imported.
NAMES = {"torch": "pytorch", "xgboost": "xgboost-cpu", "sklearn": "scikit-learn", "pu_toolbox": "pu-toolbox"}


def pins(file):
    """Names of an environment's packages, conda's, or pip's where they come from there."""
    entries = read_yaml(Path(file))["dependencies"]
    conda = {entry.split(" =")[0] for entry in entries if isinstance(entry, str)}
    return conda | {line.split("==")[0] for entry in entries if isinstance(entry, dict) for line in entry["pip"]}


@pytest.mark.parametrize("preset", [[], ["--configfile", "config/paper.yaml"]], ids=["quick", "paper"])
def test_every_job_finds_the_packages_that_its_methods_need(make_workspace, preset):
    space = make_workspace()
    (space.folder / "check.smk").write_text(CHECK)
    run = space.snakemake("--snakefile", "check.smk", "-n", "--quiet", "all", *preset, "--", "data")
    assert run.code == 0, run.text
    jobs = json.loads((space.folder / "jobs.json").read_text())
    held = {file: pins(file) for file, _ in jobs}
    assert {file.rsplit("/", 1)[1] for file in held} == {"core.yaml", "nn.yaml"}
    for file, methods in jobs:
        for requires, paths in methods:
            used = [*requires, *(path.split(".")[0] for path in paths)]
            needed = {NAMES.get(name, name) for name in used if name not in OURS}
            assert needed <= held[file], (file, needed)
            networks = [path for path in paths if path.startswith("pulib.neural.")]
            assert not networks or "torch" in requires, "a network that does not say that it needs PyTorch"
        assert file.endswith("nn.yaml") or not any("torch" in requires for requires, _ in methods)
