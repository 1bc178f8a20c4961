"""A toy study of five quick trials for each of two methods, for tests of how the workflow behaves."""

import yaml

from pulab.plan.configuration import read_yaml

STUDY = """
from dataclasses import dataclass
from typing import ClassVar

from pulab.plan import Experiment, ExpectedFailure, Preset, Setting, Shown, Study, Task, named
from pulab.plan.load import shared_methods
from pulib.sampling import CaseControl


@dataclass(frozen=True, kw_only=True)
class Classify(Task):
    name: ClassVar[str] = "classify"


METHODS = list(shared_methods().values())
DATASETS = ["breast_cancer"]
standard = Setting("standard", "standard", CaseControl(n_labeled=40), Classify())
toys = Experiment(datasets=DATASETS, settings=[standard], methods=METHODS)
STUDY = Study(
    name="toy",
    title="A toy study",
    citation="Nobody (2026)",
    methods=METHODS,
    presets=dict.fromkeys(("quick", "paper"), Preset(repeats=5, batch_size=5, experiments=[toys])),
    tables=named(table1=Shown("Accuracy", published=True)),
)
"""
TABLES = """
from pulab.tables import comparison, place

ROWS = [place("Cancer", dataset="breast_cancer")]


def table1(results, paper):
    columns = [place(name, method=name) for name in ("forest", "tree")]
    return comparison(results, paper, "1", ROWS, columns, metric="accuracy", scale=100)
"""
METHODS = {
    "forest": {
        "label": "forest",
        "estimator": "pulib.trees.PUExtraTreesClassifier",
        "params": {"n_estimators": 5, "prior": 0.4},
    },
    "tree": {"label": "tree", "estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 3}},
}
PROTOCOL = """
import numpy as np
from pulab.trials.protocol import build
from pulab.trials.trial import TrialResult
from studies.toy.study import Classify

def run(context):
    X, split = np.asarray(context.data.X), context.split
    rows = np.concatenate([split.labeled, split.unlabeled])
    y = np.repeat([1, 0], [len(split.labeled), len(split.unlabeled)])
    model = build(context).fit(X[rows], y)
    right = model.predict(X[split.test]) == context.data.y[split.test]
    return TrialResult(scalars={"accuracy": right.mean()}, series={"right": right.astype(float)})

RUN = {Classify: run}
"""
FIGURES = """
from matplotlib.figure import Figure


def figure1(results, paper):
    fig = Figure()
    fig.subplots().plot(results.tidy.loc[results.tidy["metric"] == "accuracy", "value"])
    return fig
"""
RESULTS = "results/quick/tidy/toy.parquet"
BATCH = "results/quick/trials/toy/breast_cancer/standard/{method}/0-4.csv"


def write_toy(space):
    """Make the toy study the only one that a workspace runs; its methods are those of ``config/methods.yaml``, to edit."""
    (space.folder / "config" / "methods.yaml").write_text(yaml.safe_dump(METHODS))
    write_study(space.folder, "toy", study=STUDY, protocol=PROTOCOL, tables=TABLES)
    (space.folder / "studies" / "toy" / "published.csv").write_text(
        "study,table,row,column,mean,sd,unit\ntoy,1,Cancer,forest,90.0,1.0,%\n"
    )
    edit(space.folder / "config" / "config.yaml", lambda config: config.update(studies=["toy"]))
    return space


def write_study(folder, name, **modules):
    """A folder of ``studies/`` with these modules in it."""
    place = folder / "studies" / name
    place.mkdir(exist_ok=True)
    for module, text in {"__init__": "", **modules}.items():
        (place / f"{module}.py").write_text(text.lstrip("\n"))


def without_compiling(space):
    """scikit-learn's forest in the place of ours, whose kernels are compiled anew in each workspace."""
    forest = {"estimator": "sklearn.ensemble.ExtraTreesClassifier", "params": {"n_estimators": 5}}
    edit(space.folder / "config" / "methods.yaml", lambda methods: methods["forest"].update(forest))
    return space


def edit(path, change):
    data = read_yaml(path)
    change(data)
    path.write_text(yaml.safe_dump(data))


def edit_text(path, *changes):
    """Replace a text by another one in a file; each must be there."""
    text = path.read_text()
    for old, new in changes:
        assert old in text, f"{path} has no {old!r}"
        text = text.replace(old, new)
    path.write_text(text)
