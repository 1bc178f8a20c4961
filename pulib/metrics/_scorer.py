"""PU metrics as scikit-learn's ``scoring``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import MetadataRequest

from pulib.metrics._estimates import proxy_average_precision, proxy_f1, proxy_precision, proxy_recall
from pulib.metrics._scores import proxy_accuracy, proxy_auc, pu_risk, pu_score

_OF_ANSWERS = {
    "pu_score": pu_score,
    "proxy_recall": proxy_recall,
    "proxy_accuracy": proxy_accuracy,
    "proxy_f1": proxy_f1,
    "proxy_precision": proxy_precision,
}
_OF_SCORES = {"proxy_auc": proxy_auc, "proxy_average_precision": proxy_average_precision, "pu_risk": pu_risk}
#: What can be computed without π.
_WITHOUT_PRIOR = ("pu_score", "proxy_recall")


class PUScorer:
    """A PU metric as scikit-learn's ``scoring``: called with a fitted estimator, rows and PU labels; greater is better.

    It serves ``cross_val_score``, ``GridSearchCV`` and ``TunedThresholdClassifierCV`` alike.

    Parameters
    ----------
    metric : {"pu_score", "proxy_accuracy", "proxy_f1", "proxy_precision", "proxy_recall", "proxy_auc", \
            "proxy_average_precision", "pu_risk"}
        What to compute; the risk is negated.
    prior : float in (0, 1) or None, default=None
        π.  None takes the estimator's own ``prior_``; ``proxy_auc`` then stays the area of labeled against unlabeled rows.
    scenario : {"two_sample", "one_sample"} or None, default=None
        None takes the estimator's own ``scenario``, or "two_sample" where it has none.  The own ones of a pipeline are its last
        step's, and those of a search its best estimator's.
    **options
        Passed to the metric, such as ``loss="sigmoid"`` for the risk.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from pulib import NaivePUClassifier
    >>> from pulib.metrics import PUScorer
    >>> X, y = make_classification(n_samples=300, random_state=0)
    >>> y[::2] = 0  # half of the positives lose their label
    >>> naive = NaivePUClassifier(LogisticRegression(class_weight="balanced"))
    >>> search = GridSearchCV(naive, {"estimator__C": [0.01, 1.0]}, scoring=PUScorer("pu_score"))
    >>> bool(search.fit(X, y).best_score_ > 0)
    True
    """

    def __init__(self, metric: str, *, prior: float | None = None, scenario: str | None = None, **options: Any):
        metrics = (*_OF_ANSWERS, *_OF_SCORES)
        if metric not in metrics:
            raise ValueError(f"metric={metric!r} is unknown; expected one of {metrics}.")
        self.metric = metric
        self.prior = prior
        self.scenario = scenario
        self.options = options

    def __repr__(self) -> str:
        settings = {"prior": self.prior, "scenario": self.scenario, **self.options}
        shown = "".join(f", {key}={value!r}" for key, value in settings.items() if value is not None)
        return f"PUScorer({self.metric!r}{shown})"

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        options = {"pos_label": own_attribute(estimator, "pos_label", None), **self.options}
        if self.metric in _WITHOUT_PRIOR:
            return _OF_ANSWERS[self.metric](y, estimator.predict(X), **options)
        options["scenario"] = self.scenario or own_attribute(estimator, "scenario", "two_sample")
        if self.metric == "proxy_auc":
            return proxy_auc(y, positive_scores(estimator, X), prior=self.prior, **options)
        options["prior"] = self._needed_prior(
            own_attribute(estimator, "prior_", None), f"{type(estimator).__name__} has no prior_"
        )
        if self.metric in _OF_ANSWERS:
            return _OF_ANSWERS[self.metric](y, estimator.predict(X), **options)
        score = _OF_SCORES[self.metric](y, positive_scores(estimator, X), **options)
        return -score if self.metric == "pu_risk" else score

    def _needed_prior(self, own: float | None, why: str) -> float:
        prior = own if self.prior is None else self.prior
        if prior is None:
            raise ValueError(f"{self!r} needs a prior: {why}. Pass prior=..., for instance from pulib.estimate_prior.")
        return prior

    # What scikit-learn's TunedThresholdClassifierCV reads of a scorer: it cuts the scores itself, and asks for each cut with
    # labels and answers alone.
    _sign = 1
    _kwargs: ClassVar[dict[str, Any]] = {}

    @property
    def _score_func(self) -> Callable[[Any, Any], float]:
        if self.metric not in _OF_ANSWERS:
            raise ValueError(
                f"{self!r} looks at scores, which no threshold changes; tune a threshold by one of {tuple(_OF_ANSWERS)}."
            )
        return self._score_answers

    def _score_answers(self, y: Any, y_pred: Any) -> float:
        options = dict(self.options)
        if self.metric not in _WITHOUT_PRIOR:
            options["prior"] = self._needed_prior(None, "a threshold is tuned without a look at the estimator's own")
            options["scenario"] = self.scenario or "two_sample"
        return _OF_ANSWERS[self.metric](y, y_pred, **options)

    def get_metadata_routing(self) -> MetadataRequest:
        """What is asked for beside rows and labels: nothing."""
        return MetadataRequest(owner=self)


def own_attribute(estimator: Any, name: str, default: Any) -> Any:
    """An attribute of the estimator, or of what it puts to use: a pipeline's last step, a search's best estimator."""
    if hasattr(estimator, name):
        return getattr(estimator, name)
    if hasattr(estimator, "best_estimator_"):
        return own_attribute(estimator.best_estimator_, name, default)
    if isinstance(estimator, Pipeline):
        return own_attribute(estimator[-1], name, default)
    return default


def positive_scores(estimator: Any, X: Any) -> np.ndarray:
    """Scores of which those above 0 mean positive."""
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    return estimator.predict_proba(X)[:, 1] - 0.5
