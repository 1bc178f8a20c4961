"""Reading configuration files: YAML held against typed models, layers laid over each other, mistakes named by file and key."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache, reduce
from pathlib import Path
from typing import Annotated, Any, ClassVar

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter, ValidationError, ValidationInfo, model_validator


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


class _UnknownKeyError(ValueError):
    def __init__(self, key: str, known: Iterable[str]):
        super().__init__(f"unknown key {key!r}{hint(key, known)}; expected some of {sorted(known)}")
        self.key = key


class Entry(BaseModel):
    """Something with keys of its own, and no others."""

    model_config: ClassVar[ConfigDict] = {"extra": "forbid", "strict": True}

    @model_validator(mode="before")
    @classmethod
    def _knows_its_keys(cls, data: Any) -> Any:
        known = cls.model_fields
        for key in data if isinstance(data, Mapping) else ():
            if key not in known:
                raise _UnknownKeyError(str(key), known)
        return data


def _known(what: str) -> AfterValidator:
    """Accepts a name that is among those that the context of a check has for ``what``."""
    return _among(what, lambda name, names: name in names)


def _fits(what: str) -> AfterValidator:
    """Accepts a shell-style pattern that fits one of those names at least."""
    return _among(what, lambda pattern, names: any(fnmatchcase(name, pattern) for name in names))


def _among(what: str, is_there: Callable[[str, Iterable[str]], bool]) -> AfterValidator:
    def look_up(name: str, info: ValidationInfo) -> str:
        names = (info.context or {}).get(what)
        if names is not None and not is_there(name, names):
            raise ValueError(f"unknown {what} {name!r}{hint(name, names)}; expected one of {sorted(names)}")
        return name

    return AfterValidator(look_up)


Method = Annotated[str, _known("method")]
Dataset = Annotated[str, _known("data set")]
Setting = Annotated[str, _known("setting")]
Study = Annotated[str, _known("study")]
Methods = Annotated[str, _fits("method")]
Datasets = Annotated[str, _fits("data set")]
Settings = Annotated[str, _fits("setting")]
Tables = Annotated[str, _fits("table")]


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """What checks data against a type, made once."""
    return TypeAdapter(kind)


def check(kind: Any, data: Any, where: str, **names: Iterable[str]) -> Any:
    """Hold ``data`` against a type: a model, or a mapping or list of them.

    Parameters
    ----------
    kind : type
    data : object
        As it was read.
    where : str
        The file, and the key in it.
    **names : iterable of str
        The names that there are, as in ``method=["forest", "tree"]``; those of what is not given are not looked up.

    Returns
    -------
    object
        Of the type.

    Raises
    ------
    ConfigError
        At the first mistake, with the key, what was found, and what is accepted.
    """
    try:
        return adapter(kind).validate_python(data, context={what.replace("_", " "): known for what, known in names.items()})
    except ValidationError as error:
        key, message = _explain(error, data)
        place = f"{where}{'.' if ': ' in where else ': '}{key}" if key else where
        raise ConfigError(f"{place}: {message}") from None


def _explain(error: ValidationError, data: Any) -> tuple[str, str]:
    """The key of the first mistake, and what is wrong with it."""
    first = error.errors()[0]
    kind, context, path = first["type"], first.get("ctx", {}), _path(first["loc"], data)
    if kind.startswith("union_tag"):
        path.append(context["discriminator"].strip("'"))
    elif kind == "missing":
        path.append(str(first["loc"][-1]))
    elif isinstance(context.get("error"), _UnknownKeyError):
        path.append(context["error"].key)
    key = ".".join(path)
    if kind in ("missing", "union_tag_not_found"):
        return key, "missing"
    if kind == "union_tag_invalid":
        found, known = context["tag"], context["expected_tags"].replace("'", "").split(", ")
        return key, f"unknown {path[-1]} {found!r}{hint(found, known)}; expected one of {sorted(known)}"
    return key, str(context["error"]) if kind == "value_error" else f"{first['msg']}, got {first['input']!r}"


def _path(loc: tuple[int | str, ...], data: Any) -> list[str]:
    """Where a mistake is in the data: pydantic's place without the names of types on the way."""
    path: list[str] = []
    here: Any = data
    for part in loc:
        if isinstance(here, Mapping | list) and part in (here if isinstance(here, Mapping) else range(len(here))):
            path.append(str(part))
            here = here[part]  # type: ignore[index]
    return path


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
