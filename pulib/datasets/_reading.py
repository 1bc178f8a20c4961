"""Turn errors about damaged files into one error that names the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class UnreadableFileError(ValueError):
    """A prepared or derived file that is truncated or damaged."""


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Convert errors about the content of ``path`` to one error that names the file.

    Raises
    ------
    UnreadableFileError
        With the reason and a remedy.  Errors of the operating system (such as a missing file, a full disk, or a lack of memory
        or permission) are passed on.
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
