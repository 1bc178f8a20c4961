"""Features computed from raw data: GIST descriptors of images, mean word vectors and LSA of texts, scaling to a range."""

from pulib.datasets.features._gist import GistBank, luminance
from pulib.datasets.features._scale import as_floats
from pulib.datasets.features._text import TOKEN_PATTERN, mean_word_vectors, tfidf_svd

__all__ = ["TOKEN_PATTERN", "GistBank", "as_floats", "luminance", "mean_word_vectors", "tfidf_svd"]
