"""Canonical form of a configuration, independent of spelling; identities are hashes of this form.

Objects are represented by their declared names, without titles, labels, or values equal to their defaults.  Hence a new
parameter whose default preserves behavior changes no identity, and a changed default must raise the version of its class.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pulab.plan.experiment import Method

#: Packages whose classes are named without their modules, so that they may move.
OURS = ("pulib", "pulab", "studies")
#: Fields of a method that affect no number.
_LABELS = ("name", "label", "style", "requires", "role", "needs_gpu", "by_dataset")
#: Marks a parameter without a default in the table of defaults.
REQUIRED = "<required>"
_DEFAULTS = Path(__file__).with_name("defaults.json")


def canonical(value: Any) -> Any:
    """Return a configuration as mappings, lists, strings and numbers; different spellings become equal.

    ``value`` is a method, a task, a split scheme, or a part of one.
    >>> forest = {"estimator": "pulib.trees.PUExtraTreesClassifier", "params": {"n_estimators": 100, "risk": "upu"}}
    >>> canonical(forest)
    {'estimator': 'PUExtraTreesClassifier', 'params': {'risk': 'upu'}}
    """
    if is_dataclass(value) and hasattr(value, "estimator") and hasattr(value, "params"):  # a method, or a task's estimator
        skip = ("estimator", "params", *(_LABELS if isinstance(value, Method) else ()))
        return _without_empty(_made(value.estimator, value.params) | _changed(value, skip))
    if is_dataclass(value):
        name = getattr(type(value), "name", "")
        return ({"name": name} if name else {}) | _changed(value)
    if isinstance(value, Mapping):
        if isinstance(value.get("estimator"), str):
            rest = {key: canonical(part) for key, part in value.items() if key not in ("estimator", "params")}
            return _without_empty(_made(value["estimator"], value.get("params", {})) | rest)
        return {str(key): canonical(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [canonical(part) for part in value]
    is_path = isinstance(value, str) and re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", value)
    return short_name(value) if is_path else value


def estimators_in(value: Any) -> list[str]:
    """Return the dotted paths of all classes in a method, a task, or a part of one."""
    if isinstance(value, Method):
        return [value.estimator, *estimators_in([value.params, value.grid, value.features])]
    if is_dataclass(value):
        return estimators_in([getattr(value, item.name) for item in fields(value)])
    if isinstance(value, Mapping):
        path = value.get("estimator")
        named = [path] if isinstance(path, str) and "." in path else []
        return named + estimators_in(list(value.values()))
    if isinstance(value, list | tuple):
        return [path for part in value for path in estimators_in(part)]
    return []


def short_name(path: str) -> str:
    """Return the last part of the dotted path of our own classes; return other paths unchanged."""
    return path.rpartition(".")[2] if path.split(".")[0] in OURS else path


@cache
def default_parameters() -> dict[str, dict[str, Any]]:
    """Return the parameter defaults of pulib's classes from a table, since reading signatures takes two seconds of imports."""
    return json.loads(_DEFAULTS.read_text(encoding="utf-8"))


def read_defaults() -> dict[str, dict[str, Any]]:
    """Return the same from the classes themselves; ``python -m pulab.plan.canonical`` writes the table."""
    import inspect

    from pulib.utils import all_estimators

    def of(kind: type) -> dict[str, Any]:
        defaults = {name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()}
        return {name: REQUIRED if value is inspect.Parameter.empty else value for name, value in defaults.items()}

    return {name: of(kind) for name, kind in all_estimators()}


def _made(path: str, params: Mapping[str, Any]) -> dict[str, Any]:
    name = short_name(path)
    known = default_parameters().get(name, {}) if path.split(".")[0] in OURS else {}
    # never coerced: to scikit-learn, max_features=1 is one feature and 1.0 is all of them
    left = {key: canonical(part) for key, part in params.items() if key not in known or _text(part) != _text(known[key])}
    return {"estimator": name} | ({"params": left} if left else {})


def _changed(value: Any, skip: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from their defaults."""
    out = {}
    for item in fields(value):
        own, default = getattr(value, item.name), item.default
        if item.default_factory is not MISSING:
            default = item.default_factory()
        if item.name in skip or own is default:
            continue
        own, default = _coerced(own, item), _coerced(default, item)
        if default is MISSING or _text(canonical(own)) != _text(canonical(default)):
            out[item.name] = canonical(own)
    return out


def _coerced(value: Any, item: Field[Any]) -> Any:
    """Convert integers to floats in a field declared as float."""
    declared = str(item.type)
    if "float" not in declared or re.search(r"\bint\b", declared):
        return value
    if isinstance(value, list | tuple):
        return [float(part) if type(part) is int else part for part in value]
    return float(value) if type(value) is int else value


def _without_empty(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in value.items() if part not in ({}, [], None)}


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {_text(own)}" for name, own in sorted(read_defaults().items())]
    _DEFAULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
