"""A small study that never was, for tests of planning, identities, and trials."""

from dataclasses import dataclass
from typing import ClassVar

from pulab.plan import Experiment, Method, Preset, Setting, Study, Task
from pulab.plan.study import Recipe
from pulib.sampling import CaseControl

FOREST = "pulib.trees.PUExtraTreesClassifier"


@dataclass(frozen=True, kw_only=True)
class Classify(Task):
    """The only thing that its trials do."""

    name: ClassVar[str] = "classify"
    importance: bool = False


PLAIN = Classify()
tree = Method(name="tree", label="Tree", estimator="sklearn.tree.DecisionTreeClassifier", params={"max_depth": 3})
forest = Method(name="forest", label="Forest", estimator=FOREST, params={"n_estimators": 100, "loss": "quadratic"})
net = Method(name="net", label="Net", estimator="pulib.neural.NeuralPUClassifier", requires=("torch",))
setting = Setting("standard", "standard", CaseControl(n_labeled=1000), PLAIN).on("digits", n_labeled=50)


def quick_of(methods=(tree, forest), settings=(setting,), **sizes):
    """A preset of one experiment on the digits."""
    return Preset(experiments=[Experiment(datasets=["digits"], settings=settings, methods=methods)], **{"repeats": 2, **sizes})


def study_of(*, methods=(tree, forest, net), settings=(setting,), presets=None, **more):
    """The study, with some parts replaced; its module is one that there is."""
    presets = presets or {"quick": quick_of(methods, settings)}
    return Study(**{"name": "p", "title": "T", "module": "studies.puet", "methods": methods, "presets": presets, **more})


def recipe_of(method=forest, *, split=None, task=PLAIN, positive=(1,), data=None, loaders=(), module="studies.puet", study="p"):
    """What the results of a group of its trials follow from."""
    return Recipe(
        study=study,
        module=module,
        method=method,
        split=CaseControl(n_labeled=5) if split is None else split,
        task=task,
        positive=list(positive),
        data={"content_sha256": "0"} if data is None else data,
        loaders=tuple(loaders),
        versions={},
    )
