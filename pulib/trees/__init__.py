"""PU decision trees and PU Extra Trees (Wilton et al., NeurIPS 2022)."""

from pulib.trees._decision_tree import PUDecisionTreeClassifier
from pulib.trees._extra_trees import PUExtraTreesClassifier

__all__ = ["PUDecisionTreeClassifier", "PUExtraTreesClassifier"]
