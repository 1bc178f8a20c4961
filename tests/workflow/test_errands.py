"""Four errands of docs/contributing.md, followed for real in a copy: data set, study of a sixth paper, claim, figure."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.workflow.conftest import ROOT
from tests.workflow.toy import edit_text, write_study

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
STUDY = '''
"""A sixth paper: what is run, and what is shown."""

from dataclasses import dataclass
from typing import ClassVar

from pulab.plan import Cause, Experiment, Method, Preset, Setting, Shown, Study, Task, named
from pulib.sampling import CaseControl


@dataclass(frozen=True, kw_only=True)
class Classify(Task):
    name: ClassVar[str] = "classify"


LINEAR = {"estimator": "sklearn.linear_model.LogisticRegression"}
naive = Method(name="naive", label="naive", estimator="pulib.reductions.NaivePUClassifier", params={"estimator": LINEAR})
POSITIVE = {"strategy": "constant", "constant": 1}
trivial = Method(name="trivial", label="all positive", estimator="sklearn.dummy.DummyClassifier", params=POSITIVE)
standard = Setting("standard", "20 labels", CaseControl(n_labeled=20), Classify())
everything = Experiment(datasets=["people"], settings=[standard], methods=[naive, trivial])
STUDY = Study(
    name="sixth",
    title="A sixth paper",
    citation="Nobody (2026)",
    methods=[naive, trivial],
    presets={"paper": Preset(repeats=3, experiments=[everything])},
    tables=named(table1=Shown("Accuracy", published=True)),
    causes=[Cause(cause="unexplained", why="Nobody knows.")],
)
'''
PROTOCOL = '''
"""Trials of a sixth paper: test accuracy."""

import numpy as np

from pulab.trials.protocol import build, given_prior, load_rows, predictions_of
from pulab.trials.trial import TrialResult
from studies.sixth.study import Classify


def _classify(context):
    rows = load_rows(context)
    estimator = build(context, prior=given_prior(context)).fit(rows.X, rows.y)
    return TrialResult(scalars={"accuracy": float(np.mean(predictions_of(estimator, rows.X_test) == rows.truth_test))})


RUN = {Classify: _classify}
'''
TABLES = '''
"""The table of the sixth paper."""

from pulab.tables import comparison, place


def table1(results, paper):
    rows, columns = [place("People", dataset="people")], [place("naive", method="naive")]
    return comparison(results, paper, "1", rows, columns, metric="accuracy", scale=100)
'''
PUBLISHED = "paper,table,row,column,mean,sd,unit\nsixth,1,People,naive,60.0,1.0,%\n"
PAGE = "# A sixth paper\n\n## Deviations\n\nNone.\n"
CLAIMS = '''
"""What the sixth paper says in words."""

from pulab.claims.cases import compare
from pulab.claims.evidence import Numbers
from pulab.claims.registry import claim


@claim(section="4", quote="it is ahead", unit="%")
def ahead(evidence):
    "Its mean accuracy is above that of calling all rows positive."
    accuracy = Numbers(dataset="people", setting="standard", metric="accuracy")
    yield from compare(evidence, [(accuracy(method="naive"), accuracy(method="trivial"))], "greater")
'''
SHOWN = ("    causes=", '    figures=named(figure1=Shown("Accuracy")),\n    causes=')
FIGURES = '''
"""The figure of the sixth paper."""

from matplotlib.figure import Figure


def figure1(results, paper):
    """Mean accuracy by method, a bar each."""
    tidy = results.tidy
    means = tidy[tidy["metric"] == "accuracy"].groupby("method", observed=True)["value"].mean()
    fig = Figure()
    fig.subplots().bar([results.labels[method] for method in means.index], means)
    return fig
'''


def changed(folder: Path, before: dict[str, bytes]) -> set[str]:
    return {name for name, content in contents(folder).items() if before.get(name) != content}


def contents(folder: Path) -> dict[str, bytes]:
    places = ("config", "pulab", "pulib", "studies", "docs", "workflow")
    files = (file for place in places for file in (folder / place).rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files if file.suffix not in (".nbi", ".nbc")}


def test_a_data_set_a_study_a_claim_and_a_figure_are_added_and_archived(make_workspace):
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
    write_study(folder, "sixth", study=STUDY, protocol=PROTOCOL, tables=TABLES)
    sixth = folder / "studies" / "sixth"
    (sixth / "published.csv").write_text(PUBLISHED)
    (sixth / "page.md").write_text(PAGE)
    assert {name for name in changed(folder, before) if not name.startswith("studies/sixth/")} == {"config/config.yaml"}, (
        "the study of a sixth paper is one folder and its name"
    )

    before = contents(folder)
    write_study(folder, "sixth", claims=CLAIMS)
    assert changed(folder, before) == {"studies/sixth/claims.py"}, "a claim is one file"

    before = contents(folder)
    write_study(folder, "sixth", figures=FIGURES)
    edit_text(sixth / "study.py", SHOWN)
    assert changed(folder, before) == {"studies/sixth/figures.py", "studies/sixth/study.py"}, "a figure is two files"

    run = space.snakemake("archive", "--configfile", "config/paper.yaml", "--config", "studies=[sixth]")
    assert run.code == 0, run.text
    archived = folder / "figures" / "paper"
    claims = pd.read_csv(archived / "claims.csv")
    assert claims[["study", "id"]].to_numpy().tolist() == [["sixth", "ahead"]]
    assert set(claims["verdict"]) == {"holds"}
    cells = pd.read_csv(archived / "scoreboard.csv")
    assert cells.loc[cells["column"] == "naive", "ours"].between(50, 100).all()
    assert (archived / "sixth" / "figure1.svg").is_file()
    assert "it is ahead" in (archived / "claims.md").read_text(encoding="utf-8")
