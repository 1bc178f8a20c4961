"""PU metrics as scikit-learn's ``scoring``."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from pulib.metrics._scores import proxy_accuracy, proxy_auc, pu_risk, pu_score


class PUScorer:
    """A PU metric as scikit-learn's ``scoring``: called with a fitted estimator, rows and PU labels; greater is better.

    Parameters
    ----------
    metric : {"pu_score", "proxy_accuracy", "proxy_auc", "pu_risk"}
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
        metrics = ("pu_score", "proxy_accuracy", "proxy_auc", "pu_risk")
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
        if self.metric == "pu_score":
            return pu_score(y, estimator.predict(X), **self.options)
        scenario = self.scenario or _own(estimator, "scenario", "two_sample")
        if self.metric == "proxy_auc":
            return proxy_auc(y, _scores(estimator, X), prior=self.prior, scenario=scenario, **self.options)
        prior = self.prior if self.prior is not None else _own(estimator, "prior_", None)
        if prior is None:
            raise ValueError(
                f"{self!r} needs a prior: {type(estimator).__name__} has no prior_. Pass prior=..., for instance from "
                "pulib.estimate_prior."
            )
        if self.metric == "proxy_accuracy":
            return proxy_accuracy(y, estimator.predict(X), prior=prior, scenario=scenario, **self.options)
        return -pu_risk(y, _scores(estimator, X), prior=prior, scenario=scenario, **self.options)


def _own(estimator: Any, name: str, default: Any) -> Any:
    """An attribute of the estimator, or of what it puts to use: a pipeline's last step, a search's best estimator."""
    if hasattr(estimator, name):
        return getattr(estimator, name)
    if hasattr(estimator, "best_estimator_"):
        return _own(estimator.best_estimator_, name, default)
    if isinstance(estimator, Pipeline):
        return _own(estimator[-1], name, default)
    return default


def _scores(estimator: Any, X: Any) -> np.ndarray:
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    return estimator.predict_proba(X)[:, 1] - 0.5
