"""Ada-PU with parameters for what the paper's text leaves open."""

from __future__ import annotations

from typing import Any

from pulib import boosting


class AdaPUClassifier(boosting.AdaPUClassifier):
    """pulib's Ada-PU with three more parameters; their defaults give the same results.

    Parameters
    ----------
    shrink_weights : bool, default=True
        Whether β also shrinks the α that reweights the rows.  False is algorithm 2 to the letter: β multiplies only the final
        sum, so it cannot change a prediction.
    normalize_weights : bool, default=True
        Whether to divide the weights by their signed total in every round, as theorems 4.1 and 4.2 require.  False computes ε
        by eq. 8 to the letter.
    threshold_range : {"all", "unlabeled"}, default="all"
        Rows whose smallest and largest values bound the random thresholds.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        shrink_weights: bool = True,
        normalize_weights: bool = True,
        threshold_range: str = "all",
        **params: Any,
    ):
        super().__init__(n_estimators, **params)
        self.shrink_weights = shrink_weights
        self.normalize_weights = normalize_weights
        self.threshold_range = threshold_range

    @classmethod
    def _get_param_names(cls) -> list[str]:
        more = ["shrink_weights", "normalize_weights", "threshold_range"]
        return sorted([*boosting.AdaPUClassifier._get_param_names(), *more])

    def _normalizes(self) -> bool:
        return self.normalize_weights

    def _step(self, alpha: float) -> float:
        return super()._step(alpha) if self.shrink_weights else alpha

    def _rows_of_thresholds(self, n_labeled: int) -> slice:
        return slice(n_labeled, None) if self.threshold_range == "unlabeled" else slice(None)
