"""Loaders on small files in the real formats: data sets too large to bundle, and users' own files."""

import gzip
import io
import lzma
import pickle
import struct
import tarfile
import tempfile
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st

import pulib
from pulib.datasets import _streams
from pulib.datasets._streams import CHUNK, TooLargeError, UnsafeArchiveError, archive_members, open_stream
from pulib.datasets.loaders import _libsvm
from pulib.datasets.registry import load_registry

REGISTRY = load_registry()
RNG = np.random.default_rng(0)


def load(tmp_path, name, files, **changes):
    """Load an entry of the registry from other files in a user's folder, without checksums and expectations."""
    registry = dict(REGISTRY)
    for owner in {name, *REGISTRY.get(name, {}).get("needs", []), REGISTRY.get(name, {}).get("features_of", name)}:
        entry = {k: v for k, v in registry[owner].items() if k != "expected"}
        if entry.get("files"):
            entry["files"] = [
                {"name": f["name"], "path": str(tmp_path / f["name"])} for f in entry["files"] if f["name"] in files
            ]
        registry[owner] = entry | (changes if owner == name else {})
    for file, content in files.items():
        (tmp_path / file).write_bytes(content)
    return pulib.load_dataset(name, data_dir=tmp_path / "resources", registry=registry)


def own(tmp_path, content, file, **entry):
    """Load a user's own data set from one file."""
    (tmp_path / file).write_bytes(content)
    entry = {"title": "Mine", "files": [{"name": file, "path": str(tmp_path / file)}], **entry}
    return pulib.load_dataset("mine", data_dir=tmp_path / "resources", registry=load_registry(extra={"mine": entry}))


def libsvm_text(X, y, comment=""):
    rows = [
        " ".join([f"{label:+d}", *(f"{j + 1}:{v:.9g}" for j, v in enumerate(row) if v)])
        for row, label in zip(X, y, strict=True)
    ]
    return ("\n".join(f"{row} {comment}".rstrip() for row in rows) + "\n").encode()


@pytest.mark.slow
def test_memory_of_a_large_text_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(_libsvm, "BLOCK", 40_000)
    lines = libsvm_text(RNG.normal(size=(120, 2000)), np.ones(120, int)).split(b"\n")
    peaks = []
    for rows in (12, 12, 120):  # the first run includes imports
        text = b"\n".join(lines[:rows])
        tracemalloc.start()
        data = own(tmp_path, text, "mine.txt", loader="libsvm", options={"n_features": 2000}, positive=[1])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(data.X) == rows
    # with ten times the text (3.6 MB more), only the checksum buffer fills up
    assert peaks[2] < peaks[1] + CHUNK, peaks


@settings(max_examples=6)
@given(st.integers(1, 30), st.integers(1, 6), st.integers(5, 200), st.integers(0, 2**32 - 1))
def test_libsvm_text_with_comments_and_tabs_in_blocks_of_any_size(n, d, block, seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6), 3)
    X[0, -1] = 1.5
    y = rng.integers(-1, 3, n)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(_libsvm, "BLOCK", block)
        text = b"# made by hand\n\n" + libsvm_text(X, y, "# of 9:9").replace(b" ", b"\t", 1)
        text = text[: -1 if seed % 2 else None]  # also without a newline at the end
        data = own(Path(folder), text, "mine.txt", loader="libsvm", positive=[int(y[0])])
        np.testing.assert_allclose(data.X, X, rtol=1e-6)
        assert np.array_equal(data.target, y)
        del data


def test_rows_are_not_counted_if_the_registry_has_their_number(tmp_path, monkeypatch):
    monkeypatch.setattr(_libsvm, "_count", None)
    text = libsvm_text(RNG.normal(size=(5, 3)), [1, -1, 1, 1, -1])
    entry = {"loader": "libsvm", "options": {"n_features": 3}, "positive": [1]}
    assert own(tmp_path, text, "mine.txt", **entry, expected={"n": 5}).y.tolist() == [1, 0, 1, 1, 0]
    for n, message in ((6, "mine.txt: expected 6 rows, got 5"), (4, "mine.txt has more than the expected 4 rows")):
        with pytest.raises(ValueError, match=message):
            own(tmp_path, text, "mine.txt", **entry, expected={"n": n})


