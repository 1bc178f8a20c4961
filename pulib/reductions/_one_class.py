"""One-class learning from the labeled rows, with a threshold set by π."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import IsolationForest
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.metadata_routing import get_routing_for_object

from pulib._base import FEATURES_SEEN
from pulib._routing import params_of_rows
from pulib._weights import fit_weights, of_rows
from pulib.reductions._threshold import PUThresholdClassifier


class _OfLabeled(ClassifierMixin, BaseEstimator):
    """Scorer of labeled against unlabeled rows: an outlier detector fitted to the labeled rows only."""

    def __init__(self, detector: Any) -> None:
        self.detector = detector

    def fit(self, X: Any, y: np.ndarray, sample_weight: np.ndarray | None = None, **params: Any) -> _OfLabeled:
        (X,) = indexable(X)
        labeled, self.classes_ = np.flatnonzero(y == 1), np.array([0, 1])
        given = params_of_rows(X, params, labeled) | fit_weights(self.detector, of_rows(sample_weight, labeled))
        self.detector_ = clone(self.detector).fit(_safe_indexing(X, labeled), **given)
        self.__dict__.update({name: value for name, value in vars(self.detector_).items() if name in FEATURES_SEEN})
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        if hasattr(self.detector_, "score_samples"):
            return self.detector_.score_samples(X)
        return -self.detector_.kneighbors(X)[0][:, -1]

    predict = decision_function  # every classifier must have it

    def get_metadata_routing(self) -> Any:
        return get_routing_for_object(self.detector)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.detector).input_tags
        return tags


class OneClassPUClassifier(PUThresholdClassifier):
    """Outlier detector fitted to the labeled rows alone, with a threshold set by π.

    This baseline shows the value of unlabeled rows: they set the threshold, but the ranking ignores them.

    Parameters
    ----------
    estimator : outlier detector with ``score_samples``, ``NearestNeighbors``, or None, default=None
        For example, ``IsolationForest`` (None means that, with a fixed seed), ``OneClassSVM``, ``KernelDensity`` or
        ``LocalOutlierFactor(novelty=True)``.  ``NearestNeighbors(n_neighbors=k)`` ranks rows by the distance to the k-th
        nearest labeled row.  Distances need scaled features (use a pipeline).
    prior : float in (0, 1) or None, default=None
        Class prior π, the share of positives in the population.  None estimates it from held-out scores (best bin).
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.
    cv : int, splitter, iterable of (train, test) or None, default=5
        Folds of the cross-fitted scores.  They must hold out each row once, as those of :class:`~pulib.PUGroupKFold` do.
    target : tuple or None, default=None
        Target of the threshold, as in :class:`PUThresholdClassifier`.  None predicts a share π positive.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows if ``y`` also contains known negatives.  The detector ignores them; in a single sample, they
        belong to the population that sets the threshold.  None: there are no known negatives.

    Attributes
    ----------
    estimator_ : object
        ``estimator_.detector_`` is the fitted detector.
    prior_, threshold_, slope_ : float
        As in :class:`PUThresholdClassifier`.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    classes_ : array of shape (2,)
    n_features_in_ : int

    References
    ----------
    Liu, Ting and Zhou, Isolation forest (ICDM 2008); Schölkopf et al., Estimating the support of a high-dimensional
    distribution (Neural Computation 2001).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import NearestNeighbors
    >>> from pulib import OneClassPUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = np.r_[np.ones(200, bool), rng.random(800) < 0.4]
    >>> X = rng.normal(size=(1000, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    >>> y = np.r_[np.ones(200), np.zeros(800)]
    >>> model = OneClassPUClassifier(NearestNeighbors(n_neighbors=5), prior=0.4).fit(X, y)
    >>> print(f"accuracy {np.mean(model.predict(X[200:]) == truth[200:]):.2f}")
    accuracy 0.96
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PUThresholdClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "score_samples"]), HasMethods(["fit", "kneighbors"]), None],
    }

    @staticmethod
    def _default_estimator() -> Any:
        return IsolationForest(random_state=0)

    def _base(self) -> Any:
        return _OfLabeled(super()._base())
