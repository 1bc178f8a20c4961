"""Boosting from positive and unlabeled rows: Ada-PU."""

from pulib.boosting._adapu import AdaPUClassifier

__all__ = ["AdaPUClassifier"]
