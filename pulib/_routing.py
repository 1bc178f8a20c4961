"""Routing of further arguments of ``fit`` to estimators and to subsets of rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import _check_method_params

from pulib._typing import ArrayLike
from pulib._weights import fit_weights

_WEIGHING = (
    "Omit it, use a learner that weights rows (PUExtraTreesClassifier, AdaPUClassifier, UnbiasedPUClassifier, "
    "NeuralPUClassifier, ClassWeightedSVC), or a reduction such as PUBaggingClassifier around a classifier that does."
)
_REMEDIES = {
    "sample_weight": _WEIGHING,
    "groups": "Pass it to an estimator that holds rows out: PUThresholdClassifier or PUCalibratedClassifier around this one, "
    "or PUGridSearchCV.",
}


def routing_enabled() -> bool:
    return bool(get_config().get("enable_metadata_routing", False))


def params_of_base(
    owner: Any, base: Any, weights: np.ndarray | None, groups: ArrayLike | None, params: dict[str, Any]
) -> dict[str, Any]:
    """Return parameters of the base's ``fit``: by scikit-learn's metadata routing if enabled, else weights and ``params``."""
    given = {name: value for name, value in {"sample_weight": weights, "groups": groups, **params}.items() if value is not None}
    if not routing_enabled():
        return {**params, **fit_weights(base, weights)}
    return dict(process_routing(owner, "fit", **given)["estimator"]["fit"]) if given else {}


def params_of_rows(X: Any, params: dict[str, Any], rows: Any) -> dict[str, Any]:
    """Select the part of the parameters that belongs to some rows of ``X``."""
    return _check_method_params(X, params=params, indices=rows) if params else {}


def naming_arguments(method: Callable) -> Callable:
    """Make a method's error for unknown arguments name the class, the argument and the remedy."""
    taken = signature(method).parameters
    if any(argument.kind is Parameter.VAR_KEYWORD for argument in taken.values()):
        return method

    @wraps(method)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
        for name in set(kwargs) - set(taken):
            if kwargs.pop(name) is not None:
                remedy = _REMEDIES.get(name, f"It takes {', '.join(list(taken)[1:])}.")
                raise TypeError(f"{type(self).__name__}.{method.__name__} takes no {name}. {remedy}")
        return method(self, *args, **kwargs)

    return checked
