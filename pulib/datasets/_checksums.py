"""Checksums of files, of their contents, and of arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pulib.datasets._streams import BROKEN, CHUNK, UnsafeArchiveError, archive_members, open_stream

#: A copy with another compression may be this many times as large as stated in the entry; any file, this many bytes larger.
REPACKED, SLACK = 30, 1 << 16
#: Maximum size of a file if the entry states none.
UNSTATED = 32 << 30
#: Keys of a file's entry that identify its content.
KINDS = ("sha256", "md5", "content_sha256", "members")


def hash_stream(stream: BinaryIO, algorithm: str = "sha256") -> str:
    """Checksum of the rest of a stream."""
    digest = hashlib.new(algorithm)
    while chunk := stream.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def hash_file(path: str | Path, algorithm: str = "sha256") -> str:
    """Checksum of a file."""
    with open(path, "rb") as stream:
        return hash_stream(stream, algorithm)


def hash_arrays(*arrays: np.ndarray) -> str:
    """Checksum of the dtypes, shapes and values of arrays, independent of memory order and byte order.

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
    """Check a file against its registry entry.

    Returns a record ``{"sha256": ..., "verified": ...}``, where "verified" says how the file was recognized, and an empty
    string.  If the file does not match, the record is None, and the string says what was expected and what was found.
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
    """Maximum size of a file, given the sizes in its entry; larger if other compressions of the content are accepted.

    The uncompressed content may be among these, so the limit also applies to decompressed bytes.
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
    """Check the listed members of an archive, or the manifest of all members; return the problem, if any."""
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
