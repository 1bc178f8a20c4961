"""Four errands of docs/contributing.md, followed for real in a copy: data set, study of a sixth paper, claim, figure kind."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.workflow.conftest import ROOT

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PEOPLE = """
people:
  title: People
  loader: table
  options: {target: income}
  positive: [rich]
  positive_text: rich
  files: [{name: people.csv, path: people.csv}]
"""
STUDY = """
title: A sixth paper
citation: Nobody (2026)
protocol: pulab.protocols.sixth.run
claims: pulab.claims.sixth
settings:
  standard: {label: 20 labels, split: {scheme: case_control, n_labeled: 20}, evaluate: {task: classify}}
presets:
  paper:
    repeats: 3
    experiments: [{datasets: [people], settings: [standard], methods: [lf_naive_lr, lf_all_positive]}]
tables:
  table1:
    kind: comparison
    title: Accuracy
    published: "1"
    metric: accuracy
    scale: 100
    rows: [{label: People, select: {dataset: people}}]
    columns: [{label: naive, select: {method: lf_naive_lr}}]
figures: {}
causes: [{cause: unexplained, why: Nobody knows.}]
"""
PUBLISHED = "paper,table,row,column,mean,sd,unit\nsixth,1,People,naive,60.0,1.0,%\n"
PROTOCOL = '''
"""Trials of a sixth paper: test accuracy."""

import numpy as np

from pulab.trials.protocol import build, by_task, given_prior, load_rows, predictions_of
from pulab.trials.trial import TrialResult


def _classify(context):
    rows = load_rows(context)
    estimator = build(context, prior=given_prior(context)).fit(rows.X, rows.y)
    return TrialResult(scalars={"accuracy": float(np.mean(predictions_of(estimator, rows.X_test) == rows.truth_test))})


run = by_task({"classify": _classify})
'''
CLAIMS = '''
"""What the sixth paper says in words."""

from pulab.claims.cases import compare
from pulab.claims.evidence import Numbers
from pulab.claims.registry import claim


@claim(section="4", quote="it is ahead", unit="%")
def ahead(evidence):
    "Its mean accuracy is above that of calling all rows positive."
    accuracy = Numbers(dataset="people", setting="standard", metric="accuracy")
    yield from compare(evidence, [(accuracy(method="lf_naive_lr"), accuracy(method="lf_all_positive"))], "greater")
'''
FIGURE = "figures: {figure1: {kind: sixth_bars, title: Accuracy, bars: [lf_naive_lr, lf_all_positive]}}"
KIND = '''
"""Mean accuracy by method, a bar each."""

from matplotlib.figure import Figure

from pulab.trials.artifacts import Artifact, Method


class Keys(Artifact):
    bars: list[Method]


def draw(spec, tidy, published):
    means = tidy[tidy["metric"] == "accuracy"].groupby("method", observed=True)["value"].mean()
    fig = Figure()
    fig.subplots().bar([spec["methods"][method] for method in spec["bars"]], means[spec["bars"]])
    return fig
'''
PAGE = "".join(f"<!-- begin: {name} -->\n<!-- end: {name} -->\n" for name in ("findings", "deviations"))


def changed(folder: Path, before: dict[str, bytes]) -> set[str]:
    return {name for name, content in contents(folder).items() if before.get(name) != content}


def contents(folder: Path) -> dict[str, bytes]:
    places = ("config", "pulab", "pulib", "docs", "workflow")
    files = (file for place in places for file in (folder / place).rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files if file.suffix not in (".nbi", ".nbc")}


def test_a_data_set_a_study_a_claim_and_a_figure_kind_are_added_and_published(make_workspace):
    space = make_workspace()
    folder = space.folder
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("_build", "generated", "auto_examples"))
    shutil.copy2(ROOT / "README.md", folder)
    before = contents(folder)

    rows = [(k % 7, k % 5, "rich" if k % 7 > 3 else "poor") for k in range(300)]
    pd.DataFrame(rows, columns=["age", "children", "income"]).to_csv(folder / "people.csv", index=False)
    registry = folder / "pulib" / "datasets" / "registry.yaml"
    registry.write_text(registry.read_text(encoding="utf-8") + PEOPLE, encoding="utf-8")
    assert changed(folder, before) == {"pulib/datasets/registry.yaml"}, "a data set is one file"

    before = contents(folder)
    config = folder / "config" / "config.yaml"
    text = config.read_text(encoding="utf-8")
    studies = yaml.safe_load(text)["studies"]
    config.write_text(text.replace(f"[{', '.join(studies)}]", f"[{', '.join([*studies, 'sixth'])}]"), encoding="utf-8")
    (folder / "config" / "studies" / "sixth.yaml").write_text(STUDY)
    (folder / "config" / "published" / "sixth.csv").write_text(PUBLISHED)
    (folder / "pulab" / "protocols" / "sixth.py").write_text(PROTOCOL)
    (folder / "docs" / "studies" / "sixth.md").write_text(f"# A sixth paper\n\n{PAGE}")
    without = len(changed(folder, before))
    (folder / "pulab" / "claims" / "sixth.py").write_text(CLAIMS)
    assert len(changed(folder, before)) - without == 1, "a claim is one file"
    assert len(changed(folder, before)) == 6, "the study of a sixth paper is six files"

    before = contents(folder)
    (folder / "pulab" / "figures" / "kinds" / "sixth_bars.py").write_text(KIND)
    study = folder / "config" / "studies" / "sixth.yaml"
    study.write_text(study.read_text(encoding="utf-8").replace("figures: {}", FIGURE))
    assert len(changed(folder, before)) == 2, "a figure kind is two files"

    run = space.snakemake("publish", "--configfile", "config/paper.yaml", "--config", "studies=[sixth]")
    assert run.code == 0, run.text
    published = folder / "figures" / "paper"
    claims = pd.read_csv(published / "claims.csv")
    assert claims[["study", "id"]].to_numpy().tolist() == [["sixth", "ahead"]]
    assert set(claims["verdict"]) == {"holds"}
    cells = pd.read_csv(published / "scoreboard.csv")
    assert cells.loc[cells["column"] == "naive", "ours"].between(50, 100).all()
    assert (published / "sixth" / "figure1.svg").is_file()
    assert "it is ahead" in (folder / "docs" / "studies" / "sixth.md").read_text(encoding="utf-8")
