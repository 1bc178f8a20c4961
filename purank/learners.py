"""The learners of the bench, and how one of them is built for a table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulab.plan.canonical import estimators_in
from pulab.plan.configuration import Entry, check_name, read_yaml
from pulab.plan.versions import ESTIMATORS
from pulab.trials.runner import missing_library
from pulab.trials.trial import import_object, make_estimator


class Learner(Entry):
    """An entry of ``learners.yaml``.

    Attributes
    ----------
    name, label : str
    estimator : str
        Dotted path.
    params : dict
        Nested estimators are mappings with ``estimator`` and ``params``.
    standardize : bool
        Whether features are scaled by the training rows.
    requires : list of str
        Packages beyond pulib's own.
    default : bool
        Whether it is trained unless ``methods`` says otherwise.
    plain : bool
        Whether it is the ordinary classifier that the others have to beat.
    """

    name: str
    label: str
    estimator: str
    params: dict[str, Any] = {}
    standardize: bool = False
    requires: list[str] = []
    default: bool = False
    plain: bool = False

    @property
    def missing(self) -> str | None:
        """A package that it needs and that is not installed."""
        return missing_library(self.requires)

    @property
    def versions(self) -> dict[str, int]:
        """Declared versions of the estimators of ours in it: with another one it is trained again."""
        named = estimators_in({"estimator": self.estimator, "params": self.params})
        return {path: ESTIMATORS[path] for path in named if path in ESTIMATORS}

    def build(self, prior: float, seed: int, n_jobs: int = 1) -> Any:
        """An estimator that knows the share of positives among the unlabeled rows, which stand for its population."""
        cls = import_object(self.estimator)
        accepted = set(cls._get_param_names()) - set(self.params)
        given = {"prior": prior, "scenario": "two_sample"}
        params = {**self.params, **{name: value for name, value in given.items() if name in accepted}}
        estimator = make_estimator(self.estimator, params, seed, n_jobs)
        return make_pipeline(StandardScaler(), estimator) if self.standardize else estimator


@cache
def all_learners() -> dict[str, Learner]:
    """Every learner, by name."""
    entries = read_yaml(Path(__file__).with_name("learners.yaml"))
    return {name: Learner(name=name, **entry) for name, entry in entries.items()}


def chosen_learners(methods: str | Iterable[str]) -> list[Learner]:
    """The learners that ``methods`` names: "default", "all", or names; the plain one is always among them.

    Raises
    ------
    ConfigError
        For an unknown name.
    """
    known = all_learners()
    if methods == "all":
        return list(known.values())
    if methods == "default":
        return [learner for learner in known.values() if learner.default]
    names = [methods] if isinstance(methods, str) else list(methods)
    for name in names:
        check_name(name, known, "method", "methods")
    return [learner for learner in known.values() if learner.plain or learner.name in names]
