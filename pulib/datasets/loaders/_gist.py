"""Compute GIST descriptors of prepared images."""

from __future__ import annotations

import numpy as np

from pulib.datasets._source import Prepared, Source
from pulib.datasets.features._gist import GistBank, image_side, luminance


def load_gist(source: Source) -> Prepared:
    """Compute GIST descriptors of the images of ``features_of``, with ``options`` as parameters of ``GistBank``."""
    images = source.prepared(source.entry["features_of"])
    bank = GistBank(image_size=image_side(images.X.shape[1])[1], **source.options)
    X = source.allocate((len(images.X), bank.n_features), np.float32)
    bank.transform(lambda start, stop: luminance(images.X[start:stop]), out=X)
    return Prepared(
        X, np.asarray(images.target), n_train=images.n_train, feature_names=bank.feature_names, details=bank.describe()
    )
