"""pandas, which loads on first use: the names of this package are there without it."""

from typing import TYPE_CHECKING, Any

from pulib._optional import needed_by

if TYPE_CHECKING:
    from pandas import *  # noqa: F403


def __getattr__(name: str) -> Any:
    with needed_by("a table", extra="studies"):
        import pandas
    return getattr(pandas, name)
