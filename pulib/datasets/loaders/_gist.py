"""GIST descriptors of images that are prepared already."""

from __future__ import annotations

import numpy as np

from pulib.datasets._source import Prepared, Source
from pulib.datasets.features._gist import GistBank, image_side, luminance


def load_gist(source: Source) -> Prepared:
    """GIST descriptors of the images of ``features_of``; parameters of ``GistBank`` in ``options``."""
    images = source.prepared(source.entry["features_of"])
    bank = GistBank(image_size=image_side(images.X.shape[1])[1], **source.options)
    X = source.allocate((len(images.X), bank.n_features), np.float32)
    bank.transform(lambda start, stop: luminance(images.X[start:stop]), out=X)
    return Prepared(
        X, np.asarray(images.target), n_train=images.n_train, feature_names=bank.feature_names, details=bank.describe()
    )
