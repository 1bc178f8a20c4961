"""Read files of any compression, and archives without unpacking them to disk."""

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
#: Limit on decompressed bytes: a multiple of the file's size plus a constant.  Text data compresses to about a twentieth.
MOST_TIMES, MOST_BESIDES = 200, 64 << 20

_OPENERS = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
_ZIP = b"PK\x03\x04"
#: Errors that reading a damaged compressed file or archive raises.
BROKEN = (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile)


class UnsafeArchiveError(ValueError):
    """An archive contains an unsafe member: a link, a device, or a path that leads outside."""


class TooLargeError(ValueError):
    """A file decompresses to more bytes than plausible."""


class _Budget:
    """Remaining number of bytes that may be read from a file, over all members of an archive."""

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
    """A decompressed stream that raises an error when its budget is exhausted."""

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
    """Open a file for reading bytes, decompressing gzip, bzip2, xz, and zip archives of a single file.

    Compression is recognized by the first bytes, not by the file's name.  Reading raises :class:`TooLargeError` if a compressed
    file expands implausibly (a "bomb"), or to more than ``most`` bytes.
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
    """Open a member of a zip archive, such as a wheel, for reading bytes; errors for unknown names suggest a similar one."""
    with zipfile.ZipFile(path) as archive:
        if member not in archive.namelist():
            close = difflib.get_close_matches(member, archive.namelist(), n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise ValueError(f"{path} has no member {member!r}{hint}; it holds {len(archive.namelist())} files")
        return _capped(archive.open(member), _Budget(path, None), f" ({member})")


def _only_member(path: str | Path, most: int | None) -> BinaryIO:
    with zipfile.ZipFile(path) as archive:  # macOS adds metadata files
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise ValueError(f"{path} holds {len(names)} files ({', '.join(names[:5])}); expected one")
    return _capped(zipfile.ZipFile(path).open(names[0]), _Budget(path, most))


def read_exactly(stream: BinaryIO, size: int, what: str) -> bytes:
    """Read ``size`` bytes, or raise an error with the number found."""
    data = stream.read(size)
    if len(data) != size:
        raise ValueError(f"{what}: expected {size} bytes, got {len(data)}")
    return data


def archive_members(path: str | Path, most: int | None = None) -> Iterator[tuple[str, BinaryIO]]:
    """Iterate over the names and contents of the regular files of a tar (compressed or not) or zip archive, in its order.

    Nothing is written to disk.  Even so, paths that are absolute or lead outside, links, and anything that is neither a file
    nor a folder raise an :class:`UnsafeArchiveError`.  If all members together are implausibly larger than the archive, or
    larger than ``most`` bytes, a :class:`TooLargeError` is raised.  Read each stream before requesting the next member.
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
