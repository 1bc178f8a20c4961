"""Scores from PU labels, with intervals, bounds and curves, and the area under the precision-recall curve.

Labels ``y`` are those of the estimators: 1 for labeled positives and 0 for unlabeled rows, or as set by ``pos_label``.  Only
:func:`pr_auc` needs true labels.  For scikit-learn's ``GridSearchCV``, see :class:`PUScorer`.
"""

from pulib.metrics._at_k import proxy_lift_at_k, proxy_precision_at_k
from pulib.metrics._displays import PUPrecisionRecallDisplay, PURocCurveDisplay
from pulib.metrics._estimates import proxy_average_precision, proxy_f1, proxy_precision, proxy_recall
from pulib.metrics._intervals import ScoreInterval, score_bounds, score_interval
from pulib.metrics._scorer import PUScorer
from pulib.metrics._scores import pr_auc, proxy_accuracy, proxy_auc, pu_risk, pu_score

__all__ = [
    "PUPrecisionRecallDisplay",
    "PURocCurveDisplay",
    "PUScorer",
    "ScoreInterval",
    "pr_auc",
    "proxy_accuracy",
    "proxy_auc",
    "proxy_average_precision",
    "proxy_f1",
    "proxy_lift_at_k",
    "proxy_precision",
    "proxy_precision_at_k",
    "proxy_recall",
    "pu_risk",
    "pu_score",
    "score_bounds",
    "score_interval",
]
