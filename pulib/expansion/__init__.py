"""Learning from one snapshot of a positive class that expands (PCES)."""

from pulib.expansion._dota import SGBDotaClassifier
from pulib.expansion._get_ensemble import GetEnsembleClassifier
from pulib.expansion._preferences import density_preference, named_preference, neighborhood_preference
from pulib.expansion._rank_boosting import AUCBoostingClassifier

__all__ = [
    "AUCBoostingClassifier",
    "GetEnsembleClassifier",
    "SGBDotaClassifier",
    "density_preference",
    "named_preference",
    "neighborhood_preference",
]
