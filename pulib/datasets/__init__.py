"""Data sets of the five papers: registry, downloads, loaders, and generators."""

import importlib
from typing import Any

from pulib.datasets._dataset import Dataset, load_prepared, save_prepared, target_codes
from pulib.datasets._reading import UnreadableFileError, reading

__all__ = ["Dataset", "UnreadableFileError", "load_prepared", "reading", "save_prepared", "target_codes"]

_HOME = {
    "load_dataset": "_load",
    "load_registry": "registry",
    "mirror_list": "_load",
    "Prepared": "_source",
    "Source": "_source",
    "make_circle_noise": "_circle_noise",
    "make_expanding_clusters": "_expanding_clusters",
    "CLUSTERS": "_expanding_clusters",
    "PATHS": "_expanding_clusters",
}
__all__ += list(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"pulib.datasets.{_HOME[name]}"), name)
    raise AttributeError(f"module 'pulib.datasets' has no attribute {name!r}")
