"""Tools around the estimators: finding them all, checking that they keep the library's promises, saying what is installed."""

from pulib._memory import available_bytes
from pulib.utils._versions import show_versions
from pulib.utils.discovery import all_estimators

__all__ = ["all_estimators", "available_bytes", "show_versions"]
