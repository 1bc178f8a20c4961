"""Load images: MNIST's idx files, CIFAR-10's pickled batches, SVHN's MATLAB files; 8-bit pixels stay 8-bit."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io

from pulib.datasets._source import Prepared, Source
from pulib.datasets._streams import archive_members, open_stream, read_exactly


def load_idx(source: Source) -> Prepared:
    """Load files in MNIST's idx format: ``options.train_images``, ``train_labels``, ``test_images`` and ``test_labels``."""
    parts = [
        (source.file(source.option(f"{part}_images")), source.file(source.option(f"{part}_labels")))
        for part in ("train", "test")
    ]
    labels = [_read_idx_labels(path) for _, path in parts]
    shapes = [_idx_shape(path) for path, _ in parts]
    n_train, d = shapes[0][0], int(np.prod(shapes[0][1:]))
    X = source.allocate((sum(shape[0] for shape in shapes), d), np.uint8)
    start = 0
    for (path, _), shape in zip(parts, shapes, strict=True):
        _read_idx_images(path, X[start : start + shape[0]])
        start += shape[0]
    _, rows, columns = shapes[0]
    names = [f"pixel_{r}_{c}" for r in range(rows) for c in range(columns)]
    return Prepared(X, np.concatenate(labels).astype(np.int16), n_train=n_train, feature_names=names)


def _idx_header(stream: Any, path: Path, dimensions: int) -> tuple[int, ...]:
    magic = read_exactly(stream, 4, str(path))
    if magic != bytes([0, 0, 8, dimensions]):
        raise ValueError(f"{path}: not an idx file of 8-bit values in {dimensions} dimensions (it starts with {magic.hex()})")
    return tuple(int(size) for size in np.frombuffer(read_exactly(stream, 4 * dimensions, str(path)), ">u4"))


def _idx_shape(path: Path) -> tuple[int, ...]:
    with open_stream(path) as stream:
        return _idx_header(stream, path, 3)


def _read_idx_labels(path: Path) -> np.ndarray:
    with open_stream(path) as stream:
        (n,) = _idx_header(stream, path, 1)
        return np.frombuffer(read_exactly(stream, n, str(path)), np.uint8)


def _read_idx_images(path: Path, out: np.ndarray) -> None:
    with open_stream(path) as stream:
        _idx_header(stream, path, 3)
        for start in range(0, len(out), 1000):
            block = out[start : start + 1000]
            block[:] = np.frombuffer(read_exactly(stream, block.size, str(path)), np.uint8).reshape(block.shape)


class _PlainUnpickler(pickle.Unpickler):
    """An unpickler of arrays and plain containers that calls no other functions."""

    ALLOWED = frozenset({("numpy.core.multiarray", "_reconstruct"), ("numpy", "ndarray"), ("numpy", "dtype")})

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self.ALLOWED:
            raise pickle.UnpicklingError(f"the file asks for {module}.{name}, which no batch of images needs; not loaded")
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def load_cifar10(source: Source) -> Prepared:
    """Load CIFAR-10's Python archive: 32 x 32 pixels as three planes (red, green, blue), 50,000 training rows first."""
    order = [f"data_batch_{k}" for k in range(1, 6)] + ["test_batch"]
    X = source.allocate((60_000, 3072), np.uint8)
    target = np.empty(60_000, np.int16)
    seen = set()
    for name, stream in archive_members(source.files()[0]):
        batch = name.rpartition("/")[2]
        if batch in order:
            content = _PlainUnpickler(io.BytesIO(stream.read()), encoding="bytes").load()
            rows = slice(10_000 * order.index(batch), 10_000 * (order.index(batch) + 1))
            X[rows], target[rows] = content[b"data"], content[b"labels"]
            seen.add(batch)
    missing = sorted(set(order) - seen)
    if missing:
        raise ValueError(f"{source.files()[0]}: the archive has no member {missing[0]!r}")
    return Prepared(X, target, n_train=50_000, feature_names=_color_names())


def load_svhn(source: Source) -> Prepared:
    """Load SVHN's cropped digits, 32 x 32 color images in MATLAB files, in CIFAR-10's layout; label 10 becomes the digit 0."""
    images, labels = [], []
    for key in ("train", "test"):
        content = scipy.io.loadmat(source.file(source.option(key)), variable_names=["X", "y"])
        # (row, column, color, image) as published
        images.append(content["X"].transpose(3, 2, 0, 1))
        labels.append(content["y"].ravel().astype(np.int16) % 10)
        del content
    n_train = len(images[0])
    X = source.allocate((sum(map(len, images)), 3072), np.uint8)
    X[:n_train], X[n_train:] = (part.reshape(len(part), -1) for part in images)
    return Prepared(X, np.concatenate(labels), n_train=n_train, feature_names=_color_names())


def _color_names() -> list[str]:
    return [f"{color}_{r}_{c}" for color in ("red", "green", "blue") for r in range(32) for c in range(32)]
