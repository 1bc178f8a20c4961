"""One error for any damage in the content of a file, with the file's name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class UnreadableFileError(ValueError):
    """A prepared or derived file that is truncated or damaged."""


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Whatever goes wrong in the content of ``path`` becomes one error that names it.

    Raises
    ------
    UnreadableFileError
        With what was wrong and what to do. What the operating system says (no such file, a disk or memory that is full, no
        permission) stays the error that it is.
    """
    try:
        yield
    except (FileNotFoundError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UnreadableFileError(
            f"{path} cannot be read ({reason}): delete it and run the same command again, which recreates it"
        ) from error
