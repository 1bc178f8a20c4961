"""Where compiled kernels are kept on disk, so that a process compiles what no process before it has.

Numba keeps them in one folder, and raises an error where it may write to none.  Installations that others own, containers and
compute nodes are like that.  Here kernels are read from every folder down to the first that may be written to:

1. ``NUMBA_CACHE_DIR``, where it is set;
2. ``__pycache__`` beside the source;
3. the user's own cache (``~/.cache/numba``);
4. a folder of the user's in the system's folder for temporary files.

So what was compiled when an image was built (``python -m pulib.warm_up``) is found where nothing may be written.  Where no
folder can be written to, kernels that are not there are compiled by each process, and it says so once.

A compiled kernel is a file of its own, which says for which types it is and has a checksum: what a disk or a copy has damaged
is compiled again.

Numba's own cache (``cache=True``) does not do: it numbers its files in an index without a lock between processes, so that of
two that compile a kernel for different types at the same time both may take one number, and a third calls code for other types;
it runs what it reads without a check, which for a damaged file ends the process; and it looks for changes in the kernel's own
source file only, not in those of inlined helpers.  A lock would mend the first alone, and cannot be taken where an installation
may not be written to.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.misc.appdirs import AppDirs

from pulib.exceptions import PUWarning

_PACKAGE = Path(__file__).parent
_CHECKSUM_BYTES = hashlib.sha256().digest_size
_IMPORT = re.compile(r"^from (pulib[\w.]*) import", re.M)


def folders(source: Path) -> Iterator[Path]:
    """Where the kernels of a source file may be, in the order of preference."""
    # as Numba names it: files of one name in different packages are told apart
    own = f"{source.parent.name}_{hashlib.sha1(str(source.parent).encode(), usedforsecurity=False).hexdigest()}"
    if numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR) / own
    yield source.parent / "__pycache__"
    yield Path(AppDirs(appname="numba", appauthor=False).user_cache_dir) / own
    temporary = _temporary_folder()
    if temporary is not None:
        yield temporary / own


@cache
def _temporary_folder() -> Path | None:
    """A folder that no other user can write to, since what is read from it is run."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    try:
        folder = Path(tempfile.gettempdir()) / f"pulib-kernels-{user}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    safe = stat.S_ISDIR(found.st_mode) and (os.name == "nt" or (found.st_uid == user and not found.st_mode & 0o022))
    return folder if safe else None


