"""PU metrics for scikit-learn's ``scoring``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest

from pulib.metrics._formulas import FORMULAS
from pulib.metrics._registry import call, check_options


class PUScorer:
    """PU metric for scikit-learn's ``scoring``: takes a fitted estimator, rows and PU labels; higher is better.

    It works with ``cross_val_score``, ``GridSearchCV`` and ``TunedThresholdClassifierCV``.

    Parameters
    ----------
    metric : {"pu_score", "proxy_accuracy", "proxy_f1", "proxy_precision", "proxy_recall", "proxy_auc", \
            "proxy_average_precision", "proxy_precision_at_k", "proxy_lift_at_k", "pu_risk"}
        The function to compute, by name; the risk is negated.
    prior : float in (0, 1) or None, default=None
        Class prior π.  None uses the estimator's ``prior_``; "proxy_auc" is then not corrected for hidden positives.
    scenario : {"two_sample", "one_sample"} or None, default=None
        None uses the estimator's ``scenario``, or "two_sample" if it has none.  Attributes of a pipeline are those of its last
        step, and attributes of a search those of its best estimator.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; None uses the estimator's.
    **options
        Options of the metric, such as ``loss="sigmoid"`` for the risk or ``k=0.05`` for the precision at k.

    Notes
    -----
    With scikit-learn's metadata routing, ``set_score_request(sample_weight=True)`` requests row weights.  Without it, passing
    weights to a search raises an error.

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
    >>> print(f"{search.fit(X, y).best_params_}, PU score {search.best_score_:.2f}")
    {'estimator__C': 0.01}, PU score 1.50
    """

    def __init__(
        self, metric: str, *, prior: float | None = None, scenario: str | None = None, pos_label: Any = None, **options: Any
    ):
        if metric not in FORMULAS:
            raise ValueError(f"metric={metric!r} is unknown; expected one of {tuple(FORMULAS)}.")
        check_options(metric, options)
        self.metric = metric
        self.prior = prior
        self.scenario = scenario
        self.pos_label = pos_label
        self.options = options

    def __repr__(self) -> str:
        settings = {"prior": self.prior, "scenario": self.scenario, "pos_label": self.pos_label, **self.options}
        shown = "".join(f", {key}={value!r}" for key, value in settings.items() if value is not None)
        return f"PUScorer({self.metric!r}{shown})"

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        formula, prior = FORMULAS[self.metric], self.prior
        pos_label = own_attribute(estimator, "pos_label", None) if self.pos_label is None else self.pos_label
        if formula.prior == "needed":
            name = type(estimator).__name__
            prior = self._needed_prior(own_attribute(estimator, "prior_", None), f"{name} has no prior_")
        predictions = estimator.predict(X) if formula.of == "predictions" else positive_scores(estimator, X, pos_label)
        score = call(
            self.metric,
            y,
            predictions,
            prior=prior,
            scenario=self.scenario or own_attribute(estimator, "scenario", None) or "two_sample",
            sample_weight=sample_weight,
            pos_label=pos_label,
            **self.options,
        )
        return formula.sign * score

    def _needed_prior(self, own: float | None, why: str) -> float:
        prior = own if self.prior is None else self.prior
        if prior is None:
            raise ValueError(f"{self!r} needs a prior: {why}. Pass prior=..., for instance from pulib.estimate_prior.")
        return prior

    # Read by scikit-learn's TunedThresholdClassifierCV, which applies thresholds itself and calls _score_func with labels and
    # predictions.
    _sign = 1
    _kwargs: ClassVar[dict[str, Any]] = {}

    @property
    def _score_func(self) -> Callable[..., float]:
        if FORMULAS[self.metric].of != "predictions":
            tunable = tuple(name for name, formula in FORMULAS.items() if formula.of == "predictions")
            raise ValueError(f"{self!r} depends on scores, which no threshold changes; tune a threshold by one of {tunable}.")
        return self._score_predictions

    def _score_predictions(self, y: Any, y_pred: Any, sample_weight: Any = None) -> float:
        prior = self.prior
        if FORMULAS[self.metric].prior == "needed":
            prior = self._needed_prior(None, "tuning a threshold ignores the estimator's own")
        arguments = {"scenario": self.scenario or "two_sample", "pos_label": self.pos_label, "sample_weight": sample_weight}
        return call(self.metric, y, y_pred, prior=prior, **arguments, **self.options)

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Set whether scikit-learn's metadata routing passes sample weights.

        Parameters
        ----------
        sample_weight : bool, str or None
            Whether to pass weights, or their name in the caller.  With None, passing weights raises an error.

        Returns
        -------
        self

        Raises
        ------
        RuntimeError
            If metadata routing is not enabled.
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "PUScorer.set_score_request needs metadata routing: sklearn.set_config(enable_metadata_routing=True)."
            )
        self._sample_weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the requested metadata: sample weights, if :meth:`set_score_request` requests them.

        Returns
        -------
        request : sklearn.utils.metadata_routing.MetadataRequest
        """
        request = MetadataRequest(owner=self)
        alias = getattr(self, "_sample_weight_request", None)
        request.score.add_request(param="sample_weight", alias=alias)
        return request


def own_attribute(estimator: Any, name: str, default: Any) -> Any:
    """Return an attribute of the estimator, of a pipeline's last step, or of a search's best estimator."""
    if hasattr(estimator, name):
        found = getattr(estimator, name)
        if found is None and name == "scenario" and hasattr(estimator, "estimator_"):  # as PUCalibratedClassifier means it
            return own_attribute(estimator.estimator_, name, default)
        return found
    if hasattr(estimator, "best_estimator_"):
        return own_attribute(estimator.best_estimator_, name, default)
    if hasattr(estimator, "steps"):  # also of a frozen pipeline
        return own_attribute(estimator[-1], name, default)
    return default


def positive_scores(estimator: Any, X: Any, pos_label: Any) -> np.ndarray:
    """Return the estimator's scores, above 0 for rows predicted positive."""
    has_scores = hasattr(estimator, "decision_function")
    scores = estimator.decision_function(X) if has_scores else estimator.predict_proba(X)[:, 1] - 0.5
    # pulib's classes end with the positive one, but those of other classifiers are sorted: "P" is before "U"
    first = pos_label is not None and getattr(estimator, "classes_", [None])[0] == pos_label
    return -scores if first else scores
