"""Show versions, for bug reports."""

from __future__ import annotations

import importlib.metadata
import platform
import sys

from threadpoolctl import threadpool_info

import pulib

#: Distributions that pulib uses: required dependencies, then those of the extras ``plots`` and ``nn``.
USED = (
    *("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl", "numba", "llvmlite"),
    *("lazy-loader", "pooch", "requests", "tqdm", "pyyaml"),
    *("matplotlib", "seaborn", "pandas", "scikit-posthocs", "torch"),
)


def show_versions() -> None:
    """Print the versions of Python, pulib and its dependencies, and the thread pools, for bug reports.

    Examples
    --------
    >>> from pulib import show_versions
    >>> show_versions()  # doctest: +ELLIPSIS
    python: 3...
    """
    print(f"python: {sys.version.split()[0]} ({sys.executable})")
    print(f"machine: {platform.platform()}")
    print(f"pulib: {pulib.__version__} ({pulib.__path__[0]})")
    for name in USED:
        print(f"{name}: {_version(name)}")
    for pool in threadpool_info():
        print(f"threads of {pool['internal_api']} {pool['version']} ({pool['user_api']}): {pool['num_threads']}")


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
