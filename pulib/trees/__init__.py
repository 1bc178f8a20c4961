"""PU decision trees and PU Extra Trees (Wilton et al., NeurIPS 2022)."""

from pulib.trees._decision_tree import PUDecisionTreeClassifier
from pulib.trees._export import export_trees
from pulib.trees._extra_trees import PUExtraTreesClassifier
from pulib.trees._parts import fit_part, join_parts

__all__ = ["PUDecisionTreeClassifier", "PUExtraTreesClassifier", "export_trees", "fit_part", "join_parts"]
