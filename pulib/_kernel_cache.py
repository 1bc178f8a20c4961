"""Where compiled kernels are kept on disk, so that a process compiles what no process before it has.

Numba keeps them in one folder, and raises an error where it may write to none.  Installations that others own, containers and
compute nodes are like that.  Here kernels are read from every folder down to the first that may be written to:

1. ``NUMBA_CACHE_DIR``, where it is set;
2. ``__pycache__`` next to the source;
3. the user's own cache (``~/.cache/numba``);
4. a folder of the user's in the system's folder for temporary files.

So what was compiled when an image was built (``python -m pulib.warm_up``) is found where nothing may be written.  Where no
folder is writable, each process compiles the kernels that are missing, and warns once.

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
#: Whether Numba has the interfaces that this module uses; otherwise, Numba's own cache keeps the kernels.
USABLE = _INTERFACE is not None
#: The version of Numba with which this was last measured and tested.
TRIED = "0.68.1"
_PACKAGE = Path(__file__).parent
_CHECKSUM_BYTES = hashlib.sha256().digest_size
_IMPORT = re.compile(r"^from (pulib[\w.]*) import", re.M)


def folders(source: Path) -> Iterator[Path]:
    """Where the kernels of a source file may be, in the order of preference."""
    # as Numba names it: files of the same name in different packages get different folders
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
    """The folder for the compiled kernels of a source file; None if no folder is writable."""
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
    """A stamp that changes with the module and with all modules of this package that it imports."""
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
    """The cache of one kernel, in the place of Numba's own: a file for each type of its arguments, and no index."""

    def __init__(self, py_func: Callable[..., Any]):
        code = py_func.__code__
        self._py_func, self._source = py_func, Path(code.co_filename)
        name = py_func.__qualname__.replace("<", "").replace(">", "")  # which Windows forbids
        version = f"py{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
        self._name = f"{self._source.stem}.{name}-{code.co_firstlineno}.{version}"

    @cached_property
    def _read(self) -> list[Path]:
        """Folders to read, down to the first writable one."""
        found: list[Path] = []
        for folder in folders(self._source) if self._source.is_file() else ():  # as a cell of a notebook is not
            found.append(folder)
            if _can_be_written(folder):
                break
        return found

    @cached_property
    def _written(self) -> Path | None:
        return self._read[-1] if self._read and _can_be_written(self._read[-1]) else None

    @property
    def cache_path(self) -> str | None:
        """The folder to write to; None if no folder is writable."""
        return None if self._written is None else str(self._written)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """A compiled kernel for the types of a call, or None."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        for folder in self._read:
            kept = self._load(folder, key)
            if kept is not None:
                return CompileResult._rebuild(target_context, *kept)
        return None

    def save_overload(self, sig: Any, compiled: Any) -> None:
        """Store a kernel; warn once if that fails."""
        if compiled.library.has_dynamic_globals:  # addresses, which mean nothing to another process
            return
        if self._written is None:
            _warn_once("")
            return
        try:
            self._save(self._written, self._key(sig, compiled.codegen), compiled._reduce())
        except OSError as error:  # a full disk, a quota
            if os.name != "nt" or not isinstance(error, PermissionError):  # as where another process reads the same kernel
                _warn_once(f" ({error})")

    def flush(self) -> None:
        """Discard the stored kernels."""
        for file in () if self._written is None else self._written.glob(f"{self._name}.*.nbc"):
            file.unlink(missing_ok=True)

    def _key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """What a compiled kernel depends on in addition to the sources: types, the processor, its code and its closure."""
        cells = tuple(cell.cell_contents for cell in self._py_func.__closure__ or ())
        return sig, codegen.magic_tuple(), self._py_func.__code__.co_code, dumps(cells)

    def _file(self, folder: Path, key: tuple[Any, ...]) -> Path:
        """By types and processor, and not by the code, so that a changed kernel takes the place of the last one."""
        return folder / f"{self._name}.{hashlib.sha256(str(key[:2]).encode()).hexdigest()[:16]}.nbc"

    def _save(self, folder: Path, key: tuple[Any, ...], kernel: Any) -> None:
        content = pickle.dumps((numba.__version__, _stamp(self._source), dumps(key), dumps(kernel)))
        _write(self._file(folder, key), hashlib.sha256(content).digest() + content)

    def _load(self, folder: Path, key: tuple[Any, ...]) -> Any:
        """What was kept for these types by this Numba of this source; None if there is nothing, or its file is damaged."""
        try:
            kept = memoryview(self._file(folder, key).read_bytes())
        except OSError:  # none, or not for this user to read
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
