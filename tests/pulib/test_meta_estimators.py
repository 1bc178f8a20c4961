"""Labels in scikit-learn's meta-estimators, which may replace them by codes, are used correctly or raise an error."""

from itertools import cycle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

from pulib import PUExtraTreesClassifier

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(0)
TRUTH = np.arange(240) % 2 == 0
X = RNG.normal(size=(240, 3)) + np.where(TRUTH, 1.5, -1.5)[:, None]
LABELED = TRUTH & (RNG.random(240) < 0.6)
PAIRS = [(1, 0), (1, -1), (True, False), (1, 2), (0, 1), (-1, 1), (2, 0), ("positive", "unlabeled"), ("yes", "no"), ("1", "0")]
CLEAR = PAIRS[:3]
REVERSED = (0, 1)

OF_COLUMNS = ("MultiOutputClassifier", "ClassifierChain")
#: Meta-estimators that always replace labels by codes.
ENCODING = ("VotingClassifier", "BaggingClassifier", "StackingClassifier", "OneVsRestClassifier", "OneVsOneClassifier")
WITH_CLASSIFIER = {
    "AdaBoostClassifier": lambda e: AdaBoostClassifier(clone(e).set_params(bootstrap=True), n_estimators=2),
    "BaggingClassifier": lambda e: BaggingClassifier(e, 3, random_state=0),
    "CalibratedClassifierCV": lambda e: CalibratedClassifierCV(e, cv=2),
    "ClassifierChain": lambda e: ClassifierChain(e),
    "FixedThresholdClassifier": lambda e: FixedThresholdClassifier(e),
    "FrozenEstimator": FrozenEstimator,
    "GridSearchCV": lambda e: GridSearchCV(e, {"n_estimators": [2, 5]}, cv=2),
    "MultiOutputClassifier": lambda e: MultiOutputClassifier(e),
    "OneVsOneClassifier": lambda e: OneVsOneClassifier(e),
    "OneVsRestClassifier": lambda e: OneVsRestClassifier(e),
    "OutputCodeClassifier": lambda e: OutputCodeClassifier(e, random_state=0),
    "Pipeline": lambda e: make_pipeline(StandardScaler(), e),
    "SelfTrainingClassifier": lambda e: SelfTrainingClassifier(e, max_iter=2),
    "StackingClassifier": lambda e: StackingClassifier([("pu", e)], final_estimator=clone(e), cv=2),
    "TunedThresholdClassifierCV": lambda e: TunedThresholdClassifierCV(e, cv=2),
    "VotingClassifier": lambda e: VotingClassifier([("pu", e)], voting="soft"),
}


def labels(pair):
    return np.where(LABELED, *pair)


def learner(pair, *, named=True):
    names = dict(zip(("pos_label", "unlabeled_label"), pair, strict=True)) if named else {}
    return PUExtraTreesClassifier(10, prior=0.5, random_state=0, **names)


def score(fitted, pair):
    """Return the scores of the labeled class; None for a meta-estimator that only selects columns or votes."""
    if hasattr(fitted, "predict_proba"):
        answer = fitted.predict_proba(X)
        answer = answer[0] if isinstance(answer, list) else answer
        return answer[:, -1] if isinstance(fitted.classes_, list) else answer[:, list(fitted.classes_).index(pair[0])]
    if hasattr(fitted, "decision_function"):
        return fitted.decision_function(X) * (1 if fitted.classes_[1] == pair[0] else -1)
    return None


def cases():
    """Yield each meta-estimator with the usual or reversed labels, and with another pair, clear or not."""
    usual = cycle([(1, 0), REVERSED])
    others = cycle([pair for pair in PAIRS if pair not in ((1, 0), REVERSED)])
    for name in WITH_CLASSIFIER:
        for pair in (next(usual), next(others)):
            yield pytest.param(name, pair, id=f"{name}-{pair}")
    yield pytest.param("SelfTrainingClassifier", (1, -1), id="labels that mean something else")


@pytest.mark.parametrize(("name", "pair"), list(cases()))
def test_labels_are_used_correctly_or_raise_an_error(name, pair):
    clear = pair in CLEAR
    inner, y = learner(pair, named=not clear), labels(pair)
    if name == "FrozenEstimator":
        inner = learner(pair, named=not clear) if pair == REVERSED else inner.fit(X, y)
    meta = WITH_CLASSIFIER[name](inner)
    message, scores, answers = None, None, None
    try:
        meta.fit(X, y[:, None] if name in OF_COLUMNS else y)
        if hasattr(meta, "classes_"):
            scores, answers = score(meta, pair), np.ravel(meta.predict(X))
            if name == "ClassifierChain":  # its predictions are numbers
                answers, pair = answers.astype(float), tuple(map(float, pair))
    except (ValueError, IndexError) as error:
        message = str(error)
    if clear and (name, pair) != ("SelfTrainingClassifier", (1, -1)):  # it reads -1 as a missing label
        assert message is None
    if pair == REVERSED and name != "FrozenEstimator":
        assert "Exchange them (1 - y)" in message
        return
    if name in ENCODING and not clear:
        assert "pass them 1 (labeled) and 0 (unlabeled)" in message
    if scores is not None:
        assert roc_auc_score(TRUTH, scores) > 0.9
    # columns of an output code may have labeled rows as -1 and unlabeled rows as 1, which is not a PU problem
    if answers is not None and message is None and name != "OutputCodeClassifier":
        assert np.mean((answers == pair[0]) == TRUTH) > 0.7
