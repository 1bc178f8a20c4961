"""Checksums of files, of what is inside them, and of arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pulib.datasets._streams import BROKEN, CHUNK, UnsafeArchiveError, archive_members, open_stream

#: A copy in another compression may be this many times as large as the entry says; any file, this many bytes larger.
REPACKED, SLACK = 30, 1 << 16
#: The maximum size of a file whose size the entry does not state.
UNSTATED = 32 << 30
#: Keys of a file's entry that say what it must be.
KINDS = ("sha256", "md5", "content_sha256", "members")


def hash_stream(stream: BinaryIO, algorithm: str = "sha256") -> str:
    """Checksum of all that is left in a stream."""
    digest = hashlib.new(algorithm)
    while chunk := stream.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def hash_file(path: str | Path, algorithm: str = "sha256") -> str:
    """Checksum of a file."""
    with open(path, "rb") as stream:
        return hash_stream(stream, algorithm)


def hash_arrays(*arrays: np.ndarray) -> str:
    """Checksum of arrays: kind, shape and values, in the order of rows; the same for any memory layout.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.arange(6).reshape(2, 3)
    >>> hash_arrays(a) == hash_arrays(np.asfortranarray(a))
    True
    """
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.newbyteorder('<').str} {array.shape}".encode())
        rows = max(1, CHUNK * 8 // max(1, array[:1].nbytes))
        for start in range(0, len(array), rows):
            block = np.ascontiguousarray(array[start : start + rows])
            digest.update(block.astype(block.dtype.newbyteorder("<"), copy=False).data)
    return digest.hexdigest()


def verify_file(path: Path, file: Mapping[str, Any]) -> tuple[dict[str, str] | None, str]:
    """Compare a file with what its registry entry accepts.

    The record ``{"sha256": ..., "verified": ...}`` says what the file was recognized by.  It is None where the file is not what
    it should be; the text then says what was expected and what was found.
    """
    size, sha256 = path.stat().st_size, hash_file(path)
    problems = []
    if "path" in file and not any(file.get(key) for key in KINDS):
        return {"sha256": sha256, "verified": "not checked, your own file"}, ""
    for accepted in file.get("sha256", []):
        if accepted["value"] == sha256:
            return {"sha256": sha256, "verified": f"sha256, {accepted['of']}"}, ""
    if file.get("sha256"):
        wanted = " or ".join(f"{a['value']} ({a['of']})" for a in file["sha256"])
        problems.append(f"expected sha256 {wanted}, got {sha256}")
    for key, check in (("md5", _verify_md5), ("content_sha256", _verify_content), ("members", _verify_members)):
        if key in file:
            problem = check(path, file[key], most_bytes(file))
            if not problem:
                return {"sha256": sha256, "verified": key.replace("content_sha256", "sha256 of the content")}, ""
            problems.append(problem)
    return None, f"{_sizes(file, size)}; " + "; ".join(problems)


def _sizes(file: Mapping[str, Any], size: int) -> str:
    wanted = dict.fromkeys(place["bytes"] for place in [file, *file.get("sha256", [])] if "bytes" in place)
    expected = f"expected {' or '.join(map(str, wanted))} bytes, " if wanted else ""
    return f"got {size} bytes as expected" if size in wanted else f"{expected}got {size} bytes"


def most_bytes(file: Mapping[str, Any]) -> int:
    """How large a file may be, by its entry: by any size that is stated, and more where another container is accepted.

    The plain content is such a container, so that it bounds what a compressed file decompresses to as well.
    """
    stated = [place["bytes"] for place in [file, *file.get("sha256", [])] if "bytes" in place]
    if not stated:
        return file.get("most_bytes", UNSTATED)
    return max(stated) * (REPACKED if "content_sha256" in file or "members" in file else 1) + SLACK


def _verify_md5(path: Path, wanted: str, most: int) -> str:
    md5 = hash_file(path, "md5")
    return "" if md5 == wanted else f"expected md5 {wanted}, got {md5}"


def _verify_content(path: Path, wanted: str, most: int) -> str:
    try:
        with open_stream(path, most) as stream:
            sha256 = hash_stream(stream)
    except BROKEN as error:
        return f"cannot be decompressed ({error})"
    return "" if sha256 == wanted else f"expected sha256 of the decompressed content {wanted}, got {sha256}"


def _verify_members(path: Path, wanted: Mapping[str, Any], most: int) -> str:
    """Checksums of the members that are listed, or of the manifest of all of them."""
    values = wanted.get("values", {})
    try:
        hashes = {
            name: hash_stream(stream, wanted["algorithm"])
            for name, stream in archive_members(path, most)
            if "manifest" in wanted or name in values
        }
    except UnsafeArchiveError as error:
        return str(error)
    except BROKEN as error:
        return f"cannot be read as an archive ({error})"
    for name, value in values.items():
        if name not in hashes:
            return f"member {name!r} is missing"
        if hashes[name] != value:
            return f"member {name!r}: expected {wanted['algorithm']} {value}, got {hashes[name]}"
    if "manifest" in wanted:
        lines = "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes))
        manifest = hashlib.sha256(lines.encode()).hexdigest()
        if manifest != wanted["manifest"]:
            return f"{len(hashes)} members: expected sha256 of their manifest {wanted['manifest']}, got {manifest}"
    return ""
