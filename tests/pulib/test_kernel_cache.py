"""Compiled kernels are kept and found where an installation may not be written to, and where there is no home."""

import ctypes
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

from pulib import _compiled, _kernel_cache, warm_up
from pulib.exceptions import PUWarning
from tests.sizes import NOT_COMPILED

ROOT = Path(__file__).parents[2]
NOBODY = 65534


def no_more_than_the_owner():
    """Take from the superuser what lets it write to any file; the permissions then hold for it too."""
    drop_from_bounding_set = 24
    for override in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        if ctypes.CDLL(None).prctl(drop_from_bounding_set, override, 0, 0, 0) != 0:
            raise OSError("prctl")


def another_user():
    """How to start a process that the permissions of files hold for: a user's own, another user's, or an owner's."""
    if os.name == "nt" or os.getuid() != 0:
        return {}
    interpreter = Path(sys.executable).resolve()
    if all(folder.stat().st_mode & 0o001 for folder in [interpreter, *interpreter.parents]):
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    return {"preexec_fn": no_more_than_the_owner}


SELF = another_user()

# Fits, and prints what was compiled, the warnings, and where the library lies; nothing is a folder for temporary files with "".
PROGRAM = """
import json, sys, tempfile, warnings
import numpy as np
from numba.core import event

if sys.argv[1] == "":
    tempfile.gettempdir = lambda: "/proc/nothing"

compiled = []

class Listener(event.Listener):
    def on_start(self, happened):
        compiled.append(happened.data["dispatcher"].py_func.__name__)

    def on_end(self, happened):
        pass

event.register("numba:compile", Listener())
import pulib

y = (np.arange(120) < 40).astype(int)
X = np.random.default_rng(0).normal(size=(120, 3)) + y[:, None]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for fit in sys.argv[2:]:
        if fit == "twice":
            from pulib._twice import twice
            assert twice(4) == 8
            continue
        dtype, splitter = fit.split()
        pulib.AdaPUClassifier(2, prior=0.4, splitter=splitter, random_state=0).fit(X.astype(dtype), y)
said = [str(warning.message) for warning in caught if "ompiled kernels" in str(warning.message)]
print(json.dumps({"compiled": compiled, "said": said, "at": pulib.__file__}))
"""

# A kernel that is compiled in no time, as a module of the library.
TWICE = """
from pulib._compiled import kernel

@kernel
def twice(v):
    return 2 * v
"""

pytestmark = [
    pytest.mark.skipif(NOT_COMPILED, reason="NUMBA_DISABLE_JIT: nothing is compiled"),
    pytest.mark.skipif(os.name == "nt", reason="permissions are set another way on Windows"),
]


@pytest.fixture
def place():
    """A folder that others may look into, as those of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="pulib-test-"))
    folder.chmod(0o755)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def installation(place):
    """The library without any compiled kernels."""
    shutil.copytree(ROOT / "pulib", place / "lib" / "pulib", ignore=shutil.ignore_patterns("__pycache__"))
    (place / "lib" / "pulib" / "_twice.py").write_text(TWICE)
    return place / "lib"


def make_read_only(folder):
    for path in [*folder.rglob("*"), folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def environment(installation, **variables):
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "PYTHONPATH": str(installation), "HOME": "/proc/nothing", "PYTHONDONTWRITEBYTECODE": "1", **variables}


def fit_as_another(installation, temporary="", fits=("twice",), **variables):
    """What a user says who owns nothing of the installation and has no home; ``temporary`` is the last place."""
    variables = {**variables, **({"TMPDIR": str(temporary)} if temporary else {})}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(temporary), *fits],
        cwd="/",
        env=environment(installation, **variables),
        capture_output=True,
        text=True,
        **SELF,
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["at"].startswith(str(installation))
    return told["compiled"], told["said"]


def test_without_a_home_kernels_are_kept_in_the_folder_for_temporary_files(installation, place):
    make_read_only(installation)
    temporary = place / "temporary"
    temporary.mkdir()
    temporary.chmod(0o777)
    compiled, said = fit_as_another(installation, temporary)
    assert compiled
    assert said == []
    assert fit_as_another(installation, temporary) == ([], [])
    (folder,) = temporary.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folder.stat().st_uid == SELF.get("user", os.getuid())


def test_where_nothing_can_be_written_it_fits_and_says_once_what_to_do(installation):
    make_read_only(installation)
    compiled, said = fit_as_another(installation)
    assert compiled
    assert len(said) == 1
    assert "Set NUMBA_CACHE_DIR" in said[0]
    assert "python -m pulib.warm_up" in said[0]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["beside the source", "NUMBA_CACHE_DIR"])
def test_what_the_owner_has_warmed_up_is_used_where_nothing_can_be_written(installation, place, where):
    folder = place / "kernels"
    variables = {"NUMBA_CACHE_DIR": str(folder)} if where == "NUMBA_CACHE_DIR" else {}
    command = [sys.executable, "-m", "pulib.warm_up", "boosting"]
    done = subprocess.run(
        command, cwd="/", env=environment(installation, **variables), capture_output=True, text=True, check=True
    )
    assert "boosting: " in done.stdout
    make_read_only(installation)
    if variables:
        make_read_only(folder)
    fits = [f"{dtype} {splitter}" for dtype in ("float64", "float32") for splitter in ("random", "best")]
    assert fit_as_another(installation, fits=fits, **variables) == ([], [])


def test_processes_that_compile_at_the_same_time_keep_both_kernels(tmp_path, monkeypatch):
    """Whatever another one does between two steps of this one; none gets the code of the other."""

    def cache():
        return _kernel_cache.KernelCache(no_more_than_the_owner)

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


# Damages the one kernel that is kept, in many ways, and prints after each what a call gives and how often it was compiled.
DAMAGE = """
import os
from pathlib import Path
from pulib._compiled import kernel