def idx(array):
    array = np.asarray(array, np.uint8)
    return gzip.compress(bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes())


def test_idx_files_with_wrong_sizes_or_dimensions_raise_an_error(tmp_path):
    images, labels = RNG.integers(0, 256, (25, 28, 28)).astype(np.uint8), np.arange(25) % 10
    files = {
        "train-images-idx3-ubyte.gz": idx(images[:21]),
        "train-labels-idx1-ubyte.gz": idx(labels[:21]),
        "t10k-images-idx3-ubyte.gz": gzip.compress(gzip.decompress(idx(images[21:]))[:-1]),
        "t10k-labels-idx1-ubyte.gz": idx(labels[21:]),
    }
    with pytest.raises(ValueError, match=r"t10k-images-idx3-ubyte.gz: expected \d+ bytes, got \d+"):
        load(tmp_path, "mnist", files)
    files["t10k-images-idx3-ubyte.gz"] = files["t10k-labels-idx1-ubyte.gz"]
    with pytest.raises(ValueError, match="not an idx file of 8-bit values in 3 dimensions"):
        load(tmp_path, "mnist", files)


def tar(members, kind="w:gz"):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=kind) as archive:
        for name, content in members.items():
            info = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.name = name
            if isinstance(content, bytes):
                info.size = len(content)
            archive.addfile(info, io.BytesIO(content) if isinstance(content, bytes) else None)
    return stream.getvalue()


def cifar_batch(pixels, labels):
    """Return a batch as published: keys are byte strings, and the array is pickled as by old versions of NumPy."""
    content = {
        b"batch_label": b"a batch",
        b"labels": list(map(int, labels)),
        b"data": pixels,
        b"filenames": [b"x.png"] * len(labels),
    }
    return pickle.dumps(content, protocol=3).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")


def test_cifar10_members_may_have_any_order_but_must_all_exist(tmp_path):
    pixels, labels = RNG.integers(0, 256, (6, 3072)).astype(np.uint8), np.arange(6)  # each row stands for ten thousand
    names = [*(f"data_batch_{k}" for k in range(1, 6)), "test_batch"]
    batches = {f"cifar-10-batches-py/{name}": cifar_batch(pixels[[k]], labels[[k]]) for k, name in enumerate(names)}
    data = load(tmp_path, "cifar10", {"cifar-10-python.tar.gz": tar(dict(reversed(batches.items())), "w")})
    assert np.array_equal(data.target, labels.repeat(10_000))
    del batches["cifar-10-batches-py/test_batch"]
    with pytest.raises(ValueError, match="no member 'test_batch'"):
        load(tmp_path, "cifar10", {"cifar-10-python.tar.gz": tar(batches, "w")})


def test_pickle_that_calls_a_function_raises_an_error(tmp_path):
    class Evil:
        def __reduce__(self):
            return (exec, (f"open({str(tmp_path / 'owned')!r}, 'w')",))

    archive = tar({"cifar-10-batches-py/data_batch_1": pickle.dumps({b"data": Evil()}, protocol=3)})
    with pytest.raises(pickle.UnpicklingError, match="exec, which no batch of images needs; not loaded"):
        load(tmp_path, "cifar10", {"cifar-10-python.tar.gz": archive})
    assert not (tmp_path / "owned").exists()


def mat(images, labels):
    stream = io.BytesIO()
    scipy.io.savemat(stream, {"X": images.transpose(2, 3, 1, 0), "y": labels.reshape(-1, 1)}, do_compression=True)
    return stream.getvalue()


