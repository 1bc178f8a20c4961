"""The unit of work: one trial, its inputs and its results.

A trial is (study, data set, setting, method, repeat).  What it does is the task of its setting; the study's ``protocol.py`` has
a function ``(context) -> TrialResult`` for each class of tasks, which tunes, fits and evaluates one method on one repeat.

Seeds depend only on a trial's key.  A change of that rule changes every result, so its version is part of all identities
(:data:`pulab.plan.versions.SEEDS`).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from pulab.plan.experiment import Method
from pulib.datasets import Dataset
from pulib.sampling import Split
from pulib.sampling.seeds import derive_seed as derive_seed
from pulib.sampling.seeds import split_seed as split_seed


@dataclass(frozen=True)
class TrialContext:
    """Input of a protocol.

    Attributes
    ----------
    study, dataset_name, setting_name, method_name, repeat
        The trial's key.
    data : Dataset
    split : Split
        Shared by all methods of a (study, data set, setting, repeat).
    method : Method
        As used on this data set.
    task : Task
        What the trial does.
    n_jobs : int
        Number of threads that the trial may use.  Results never depend on it.
    """

    study: str
    dataset_name: str
    setting_name: str
    method_name: str
    repeat: int
    data: Dataset
    split: Split
    method: Method
    task: Any
    n_jobs: int = 1

    @property
    def seed(self) -> int:
        """Seed of all random draws of the method."""
        return derive_seed(self.study, self.dataset_name, self.setting_name, self.method_name, self.repeat)

    @property
    def shared_seed(self) -> int:
        """Seed that all methods of a (study, data set, setting, repeat) share, for example for folds."""
        return derive_seed(self.study, self.dataset_name, self.setting_name, "shared", self.repeat)


def import_object(path: str) -> Any:
    """Return the object of a dotted path such as ``pulib.trees.PUExtraTreesClassifier``."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def make_estimator(path: str, params: Mapping[str, Any], seed: int, n_jobs: int) -> Any:
    """Build an estimator from its dotted path; nested ``{"estimator": path, "params": {...}}`` values are built too."""
    cls = import_object(path)
    built = {
        key: make_estimator(value["estimator"], value.get("params", {}), seed, n_jobs)
        if isinstance(value, Mapping) and "estimator" in value
        else value
        for key, value in params.items()
    }
    accepted = cls._get_param_names() if hasattr(cls, "_get_param_names") else ()
    defaults = {"random_state": seed, "n_jobs": n_jobs}
    return cls(**{**{key: value for key, value in defaults.items() if key in accepted}, **built})


#: One value per step, or a pair of steps and values.
Series: TypeAlias = np.ndarray | tuple[np.ndarray, np.ndarray]


@dataclass
class TrialResult:
    """Results of a trial.  All except ``seconds`` must depend only on the trial's identity.

    ``scalars`` are single numbers, such as ``accuracy`` (0 to 1).  ``series`` have one value per step, such as
    ``test_accuracy_by_round`` or ``importance``; a pair of arrays ``(steps, values)`` sets the steps (integers), which are
    otherwise 0, 1, 2, ...  Measured ``seconds`` are stored separately, since they differ between runs.
    """

    scalars: dict[str, float] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
