"""Data sets without files: those that scikit-learn ships, and generated ones."""

from __future__ import annotations

import importlib

import numpy as np

from pulib.datasets._dataset import small_integers
from pulib.datasets._source import Prepared, Source


def load_breast_cancer(source: Source) -> Prepared:
    """Wisconsin diagnostic breast cancer (WDBC), as scikit-learn ships it: 0 malignant, 1 benign."""
    from sklearn.datasets import load_breast_cancer as load

    bunch = load()
    return Prepared(bunch.data, bunch.target.astype(np.int16), feature_names=[str(name) for name in bunch.feature_names])


def load_digits(source: Source) -> Prepared:
    """Handwritten digits of 8 x 8 pixels with 17 levels, as scikit-learn ships them."""
    from sklearn.datasets import load_digits as load

    bunch = load()
    return Prepared(bunch.data.astype(np.uint8), bunch.target.astype(np.int16), feature_names=list(bunch.feature_names))


def load_generated(source: Source) -> Prepared:
    """One draw of a generator: ``options.function`` called with ``options.parameters``, giving features and targets.

    The seed among the parameters makes it the same draw each time; protocols that want a fresh draw per repeat call the
    generator themselves.
    """
    module, _, function = source.option("function").rpartition(".")
    generator = getattr(importlib.import_module(module), function)
    X, target = generator(**source.options.get("parameters", {}))[:2]
    return Prepared(np.asarray(X), small_integers(target, source.name))