def newsgroups():
    texts = {
        "20news-bydate-train/alt.atheism/10": "From: me\nthe cat",
        "20news-bydate-train/alt.atheism/9": "the the dog",
        "20news-bydate-train/sci.space/3": "caf\xe9 dog",
        "20news-bydate-test/alt.atheism/1": "cat",
        "20news-bydate-test/sci.space/2": "unheard",
    }
    return tar({name: text.encode("latin-1") for name, text in texts.items()})


def unsw_csv(n, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"id": range(1, n + 1)})
    for k in range(39):
        frame[f"f{k}"] = rng.random(n).round(4)
        if k in (0, 1, 2):
            frame[["proto", "service", "state"][k]] = "-"
    frame["attack_cat"] = rng.choice(["Normal", "Generic", " Fuzzers", "Worms"], n)
    frame["label"] = (frame["attack_cat"] != "Normal").astype(int)
    return frame


def test_both_parts_of_unsw_nb15(tmp_path):
    train, test = unsw_csv(40, 0), unsw_csv(25, 1)
    files = {
        "UNSW_NB15_training-set.csv": b"\xef\xbb\xbf" + train.to_csv(index=False, lineterminator="\r\n").encode(),
        "UNSW_NB15_testing-set.csv": lzma.compress(test.to_csv(index=False).encode()),
    }
    data = load(tmp_path, "unsw_nb15", files)
    np.testing.assert_allclose(data.X, pd.concat([train, test])[[f"f{k}" for k in range(39)]], rtol=1e-6)
    assert data.n_train == 40
    train.loc[3, "label"] = 1 - train.loc[3, "label"]
    files["UNSW_NB15_training-set.csv"] = train.to_csv(index=False).encode()
    with pytest.raises(ValueError, match="attack_cat and label do not agree"):
        load(tmp_path, "unsw_nb15", files)


@pytest.mark.parametrize("kind", ["gz", "parquet"])
def test_table_with_a_label_rule(tmp_path, kind):
    text = b"age,job,income\n30,cook,low\n40,nurse,high\n50,cook,high\n60,judge,low\n"
    content = gzip.compress(text) if kind == "gz" else pd.read_csv(io.BytesIO(text)).to_parquet(index=False)
    entry = {"loader": "table", "options": {"target": "income"}, "positive": ["high"]}
    data = own(tmp_path, content, f"mine.{kind}", **entry)
    assert data.feature_names == ["age", "job=cook", "job=judge", "job=nurse"]
    np.testing.assert_array_equal(data.X, [[30, 1, 0, 0], [40, 0, 0, 1], [50, 1, 0, 0], [60, 0, 1, 0]])
    assert data.y.tolist() == [0, 1, 1, 0]


