"""Tools around the estimators: list them, check that they keep the library's promises, show what is installed."""

from pulib._memory import available_bytes
from pulib.utils._versions import show_versions
from pulib.utils.discovery import all_estimators

__all__ = ["all_estimators", "available_bytes", "show_versions"]
