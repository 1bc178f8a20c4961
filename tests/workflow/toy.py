"""A toy study of five quick trials for each of two methods, for tests of how the workflow behaves."""

import shutil

import yaml

from pulab.plan.configuration import read_yaml

STUDY = {
    "title": "A toy study",
    "citation": "Nobody (2026)",
    "protocol": "pulab.protocols.toy.run",
    "settings": {"standard": {"split": {"scheme": "case_control", "n_labeled": 40}}},
    "tables": {
        "table1": {
            "kind": "comparison",
            "title": "Accuracy",
            "published": "1",
            "metric": "accuracy",
            "scale": 100,
            "rows": [{"label": "Cancer", "select": {"dataset": "breast_cancer"}}],
            "columns": [{"label": m, "select": {"method": m}} for m in ("forest", "tree")],
        }
    },
    "figures": {},
}
STUDY["presets"] = {
    name: {
        "repeats": 5,
        "batch_size": 5,
        "experiments": [{"datasets": ["breast_cancer"], "settings": ["standard"], "methods": ["forest", "tree"]}],
    }
    for name in ("quick", "paper")
}
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

def run(context):
    X, split = np.asarray(context.data.X), context.split
    rows = np.concatenate([split.labeled, split.unlabeled])
    y = np.repeat([1, 0], [len(split.labeled), len(split.unlabeled)])
    model = build(context).fit(X[rows], y)
    right = model.predict(X[split.test]) == context.data.y[split.test]
    return TrialResult(scalars={"accuracy": right.mean()}, series={"right": right.astype(float)})
"""
RESULTS = "results/quick/tidy/toy.parquet"
BATCH = "results/quick/trials/toy/breast_cancer/standard/{method}/0-4.csv"


def write_toy(space):
    """Make the toy study the only one of a workspace."""
    shutil.rmtree(space.folder / "config" / "studies")
    (space.folder / "config" / "studies").mkdir()
    (space.folder / "config" / "studies" / "toy.yaml").write_text(yaml.safe_dump(STUDY))
    (space.folder / "config" / "methods.yaml").write_text(yaml.safe_dump(METHODS))
    (space.folder / "config" / "published" / "toy.csv").write_text(
        "study,table,row,column,mean,sd,unit\ntoy,1,Cancer,forest,90.0,1.0,%\n"
    )
    (space.folder / "pulab" / "protocols" / "toy.py").write_text(PROTOCOL)
    config = read_yaml(space.folder / "config" / "config.yaml")
    (space.folder / "config" / "config.yaml").write_text(yaml.safe_dump(config | {"studies": ["toy"]}))
    return space


def without_compiling(space):
    """scikit-learn's forest in the place of ours, whose kernels are compiled anew in each workspace."""
    forest = {"estimator": "sklearn.ensemble.ExtraTreesClassifier", "params": {"n_estimators": 5}}
    edit(space.folder / "config" / "methods.yaml", lambda methods: methods["forest"].update(forest))
    return space


def edit(path, change):
    data = read_yaml(path)
    change(data)
    path.write_text(yaml.safe_dump(data))
