"""Reading configuration files: YAML checked against schemas, layers laid over each other, mistakes told with file and key."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache, reduce
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator


class ConfigError(ValueError):
    """A mistake in the configuration, with the file and the key in its message."""


def read_yaml(path: Path) -> Any:
    """The content of a YAML file.

    Raises
    ------
    ConfigError
        If it is not there, or not YAML.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the compiled one is ten times as fast
    try:
        with open(path, encoding="utf-8") as file:
            return yaml.load(file, Loader=loader)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such configuration file") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from None


@cache
def _validator(schema: Path, *part: str) -> Draft202012Validator:
    return Draft202012Validator(reduce(lambda found, key: found[key], part, read_yaml(schema)))


def validate(instance: Any, schema: Path, where: str, part: tuple[str, ...] = ()) -> None:
    """Hold ``instance`` against a schema, or against the part of it that the keys ``part`` lead to.

    Raises
    ------
    ConfigError
        That names ``where`` and the key, at the mistake that lies deepest.
    """
    errors = sorted(
        _validator(schema, *part).iter_errors(instance), key=lambda e: (-len(e.absolute_path), str(e.absolute_path))
    )
    if errors:
        key = ".".join(str(part) for part in errors[0].absolute_path) or "(top level)"
        raise ConfigError(f"{where}: {key}: {_explain(errors[0])}")


def _explain(error: Any) -> str:
    if error.validator == "additionalProperties":
        accepted = sorted(error.schema.get("properties", {}))
        unknown = sorted(set(error.instance) - set(accepted))[0]
        return f"unknown key {unknown!r}{hint(unknown, accepted)}; expected some of {accepted}"
    if error.validator == "anyOf":
        return "; or ".join(sorted({part.message for part in error.context}))
    return error.message


def hint(word: str, known: Iterable[str]) -> str:
    """The nearest known word, as a question, where one is near.

    >>> hint("tabel", ["table", "figure"])
    " (did you mean 'table'?)"
    """
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def check_name(name: str, known: Iterable[str], what: str, where: str) -> None:
    """Raise a :class:`ConfigError` that suggests the nearest known name where ``name`` is none."""
    if name not in known:
        raise ConfigError(f"{where}: unknown {what} {name!r}{hint(name, known)}; expected one of {sorted(known)}")


def deep_merge(base: Mapping, over: Mapping) -> dict:
    """``base`` with the values of ``over`` laid on top, mapping by mapping.

    >>> deep_merge({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}})
    {'a': {'b': 3, 'c': 2}}
    """
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = deep_merge(merged[key], value) if both else value
    return merged


def lay_over(base: Mapping, changes: Mapping[str, Mapping], name: str) -> dict:
    """``base`` with those of the changes whose shell-style pattern fits the name.

    >>> lay_over({"depth": 3}, {"mnist*": {"depth": 5}, "*": {"trees": 10}}, "mnist_digit_7")
    {'depth': 5, 'trees': 10}
    """
    return reduce(deep_merge, (over for pattern, over in changes.items() if fnmatchcase(name, pattern)), dict(base))