def test_columns_are_named_dropped_and_coded(tmp_path):
    options = {
        "target": "y",
        "names": ["id", "size", "weight", "kind", "y"],
        "drop": ["id"],
        "encode": {"size": {"S": 0, "L": 2}},
        "missing": ["?"],
        "separator": ";",
        "skip_lines": 1,
        "dtype": "float32",
    }
    text = b"made by hand\n1;S;?;?;1\n2;L;4;a;0\n3;L;6;a;0\n"
    with pytest.raises(ValueError, match=r"column 'weight' has 1 missing values; .*on_missing"):
        own(tmp_path, text, "a.csv", loader="table", options=options, positive=[1])
    data = own(tmp_path, text, "a.csv", loader="table", options=options | {"on_missing": "median"}, positive=[1])
    np.testing.assert_array_equal(data.X, np.array([[0, 5, 0], [2, 4, 1], [2, 6, 1]], np.float32))
    assert data.meta["details"] == {"missing_values_replaced_by_the_median": {"weight": 1}}
    dropped = options | {"on_missing": "drop_rows", "n_train": 2}
    data = own(tmp_path, text, "a.csv", loader="table", options=dropped, positive=[0])
    assert (data.X.tolist(), data.y.tolist(), data.n_train) == ([[2, 4, 1], [2, 6, 1]], [1, 1], 1)
    for change, message in [
        ({"names": ["size", "weight", "y"]}, "more columns than names of columns"),
        ({"target": "z"}, "no column 'z'; there are id, size, weight, kind, y"),
        ({"drop": ["idd"]}, "no column 'idd'"),
        ({"encode": {"size": {"S": 0}}}, "nothing for 'L' of column 'size'"),
        ({"on_missing": "guess"}, "'guess'; expected one of drop_rows, error, median"),
        ({"codes": {1: 1}, "on_missing": "median"}, "no code for the target 0"),
        ({"n_train": 3, "on_missing": "median"}, "n_train=3; expected 1 to 2, less than its rows"),
        ({"missing": ["?", "4", "6"], "on_missing": "median"}, "'weight' has no values; name it in options.drop"),
        ({"n_train": -1, "on_missing": "median"}, "n_train=-1; expected 1 to 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            own(tmp_path, text, "a.csv", loader="table", options=options | change, positive=[1])


def test_table_with_a_given_test_set(tmp_path):
    for part, rows in (("train", b"1,0\n2,1\n3,0\n"), ("test", b"4,1\n")):
        (tmp_path / f"{part}.csv").write_bytes(b"a,y\n" + rows)
    files = [{"name": f"{part}.csv", "path": str(tmp_path / f"{part}.csv")} for part in ("train", "test")]
    options = {"target": "y", "train": "train.csv", "test": "test.csv", "drop": None}  # an option without a value
    entry = {"title": "Mine", "loader": "table", "options": options, "positive": [1], "files": files}
    data = pulib.load_dataset("mine", data_dir=tmp_path / "resources", registry=load_registry(extra={"mine": entry}))
    assert data.n_train == 3
    assert data.X.ravel().tolist() == [1, 2, 3, 4]


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.mark.parametrize("labels", [["no", "yes", "yes"], [False, True, True], [0.0, 1.0, 1.0]])
def test_numpy_archives(tmp_path, labels):
    X = RNG.integers(0, 9, (3, 2, 2)).astype(np.uint8)
    content = npz(features=X, y=labels, X_test=X[:1], y_test=labels[:1])
    positive = ["yes"] if isinstance(labels[0], str) else [1]
    data = own(tmp_path, content, "a.npz", loader="npz", options={"keys": {"X": "features"}}, positive=positive)
    assert data.X.tolist() == np.concatenate([X, X[:1]]).reshape(4, 4).tolist()
    assert data.y.tolist() == [0, 1, 1, 0]
    assert (data.X.dtype, data.n_train) == (np.uint8, 3)


GROWS = {"target": "y", "positive_at_training": [1], "positive_at_test": [1, 2]}
SURVIVES = {"time": "t", "event": "e", "events": [1], "positive_at_training": "<= 9", "positive_at_test": "<= 99"}
X3 = [[1.0]] * 3
WRAPS = r"does not hold whole numbers from -128 to 127.*dtype.*300"  # it would become 44


@pytest.mark.parametrize(
    ("loader", "content", "options", "message"),
    [
        ("libsvm", b"a,b\n1,2\n", {"n_features": 2}, r"data set 'mine': a.txt is not in LIBSVM's format"),
        ("libsvm", b"0.5 1:2\n", {}, r"labels are not whole numbers \(found 0.5\)"),
        ("libsvm", b"1 1:300\n0 1:2\n", {"dtype": "int8"}, WRAPS),
        ("libsvm", b"1 1:1e39\n0 1:nan\n", {}, "values that are not finite in float32"),
        ("table", b"a,y\n300,1\n2,0\n", {"target": "y", "dtype": "int8"}, WRAPS),
        ("table", b"a,b,y\n1,inf,0\n2,3,1\n", {"target": "y"}, "column 'b' contains infinite numbers"),
        ("table", b"a,y\n1e99,0\n2,1\n", {"target": "y", "dtype": "float32"}, "column 'a' .* some too large for float32"),
        ("expansion_table", b"a,y\n1,1\n2,\n3,2\n", GROWS, "column 'y', the target, has 1 missing values; .* options.required"),
        ("expansion_table", b"a,y\n1,1\n2,3\n", GROWS, "options.positive_at_test: no row has the target 2"),
        ("expansion_table", b"t,e,a\n9,1,1\n,1,1\n", SURVIVES, "column 't', the time, has 1 missing values"),
        ("table", b"", {"target": "y"}, "data set 'mine': the loader 'table' cannot read it: EmptyDataError: No columns"),
        ("table", b"a,y\n1,0\n2,1\n", {"target": "y", "dtype": "flot"}, "data set 'mine': .* data type 'flot' not understood"),
        ("npz", b"text", {}, "data set 'mine': the loader 'npz' cannot read it"),
        ("npz", npz(features=[1], y=[0]), {}, "no array 'X'; there are features, y"),
        ("npz", npz(X=[[1.0], [np.nan]], y=[0, 1]), {}, "must hold finite numbers"),
        ("npz", npz(X=X3, y=[0, 1, 1], X_test=X3), {}, "no array 'y_test'; there are X, y, X_test"),
        ("npz", npz(X=X3, y=[0, 1], X_test=X3, y_test=[0, 1, 1, 0]), {}, r"'X' \(3, 1\), 'y' \(2,\), 'X_test'"),
        ("npz", npz(X=X3, y=[0.0, 1.0, np.nan]), {}, r"'y' has 1 missing values \(NaN\), the first in row 2"),
    ],
)
def test_unreadable_content_raises_a_specific_error(tmp_path, loader, content, options, message):
    with pytest.raises(ValueError, match=message):
        own(tmp_path, content, "a.txt", loader=loader, options=options, positive=[1])


def zeros_in(kind):
    zeros = b"\0" * (30 << 20)
    if kind in ("gz", "xz"):
        return {"gz": gzip, "xz": lzma}[kind].compress(zeros)
    if kind == "tar.xz":
        return tar({"a": zeros[: 15 << 20], "b": zeros[: 15 << 20]}, "w:xz")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", zeros)
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["gz", "xz", "zip", "tar.xz"])
def test_decompression_bomb_raises_an_error(tmp_path, monkeypatch, kind):
    assert (_streams.MOST_TIMES, _streams.MOST_BESIDES) == (200, 64 << 20)
    monkeypatch.setattr(_streams, "MOST_BESIDES", 6 << 20)  # so that a tenth of the zeros is enough
    path, taken = tmp_path / f"bomb.{kind}", [0]
    path.write_bytes(zeros_in(kind))
    assert path.stat().st_size < 40_000

    def read_all():
        for stream in [open_stream(path)] if kind in ("gz", "xz") else (stream for _, stream in archive_members(path)):
            while block := stream.read(CHUNK):
                taken[0] += len(block)

    with pytest.raises(TooLargeError, match=rf"bomb.{kind}.*expected at most [\d,]+ bytes when decompressed"):
        read_all()
    assert taken[0] <= 200 * path.stat().st_size + (6 << 20)


@pytest.mark.parametrize(
    ("kind", "labels", "positive", "expected"),
    [
        ("libsvm", "1 -1", ["1"], [1, 0]),
        ("libsvm", "1 -1", ["-1"], [0, 1]),
        ("csv", "1.0 2.0", [1], [1, 0]),
        ("csv", "0.5 1.5", ["0.5"], [1, 0]),
        ("csv", "a b", [0], [1, 0]),  # a code
        ("npz", "1 2", ["2"], [0, 1]),
        ("npz", "a b", ["b"], [0, 1]),
    ],
)
def test_positive_matches_labels_as_the_file_spells_them(tmp_path, kind, labels, positive, expected):
    data = own(tmp_path, *labeled(kind, labels.split()), loader=LABELED[kind], positive=positive, **OPTIONS.get(kind, {}))
    assert data.y.tolist() == expected


LABELED = {"libsvm": "libsvm", "csv": "table", "npz": "npz"}
OPTIONS = {"csv": {"options": {"target": "y"}}}


def labeled(kind, labels):
    """Return a file of two rows with these labels, and its name."""
    if kind == "libsvm":
        return "".join(f"{label} 1:3\n" for label in labels).encode(), "a.txt"
    if kind == "csv":
        return ("x,y\n" + "".join(f"3,{label}\n" for label in labels)).encode(), "a.csv"
    y = np.array(labels) if not labels[0].isdigit() or int(labels[0]) < 9 else np.array(labels, int)
    return npz(X=np.full((2, 1), 3), y=y), "a.npz"


@pytest.mark.parametrize("kind", LABELED)
def test_impossible_labels_raise_an_error(tmp_path, kind):
    common = {"loader": LABELED[kind], **OPTIONS.get(kind, {})}
    with pytest.raises(ValueError, match=r"target 65537 does not fit into 16 bits \(-32768 to 32767\)"):
        own(tmp_path, *labeled(kind, ["65537", "65538"]), positive=[1], **common)
    for wrong in ("high", "3", 3):
        with pytest.raises(ValueError, match=f"positive: {wrong!r} is not one of its targets; they are "):
            own(tmp_path, *labeled(kind, ["1", "2"]), positive=[wrong], **common)


def test_target_is_the_file_if_no_column_holds_it(tmp_path):
    red = b"acid;sugar\n1;2\n3;4\n"
    white = b"acid;sugar\n5;6\n"
    files = {"winequality-red.csv": red, "winequality-white.csv": white}
    data = load(tmp_path, "wine_color", files)
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert data.y.tolist() == [1, 1, 0]
    options = REGISTRY["wine_color"]["options"] | {"by_file": {"winequality-red.csv": 1}}
    with pytest.raises(ValueError, match=r"options\.by_file: 'winequality-white\.csv' is not in both"):
        load(tmp_path, "wine_color", files, options=options)


def special(kind, target=""):
    info = tarfile.TarInfo()
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"a/../../owned": b"x"}, "leads outside"),
        ({"/tmp/owned": b"x"}, "leads outside"),
        ({"..\\owned": b"x"}, "leads outside"),
        ({"link": special(tarfile.SYMTYPE, "/etc/passwd")}, "is a link"),
        ({"link": special(tarfile.LNKTYPE, "../owned")}, "is a link"),
        ({"device": special(tarfile.CHRTYPE)}, "neither a file nor a folder"),
    ],
)
def test_unsafe_tar_raises_an_error(tmp_path, members, problem):
    (tmp_path / "a.tar.gz").write_bytes(tar(members))
    with pytest.raises(UnsafeArchiveError, match=problem):
        list(archive_members(tmp_path / "a.tar.gz"))


@pytest.mark.parametrize(("name", "mode", "problem"), [("../owned", 0, "leads outside"), ("link", 0o120777, "is a link")])
def test_unsafe_zip_raises_an_error(tmp_path, name, mode, problem):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        archive.writestr(info, "x")
    with pytest.raises(UnsafeArchiveError, match=problem):
        list(archive_members(tmp_path / "a.zip"))


def test_folders_in_archives_are_skipped(tmp_path):
    (tmp_path / "a.tar").write_bytes(tar({"folder": special(tarfile.DIRTYPE), "folder/file": b"x"}, "w"))
    assert [(name, stream.read()) for name, stream in archive_members(tmp_path / "a.tar")] == [("folder/file", b"x")]
