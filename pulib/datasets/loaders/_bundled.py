"""Load data sets without files: scikit-learn's, and generated ones."""

from __future__ import annotations

import importlib

import numpy as np

from pulib.datasets._dataset import small_integers
from pulib.datasets._source import Prepared, Source


def load_breast_cancer(source: Source) -> Prepared:
    """Load scikit-learn's Wisconsin diagnostic breast cancer (WDBC): 0 malignant, 1 benign."""
    from sklearn.datasets import load_breast_cancer as load

    bunch = load()
    return Prepared(bunch.data, bunch.target.astype(np.int16), feature_names=[str(name) for name in bunch.feature_names])


def load_digits(source: Source) -> Prepared:
    """Load scikit-learn's handwritten digits: 8 x 8 pixels with 17 levels."""
    from sklearn.datasets import load_digits as load

    bunch = load()
    return Prepared(bunch.data.astype(np.uint8), bunch.target.astype(np.int16), feature_names=list(bunch.feature_names))


def load_generated(source: Source) -> Prepared:
    """Call the generator ``options.function`` with ``options.parameters``; it returns features and targets.

    A seed among the parameters makes the data reproducible; protocols with new data in each repeat call the generator
    themselves.
    """
    module, _, function = source.option("function").rpartition(".")
    generator = getattr(importlib.import_module(module), function)
    X, target = generator(**source.options.get("parameters", {}))[:2]
    return Prepared(np.asarray(X), small_integers(target, source.name))
