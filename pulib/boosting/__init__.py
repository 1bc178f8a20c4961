"""Boosting from positive and unlabeled rows: Ada-PU, and gradient boosting on the non-negative risk."""

from pulib.boosting._adapu import AdaPUClassifier
from pulib.boosting._gradient import PUGradientBoostingClassifier

__all__ = ["AdaPUClassifier", "PUGradientBoostingClassifier"]