@cache
def _can_be_written(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def folder_to_write(source: Path) -> Path | None:
    """The folder that keeps what is compiled of a source file; None where there is none."""
    return next(filter(_can_be_written, folders(source)), None)


@cache
def _sources(module: Path) -> frozenset[Path]:
    """A module and those of this package that it imports, also by way of others: an inlined helper is part of a kernel."""
    found, waiting = {module}, [module]
    while waiting:
        for name in _IMPORT.findall(waiting.pop().read_text(encoding="utf-8")):
            path = _PACKAGE.joinpath(*name.split(".")[1:])
            file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            if file not in found and file.is_file():
                found.add(file)
                waiting.append(file)
    return frozenset(found)


@cache
def _stamp(module: Path) -> str:
    """Changes with the module, and with any of this package that a kernel in it may be made of."""
    content = hashlib.sha256()
    for file in sorted(_sources(module)):
        content.update(file.read_bytes())
    return content.hexdigest()


class _Locator:
    """What Numba asks where a function's kernels are: a folder, whether it may be written to or not."""

    def __init__(self, folder: Path, py_func: Callable[..., Any], source: Path):
        self._folder, self._py_file, self._line = folder, str(source), py_func.__code__.co_firstlineno
        self._source = source

    def ensure_cache_path(self) -> None:
        """Numba calls this before it writes."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return _stamp(self._source)

    def get_disambiguator(self) -> str:
        return str(self._line)


class _KernelFiles(IndexDataCacheFile):
    """The kernels of one function: a file for each type of its arguments, and no index."""

    def flush(self) -> None:
        """Forget all of them."""
        for file in Path(self._cache_path).glob(self._name("*")):
            file.unlink(missing_ok=True)

    def save(self, key: Any, data: Any) -> None:
        """Keep a kernel, after the checksum of what follows; its file appears whole, or not at all."""
        content = self._dump((numba.__version__, self._source_stamp, *map(self._dump, (key, data))))
        with self._open_for_write(self._path(key)) as file:
            file.write(hashlib.sha256(content).digest() + content)

    def load(self, key: Any) -> Any:
        """A kernel for these types, made by this Numba from this source; None where there is none, or its file is damaged."""
        try:
            kept = memoryview(self._path(key).read_bytes())
        except FileNotFoundError:
            return None
        checksum, content = kept[:_CHECKSUM_BYTES], kept[_CHECKSUM_BYTES:]
        if hashlib.sha256(content).digest() != checksum:
            return None
        version, stamp, own, data = pickle.loads(content)
        fits = version == numba.__version__ and stamp == self._source_stamp and pickle.loads(own) == key
        return pickle.loads(data) if fits else None

    def _path(self, key: Any) -> Path:
        return Path(self._cache_path) / self._name(_digest(key))

    def _name(self, digest: str) -> str:
        return f"{self._index_name.removesuffix('.nbi')}.{digest}.nbc"


def _digest(key: Any) -> str:
    """Of the types and the processor; not of the code, so that a changed kernel takes the place of the last one."""
    return hashlib.sha256(str(key[:2]).encode()).hexdigest()[:16]


def _cache_in(folder: Path, py_func: Callable[..., Any], source: Path) -> FunctionCache:
    class Place:
        @staticmethod
        def from_function(py_func: Callable[..., Any], _: str) -> _Locator:
            return _Locator(folder, py_func, source)

    class Impl(CompileResultCacheImpl):
        _locator_classes = [Place]  # noqa: RUF012

    found = type("FolderCache", (FunctionCache,), {"_impl_class": Impl})(py_func)
    found._cache_file = _KernelFiles(folder, found._impl.filename_base, _stamp(source))
    return found


class KernelCache:
    """The cache of one kernel, in the place of Numba's own."""

    def __init__(self, py_func: Callable[..., Any]):
        self._py_func = py_func
        self._source = Path(py_func.__code__.co_filename)

    @cached_property
    def _read(self) -> list[FunctionCache]:
        """Down to the folder that is written to, where there is one."""
        if not self._source.is_file():  # such as a cell of a notebook
            return []
        found = []
        for folder in folders(self._source):
            writable = _can_be_written(folder)
            if writable or os.access(folder, os.R_OK):
                try:
                    found.append(_cache_in(folder, self._py_func, self._source))
                except RuntimeError:  # the locators that NUMBA_CACHE_LOCATOR_CLASSES asks for have no place for it
                    return found
            if writable:
                break
        return found

    @cached_property
    def _written(self) -> FunctionCache | None:
        return self._read[-1] if self._read and _can_be_written(Path(self._read[-1].cache_path)) else None

    @property
    def cache_path(self) -> str | None:
        """The folder that is written to; None where there is none."""
        return None if self._written is None else self._written.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """A compiled kernel for the types of a call, or None."""
        for place in self._read:
            try:
                found = place.load_overload(sig, target_context)
            except OSError:  # not for this user to read
                continue
            if found is not None:
                return found
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel; where that cannot be done, say so once."""
        try:
            if self._written is not None:
                self._written.save_overload(sig, data)
                return
        except OSError as error:  # a full disk, a quota
            _warn_once(f" ({error})")
            return
        _warn_once("")

    def flush(self) -> None:
        """Forget what is kept."""
        if self._written is not None:
            self._written.flush()


@cache
def _warn_once(why: str) -> None:
    warnings.warn(
        f"Compiled kernels cannot be cached: no cache folder is writable{why}. Each process compiles the kernels that it "
        "uses, which may take half a minute. Set NUMBA_CACHE_DIR to a writable folder, or ask the owner of the installation "
        "to run python -m pulib.warm_up.",
        PUWarning,
        stacklevel=2,
    )
