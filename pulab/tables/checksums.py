"""Checksums of rendered tables, to detect manual edits before cells are counted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from pulib.datasets import UnreadableFileError


def write_checksums(files: Iterable[Path], place: Path) -> None:
    """Write SHA-256 checksums of files in one folder, in the format of ``sha256sum``."""
    place.write_text("".join(f"{_sha256(file)}  {file.name}\n" for file in files), encoding="utf-8")


def verify_checksums(place: Path) -> None:
    """Raise :class:`UnreadableFileError` if a file in a list of checksums is missing or has changed."""
    for line in place.read_text(encoding="utf-8").splitlines():
        expected, name = line.split("  ", 1)
        file = place.with_name(name)
        if not file.is_file() or _sha256(file) != expected:
            raise UnreadableFileError(
                f"{file} has changed since it was rendered: delete it and run the same command again to recreate it"
            )


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
