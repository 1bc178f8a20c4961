"""The documentation's examples, links, commands, and tables of deviations."""

import doctest
import importlib
import inspect
import pydoc
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml

import pulib
from pulab.plan.load import deviations_of, load_study, study_names

ROOT = Path(__file__).parents[1]
CONFIGURATION = [*(ROOT / "config").glob("*.*"), ROOT / "Snakefile", *(ROOT / "workflow" / "rules").glob("*.smk")]
REPORT_RULES = ROOT / "workflow" / "rules" / "report.smk"
COMMAND = re.compile(r"(?:^|[`&:#] ?)snakemake( [^`\n()]*)", flags=re.MULTILINE)
MADE = ("_build", "generated", "auto_examples")
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if not set(MADE) & set(page.parts)]
PAGES += [ROOT / "README.md", *sorted((ROOT / "studies").glob("*/page.md"))]
FENCE = re.compile(r"^```pycon\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def examples(page):
    """Return one doctest for all blocks of a page, which share a namespace, with the page's line numbers."""
    text = page.read_text(encoding="utf-8")
    found = doctest.DocTest([], {}, page.name, str(page), 0, text)
    for block in FENCE.finditer(text):
        first = text[: block.start(1)].count("\n")
        for example in doctest.DocTestParser().get_examples(block.group(1), page.name):
            example.lineno += first
            found.examples.append(example)
    return found


def with_examples():
    """Yield the pages that have examples; those that train for seconds are marked slow."""
    for page in PAGES:
        slow = page.name in ("reductions.md", "choosing.md", "scores.md")
        if examples(page).examples:
            yield pytest.param(page, id=page.name, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("page", list(with_examples()))
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    if page.name == "neural.md":
        pytest.importorskip("torch")
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    failed, _ = runner.run(examples(page), out=report.append)
    assert not failed, "".join(report)


def test_relative_links_resolve():
    made = ("figures/", "auto_examples/")  # made by the workflow and the documentation build
    links = [(page, link) for page in PAGES for link in LINK.findall(page.read_text(encoding="utf-8"))]
    broken = [(page.name, link) for page, link in links if not (page.parent / link).exists() and not link.startswith(made)]
    assert not broken


def test_dotted_names_exist():
    pytest.importorskip("torch")
    texts = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
    named = {(page, name) for page, text in texts.items() for name in re.findall(r"\bpul(?:ib|ab)(?:\.\w+)+", text)}
    assert len(named) > 10
    assert sorted((page, name) for page, name in named if pydoc.locate(name) is None) == []


def test_names_on_the_contributing_page_exist():
    text = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    section = text.partition("## Where things are\n")[2].partition("\n## ")[0]
    ways = re.findall(r"`([\w/]+/[\w.]+)`: ((?:`\w+`(?:, )?)+)", section)
    assert len(ways) > 15
    for file, names in ways:
        source = (ROOT / file).read_text(encoding="utf-8")
        for name in re.findall(r"\w+", names):
            pattern = rf"^(?:(?:def|class) {name}\b|{name}\b.* = |.*\b{name}[=(])"
            pattern = pattern if file.endswith(".py") else rf"^\s*(?:- )?[{{]?.*\b{name}:"
            assert re.search(pattern, source, flags=re.MULTILINE), (file, name)


def test_page_shows_the_measured_errors_of_priors():
    measured = (ROOT / "figures" / "paper" / "priors.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in measured if line.startswith("|")]
    assert len(rows) > 5
    shown = (ROOT / "docs" / "priors.md").read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if row not in shown] == []


def test_readme_counts_the_documented_estimators_of_priors():
    page = (ROOT / "docs" / "priors.md").read_text(encoding="utf-8").partition("## The methods")[2].partition("\n## ")[0]
    methods = re.findall(r'"(\w+)"', "".join(re.findall(r"^\| (`[^|]+)", page, flags=re.MULTILINE)))
    assert len(methods) == 8, methods
    assert "| estimators of π | eight, " in (ROOT / "README.md").read_text(encoding="utf-8")


def exists_in(study, place):
    """Whether a place in a table of deviations exists: keys of a file, a module or parameter of pulib, or a name."""
    file, found, keys = place.partition(": ")
    if found:
        known = yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))
        return all(key in known for key in keys.split(", "))
    if place.startswith("pulib."):
        return importlib.import_module(place) is not None
    if "." in place:
        (owner, parameter), modules = place.split("."), ("sampling", "boosting", "expansion", "linear", "neural", "trees")
        owners = [getattr(importlib.import_module(f"pulib.{name}"), owner, None) for name in modules]
        return any(one is not None and parameter in inspect.signature(one).parameters for one in owners)
    return place in words_of(study) or hasattr(pulib, place)


