"""Scores that need no negative labels, and the area under the precision-recall curve.

All PU scores take ``y`` as estimators do: the greater of its two values marks labeled positives, the other unlabeled rows.
Only :func:`pr_auc` wants true labels.  For scikit-learn's ``GridSearchCV`` see :class:`PUScorer`.
"""

from pulib.metrics._scorer import PUScorer
from pulib.metrics._scores import pr_auc, proxy_accuracy, proxy_auc, pu_risk, pu_score

__all__ = ["PUScorer", "pr_auc", "proxy_accuracy", "proxy_auc", "pu_risk", "pu_score"]
