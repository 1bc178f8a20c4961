"""Packaging: the lock, the conda environments and pyproject.toml agree; importing pulib is light."""

import json
import os
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, TOOLS = PYPROJECT["project"], PYPROJECT["tool"]


def requirements(*extras: str) -> list[Requirement]:
    """The plain dependencies, and those of some extras; an extra may bring others along."""
    found = [Requirement(line) for line in PROJECT["dependencies"]]
    waiting = list(extras)
    while waiting:
        for line in PROJECT["optional-dependencies"][waiting.pop(0)]:
            requirement = Requirement(line)
            if requirement.name == PROJECT["name"]:
                waiting += sorted(requirement.extras)
            else:
                found.append(requirement)
    return list({requirement.name: requirement for requirement in found}.values())


def pins(file: str) -> dict[str, str]:
    """From the name of a distribution, as PyPI spells it, to the version that a file of pins holds."""
    found = re.findall(r"^([\w.\[\]-]+)==([\w.+!-]+)", (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {canonicalize_name(name): version for name, version in found}


def test_the_lock_holds_an_allowed_version_of_every_requirement():
    locked = pins("requirements.lock")
    for requirement in requirements(*PROJECT["optional-dependencies"]):
        name = canonicalize_name(requirement.name)
        assert name in locked, f"{name} is not in requirements.lock"
        assert Version(locked[name]) in requirement.specifier, f"{name}: {locked[name]} is not in {requirement.specifier}"


def test_every_pin_of_the_lock_has_the_sums_of_its_files():
    blocks = re.split(r"\n(?=[\w.-]+==)", (ROOT / "requirements.lock").read_text(encoding="utf-8"))[1:]
    assert len(blocks) == len(pins("requirements.lock")) > 100
    assert [block.split("==")[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_the_least_versions_are_those_of_pyproject():
    least = {
        canonicalize_name(requirement.name): bound.version
        for requirement in requirements("studies", "test")
        for bound in requirement.specifier
        if bound.operator == ">="
    }
    assert pins("requirements-minimum.txt") == least


@pytest.mark.parametrize(("file", "extras"), [("core", ["studies", "rivals"]), ("nn", ["studies", "nn", "rivals"])])
def test_conda_environments_pin_what_the_lock_pins(file, extras):
    environment = yaml.safe_load((ROOT / "envs" / f"{file}.yaml").read_text())
    pinned = dict(re.split(r" ?==?", line) for line in environment["dependencies"] if isinstance(line, str))
    (pip,) = [line["pip"] for line in environment["dependencies"] if isinstance(line, dict)]
    pinned |= dict(line.split("==") for line in pip)
    names = {"matplotlib-base": "matplotlib", "pytorch": "torch"}
    pinned = {names.get(name, name): version for name, version in pinned.items()}
    assert Version(pinned.pop("python")) in Requirement(f"x{PROJECT['requires-python']}").specifier
    pinned.pop("pip")
    locked = pins("requirements.lock")
    assert pinned == {name: locked[name] for name in pinned}
    without_torch = set() if file == "nn" else {"pu-toolbox"}
    assert {requirement.name.lower() for requirement in requirements(*extras)} - without_torch == set(pinned)


def test_stubs_that_name_what_loads_on_first_use_come_with_the_wheel():
    data = TOOLS["setuptools"]["package-data"]
    stubs = {file.parent.relative_to(ROOT).as_posix().replace("/", ".") for file in (ROOT / "pulib").rglob("*.pyi")}
    assert stubs == {package for package, patterns in data.items() if "*.pyi" in patterns}


def test_ci_runs_the_commands_of_the_readme():
    """Letter for letter, each in an environment of its own."""
    fences = re.findall(r"^```bash\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.M | re.S)
    shown = [line for fence in fences for line in fence.splitlines() if line.startswith("pip install")]
    run = re.findall(r'^ *front_door (\w+) "(.+)"$', (ROOT / ".ci" / "run").read_text(encoding="utf-8"), flags=re.M)
    assert [command for _, command in run] == shown
    assert len({name for name, _ in run}) == len(shown) == 2


def test_all_files_name_the_same_repository_title_and_license():
    """No repository, before the first release: then all that pyproject.toml names."""
    urls = PROJECT.get("urls", {})
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "packaging" / "recipe.yaml").read_text(encoding="utf-8"))
    assert citation.get("repository-code") == recipe["about"].get("repository") == urls.get("Repository")
    assert citation.get("url") == recipe["about"].get("homepage") == urls.get("Documentation")
    assert citation["title"] == zenodo["title"]
    assert citation["license"] == zenodo["license"] == recipe["about"]["license"] == PROJECT["license"]
    assert [author["name"] for author in citation["authors"]] == [creator["name"] for creator in zenodo["creators"]]


#: Repositories of others: what the workflows call, packages that we compare ourselves with, data, and authors' code.
OWN_NAMES = re.compile(
    r"(?:github\.com|gitlab\.com)/[\w-]*(?:positive-unlabeled|pulib)\b|[\w-]*(?:positive-unlabeled|pulib)\.readthedocs\.io"
)


def test_no_text_recommends_a_name_or_an_address_that_nobody_has_registered():
    """Others could register it, and ``pulib`` is another project on PyPI: an installation is from a clone or from Git."""
    own = re.escape(PROJECT["name"])
    name = rf"(?:{own}\b|pulib\b(?![/\w-]))"
    pattern = re.compile(rf"(?:pip3?|uv|conda|mamba|pixi|poetry) (?:\w+ )*?(?:install|add) [^\n|;&]*\b{name}|{own}\[")
    extras = re.compile(rf'\s*(?:all = \[)?"{own}\[')  # which name themselves in pyproject.toml
    found = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for file, text in texts_of_the_repository().items()
        for line in text.splitlines()
        if (PROJECT["name"] in line or "pulib" in line)
        and (pattern.search(line) or (OWN_NAMES.search(line) and not PROJECT.get("urls")))
        and not (file == ROOT / "pyproject.toml" and extras.match(line))
    ]
    assert found == []


KINDS = ("md", "py", "rst", "yaml", "yml", "toml", "cff", "json", "smk", "html", "js", "sh", "txt", "jinja")
MADE = {"results", "resources", "figures", "build", "dist", "logs", "_build", "generated", "auto_examples", "__pycache__"}


@cache
def texts_of_the_repository():
    """All that is not made, but for this file."""
    found = {}
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name in (".github", ".ci") or not (name in MADE or name.startswith("."))]
        folders[:] = [name for name in folders if not name.endswith(".egg-info")]
        for file in (Path(folder, name) for name in names):
            known = not file.name.startswith(".") or file.name in (".zenodo.json", ".readthedocs.yaml")
            if file.suffix.removeprefix(".") in ("", *KINDS) and known and file.is_file() and file != Path(__file__):
                found[file] = file.read_text(encoding="utf-8", errors="replace")
    assert len(found) > 500
    return found


def test_the_page_of_licenses_has_every_package_that_pyproject_names():
    page = (ROOT / "packaging" / "licenses.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| ([\w.-]+) \| .+ \| (?!not stated).+ \|$", page, flags=re.MULTILINE))
    assert {requirement.name for requirement in requirements(*PROJECT["optional-dependencies"])} <= listed


def test_the_recipe_for_conda_asks_for_what_pyproject_asks_for():
    recipe = yaml.safe_load((ROOT / "packaging" / "recipe.yaml").read_text(encoding="utf-8"))
    asked = dict(line.split(maxsplit=1) for line in recipe["requirements"]["run"])
    assert asked.pop("python") == ">=${{ python_min }}"
    assert recipe["context"]["python_min"] == PROJECT["requires-python"].removeprefix(">=")
    assert {name: Requirement(f"{name}{bounds}").specifier for name, bounds in asked.items()} == {
        requirement.name: requirement.specifier for requirement in requirements()
    }
