"""PU extra trees with the thresholds of the authors' released code."""

from __future__ import annotations

from typing import Any

from pulib import trees


class PUExtraTreesClassifier(trees.PUExtraTreesClassifier):
    """pulib's forest with one more parameter; its default gives the same trees.

    Parameters
    ----------
    threshold_range : {"uniform", "released"}, default="uniform"
        Where random thresholds are drawn: over the feature's range at the node, as in the paper, or within the inner part of
        its outermost gaps, as in the released code.
    """

    def __init__(self, n_estimators: int = 100, *, threshold_range: str = "uniform", **params: Any):
        super().__init__(n_estimators, **params)
        self.threshold_range = threshold_range

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*trees.PUExtraTreesClassifier._get_param_names(), "threshold_range"])

    def _draws_inner_thresholds(self) -> bool:
        return self.threshold_range == "released"