@cache
def words_of(study):
    return {word for file in (ROOT / "studies" / study).rglob("*.py") for word in re.findall(r"\w+", file.read_text("utf-8"))}


@pytest.mark.parametrize("study", study_names())
def test_study_page_lists_deviations_that_name_existing_code(study):
    """The last of four columns names the parameter that decides; the level field has no deviations."""
    shown = (ROOT / "docs" / "studies" / f"{study}.md").read_text(encoding="utf-8")
    assert f"```{{include}} ../../studies/{study}/page.md\n:relative-docs: ../../docs\n" in shown
    section = deviations_of(load_study(study))
    if study == "levelfield":
        assert section == "", "nothing to show in the report"
        assert "\n## Deviations\n\nNone.\n" in (ROOT / "studies" / study / "page.md").read_text(encoding="utf-8")
        return
    header, _, *rows = [re.split(r" ?(?<!\\)\| ?", line)[1:-1] for line in section.splitlines() if line.startswith("|")]
    assert header == ["topic", "what the paper leaves open, or says otherwise", "what we do", "where"]
    assert len(rows) > 10
    for row in rows:
        assert len(row) == 4, row
        assert row[0]
        assert row[2]
        places = re.findall(r"`([^`]+)`", row[3])
        assert places, row[0]
        assert [place for place in places if not exists_in(study, place)] == [], row[0]


@pytest.mark.slow
def test_sphinx_builds_without_warnings(tmp_path):
    """No broken links, no pages outside the table of contents, and all gallery examples run."""
    pytest.importorskip("sphinx")
    pytest.importorskip("myst_parser")
    pytest.importorskip("numpydoc")
    pytest.importorskip("sphinx_gallery")
    pages = shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns(*MADE))
    # at the same relative path: an included page's links are relative to its own location
    shutil.copytree(ROOT / "studies", tmp_path / "studies", ignore=shutil.ignore_patterns("__pycache__", "*.py", "*.csv"))
    for name in ("config", "figures", "packaging", "pulib", "LICENSE"):  # pages show or link to them
        (tmp_path / name).symlink_to(ROOT / name)
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", str(pages), str(tmp_path / "html")]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_public_name_is_in_the_reference():
    listed = set(re.findall(r"^   pulib\.(\w+)$", (ROOT / "docs" / "api.rst").read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert listed == set(pulib.__all__)


def commands():
    """Yield every Snakemake command in the documentation and in comments of the configuration."""
    for page in [*PAGES, *CONFIGURATION, *(ROOT / "profiles").glob("*/*.yaml")]:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        yield from ((page.name, match[1].strip()) for match in COMMAND.finditer(text))


def check_commands(chosen):
    """Check that no target follows --config or --configfile, where it is read as a setting, and cores are given."""
    rules = re.findall(r"^ *rule (\w+):", (ROOT / "Snakefile").read_text() + REPORT_RULES.read_text(), flags=re.MULTILINE)
    rules += study_names()  # one rule per study
    parser = pytest.importorskip("snakemake.cli").get_argument_parser()
    assert chosen
    for where in chosen:
        options, unknown = parser.parse_known_args(shlex.split(where[1].replace("<set>", "mnist")))
        assert all(option.startswith(("--slurm", "--cluster-generic")) or "{" in option for option in unknown), where
        assert all(file.suffix == ".yaml" for file in options.configfile or []), where
        assert all("=" in setting for setting in options.config or []), where
        assert all(target in rules or "/" in target for target in options.targets), where
        given = [options.cores, options.jobs, options.unlock, options.report, options.lint]
        given.append("profiles/slurm" in str(options.workflow_profile))
        assert any(given), f"--cores is missing: {where}"


def test_documented_snakemake_commands_parse_as_intended():
    check_commands([where for where in commands() if "--executor" not in where[1]])


@pytest.mark.slow
def test_documented_cluster_commands_parse_as_intended():
    for name in ("slurm", "cluster_generic"):
        plugin = f"snakemake_executor_plugin_{name}"
        pytest.importorskip(plugin, reason=f"{plugin} is not installed: pip install -e '.[slurm,cluster]'")
    check_commands([where for where in commands() if "--executor" in where[1]])


def test_table_of_network_defaults_matches_the_fits_and_marks_the_default():
    script = runpy.run_path(str(ROOT / "docs" / "network_defaults.py"))
    assert any(script["table"]() in page.read_text(encoding="utf-8") for page in PAGES)
    chosen = {**script["BASE"], **script["GRID"][script["CHOSEN"]]} | {"n_threads": None}
    assert {name: value for name, value in pulib.NeuralPUClassifier().get_params().items() if name in chosen} == chosen
