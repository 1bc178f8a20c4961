"""Read configuration files: check YAML against typed models, and name mistakes by file and key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter, ValidationError, ValidationInfo, model_validator

from pulab.plan.experiment import hint


class ConfigError(ValueError):
    """A mistake in the configuration, with the file and the key in its message."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the compiled one is ten times as fast
    """A loader that rejects duplicate keys; YAML's own loaders silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"the key {key.value!r} occurs twice", key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> Any:
    """Read a YAML file; raise :class:`ConfigError` if it is missing, not YAML, or has a duplicate key."""
    try:
        with open(path, encoding="utf-8") as file:
            return yaml.load(file, Loader=_Loader)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such configuration file") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from None


class _UnknownKeyError(ValueError):
    def __init__(self, key: str, known: Iterable[str]):
        super().__init__(f"unknown key {key!r}{hint(key, known)}; expected some of {sorted(known)}")
        self.key = key


class Entry(BaseModel):
    """A mapping with known keys only."""

    model_config: ClassVar[ConfigDict] = {"extra": "forbid", "strict": True}

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, data: Any) -> Any:
        known = cls.model_fields
        for key in data if isinstance(data, Mapping) else ():
            if key not in known:
                raise _UnknownKeyError(str(key), known)
        return data


def _known(what: str) -> AfterValidator:
    """Return a validator that accepts the names listed for ``what`` in the validation context."""

    def check_known(name: str, info: ValidationInfo) -> str:
        names = (info.context or {}).get(what)
        if names is not None and name not in names:
            raise ValueError(f"unknown {what} {name!r}{hint(name, names)}; expected one of {sorted(names)}")
        return name

    return AfterValidator(check_known)


Method = Annotated[str, _known("method")]
Dataset = Annotated[str, _known("data set")]
Setting = Annotated[str, _known("setting")]


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Return the cached validator of a type."""
    return TypeAdapter(kind)


def check(kind: Any, data: Any, where: str, **names: Iterable[str]) -> Any:
    """Check data against a type (a model, or a mapping or list of models) and return it as that type.

    ``where`` is the file, and the key in it.  ``names`` lists known names by kind, as in ``method=["forest", "tree"]``; names
    of other kinds are not checked.  The first mistake raises a :class:`ConfigError` with the key, what was found, and what is
    accepted.
    """
    try:
        return adapter(kind).validate_python(data, context={what.replace("_", " "): known for what, known in names.items()})
    except ValidationError as error:
        key, message = _explain(error, data)
        place = f"{where}{'.' if ': ' in where else ': '}{key}" if key else where
        raise ConfigError(f"{place}: {message}") from None


def _explain(error: ValidationError, data: Any) -> tuple[str, str]:
    """Return the key of the first mistake and what is wrong with it."""
    first = error.errors()[0]
    kind, context, path = first["type"], first.get("ctx", {}), _path(first["loc"], data)
    if kind == "missing":
        return ".".join([*path, str(first["loc"][-1])]), "missing"
    if isinstance(context.get("error"), _UnknownKeyError):
        path.append(context["error"].key)
    return ".".join(path), str(context["error"]) if kind == "value_error" else f"{first['msg']}, got {first['input']!r}"


def _path(loc: tuple[int | str, ...], data: Any) -> list[str]:
    """Return the path to a mistake in the data: pydantic's location without the names of types."""
    path: list[str] = []
    here: Any = data
    for part in loc:
        if isinstance(here, Mapping | list) and part in (here if isinstance(here, Mapping) else range(len(here))):
            path.append(str(part))
            here = here[part]  # type: ignore[index]
    return path


def name_file(message: str, sources: Sequence[tuple[str, Any]]) -> str:
    """Write the file that a mistake is in instead of "config", given the files by name, each overriding those before it.

    >>> name_file("config: methods.mine.lable: unknown key 'lable'", [("a.yaml", {}), ("b.yaml", {"methods": {"mine": {}}})])
    "b.yaml: methods.mine.lable: unknown key 'lable'"
    """
    message = re.sub("^datasets: ", "config: datasets: ", message)
    if not message.startswith("config: ") or not sources:
        return message
    keys = re.findall(r"\w+", re.match("config: ([^']*('[^']*')?)", message)[1])  # type: ignore[index]
    depths = [_depth(content, keys) for _, content in sources]
    last = max(place for place, depth in enumerate(depths) if depth == max(depths)) if any(depths) else 0
    return sources[last][0] + message.removeprefix("config")


def _depth(content: Any, keys: Iterable[str]) -> int:
    """Return how many of the keys lead into the content, one after the other; other words between them do not matter."""
    depth = 0
    for key in keys:
        if isinstance(content, Mapping) and key in content:
            content, depth = content[key], depth + 1
    return depth


def check_name(name: str, known: Iterable[str], what: str, where: str) -> None:
    """Raise a :class:`ConfigError` that suggests the nearest known name if ``name`` is unknown."""
    if name not in known:
        raise ConfigError(f"{where}: unknown {what} {name!r}{hint(name, known)}; expected one of {sorted(known)}")
