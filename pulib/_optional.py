"""Optional dependencies, imported on use; if one is missing, the error explains how to install it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed_by(who: str, extra: str) -> Iterator[None]:
    """Wrap an import: if the library is missing, the error names it, its user ``who``, and the command to install ``extra``.

    The command is for a clone, because pulib is not on a package index.

    Examples
    --------
    >>> with needed_by("the abacus", extra="plots"):
    ...     import beads
    Traceback (most recent call last):
    ImportError: the abacus needs beads, which is not installed: in a clone of pulib, pip install -e '.[plots]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or str(error)).partition(".")[0]
        if missing in ("pulib", "pulab"):
            raise
        install = f"in a clone of pulib, pip install -e '.[{extra}]'"
        raise ImportError(f"{who} needs {missing}, which is not installed: {install}") from error
