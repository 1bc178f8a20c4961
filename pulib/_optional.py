"""Libraries that a plain install does not include: imported on use, with a message that says how to install them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed_by(who: str, extra: str) -> Iterator[None]:
    """Wrap an import: if the library is missing, the error names it, what needs it, and the command that installs its extra.

    The command is for a clone: no package index has this library.

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
