"""Load files of any size in LIBSVM's text format: read in blocks of lines, and written to disk block by block."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from tqdm import tqdm

from pulib._dtypes import as_dtype
from pulib.datasets._dataset import small_integers
from pulib.datasets._source import Prepared, Source
from pulib.datasets._streams import open_stream

#: Bytes of text to parse at a time, which limits memory.
BLOCK = 2 << 20


def load_libsvm(source: Source) -> Prepared:
    """Load the files ``options.train`` and ``options.test``, if given; by default, the entry's files in order.

    ``options.n_features`` is the number of features; without it, a second pass finds the largest index.  ``options.dtype`` is
    the dtype of the matrix, float32 by default.  Indices start at 1.
    """
    names = [source.options[key] for key in ("train", "test") if key in source.options]
    paths = [source.file(name) for name in names] or source.files()
    dtype = np.dtype(source.options.get("dtype", "float32"))
    n_rows, n_features = _sizes(source, paths)
    X = source.allocate((sum(n_rows), n_features), dtype)
    target = np.empty(len(X), np.float64)
    start = end = 0
    for path, rows in zip(paths, n_rows, strict=True):
        end += rows
        for block, labels in _blocks(path, n_features, source.name):
            stop = start + len(labels)
            if stop > end:
                raise ValueError(f"data set {source.name!r}: {path.name} has more than the expected {rows} rows")
            with np.errstate(over="ignore"):  # raises an error below
                X[start:stop] = (
                    block if dtype.kind == "f" else as_dtype(block, dtype.str, [f"index {k + 1}" for k in range(n_features)])
                )
            if not np.isfinite(X[start:stop]).all():
                raise ValueError(f"data set {source.name!r}: {path.name} has values that are not finite in {dtype}")
            target[start:stop] = labels
            start = stop
        if start < end:
            raise ValueError(f"data set {source.name!r}: {path.name}: expected {rows} rows, got {rows - end + start}")
    return Prepared(X, small_integers(target, source.name), n_train=n_rows[0] if len(paths) > 1 else None)


def _sizes(source: Source, paths: list[Path]) -> tuple[list[int], int]:
    """Return the rows of each file and the number of features, from the registry or a separate pass."""
    expected, n_features = source.entry.get("expected", {}), source.options.get("n_features")
    n, n_train = expected.get("n"), expected.get("n_train")
    if n and n_features and len(paths) == 1:
        return [n], n_features
    if n and n_train and n_features and len(paths) == 2:
        return [n_train, n - n_train], n_features
    counted = [_count(path) for path in paths]
    return [rows for rows, _ in counted], n_features or max(greatest for _, greatest in counted)


def _lines(path: Path, label: str) -> Iterator[bytes]:
    """Yield blocks of whole lines, and show progress by bytes of text."""
    # in a log file, one line every half minute, and none for files that take less
    pace = {} if sys.stderr.isatty() else {"delay": 30, "mininterval": 30, "ascii": True}
    with open_stream(path) as stream, tqdm(desc=label, unit="B", unit_scale=True, **pace) as bar:
        rest = b""
        while chunk := stream.read(BLOCK):
            bar.update(len(chunk))
            end = chunk.rfind(b"\n") + 1
            if end:
                yield rest + chunk[:end]
                rest = chunk[end:]
            else:
                rest += chunk
        if rest.strip():
            yield rest


def _count(path: Path) -> tuple[int, int]:
    """Count the rows of a file, and find its largest index."""
    rows, greatest = 0, 0
    for text in _lines(path, f"{path.name}: counting rows"):
        for line in text.split(b"\n"):
            parts = line.split(b"#", 1)[0].split()
            rows += bool(parts)  # skip empty lines and comments
            if parts and b":" in parts[-1]:  # indices ascend
                greatest = max(greatest, int(parts[-1].split(b":")[0]))
    return rows, greatest


def _blocks(path: Path, n_features: int, name: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for text in _lines(path, f"{path.name}: reading"):
        try:
            matrix, labels = load_svmlight_file(BytesIO(text), n_features=n_features, dtype=np.float64, zero_based=False)
        except ValueError as error:
            raise ValueError(f"data set {name!r}: {path.name} is not in LIBSVM's format: {error}") from error
        yield matrix.toarray(), labels
