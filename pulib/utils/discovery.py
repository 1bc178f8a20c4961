"""Find all estimators of the library by inspection, so that the checks miss none."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from sklearn.base import BaseEstimator

import pulib

#: Modules that need a library but can be imported without it.
_NEEDED = {"pulib.neural": "torch"}


def _modules() -> Iterator[ModuleType]:
    """Iterate over pulib's public modules, except those that need a library that is not installed."""
    for info in pkgutil.walk_packages(pulib.__path__, prefix="pulib."):
        if any(part.startswith("_") for part in info.name.split(".")):
            continue  # public modules export what matters
        if info.name in _NEEDED and importlib.util.find_spec(_NEEDED[info.name]) is None:
            continue
        try:
            yield importlib.import_module(info.name)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] == "pulib":
                raise


def all_estimators() -> list[tuple[str, type[BaseEstimator]]]:
    """List all public PU estimators by name, except those for several kinds of positives.

    Classes that need an extra (such as PyTorch) are left out if it is not installed.

    Returns
    -------
    estimators : list of (name, class)

    Examples
    --------
    >>> from pulib.utils import all_estimators
    >>> [name for name, _ in all_estimators() if "SVC" in name]
    ['BaggingSVC', 'ClassWeightedSVC', 'MappingConvergenceSVC', 'RobustEnsembleSVC']
    """
    estimators = {}
    for module in _modules():
        for name, cls in inspect.getmembers(module, inspect.isclass):
            ours = cls.__module__.partition(".")[0] == "pulib"
            ours = ours and not getattr(cls, "_several_kinds", False)
            needed = getattr(cls, "_needed", None)
            ours = ours and (needed is None or importlib.util.find_spec(needed) is not None)
            if ours and issubclass(cls, BaseEstimator) and not name.startswith("_") and not inspect.isabstract(cls):
                estimators[cls.__name__] = cls
    return sorted(estimators.items())
