"""Convert texts to vectors: means of word vectors, and latent semantic analysis (TF-IDF and truncated SVD)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

#: A token is a run of letters and digits, in lower case.
TOKEN_PATTERN = r"[^\W_]+"
#: Number of word vectors to process at a time.
BLOCK = 2000


def mean_word_vectors(
    texts: Iterable[str], lines: Iterable[bytes], dimension: int, out: np.ndarray | None = None
) -> tuple[np.ndarray, dict[str, Any]]:
    """Average the word vectors of each text's tokens; tokens without a vector do not count.

    Parameters
    ----------
    texts : iterable of str
    lines : iterable of bytes
        A file of word vectors in GloVe's format: one word per line, followed by its numbers, separated by blanks.
    dimension : int
        Length of the vectors.
    out : float32 array of shape (n_texts, dimension), optional
        Receives the result.

    Returns
    -------
    means : float32 array of shape (n_texts, dimension)
        Zeros for texts without any known word.
    report : dict
        The tokenization, and the shares of tokens and of distinct tokens that have a vector.

    Examples
    --------
    >>> vectors = [b"red 1 0", b"green 0 1"]
    >>> means, report = mean_word_vectors(["Red, green!", "red red blue"], vectors, 2)
    >>> means.tolist(), report["share_of_tokens_found"]
    ([[0.5, 0.5], [1.0, 0.0]], 0.8)
    """
    counter = CountVectorizer(token_pattern=TOKEN_PATTERN, lowercase=True, dtype=np.float32)
    counts = counter.fit_transform(texts).tocsc()
    column_of = counter.vocabulary_
    means = np.zeros((counts.shape[0], dimension), np.float32) if out is None else out
    means[:] = 0.0
    has_vector = np.zeros(counts.shape[1], bool)
    columns: list[int] = []
    vectors: list[np.ndarray] = []

    def add() -> None:
        if columns:
            means[:] += counts[:, columns] @ np.stack(vectors)
            columns.clear()
            vectors.clear()

    with threadpool_limits(1):
        for number, line in enumerate(lines, 1):
            word, _, numbers = line.partition(b" ")
            column = column_of.get(word.decode("utf-8", "replace"))
            if column is None or has_vector[column]:
                continue
            vector = np.array(numbers.split(), dtype=np.float32)
            if len(vector) != dimension:
                raise ValueError(f"word vectors, line {number}: expected {dimension} numbers after {word!r}, got {len(vector)}")
            has_vector[column] = True
            columns.append(column)
            vectors.append(vector)
            if len(columns) == BLOCK:
                add()
        add()
    tokens_with_vector = np.asarray(counts[:, has_vector].sum(axis=1), np.float32)
    means /= np.maximum(tokens_with_vector, 1.0).reshape(-1, 1)
    tokens = float(counts.sum(dtype=np.float64))
    report = {
        "tokens": f"runs of letters and digits, lower case ({TOKEN_PATTERN})",
        "share_of_tokens_found": round(float(tokens_with_vector.sum(dtype=np.float64)) / tokens, 6) if tokens else 0.0,
        "share_of_distinct_tokens_found": round(float(has_vector.mean()), 6) if len(has_vector) else 0.0,
        "texts_without_a_known_token": int(np.count_nonzero(tokens_with_vector == 0)),
    }
    return means, report


def tfidf_svd(texts: Sequence[str], n_train: int, n_components: int) -> tuple[np.ndarray, dict[str, Any]]:
    """Latent semantic analysis: TF-IDF and a truncated SVD, both fitted to the training texts.

    Tokens in fewer than 3 training texts, or in more than half of them, are left out.

    Parameters
    ----------
    texts : sequence of str
    n_train : int
        Number of training texts, which come first.
    n_components : int

    Returns
    -------
    vectors : float32 array of shape (n_texts, n_components)
        Vectors of length 1 (or 0).
    report : dict
        The tokenization, the size of the vocabulary and the share of explained variance.
    """
    words = TfidfVectorizer(
        token_pattern=TOKEN_PATTERN, lowercase=True, sublinear_tf=True, min_df=3, max_df=0.5, dtype=np.float32
    )
    svd = TruncatedSVD(n_components, random_state=0)
    with threadpool_limits(1):  # the last bits must not depend on the number of threads
        train = words.fit_transform(texts[:n_train])
        parts = [svd.fit_transform(train)]
        if n_train < len(texts):
            parts.append(svd.transform(words.transform(texts[n_train:])))
    report = {
        "tokens": f"runs of letters and digits, lower case ({TOKEN_PATTERN})",
        "vocabulary": len(words.vocabulary_),
        "share_of_variance_kept": round(float(svd.explained_variance_ratio_.sum()), 4),
    }
    return normalize(np.concatenate(parts).astype(np.float32)), report
