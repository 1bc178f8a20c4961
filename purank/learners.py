"""The learners to compare: those of the level field at their defaults, as estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib.biased import LabelingBiasPUClassifier
from pulib.boosting import AdaPUClassifier, PUGradientBoostingClassifier
from pulib.expansion import AUCBoostingClassifier, GetEnsembleClassifier
from pulib.linear import OnlinePUClassifier, UnbiasedPUClassifier
from pulib.neural import CVIRClassifier, NeuralPUClassifier, VariationalPUClassifier
from pulib.reductions import (
    DEDPULClassifier,
    ElkanNotoClassifier,
    NaivePUClassifier,
    OneClassPUClassifier,
    PUBaggingClassifier,
    TwoStepPUClassifier,
)
from pulib.svm import BaggingSVC, ClassWeightedSVC, MappingConvergenceSVC, RobustEnsembleSVC
from pulib.trees import PUDecisionTreeClassifier, PUExtraTreesClassifier
from purank.question import QuestionError
from purank.tables import did_you_mean


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
        """A required package that is not installed."""
        return self.requires if self.requires and find_spec(self.requires) is None else ""

    def build(self, prior: float, seed: int) -> Any:
        """Return an estimator given the share of positives among the unlabeled rows, which represent its population."""
        estimator = self.make()
        known, params = {"prior": prior, "scenario": "two_sample"}, estimator.get_params()
        random = {name: seed for name, value in params.items() if name.endswith("random_state") and value is None}
        estimator.set_params(**{name: value for name, value in known.items() if name in params}, **random)
        return make_pipeline(StandardScaler(), estimator) if self.standardize else estimator


def _logistic() -> LogisticRegression:
    return LogisticRegression(max_iter=1000)


#: The ordinary classifier that treats unlabeled rows as negatives: the one to beat.
PLAIN = "naive_lr"
_SCALED: dict[str, Any] = {"standardize": True}
_DEFAULT: dict[str, Any] = {"default": True}
_BOTH: dict[str, Any] = {**_SCALED, **_DEFAULT}
_TORCH: dict[str, Any] = {"requires": "torch"}
# fmt: off
LEARNERS = {learner.name: learner for learner in (
    Learner("boosting", "PU gradient boosting", PUGradientBoostingClassifier, **_DEFAULT, requires="xgboost"),
    Learner("bagging_tree", "PU bagging, trees", PUBaggingClassifier, **_DEFAULT),
    Learner("dedpul", "DEDPUL", DEDPULClassifier, **_DEFAULT),
    Learner("pu_et", "PU extra trees", PUExtraTreesClassifier, **_DEFAULT),
    Learner("bagging_svm", "bagging SVM", BaggingSVC, **_BOTH),
    Learner("cvir", "CVIR", lambda: CVIRClassifier(n_threads=1), **_BOTH, **_TORCH),
    Learner("nnpu", "nnPU, MLP", lambda: NeuralPUClassifier(n_threads=1), **_SCALED, **_TORCH),
    Learner("bagging_lr", "PU bagging, logistic regression", lambda: PUBaggingClassifier(_logistic(), 10), **_BOTH),
    Learner("resvm", "RESVM", RobustEnsembleSVC, **_SCALED),
    Learner("upu", "uPU, double hinge", UnbiasedPUClassifier, **_SCALED),
    Learner("upu_logistic", "uPU, logistic", lambda: UnbiasedPUClassifier(loss="logistic"), **_BOTH),
    Learner("elkan_noto_hgb", "Elkan and Noto, gradient boosting",
            lambda: ElkanNotoClassifier(HistGradientBoostingClassifier())),
    Learner("naive_hgb", "naive, gradient boosting", lambda: NaivePUClassifier(HistGradientBoostingClassifier()), **_DEFAULT),
    Learner("bagging_hgb", "PU bagging, gradient boosting", lambda: PUBaggingClassifier(HistGradientBoostingClassifier(), 10)),
    Learner("elkan_noto_lr", "Elkan and Noto, logistic regression", lambda: ElkanNotoClassifier(_logistic()), **_BOTH),
    Learner(PLAIN, "naive, logistic regression", lambda: NaivePUClassifier(_logistic()), **_BOTH),
    Learner("two_step", "two steps, logistic regression", lambda: TwoStepPUClassifier(_logistic()), **_SCALED),
    Learner("vpu", "VPU", lambda: VariationalPUClassifier(n_threads=1), **_SCALED, **_TORCH),
    Learner("opu", "OPU", OnlinePUClassifier, **_SCALED),
    Learner("upu_gaussian", "uPU, Gaussian basis", lambda: UnbiasedPUClassifier(basis="gaussian"), **_SCALED),
    Learner("naive_rf", "naive, random forest", lambda: NaivePUClassifier(RandomForestClassifier())),
    Learner("elkan_noto_rf", "Elkan and Noto, random forest", lambda: ElkanNotoClassifier(RandomForestClassifier())),
    Learner("auc_boosting", "AUC boosting", AUCBoostingClassifier),
    Learner("adapu", "Ada-PU", AdaPUClassifier),
    Learner("lbe", "LBE", LabelingBiasPUClassifier, **_SCALED),
    Learner("pu_svm", "mapping convergence", MappingConvergenceSVC, **_SCALED),
    Learner("cwsvm", "class-weighted SVM", ClassWeightedSVC, **_SCALED),
    Learner("get_ensemble", "GetEnsemble", GetEnsembleClassifier),
    Learner("pu_tree", "PU tree", PUDecisionTreeClassifier),
    Learner("one_class", "one class", OneClassPUClassifier),
)}
# fmt: on


def chosen_learners(methods: str | Iterable[str]) -> list[Learner]:
    """Return the learners given by ``methods``: "default", "all", or names; the plain one is always included.

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
            hint = did_you_mean(name, LEARNERS)
            raise QuestionError(f"methods: unknown method {name!r}{hint}; expected one of {sorted(LEARNERS)}")
    return [learner for learner in LEARNERS.values() if learner.name == PLAIN or learner.name in names]
