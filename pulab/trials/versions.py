"""Declared versions: what a trial's numbers follow from besides its configuration, each with a small integer.

Raise a version in the same commit as a change that moves numbers; the published trials that were made with the old one are then
outdated, and a run makes them again.  Code that is moved, renamed, or made faster with the same numbers keeps its version:
``tests/golden`` holds what each of these gives on small inputs, and fails where it gives something else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulib.sampling import SCHEMES

#: By dotted path.  A class of another package has none: the version of the package is part of a trial's label.
ESTIMATORS = {
    "studies.levelfield.protocol.ShareAtRandom": 1,
    "studies.pces.protocol.RandomRanking": 1,
    "studies.pces.pruned_tree.PrunedTreeRegressor": 1,
    "pulib.biased.BiasedPUClassifier": 1,
    "pulib.boosting.AdaPUClassifier": 1,
    "pulib.expansion.AUCBoostingClassifier": 2,
    "pulib.expansion.GetEnsembleClassifier": 1,
    "pulib.expansion.SGBDotaClassifier": 2,
    "pulib.linear.OnlinePUClassifier": 1,
    "pulib.linear.UnbiasedPUClassifier": 1,
    "pulib.neural.NeuralPUClassifier": 1,
    "pulib.neural.SelfPUClassifier": 1,
    "pulib.reductions.ElkanNotoClassifier": 1,
    "pulib.reductions.NaivePUClassifier": 1,
    "pulib.reductions.PUBaggingClassifier": 1,
    "pulib.reductions.PUCalibratedClassifier": 1,
    "pulib.reductions.PUThresholdClassifier": 1,
    "pulib.svm.BaggingSVC": 1,
    "pulib.svm.ClassWeightedLinearSVC": 1,
    "pulib.svm.ClassWeightedSVC": 1,
    "pulib.svm.MappingConvergenceSVC": 1,
    "pulib.svm.RobustEnsembleSVC": 1,
    "pulib.trees.PUDecisionTreeClassifier": 1,
    "pulib.trees.PUExtraTreesClassifier": 1,
}
#: By class and parameter whose default has changed, its defaults so far, the present one last.  A trial that leaves the
#: parameter to its default gets another identity; one that sets it to a default of before keeps the identity that it had.
DEFAULTS: dict[str, dict[str, list[Any]]] = {
    "pulib.neural.NeuralPUClassifier": {
        "loss": ["sigmoid", "logistic"],
        "batch_size": [500, 250],
        "weight_decay": [0.005, 0.05],
        "input_scaling": [None, "auto"],
    },
    "pulib.neural.SelfPUClassifier": {"input_scaling": [None, "auto"]},
}
#: By class, parameters that came after trials were published, with the value that stands for what fits gave before: a trial
#: that sets it, or leaves the parameter to its default, keeps its identity.  The default of ``training_prior``, "auto", gives
#: something else where π < 1/8 alone; of the tasks with published trials that is ijcnn1, whose methods set it.
ADDED: dict[str, dict[str, Any]] = {
    "pulib.boosting.AdaPUClassifier": {"training_prior": None},
    "pulib.linear.OnlinePUClassifier": {"training_prior": None},
    "pulib.linear.UnbiasedPUClassifier": {"training_prior": None},
    "pulib.trees.PUDecisionTreeClassifier": {"training_prior": None},
    "pulib.trees.PUExtraTreesClassifier": {"training_prior": None},
}
#: By protocol (``pulab.protocols.<name>.run``) and task; the first task is the one that a setting without ``task`` runs.
PROTOCOLS = {
    "adapu": {"classify": 1, "learning_rates": 1, "readings": 1, "traces": 1},
    "levelfield": {"fit": 1, "tune": 1},
    "opu": {"accuracy": 1, "sensitivity": 1, "stream": 1, "regret": 1},
    "pces": {"ranking": 1, "map": 1, "projection": 1},
    "puet": {"classify": 1, "time": 1, "thresholds": 1, "class_importance": 1, "top_features": 1},
    "resvm": {"grid_search": 1, "random_search": 1},
}
#: By ``split.scheme``; a scheme declares its own.
SPLITS = {name: scheme.version for name, scheme in SCHEMES.items()}
#: By ``loader`` of the registry; and by the name of a generator, which the loader ``generated`` and a split may call.
LOADERS = {
    "breast_cancer": 1,
    "cifar10": 1,
    "covtype": 1,
    "digits": 1,
    "expansion_table": 1,
    "generated": 1,
    "gist": 1,
    "idx": 1,
    "libsvm": 1,
    "make_circle_noise": 1,
    "make_expanding_clusters": 1,
    "newsgroups_glove": 1,
    "newsgroups_svd": 1,
    "npz": 1,
    "pu_table": 1,
    "svhn": 1,
    "table": 1,
    "unsw_nb15": 1,
}
#: The rule from a trial's key to its seeds (:mod:`pulab.trials.seeds`).
SEEDS = 1


def estimators_in(value: Any) -> Iterator[tuple[str, Mapping[str, Any], set[str]]]:
    """Each class that a configuration names, the parameters that are set for it, and those that are tuned."""
    if isinstance(value, Mapping):
        path = value.get("estimator")
        if isinstance(path, str) and "." in path:
            yield path, value.get("params", {}), set(value.get("grid") or value.get("options", {}).get("box") or {})
        for part in value.values():
            yield from estimators_in(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from estimators_in(part)


def declared_versions(spec: Mapping[str, Any], loaders: Iterable[str] = ()) -> dict[str, int]:
    """The versions that a trial's numbers follow from.

    Parameters
    ----------
    spec : mapping
        The resolved configuration: ``protocol`` (dotted path), ``method``, ``setting``, ``split``.
    loaders : iterable of str
        The keys of :data:`LOADERS` that its data comes through.

    Returns
    -------
    versions : dict
        By kind and name, as in ``{"estimator pulib.svm.BaggingSVC": 1, "protocol resvm.grid_search": 1}``.

    Examples
    --------
    >>> spec = {"protocol": "studies.levelfield.protocol.run", "method": {"estimator": "pulib.svm.BaggingSVC"}, "setting": {},
    ...         "split": {"scheme": "given", "options": {}}}
    >>> sorted(declared_versions(spec, ["table"]))
    ['estimator pulib.svm.BaggingSVC', 'loader table', 'protocol levelfield.fit', 'seeds', 'split given']
    """
    found = {"seeds": SEEDS}
    for path, params, tuned in estimators_in([spec["method"], spec["setting"]]):
        found |= {f"estimator {path}": ESTIMATORS[path]} if path in ESTIMATORS else {}
        for name, defaults in DEFAULTS.get(path, {}).items():
            value = params.get(name, defaults[-1])
            place = place_of_default(path, name, value) if name in params or name not in tuned else None
            if place:
                found[f"default {path}({name})"] = place + 1
    name = protocol_name(spec)
    protocol, _, task = name.partition(".")
    if protocol in PROTOCOLS:
        found[f"protocol {name}"] = PROTOCOLS[protocol].get(task, 1)
    scheme, options = spec["split"]["scheme"], spec["split"].get("options", {})
    found[f"split {scheme}"] = SPLITS.get(scheme, 1)
    generators = [f"make_{options['generator']}"] if options.get("generator") else []
    for loader in [*loaders, *generators]:
        found[f"loader {loader}"] = LOADERS.get(loader, 1)
    return found


def protocol_name(spec: Mapping[str, Any]) -> str:
    """``<protocol>.<task>``, as golden numbers are called; a protocol of one task by its own name alone."""
    protocol = spec["protocol"].removeprefix("pulab.protocols.").removesuffix(".run")
    task = spec["setting"].get("task") or next(iter(PROTOCOLS.get(protocol, {"": 1})))
    return f"{protocol}.{task}" if task else protocol


def place_of_default(path: str, name: str, value: Any) -> int | None:
    """Which of a parameter's defaults a value is, counted from 0; None for any other value."""
    known = [json.dumps(default, sort_keys=True, default=str) for default in DEFAULTS.get(path, {}).get(name, [])]
    text = json.dumps(value, sort_keys=True, default=str)
    return known.index(text) if text in known else None
