"""Each job of both presets is given a conda environment that holds what its methods need, and pip can have it as well."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

from pulab.plan.configuration import read_yaml
from pulab.plan.identity import OURS

ROOT = Path(__file__).parents[2]

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


#: What conda calls otherwise than pip, and what is no package of pip's.
PIP_NAMES = {"pytorch": "torch", "matplotlib-base": "matplotlib"}
CONDA_ONLY = {"python", "pip"}


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


@pytest.mark.parametrize("name", ["core", "nn"])
def test_pip_finds_the_same_versions_and_they_go_together(name, tmp_path):
    """For where conda can not be had; pip resolves them without installing anything."""
    wanted = {
        PIP_NAMES.get(name, name): version
        for name, version in pins(ROOT / "envs" / f"{name}.yaml").items()
        if name not in CONDA_ONLY
    }
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--report", str(report)]
    done = subprocess.run(
        [*command, *(f"{name}=={version}" for name, version in wanted.items())], capture_output=True, text=True
    )
    if "connection" in done.stderr.lower() and "Retrying" in done.stderr:
        pytest.skip("no index of packages can be reached")
    assert done.returncode == 0, done.stderr
    found = [item["metadata"] for item in json.loads(report.read_text(encoding="utf-8"))["install"]]
    versions = {canonicalize_name(item["name"]): Version(item["version"]).public for item in found}
    assert {name: versions[canonicalize_name(name)] for name in wanted} == wanted
