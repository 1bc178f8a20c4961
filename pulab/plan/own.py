"""Checks before training: packages, devices, and names in a user's configuration."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from pulab.plan.canonical import default_parameters, short_name
from pulab.plan.configuration import ConfigError, hint
from pulab.plan.experiment import Method
from pulab.trials.grids import RATIO
from pulib.datasets import mirror_list
from pulib.datasets.registry import sources


def missing_library(names: Iterable[str]) -> str | None:
    """Return the first of ``names`` that cannot be imported."""
    return next((name for name in names if importlib.util.find_spec(name) is None), None)


def gpu_available() -> bool:
    """Return whether PyTorch finds a GPU; PyTorch is imported only if the system has one, since that takes seconds."""
    devices = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")
    if missing_library(["torch"]) or (sys.platform == "linux" and not any(map(os.path.exists, devices))):
        return False
    import torch

    return torch.cuda.is_available()


def missing_requirements(method: Method) -> list[str]:
    """Return what a method needs beyond pulib and is missing here, in the words shown in its cells."""
    reasons = [f"the Python package {name!r} is not installed" for name in method.requires if missing_library([name])]
    if method.needs_gpu and not gpu_available():
        reasons.append("needs a GPU")
    return reasons


def check_mirrors(mirror: str | list[str] | None) -> None:
    """Check that mirrors, also those in ``PULIB_MIRROR``, are URLs or existing folders, or raise a :class:`ConfigError`."""
    own = [mirror] if isinstance(mirror, str) else mirror or []
    given = [("config: mirror", "pass a list: --config mirror='[a,b]'", name) for name in own]
    given += [("PULIB_MIRROR", f"separate them by {os.pathsep!r}", name) for name in mirror_list()]
    for where, remedy, name in given:
        several = re.search(r",\s*([a-z]+://|[/~])", name) if "://" in name else "," in name
        if not Path(name).expanduser().is_dir() and (several or not re.match("(https?|ftp)://", name, re.IGNORECASE)):
            remedy = f"; for several mirrors, {remedy}" if several else ""
            raise ConfigError(f"{where}: {name!r} is neither an existing folder nor a URL (http, https or ftp){remedy}")


def check_paths(registry: Mapping[str, Mapping[str, Any]], datasets: Iterable[str]) -> None:
    """Check that the files of one's own data sets exist, or raise a :class:`ConfigError`.

    Snakemake does not miss a file as long as the arrays made from it exist, and the identity of the trials depends on it.
    """
    for name in datasets:
        check_paths(registry, [registry[name][key] for key in ("base", "features_of") if key in registry[name]])
        for source in sources(registry, name):
            own = [Path(file["path"]).expanduser() for file in registry[source].get("files", []) if "path" in file]
            if missing := [str(path.absolute()) for path in own if not path.is_file()]:
                raise ConfigError(f"config: datasets.{source}: files: path: there is no file {missing[0]!r}")


def check_methods(studies: Mapping[str, Mapping[str, Method]], configured: Container[str]) -> None:
    """Check that the classes of methods accept their parameters, tuned ones included, or raise a :class:`ConfigError`.

    The classes of new or changed methods (``configured``) are imported, unless they require packages not installed here, which
    their cells report.  Imports take seconds, so other methods are checked only by pulib's table of parameters.
    """
    for study, methods in studies.items():
        for method in (variant for own in methods.values() for variant in [own, *own.by_dataset.values()]):
            path, tuned = method.estimator, method.grid.keys() - {RATIO}
            changed = method.name in configured
            where = f"config: methods.{method.name}" if changed else f"study {study}: method {method.name}"
            if changed and not missing_library(method.requires):
                _made(path, method.params, where, tuned)
            elif path.startswith("pulib."):
                for name in [*method.params, *tuned]:
                    _check_known(name, name.partition("__")[0], default_parameters()[short_name(path)], f"{where}: {path}")


def _made(path: str, params: Mapping[str, Any], where: str, tuned: Iterable[str] = ()) -> Any:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise ConfigError(f"{where}: {path} cannot be imported: {error}") from None
    except AttributeError:
        raise ConfigError(f"{where}: {module} has no {name!r}{hint(name, dir(importlib.import_module(module)))}") from None
    given = {key: _nested(value, f"{where}.params.{key}") for key, value in params.items()}
    signature = inspect.signature(found)
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.parameters.values()):
        for key in [*given, *tuned]:
            _check_known(key, key.partition("__")[0], signature.parameters, f"{where}: {path}")
    try:
        made = found(**{key: value for key, value in given.items() if "__" not in key})
        for key in [*given, *tuned]:
            outer, _, _ = key.partition("__")
            inner: Any = getattr(made, outer, None)
            if outer != key and hasattr(inner, "get_params"):
                _check_known(key, key, [f"{outer}__{name}" for name in inner.get_params()], f"{where}: {path}")
        if hasattr(made, "_parameter_constraints"):  # a plain BaseEstimator has no constraints
            made._validate_params()
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: {path}: {' '.join(str(error).split())}") from None
    return made


def _check_known(key: str, name: str, known: Iterable[str], where: str) -> None:
    if name not in known:
        expected = sorted(known)
        raise ConfigError(f"{where} takes no parameter {key!r}{hint(key, expected)}; expected some of {expected}")


def _nested(value: Any, where: str) -> Any:
    """Build a nested estimator; return any other value unchanged."""
    if isinstance(value, Mapping) and isinstance(value.get("estimator"), str):
        return _made(value["estimator"], value.get("params", {}), where)
    return value
