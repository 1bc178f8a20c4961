"""Tools around the estimators: finding them all, and checking that they keep the library's promises."""

from pulib.utils.discovery import all_estimators

__all__ = ["all_estimators"]
