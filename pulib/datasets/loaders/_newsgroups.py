"""Load 20 Newsgroups, split by date, as mean word vectors or with latent semantic analysis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pulib.datasets._source import Prepared, Source
from pulib.datasets._streams import archive_members, open_stream
from pulib.datasets.features._text import mean_word_vectors, tfidf_svd

_PARTS = ("20news-bydate-train", "20news-bydate-test")


def load_mean_glove(source: Source) -> Prepared:
    """Load texts as mean GloVe vectors.

    Options: the files ``texts`` and ``vectors``, ``member`` (of the latter, if it is an archive), and ``dimension``.
    """
    texts, target, n_train, names = _read(source.file(source.option("texts")))
    dimension = source.option("dimension")
    X = source.allocate((len(texts), dimension), np.float32)
    lines = _vector_lines(source.file(source.option("vectors")), source.options.get("member"))
    _, report = mean_word_vectors(texts, lines, dimension, out=X)
    return Prepared(X, target, n_train, [f"glove_{k}" for k in range(dimension)], names, report)


def load_tfidf_svd(source: Source) -> Prepared:
    """Load texts as TF-IDF reduced to ``options.dimension`` components by a truncated SVD."""
    texts, target, n_train, names = _read(source.file(source.option("texts")))
    X, report = tfidf_svd(texts, n_train, source.option("dimension"))
    return Prepared(X, target, n_train, [f"svd_{k}" for k in range(X.shape[1])], names, report)


def _read(archive: Path) -> tuple[list[str], np.ndarray, int, dict[int, str]]:
    """Read texts with headers and quotes, training texts first, ordered by group and message number."""
    texts_by_message: dict[tuple[int, str, int], str] = {}
    for name, stream in archive_members(archive):
        part, group, message = name.rsplit("/", 3)[-3:]
        if part in _PARTS:
            texts_by_message[_PARTS.index(part), group, int(message)] = stream.read().decode("latin-1")
    order = sorted(texts_by_message)
    if not order:
        raise ValueError(f"{archive}: no texts under {' or '.join(_PARTS)}")
    groups = sorted({group for _, group, _ in order})
    target = np.array([groups.index(group) for _, group, _ in order], np.int16)
    n_train = sum(part == 0 for part, _, _ in order)
    return [texts_by_message[key] for key in order], target, n_train, dict(enumerate(groups))


def _vector_lines(path: Path, member: str | None) -> Iterator[bytes]:
    if member is None:
        with open_stream(path) as stream:
            yield from stream
        return
    for name, stream in archive_members(path):
        if name.rpartition("/")[2] == member:
            yield from stream
            return
    raise ValueError(f"{path}: no member {member!r}")
