"""Disk cache of compiled kernels.

Numba uses a single folder, and raises an error if it cannot write to any, as in shared installations, containers and on compute
nodes.  This cache reads kernels from all of these folders, down to the first writable one:

1. ``NUMBA_CACHE_DIR``, if it is set;
2. ``__pycache__`` next to the source;
3. the user's cache (``~/.cache/numba``);
4. a folder of the user in the system's folder for temporary files.

Kernels compiled when an image is built (``python -m pulib.warm_up``) are thus found in read-only installations.  If no folder
is writable, each process compiles the missing kernels and warns once.

Each compiled kernel has its own file, with its types and a checksum.  Damaged files are compiled again.

Numba's cache (``cache=True``) is not used for three reasons:

- It numbers its files in an index without a lock.  Two processes that compile a kernel for different types at the same time may
  use the same number, and a third process may then call code for the wrong types.
- It runs what it reads without a check, so that a damaged file crashes the process.
- It detects changes only in the kernel's own source file, not in those of inlined helpers.

A lock would solve only the first problem, and cannot be acquired in a read-only installation.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import secrets
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numba

from pulib.exceptions import PUWarning

try:  # not part of Numba's public interface
    from numba.core.compiler import CompileResult
    from numba.core.serialize import dumps
    from numba.misc.appdirs import AppDirs

    _INTERFACE = CompileResult._rebuild, CompileResult._reduce
except (ImportError, AttributeError):
    _INTERFACE = None  # type: ignore[assignment]
#: Whether Numba has the interfaces that this module uses; otherwise, Numba's own cache is used.
USABLE = _INTERFACE is not None
#: Version of Numba with which this was last measured and tested.
TRIED = "0.68.1"
_PACKAGE = Path(__file__).parent
_CHECKSUM_BYTES = hashlib.sha256().digest_size
_IMPORT = re.compile(r"^from (pulib[\w.]*) import", re.M)


def folders(source: Path) -> Iterator[Path]:
    """Yield the folders that may contain the kernels of a source file, in order of preference."""
    # Numba's naming: files of the same name in different packages get different folders
    own = f"{source.parent.name}_{hashlib.sha1(str(source.parent).encode(), usedforsecurity=False).hexdigest()}"
    if numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR) / own
    yield source.parent / "__pycache__"
    if USABLE:
        yield Path(AppDirs(appname="numba", appauthor=False).user_cache_dir) / own
    temporary = _temporary_folder()
    if temporary is not None:
        yield temporary / own


@cache
def _temporary_folder() -> Path | None:
    """Return a folder that no other user can write to, since its content is executed."""
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
    """Return the folder to write the kernels of a source file to; None if no folder is writable."""
    return next(filter(_can_be_written, folders(source)), None)


@cache
def _sources(module: Path) -> frozenset[Path]:
    """Return a module and all modules of this package that it imports, directly or not, since helpers may be inlined."""
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
    """Return a hash of the module and of all modules of this package that it imports."""
    content = hashlib.sha256()
    for file in sorted(_sources(module)):
        content.update(file.read_bytes())
    return content.hexdigest()


def _write(file: Path, content: bytes) -> None:
    """Write a file so that it appears complete or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    own = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        own.write_bytes(content)
        own.replace(file)
    finally:
        own.unlink(missing_ok=True)


class KernelCache:
    """Cache of one kernel, which replaces Numba's: one file per combination of argument types, and no index."""

    def __init__(self, py_func: Callable[..., Any]):
        code = py_func.__code__
        self._py_func, self._source = py_func, Path(code.co_filename)
        name = py_func.__qualname__.replace("<", "").replace(">", "")  # Windows forbids them in file names
        version = f"py{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
        self._name = f"{self._source.stem}.{name}-{code.co_firstlineno}.{version}"

    @cached_property
    def _read(self) -> list[Path]:
        """Folders to read, down to the first writable one."""
        found: list[Path] = []
        for folder in folders(self._source) if self._source.is_file() else ():  # notebook cells are no files
            found.append(folder)
            if _can_be_written(folder):
                break
        return found

    @cached_property
    def _written(self) -> Path | None:
        return self._read[-1] if self._read and _can_be_written(self._read[-1]) else None

    @property
    def cache_path(self) -> str | None:
        """Folder to write to; None if no folder is writable."""
        return None if self._written is None else str(self._written)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load a compiled kernel for the types of a call; None if there is none."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        for folder in self._read:
            kept = self._load(folder, key)
            if kept is not None:
                return CompileResult._rebuild(target_context, *kept)
        return None

    def save_overload(self, sig: Any, compiled: Any) -> None:
        """Store a kernel; warn once if that fails."""
        if compiled.library.has_dynamic_globals:  # addresses are valid only in this process
            return
        if self._written is None:
            _warn_once("")
            return
        try:
            self._save(self._written, self._key(sig, compiled.codegen), compiled._reduce())
        except OSError as error:  # a full disk, a quota
            if os.name != "nt" or not isinstance(error, PermissionError):  # on Windows, another process may be reading it
                _warn_once(f" ({error})")

    def flush(self) -> None:
        """Discard the stored kernels."""
        for file in () if self._written is None else self._written.glob(f"{self._name}.*.nbc"):
            file.unlink(missing_ok=True)

    def _key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """Return what a compiled kernel depends on besides the sources: types, processor, code and closure."""
        cells = tuple(cell.cell_contents for cell in self._py_func.__closure__ or ())
        return sig, codegen.magic_tuple(), self._py_func.__code__.co_code, dumps(cells)

    def _file(self, folder: Path, key: tuple[Any, ...]) -> Path:
        """Name the file by types and processor, not by code, so that a changed kernel replaces the old one."""
        return folder / f"{self._name}.{hashlib.sha256(str(key[:2]).encode()).hexdigest()[:16]}.nbc"

    def _save(self, folder: Path, key: tuple[Any, ...], kernel: Any) -> None:
        content = pickle.dumps((numba.__version__, _stamp(self._source), dumps(key), dumps(kernel)))
        _write(self._file(folder, key), hashlib.sha256(content).digest() + content)

    def _load(self, folder: Path, key: tuple[Any, ...]) -> Any:
        """Load the kernel of these types, Numba version and sources; None if there is none or its file is damaged."""
        try:
            kept = memoryview(self._file(folder, key).read_bytes())
        except OSError:  # missing or not readable
            return None
        checksum, content = kept[:_CHECKSUM_BYTES], kept[_CHECKSUM_BYTES:]
        if hashlib.sha256(content).digest() != checksum:
            return None
        version, stamp, own, kernel = pickle.loads(content)
        fits = version == numba.__version__ and stamp == _stamp(self._source) and pickle.loads(own) == key
        return pickle.loads(kernel) if fits else None


@cache
def _warn_once(why: str) -> None:
    warnings.warn(
        f"Compiled kernels cannot be cached: no cache folder is writable{why}. Each process compiles the kernels that it "
        "uses, which may take half a minute. Set NUMBA_CACHE_DIR to a writable folder, or ask the owner of the installation "
        "to run python -m pulib.warm_up.",
        PUWarning,
        stacklevel=2,
    )
