"""Reading files whatever their compression, and archives without ever unpacking them to disk."""

from __future__ import annotations

import bz2
import difflib
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

CHUNK = 1 << 20
#: Decompressed, a file may have so many times its bytes, and so many besides; text of data compresses to a twentieth.
MOST_TIMES, MOST_BESIDES = 200, 64 << 20

_OPENERS = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
_ZIP = b"PK\x03\x04"
#: Errors that reading a damaged compressed file or archive raises.
BROKEN = (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile)


class UnsafeArchiveError(ValueError):
    """An archive holds something that must not be unpacked: a link, a device, a path that leads outside."""


class TooLargeError(ValueError):
    """A file that decompresses to more than it can reasonably hold."""


class _Budget:
    """How many bytes may yet come out of a file; one for all members of an archive."""

    def __init__(self, path: str | Path, most: int | None) -> None:
        size = Path(path).stat().st_size
        self.path, self.limit = path, MOST_TIMES * size + MOST_BESIDES
        self.why = f"{MOST_TIMES} times its {size:,}, and {MOST_BESIDES >> 20} MiB"
        if most is not None and most < self.limit:
            self.limit, self.why = most, "by the size that its entry states"
        self.left = self.limit

    def take(self, n_bytes: int, what: str = "") -> None:
        self.left -= n_bytes
        if self.left < 0:
            raise TooLargeError(
                f"{self.path}{what}: expected at most {self.limit:,} bytes when decompressed ({self.why}); more came"
            )


class _Capped(io.RawIOBase):
    """A decompressed stream that ends with an error once its budget is spent."""

    def __init__(self, stream: Any, budget: _Budget, what: str = "") -> None:
        super().__init__()
        self._stream, self._budget, self._what = stream, budget, what

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        self._budget.take(len(data), self._what)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


def _capped(stream: Any, budget: _Budget, what: str = "") -> BinaryIO:
    return io.BufferedReader(_Capped(stream, budget, what), CHUNK)


def open_stream(path: str | Path, most: int | None = None) -> BinaryIO:
    """Open a file for reading bytes; compression is recognized by its first bytes, not by the file's name.

    That is gzip, bzip2 and xz, and zip if it holds a single file.  Reading raises :class:`TooLargeError` where a compressed
    file gives far more than data compress to (a "bomb"), or more than ``most`` bytes.
    """
    with open(path, "rb") as file:
        head = file.read(6)
    if head.startswith(_ZIP):
        return _only_member(path, most)
    for magic, opener in _OPENERS:
        if head.startswith(magic):
            return _capped(opener(path, "rb"), _Budget(path, most))
    return open(path, "rb")


def open_member(path: str | Path, member: str) -> BinaryIO:
    """Open one file of a zip archive, such as a wheel, for reading bytes; if it has none, an error suggests the nearest."""
    with zipfile.ZipFile(path) as archive:
        if member not in archive.namelist():
            close = difflib.get_close_matches(member, archive.namelist(), n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise ValueError(f"{path} has no member {member!r}{hint}; it holds {len(archive.namelist())} files")
        return _capped(archive.open(member), _Budget(path, None), f" ({member})")


def _only_member(path: str | Path, most: int | None) -> BinaryIO:
    with zipfile.ZipFile(path) as archive:  # macOS adds files of its own
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise ValueError(f"{path} holds {len(names)} files ({', '.join(names[:5])}); expected one")
    return _capped(zipfile.ZipFile(path).open(names[0]), _Budget(path, most))


def read_exactly(stream: BinaryIO, size: int, what: str) -> bytes:
    """``size`` bytes, or an error that says how many there were."""
    data = stream.read(size)
    if len(data) != size:
        raise ValueError(f"{what}: expected {size} bytes, got {len(data)}")
    return data


def archive_members(path: str | Path, most: int | None = None) -> Iterator[tuple[str, BinaryIO]]:
    """Names and contents of the regular files of a tar (compressed or not) or zip archive, in its order.

    Nothing is written to disk, so no member can land outside a target folder; one that tries still raises an
    :class:`UnsafeArchiveError`, as do absolute paths, links, and anything that is neither a file nor a folder.  Members that
    are together far larger than the archive, or than ``most`` bytes, raise a :class:`TooLargeError`.  Each stream is to be read
    before the next member is asked for.
    """
    if zipfile.is_zipfile(path):
        yield from _zip_members(path, most)
    else:
        yield from _tar_members(path, most)


def _tar_members(path: str | Path, most: int | None) -> Iterator[tuple[str, BinaryIO]]:
    budget = _Budget(path, most)
    with open_stream(path, most) as whole, tarfile.open(fileobj=whole, mode="r|") as archive:
        for member in archive:
            _check_name(member.name, path)
            if member.isdir():
                continue
            if not member.isreg():
                kind = "a link" if member.issym() or member.islnk() else "neither a file nor a folder"
                raise UnsafeArchiveError(f"{path}: member {member.name!r} is {kind}, which is not extracted")
            stream = archive.extractfile(member)
            assert stream is not None
            yield member.name, _capped(stream, budget, f" ({member.name})")


def _zip_members(path: str | Path, most: int | None) -> Iterator[tuple[str, BinaryIO]]:
    budget = _Budget(path, most)
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            _check_name(member.filename, path)
            if stat.S_ISLNK(member.external_attr >> 16):
                raise UnsafeArchiveError(f"{path}: member {member.filename!r} is a link, which is not extracted")
            if not member.is_dir():
                with archive.open(member) as stream:
                    yield member.filename, _capped(stream, budget, f" ({member.filename})")


def _check_name(name: str, path: str | Path) -> None:
    parts = PurePosixPath(name.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or (parts.parts and parts.parts[0].endswith(":")):
        raise UnsafeArchiveError(f"{path}: member {name!r} leads outside the archive and is not extracted")
