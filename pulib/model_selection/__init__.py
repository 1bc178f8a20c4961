"""Hyperparameter tuning on positive and unlabeled data, with shared folds and scores that need no negatives."""

from pulib.model_selection._folds import PUGroupKFold
from pulib.model_selection._search import PUGridSearchCV, PURandomizedSearchCV

__all__ = ["PUGridSearchCV", "PUGroupKFold", "PURandomizedSearchCV"]
