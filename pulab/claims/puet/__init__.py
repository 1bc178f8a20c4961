"""Sentences of the PU Extra Trees paper."""

from pulab.claims.puet import experiments, forests

__all__ = ["experiments", "forests"]

LABELS = {
    "accuracy_1": "T = 1",
    "accuracy_10": "T = 10",
    "fit_1": "T = 1",
    "fit_10": "T = 10",
    "f_score": "F-score",
    "test_risk": "test risk",
    "train_risk": "training risk",
    **{f"importance_{digit}": f"plain importance of {digit}" for digit in range(10)},
    **{f"normalized_importance_{digit}": "normalized" for digit in range(10)},
}
