"""Load NumPy archives."""

from __future__ import annotations

import numpy as np

from pulib.datasets._dataset import small_integers
from pulib.datasets._source import Prepared, Source


def load_npz(source: Source) -> Prepared:
    """Load an ``.npz`` file with arrays ``X`` and ``y`` and, if there is a test set, ``X_test`` and ``y_test``.

    ``options.keys`` maps these names to others.  Targets that are not whole numbers, such as texts, are numbered from 0 in
    sorted order.
    """
    given = dict(source.options.get("keys", {}))
    keys = {name: name for name in ("X", "y", "X_test", "y_test")} | given
    path = source.files()[0]
    with np.load(path, allow_pickle=False) as arrays:
        has_test = any(keys[name] in arrays or name in given for name in ("X_test", "y_test"))
        found = {}
        for name in ("X", "y", "X_test", "y_test") if has_test else ("X", "y"):
            if keys[name] not in arrays:
                raise ValueError(f"data set {source.name!r}: {path} has no array {keys[name]!r}; there are {', '.join(arrays)}")
            found[name] = arrays[keys[name]].ravel() if name.startswith("y") else arrays[keys[name]]
    X, y = found["X"], found["y"]
    n_train = len(X) if has_test else None
    if has_test:
        X_test, y_test = found["X_test"], found["y_test"]
        if (len(X), len(X_test), X.shape[1:]) != (len(y), len(y_test), X_test.shape[1:]):
            shapes = ", ".join(f"{keys[name]!r} {array.shape}" for name, array in found.items())
            raise ValueError(f"data set {source.name!r}: shapes of arrays do not match: {shapes}")
        X, y = np.concatenate([X, X_test]), np.concatenate([y, y_test])
    if X.ndim > 2:
        X = X.reshape(len(X), -1)
    if X.dtype.kind not in "uif" or (X.dtype.kind == "f" and not np.isfinite(X).all()):
        raise ValueError(f"data set {source.name!r}: array {keys['X']!r} must hold finite numbers, got {X.dtype}")
    missing = np.isnan(y) if y.dtype.kind == "f" else np.zeros(len(y), bool)
    if missing.any():
        raise ValueError(
            f"data set {source.name!r}: array {keys['y']!r} has {missing.sum():,} missing values (NaN), the first in row"
            f" {missing.argmax()}; expected a class for each row. Leave such rows out, or give them a class of their own"
        )
    names = None
    if y.dtype.kind not in "iub":
        labels, codes = np.unique(y, return_inverse=True)
        if y.dtype.kind == "f" and np.array_equal(y, np.rint(y)):
            codes = y
        else:
            names = {code: str(label) for code, label in enumerate(labels)}
        y = codes
    return Prepared(X, small_integers(y, source.name), n_train=n_train, target_names=names)
