"""Compiled kernels are cached even if the installation is not writable or there is no home folder."""

import os
import stat
import tempfile
import warnings
from pathlib import Path

import numba
import pytest

from pulib import _compiled, _kernel_cache, warm_up
from pulib.exceptions import PUWarning
from tests.sizes import NOT_COMPILED

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.skipif(NOT_COMPILED, reason="NUMBA_DISABLE_JIT: nothing is compiled"),
    pytest.mark.skipif(os.name == "nt", reason="permissions are set another way on Windows"),
]


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Three cache folders in order of preference; a file in a folder's place makes it unwritable."""
    found = [tmp_path / name for name in ("one", "two", "three")]
    monkeypatch.setattr(_kernel_cache, "folders", lambda source: iter(found))
    _kernel_cache._warn_once.cache_clear()
    yield found
    _kernel_cache._warn_once.cache_clear()


def twice(v):
    return 2 * v


def run():
    """Return the result of a kernel that is new to this process, and how often it was compiled."""
    compiled = _compiled.kernel(twice)
    return compiled(4), sum(compiled.stats.cache_misses.values())


def test_kernels_are_cached_in_a_writable_folder_and_read_from_any(places, monkeypatch):
    places[0].write_text("")
    assert run() == (8, 1)
    assert run() == (8, 0)
    assert [place.is_dir() for place in places] == [False, True, False]
    monkeypatch.setattr(_kernel_cache, "_can_be_written", lambda folder: False)
    assert run() == (8, 0)


def full(file, content):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("why", ["no cache folder is writable.", r"No space left on device.*"])
def test_warns_once_if_kernels_cannot_be_cached(why, places, monkeypatch):
    if "space" in why:
        monkeypatch.setattr(_kernel_cache, "_write", full)
    else:
        for place in places:
            place.write_text("")
    with pytest.warns(PUWarning, match=rf"{why}.*Set NUMBA_CACHE_DIR .* python -m pulib\.warm_up"):
        assert run() == (8, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run() == (8, 1)


def test_order_of_cache_folders(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "named"))
    monkeypatch.setattr(_kernel_cache, "_temporary_folder", lambda: tmp_path / "temporary")
    named, in_package, _, temporary = _kernel_cache.folders(Path(__file__))
    assert (named.parent, temporary.parent) == (tmp_path / "named", tmp_path / "temporary")
    assert in_package == Path(__file__).parent / "__pycache__"


def test_processes_that_compile_at_once_keep_both_kernels(tmp_path, monkeypatch):
    """Even if one process writes between two steps of another, neither loads the other's code."""

    def cache():
        return _kernel_cache.KernelCache(run)

    def key(types, code):
        return types, "this processor", code, b""

    write = _kernel_cache._write

    def overtaken(file, content):
        monkeypatch.setattr(_kernel_cache, "_write", write)
        cache()._save(tmp_path, key("float32", "code"), "for float32")
        write(file, content)

    monkeypatch.setattr(_kernel_cache, "_write", overtaken)
    cache()._save(tmp_path, key("float64", "code"), "for float64")
    for types in ("float32", "float64"):
        assert cache()._load(tmp_path, key(types, "code")) == f"for {types}"
        assert cache()._load(tmp_path, key(types, "other code")) is None
    assert len(list(tmp_path.iterdir())) == 2


def test_damaged_kernel_is_compiled_again(places):
    run()
    (kept,) = places[0].iterdir()
    whole = kept.read_bytes()
    n = len(whole)
    damaged = [b"", b"nothing", whole[: n // 2], whole[:-1], whole + b"0"]
    for at in (0, 1, 31, 32, 40, n // 8, n // 4, n // 2, 3 * n // 4, n - 2, n - 1):
        damaged.append(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
    for at in (0, n // 4, n // 2, n - 512):
        damaged.append(whole[:at] + bytes(512) + whole[at + 512 :])
    for content in damaged:
        kept.write_bytes(content)
        assert run() == (8, 1)
        assert run() == (8, 0)


def test_folder_that_others_can_write_to_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = _kernel_cache._temporary_folder.__wrapped__()
    assert found.parent == tmp_path
    assert stat.S_IMODE(found.stat().st_mode) == 0o700
    found.chmod(0o777)
    assert _kernel_cache._temporary_folder.__wrapped__() is None
    found.rmdir()
    (tmp_path / "theirs").mkdir()
    found.symlink_to(tmp_path / "theirs")
    assert _kernel_cache._temporary_folder.__wrapped__() is None


def test_stamp_changes_with_helpers_in_other_modules(tmp_path, monkeypatch):
    monkeypatch.setattr(_kernel_cache, "_PACKAGE", tmp_path / "pulib")
    (tmp_path / "pulib" / "inner").mkdir(parents=True)
    files = {
        "loops.py": "from pulib.inner._helper import plus\n",
        "inner/_helper.py": "from pulib._deep import one\n",
        "_deep.py": "one = 1\n",
        "other.py": "two = 2\n",
    }

    def stamp(**changed):
        for name, text in {**files, **changed}.items():
            (tmp_path / "pulib" / name).write_text(text)
        _kernel_cache._sources.cache_clear()
        return _kernel_cache._stamp.__wrapped__(tmp_path / "pulib" / "loops.py")

    first = stamp()
    assert stamp(**{"other.py": "two = 3\n"}) == first == stamp()
    assert len({first, stamp(**{"_deep.py": "one = 2\n"}), stamp(**{"loops.py": files["loops.py"] + "#\n"})}) == 3


def test_warm_up_reports_unknown_families_and_unwritable_caches(capsys, monkeypatch):
    with pytest.raises(ValueError, match="'forests' is not one of trees, boosting, svm, linear, expansion"):
        warm_up.warm_up(["forests"])
    with pytest.raises(SystemExit):
        warm_up.main(["forests"])
    monkeypatch.setattr(warm_up, "folder_to_write", lambda source: None)
    assert warm_up.main([]) == 1
    assert "NUMBA_CACHE_DIR" in capsys.readouterr().out


def test_every_module_with_kernels_is_warmed_up():
    """Compares package names; tests/pulib/test_compilation.py checks the kernels."""
    packages = {
        file.relative_to(ROOT / "pulib").parts[0] for file in (ROOT / "pulib").rglob("_*.py") if "\n@kernel" in file.read_text()
    }
    assert {name.removeprefix("_") for name in packages - {"_random.py"}} == set(warm_up.FAMILIES)
