"""Utilities: list and check estimators, find repeated rows, check dtypes and memory, and show versions."""

from pulib._dtypes import DtypeError, as_dtype
from pulib._memory import available_bytes, check_room
from pulib._repeats import find_repeats
from pulib.utils._versions import show_versions
from pulib.utils.discovery import all_estimators

__all__ = ["DtypeError", "all_estimators", "as_dtype", "available_bytes", "check_room", "find_repeats", "show_versions"]
