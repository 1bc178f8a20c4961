"""Packaging: the lock, the conda environments and pyproject.toml agree; importing pulib is light."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

import pulib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def requirements(*extras):
    lines = list(PROJECT["dependencies"])
    for extra in extras:
        lines += [line for line in PROJECT["optional-dependencies"][extra] if not line.startswith("pulib[")]
    return [Requirement(line) for line in lines]


def test_the_lock_holds_an_allowed_version_of_every_requirement():
    locked = dict(line.split("==") for line in (ROOT / "requirements.lock").read_text().splitlines() if "==" in line)
    locked = {re.sub(r"[-_.]+", "-", name).lower(): Version(version) for name, version in locked.items()}
    for requirement in requirements("baselines", "workflow", "nn", "slurm", "cluster", "docs", "test", "lint"):
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        assert name in locked, f"{name} is not in requirements.lock"
        assert locked[name] in requirement.specifier, f"{name}: {locked[name]} is not in {requirement.specifier}"


def test_the_least_versions_are_those_of_pyproject():
    lines = (ROOT / "requirements-minimum.txt").read_text().splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    least = [
        f"{requirement.name}=={bound.version}"
        for requirement in requirements("baselines", "workflow", "test")
        for bound in requirement.specifier
        if bound.operator == ">="
    ]
    assert pinned == least


@pytest.mark.parametrize(("file", "extras"), [("core", ["baselines"]), ("nn", ["baselines", "nn"])])
def test_conda_environments_pin_what_the_lock_pins(file, extras):
    environment = yaml.safe_load((ROOT / "envs" / f"{file}.yaml").read_text())
    pins = dict(re.split(r" ?==?", d) for d in environment["dependencies"] if isinstance(d, str))
    (pip,) = [d["pip"] for d in environment["dependencies"] if isinstance(d, dict)]
    pins |= dict(line.split("==") for line in pip)
    names = {"matplotlib-base": "matplotlib", "pytorch": "torch"}
    pins = {names.get(name, name): version for name, version in pins.items()}
    assert Version(pins.pop("python")) in Requirement(f"x{PROJECT['requires-python']}").specifier
    pins.pop("pip")
    locked = dict(line.lower().split("==") for line in (ROOT / "requirements.lock").read_text().splitlines() if "==" in line)
    assert pins == {name: locked[name] for name in pins}
    assert {requirement.name.lower() for requirement in requirements(*extras)} <= set(pins)


def test_every_public_name_is_there_and_unknown_ones_are_not():
    for name in pulib.__all__:
        assert getattr(pulib, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        pulib.Nonsense  # noqa: B018


def test_importing_pulib_loads_nothing_heavy_and_never_snakemake():
    code = "import sys, pulib; print([m for m in ('numba', 'pandas', 'matplotlib', 'torch', 'snakemake') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_pulib_never_imports_snakemake():
    for file in (ROOT / "pulib").rglob("*.py"):
        assert not re.search(r"^\s*(import|from) snakemake", file.read_text(encoding="utf-8"), re.M), file
