"""What a setting may say: options of each split scheme, and of each protocol's trials.

Planning checks them and imports neither scikit-learn nor a protocol; tests hold them against the functions that read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from pulab.trials.configuration import Entry, Method, check

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]
Size = Count | Share
Scenario = Literal["two_sample", "one_sample"]
Bias = Literal["posterior", "boundary"]
Params = dict[str, Any]


class AdapuSplit(Entry):
    scheme: Literal["adapu"] = "adapu"
    n_labeled: Size = 1000
    n_unlabeled: Size | None = None
    test: Literal["given", "last", "random"] = "given"
    n_test: Size = 0.2


class BiasedSplit(Entry):
    scheme: Literal["biased"] = "biased"
    n_labeled: Count = 1000
    kind: Bias = "posterior"
    power: float = 10.0
    test_fraction: Share = 0.2


class CaseControlSplit(Entry):
    scheme: Literal["case_control"] = "case_control"
    n_labeled: Count = 1000
    unlabeled: Literal["all", "rest"] = "all"
    prior: Literal["train_and_test", "train", "unlabeled"] | Share = "train_and_test"
    test_fraction: Share = 0.2
    redraw_labeled: bool = True


class CensoredSplit(Entry):
    scheme: Literal["censored"] = "censored"
    r: Share = 0.2
    n_folds: Count = 5
    validation_share: Share = 0.1
    hide: Literal["random", "last"] = "random"


class ContaminatedSplit(Entry):
    scheme: Literal["contaminated"] = "contaminated"
    n_labeled: Count = 100
    n_unlabeled: Count = 1000
    contamination_labeled: Share = 0.0
    contamination_unlabeled: Share = 0.0
    test: Literal["given", "fixed", "random"] = "given"
    n_test_positive: Count | None = None
    n_test_negative: Count | None = None
    generator: str | None = None


class ExpansionSplit(Entry):
    scheme: Literal["expansion"] = "expansion"
    later: list[Any] = []
    train_share: Share = 2 / 3
    stratify: bool = False


class GivenSplit(Entry):
    scheme: Literal["given"] = "given"
    held_out: Share = 0.3


class MechanismSplit(Entry):
    scheme: Literal["mechanism"] = "mechanism"
    scenario: Scenario = "two_sample"
    n_labeled: Count | None = None
    kind: Bias | None = None
    power: float = 1.0
    wrong_share: Share = 0.0
    max_labeled: Count = 1000
    max_unlabeled: Count = 10000
    max_test: Count = 10000
    test_fraction: Share = 0.3


Split = Annotated[
    AdapuSplit
    | BiasedSplit
    | CaseControlSplit
    | CensoredSplit
    | ContaminatedSplit
    | ExpansionSplit
    | GivenSplit
    | MechanismSplit,
    Field(discriminator="scheme"),
]
#: By ``split.scheme``.
SPLITS: dict[str, type[Entry]] = {model.model_fields["scheme"].default: model for model in get_args(get_args(Split)[0])}


class Estimator(Entry):
    """An estimator that a protocol makes besides the method's own."""

    estimator: str
    params: Params = {}
    labels: Literal["pu", "all"] = "all"
    times: Count = 1


class Prior(Entry):
    """The π that methods are given: a multiple of the true one, or an estimate."""

    factor: float = 1.0
    estimator: str = ""


class Divide(Entry):
    """All features, divided by one number."""

    divide: float


class Curves(Entry):
    """Curves of some repeats, at evenly spaced places."""

    repeats: list[int]
    points: Count


class Densities(Entry):
    """Smoothed densities of one method's training rows in the plane."""

    method: Method
    repeats: list[int]
    bins: Count
    extent: float


class Trials(Entry):
    """What every protocol reads: the given π, how rows are taken to be sampled, and more parameters of the estimator."""

    params: Params = {}
    prior: Prior = Prior()
    scenario: Scenario | None = None


class AdapuTrials(Trials):
    task: Literal["classify", "learning_rates", "readings", "traces"] = "classify"
    learning_rates: list[float] = []
    readings: dict[str, Params] = {}
    traces: dict[str, Params] = {}
    held_out: Share = 0.2


class LevelfieldTrials(Trials):
    task: Literal["fit", "tune"] = "fit"


class OpuTrials(Trials):
    task: Literal["accuracy", "sensitivity", "stream", "regret"] = "accuracy"
    alphas: list[float] = []
    checkpoints: Count = 1
    prior_percents: list[int] = []
    priors: list[Literal["population", "unlabeled"]] = []
    scaling: Literal["minus_one_to_one", "standard"] = "minus_one_to_one"
    tuning: Literal["pu_risk", "oracle"] = "pu_risk"


class PcesTrials(Trials):
    task: Literal["ranking", "map", "projection"] = "ranking"
    preference_weights: list[float] = []
    resolution: Count = 101


class PuetTrials(Trials):
    task: Literal["classify", "time", "thresholds", "class_importance", "top_features"] = "classify"
    importance: bool = False
    n_thresholds: list[Count] = []
    reference: Estimator | None = None
    sizes: list[Count] = []
    timed: dict[str, Estimator] = {}
    times: Count = 1


class ResvmTrials(Trials):
    task: Literal["grid_search", "random_search"] = "grid_search"
    curves: Curves | None = None
    densities: Densities | None = None
    n_folds: Count = 10
    n_iter: Count = 100
    scale: Literal["minmax"] | Divide | None = None


#: By protocol: what a setting's ``evaluate`` may hold.  A protocol of one's own reads what it likes.
EVALUATE: dict[str, type[Entry]] = {
    f"pulab.protocols.{model.__name__.removesuffix('Trials').lower()}.run": model
    for model in (AdapuTrials, LevelfieldTrials, OpuTrials, PcesTrials, PuetTrials, ResvmTrials)
}


def check_settings(study: Mapping[str, Any], where: str, methods: Iterable[str]) -> None:
    """Hold what each setting of a study says, and what is laid over it, against its scheme's and its protocol's options."""
    evaluate, settings = EVALUATE.get(study["protocol"]), study["settings"]
    parts = [(name, f"settings.{name}", setting) for name, setting in settings.items()]
    parts += [
        (name, f"settings.{name}.datasets.{pattern}", change)
        for name, setting in settings.items()
        for pattern, change in setting.get("datasets", {}).items()
    ]
    parts += [
        (name, f"presets.{preset}.settings.{pattern}", change)
        for preset, entry in study["presets"].items()
        for pattern, change in entry.get("settings", {}).items()
        for name in settings
        if fnmatchcase(name, pattern)
    ]
    for name, place, part in parts:
        check(SPLITS[settings[name]["split"]["scheme"]], part.get("split", {}), f"{where}: {place}.split")
        if evaluate:
            check(evaluate, part.get("evaluate", {}), f"{where}: {place}.evaluate", method=methods)
