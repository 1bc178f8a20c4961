"""Four errands of docs/contributing.md, followed for real in a copy: data set, study of a sixth paper, claim, figure."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.workflow.conftest import ROOT
from tests.workflow.toy import FIGURES, PROTOCOL, STUDY, TABLES, edit_text, write_study

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
METHODS = """
LINEAR = {"estimator": "sklearn.linear_model.LogisticRegression"}
POSITIVE = {"strategy": "constant", "constant": 1}
METHODS = [
    Method(name="naive", label="naive", estimator="pulib.reductions.NaivePUClassifier", params={"estimator": LINEAR}),
    Method(name="trivial", label="all positive", estimator="sklearn.dummy.DummyClassifier", params=POSITIVE),
]
"""
#: What the study of a sixth paper has where the toy study has something else.
CHANGES = {
    "METHODS = list(shared_methods().values())": METHODS,
    "Experiment, ExpectedFailure": "Cause, Experiment, Method",
    "n_labeled=40": "n_labeled=20",
    "build(context)": "build(context, prior=split.prior)",
    "published=True)),": 'published=True)),\n    causes=[Cause(cause="unexplained", why="Nobody knows.")],',
    '"forest", "tree"': '"naive", "trivial"',
    "breast_cancer": "people",
    "Cancer": "People",
    "toy": "sixth",
}
PUBLISHED = "paper,table,row,column,mean,sd,unit\nsixth,1,People,naive,60.0,1.0,%\n"
PAGE = "# A sixth paper\n\n## Deviations\n\nNone.\n"
CLAIMS = '''
"""What the sixth paper says in words."""

from pulab.claims.cases import compare
from pulab.claims.evidence import Numbers
from pulab.claims.registry import claim


@claim(section="4", theme="accuracy", quote="it is ahead", unit="%")
def ahead(evidence):
    "Its mean accuracy is above that of calling all rows positive."
    accuracy = Numbers(dataset="people", setting="standard", metric="accuracy")
    yield from compare(evidence, [(accuracy(method="naive"), accuracy(method="trivial"))], "greater")
'''
SHOWN = ("    tables=", '    figures=named(figure1=Shown("Accuracy")),\n    tables=')


def sixth(text: str) -> str:
    for old, new in CHANGES.items():
        text = text.replace(old, new)
    return text


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
    write_study(folder, "sixth", study=sixth(STUDY), protocol=sixth(PROTOCOL), tables=sixth(TABLES))
    place = folder / "studies" / "sixth"
    (place / "published.csv").write_text(PUBLISHED)
    (place / "page.md").write_text(PAGE)
    assert {name for name in changed(folder, before) if not name.startswith("studies/sixth/")} == {"config/config.yaml"}, (
        "the study of a sixth paper is one folder and its name"
    )

    before = contents(folder)
    write_study(folder, "sixth", claims=CLAIMS)
    assert changed(folder, before) == {"studies/sixth/claims.py"}, "a claim is one file"

    before = contents(folder)
    write_study(folder, "sixth", figures=FIGURES)
    edit_text(place / "study.py", SHOWN)
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
