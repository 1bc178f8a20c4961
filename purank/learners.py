"""The learners that are compared: those of the level field at their defaults, as estimators."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib.boosting import AdaPUClassifier
from pulib.expansion import AUCBoostingClassifier, GetEnsembleClassifier
from pulib.linear import OnlinePUClassifier, UnbiasedPUClassifier
from pulib.neural import NeuralPUClassifier
from pulib.reductions import ElkanNotoClassifier, NaivePUClassifier, PUBaggingClassifier
from pulib.svm import BaggingSVC, ClassWeightedSVC, MappingConvergenceSVC, RobustEnsembleSVC
from pulib.trees import PUDecisionTreeClassifier, PUExtraTreesClassifier
from purank.question import QuestionError


@dataclass(frozen=True)
class Learner:
    """A learner of the comparison.

    Attributes
    ----------
    name, label : str
    make : callable
        Returns a new estimator.
    standardize : bool
        Whether features are scaled by the training rows.
    default : bool
        Whether it is trained unless ``methods`` says otherwise.
    requires : str
        A package beyond pulib's own.
    """

    name: str
    label: str
    make: Callable[[], Any]
    standardize: bool = False
    default: bool = False
    requires: str = ""

    @property
    def missing(self) -> str:
        """The package that it needs and that is not installed."""
        return self.requires if self.requires and find_spec(self.requires) is None else ""

    def build(self, prior: float, seed: int) -> Any:
        """An estimator that knows the share of positives among the unlabeled rows, which stand for its population."""
        estimator = self.make()
        known, params = {"prior": prior, "scenario": "two_sample"}, estimator.get_params()
        random = {name: seed for name, value in params.items() if name.endswith("random_state") and value is None}
        estimator.set_params(**{name: value for name, value in known.items() if name in params}, **random)
        return make_pipeline(StandardScaler(), estimator) if self.standardize else estimator


def _logistic() -> LogisticRegression:
    return LogisticRegression(max_iter=1000)


def _pulearn(name: str, **params: Any) -> Any:
    return getattr(import_module("pulearn"), name)(**params)


#: The ordinary classifier that treats unlabeled rows as negatives: the one to beat.
PLAIN = "naive_lr"
_SCALED: dict[str, Any] = {"standardize": True}
_DEFAULT: dict[str, Any] = {"default": True}
_BOTH: dict[str, Any] = {**_SCALED, **_DEFAULT}
# fmt: off
LEARNERS = {learner.name: learner for learner in (
    Learner(PLAIN, "naive, logistic regression", lambda: NaivePUClassifier(_logistic()), **_BOTH),
    Learner("naive_rf", "naive, random forest", lambda: NaivePUClassifier(RandomForestClassifier()), **_DEFAULT),
    Learner("naive_hgb", "naive, gradient boosting", lambda: NaivePUClassifier(HistGradientBoostingClassifier()), **_DEFAULT),
    Learner("elkan_noto_lr", "Elkan and Noto, logistic regression", lambda: ElkanNotoClassifier(_logistic()), **_BOTH),
    Learner("bagging_tree", "PU bagging, trees", PUBaggingClassifier, **_DEFAULT),
    Learner("bagging_lr", "PU bagging, logistic regression", lambda: PUBaggingClassifier(_logistic(), 10), **_BOTH),
    Learner("bagging_hgb", "PU bagging, gradient boosting", lambda: PUBaggingClassifier(HistGradientBoostingClassifier(), 10)),
    Learner("bagging_svm", "bagging SVM", BaggingSVC, **_BOTH),
    Learner("pu_et", "PU extra trees", PUExtraTreesClassifier, **_DEFAULT),
    Learner("adapu", "Ada-PU", AdaPUClassifier, **_DEFAULT),
    Learner("upu_logistic", "uPU, logistic", lambda: UnbiasedPUClassifier(loss="logistic"), **_BOTH),
    Learner("nnpu", "nnPU, MLP", lambda: NeuralPUClassifier(n_threads=1), **_BOTH, requires="torch"),
    Learner("pu_tree", "PU tree", PUDecisionTreeClassifier),
    Learner("opu", "OPU", OnlinePUClassifier, **_SCALED),
    Learner("upu", "uPU, double hinge", UnbiasedPUClassifier, **_SCALED),
    Learner("upu_gaussian", "uPU, Gaussian basis", lambda: UnbiasedPUClassifier(basis="gaussian"), **_SCALED),
    Learner("cwsvm", "class-weighted SVM", ClassWeightedSVC, **_SCALED),
    Learner("resvm", "RESVM", RobustEnsembleSVC, **_SCALED),
    Learner("pu_svm", "mapping convergence", MappingConvergenceSVC, **_SCALED),
    Learner("elkan_noto_rf", "Elkan and Noto, random forest", lambda: ElkanNotoClassifier(RandomForestClassifier())),
    Learner("elkan_noto_hgb", "Elkan and Noto, gradient boosting",
            lambda: ElkanNotoClassifier(HistGradientBoostingClassifier())),
    Learner("pulearn_elkan_noto", "pulearn 0.2: Elkan and Noto, random forest",
            lambda: _pulearn("ElkanotoPuClassifier", estimator=RandomForestClassifier()), requires="pulearn"),
    Learner("pulearn_bagging", "pulearn 0.2: PU bagging", lambda: _pulearn("BaggingPuClassifier"), requires="pulearn"),
    Learner("auc_boosting", "AUC boosting", AUCBoostingClassifier),
    Learner("get_ensemble", "GetEnsemble", GetEnsembleClassifier),
)}
# fmt: on


def chosen_learners(methods: str | Iterable[str]) -> list[Learner]:
    """The learners that ``methods`` names: "default", "all", or names; the plain one is always among them.

    Raises
    ------
    QuestionError
        For an unknown name.
    """
    if methods == "all":
        return list(LEARNERS.values())
    if methods == "default":
        return [learner for learner in LEARNERS.values() if learner.default]
    names = [methods] if isinstance(methods, str) else list(methods)
    for name in names:
        if name not in LEARNERS:
            near = difflib.get_close_matches(name, LEARNERS, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise QuestionError(f"methods: unknown method {name!r}{hint}; expected one of {sorted(LEARNERS)}")
    return [learner for learner in LEARNERS.values() if learner.name == PLAIN or learner.name in names]
