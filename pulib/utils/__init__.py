"""Tools around the estimators: finding them all, checking that they keep the library's promises, saying what is installed."""

from pulib.utils._versions import show_versions
from pulib.utils.discovery import all_estimators

__all__ = ["all_estimators", "show_versions"]