def twice(v):
    return 2 * v

def run():
    compiled = kernel(twice)
    return compiled(4), sum(compiled.stats.cache_misses.values())

print("nothing", *run(), *run())
(kept,) = Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.nbc")
whole = kept.read_bytes()
n = len(whole)
damaged = {"empty": b"", "text": b"nothing", "cut": whole[: n // 2], "a byte short": whole[:-1], "a byte more": whole + b"0"}
for at in (0, 1, 31, 32, 40, n // 8, n // 4, n // 2, 3 * n // 4, n - 2, n - 1):
    damaged[f"bits of byte {at}"] = whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]
for at in (0, n // 4, n // 2, n - 512):
    damaged[f"zeros at {at}"] = whole[:at] + bytes(512) + whole[at + 512 :]
for what, content in damaged.items():
    kept.write_bytes(content)
    print(what.replace(" ", "-"), *run(), *run(), flush=True)
"""


def test_a_damaged_kernel_is_compiled_again(tmp_path):
    (tmp_path / "loops.py").write_text(DAMAGE)
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "loops.py"]
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0, (lines[-1:], done.stderr)
    assert len(lines) == 21
    assert [line for line in lines if line[1:] != ["8", "1", "8", "0"]] == []


def test_a_folder_that_others_may_write_to_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = _kernel_cache._temporary_folder.__wrapped__()
    assert found.parent == tmp_path
    found.chmod(0o777)
    assert _kernel_cache._temporary_folder.__wrapped__() is None
    found.rmdir()
    (tmp_path / "theirs").mkdir()
    found.symlink_to(tmp_path / "theirs")
    assert _kernel_cache._temporary_folder.__wrapped__() is None


def test_the_stamp_changes_with_a_helper_of_another_module(tmp_path, monkeypatch):
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


def test_a_disk_that_is_full_costs_a_warning_and_no_fit(monkeypatch):
    def full(file, content):
        raise OSError(28, "No space left on device")

    def compiled():
        triple = _compiled.kernel(lambda v: 3 * v)
        return triple(4)

    monkeypatch.setattr(_kernel_cache, "_write", full)
    monkeypatch.setattr(_kernel_cache.KernelCache, "_load", lambda *_: None)
    _kernel_cache._warn_once.cache_clear()
    with pytest.warns(PUWarning, match=r"No space left on device.*NUMBA_CACHE_DIR"):
        assert compiled() == 12
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled() == 12
    _kernel_cache._warn_once.cache_clear()


def test_warm_up_says_what_it_does_not_know(capsys, monkeypatch):
    with pytest.raises(ValueError, match="'forests' is not one of trees, boosting, svm, linear, expansion"):
        warm_up.warm_up(["forests"])
    with pytest.raises(SystemExit):
        warm_up.main(["forests"])
    monkeypatch.setattr(warm_up, "folder_to_write", lambda source: None)
    assert warm_up.main([]) == 1
    assert "NUMBA_CACHE_DIR" in capsys.readouterr().out


def test_every_module_with_kernels_is_warmed_up():
    """By the names of the packages; tests/pulib/test_compilation.py looks at kernels."""
    packages = {
        file.relative_to(ROOT / "pulib").parts[0] for file in (ROOT / "pulib").rglob("_*.py") if "\n@kernel" in file.read_text()
    }
    assert {name.removeprefix("_") for name in packages - {"_random.py"}} == set(warm_up.FAMILIES)
