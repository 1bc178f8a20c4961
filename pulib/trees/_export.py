"""Export trees for other packages."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pulib._trees._tree import LEAF, Tree
from pulib.trees._base import BasePUTrees


def export_trees(model: BasePUTrees) -> dict[str, Any]:
    """Convert a forest or tree to arrays in the format of ``shap.TreeExplainer``.

    ``decision_function`` is ``base_offset`` plus the sum of the trees' values.

    Parameters
    ----------
    model : PUExtraTreesClassifier or PUDecisionTreeClassifier
        A fitted model.

    Returns
    -------
    ensemble : dict
        ``trees`` is a list with a dict of arrays for each tree: ``children_left``, ``children_right`` and ``children_default``
        (where rows without a value go), ``features`` and ``thresholds`` (rows with ``x <= threshold`` go left), ``values`` of
        shape (n_nodes, 1), and ``node_sample_weight``, the number of training rows at each node.

    Notes
    -----
    In a forest of T trees, a leaf has the value 1/T if it votes for the positive class and -1/T otherwise.  SHAP values then
    add up to ``decision_function`` and do not depend on the calibration.

    Examples
    --------
    >>> from pulib import PUExtraTreesClassifier, make_circle_noise
    >>> from pulib.trees import export_trees
    >>> X, y = make_circle_noise(50, 100, random_state=0)
    >>> forest = PUExtraTreesClassifier(10, prior=0.3, random_state=0).fit(X, y)
    >>> len(export_trees(forest)["trees"])
    10
    """
    check_is_fitted(model)
    trees = [member.tree_ for member in getattr(model, "estimators_", [model])]
    return {
        "trees": [_as_dict(tree, 1.0 / len(trees)) for tree in trees],
        "base_offset": -float(getattr(model, "threshold_", 0.0)),
        "input_dtype": np.float64,
        "internal_dtype": np.float64,
        "objective": "binary_crossentropy",
        "tree_output": "raw_value",
    }


def _as_dict(tree: Tree, unit: float) -> dict[str, np.ndarray]:
    leaf = tree.children_left == LEAF
    default = np.where(tree.missing_go_to_left, tree.children_left, tree.children_right)
    return {
        "children_left": tree.children_left.copy(),
        "children_right": tree.children_right.copy(),
        "children_default": np.where(leaf, LEAF, default).astype(np.int32),
        "features": tree.feature.copy(),
        "thresholds": tree.threshold.copy(),
        "values": unit * np.where(leaf, tree.value, 0)[:, None].astype(np.float64),
        "node_sample_weight": tree.n_node_samples.astype(np.float64),
    }
