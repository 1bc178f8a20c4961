"""Read and check the registry of data sets, and add a user's entries.

An entry is a plain mapping; ``docs/datasets.md`` describes its keys, and ``registry.schema.yaml`` has their types.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from pulib._optional import needed_by
from pulib.datasets._checksums import KINDS
from pulib.datasets.loaders import KEYS, LOADERS, OPTIONS, TYPES, VALUES

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

HERE = Path(__file__).resolve().parent
#: The registry that comes with pulib.
BUNDLED = HERE / "registry.yaml"


class RegistryError(ValueError):
    """A mistake in a registry of data sets; the message names the data set and the key."""


def load_registry(path: str | Path | None = None, extra: Mapping[str, Any] | None = None) -> dict[str, dict[str, Any]]:
    """Read and check a registry.

    Parameters
    ----------
    path : path, optional
        A YAML file; by default, the registry that comes with pulib.
    extra : mapping, optional
        Further entries, which replace those of the same name.

    Returns
    -------
    registry : dict
        Maps the name of a data set to its entry.  Each one-vs-rest task is an entry with ``base``, from which it inherits
        missing keys (license, citation, ...).  Other entries inherit license, citation and source from the first entry in
        ``needs``, such as a collection.

    Raises
    ------
    RegistryError
        At the first mistake; the message has the data set, the key, and the values found and accepted.
    ImportError
        If there are entries to check other than pulib's, and jsonschema is not installed.

    Examples
    --------
    >>> registry = load_registry()
    >>> registry["mnist_digit_7"]["base"], registry["mnist_digit_7"]["positive"]
    ('mnist', [7])
    """
    file = Path(path) if path is not None else BUNDLED
    raw = {name: dict(entry) if isinstance(entry, Mapping) else entry for name, entry in _read(file).items()}
    origin = dict.fromkeys(raw, str(file.name))
    for name, entry in (extra or {}).items():
        raw[name] = dict(entry) if isinstance(entry, Mapping) else entry
        origin[name] = "datasets"
    registry: dict[str, dict[str, Any]] = {}
    for name, entry in raw.items():
        if file != BUNDLED or origin[name] == "datasets":  # tests check the bundled registry
            _check_types(name, entry, f"{origin[name]}: {name}")
        registry[name] = {"name": name, **entry}
        registry.update(_one_vs_rest(name, registry[name]))
    for name, entry in registry.items():
        _check_meaning(name, entry, registry, f"{origin.get(name, file.name)}: {name}")
    for entry in registry.values():
        if "base" in entry:
            _inherit(entry, registry[entry["base"]])
        elif entry.get("needs"):
            _inherit(entry, registry[entry["needs"][0]], "license", "citation", "source")
    return registry


def base_name(registry: Mapping[str, Mapping[str, Any]], name: str) -> str:
    """Return the data set whose prepared arrays ``name`` uses: itself or its ``base``."""
    return find(registry, name).get("base", name)


def find(registry: Mapping[str, Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    """Return the entry of a data set, or raise an error that suggests the nearest name."""
    if name not in registry:
        raise RegistryError(f"unknown data set {name!r}{_hint(name, registry)}; known are {', '.join(sorted(registry))}")
    return registry[name]


def sources(registry: Mapping[str, Mapping[str, Any]], name: str) -> list[str]:
    """Return the data sets whose raw files are needed to prepare ``name``: itself if it has files, and what it ``needs``."""
    entry = find(registry, name)
    with_files = [name] if entry.get("files") else []
    return with_files + list(entry.get("needs", []))


def _read(file: Path) -> dict[str, Any]:
    try:
        data = yaml.load(file.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except FileNotFoundError:
        raise RegistryError(f"{file}: there is no such registry of data sets") from None
    except yaml.YAMLError as error:
        raise RegistryError(f"{file}: not valid YAML: {error}") from None
    if not isinstance(data, dict):
        raise RegistryError(f"{file}: expected a mapping from names of data sets to entries, got {type(data).__name__}")
    return data


@cache
def _validator() -> Draft202012Validator:
    with needed_by("your registry", extra="studies"):
        from jsonschema import Draft202012Validator

    return Draft202012Validator(yaml.safe_load((HERE / "registry.schema.yaml").read_text(encoding="utf-8")))


def _check_types(name: str, entry: Any, where: str) -> None:
    errors = sorted(_validator().iter_errors({name: entry}), key=lambda e: (-len(e.absolute_path), str(e.absolute_path)))
    if errors:
        error = errors[0]
        key = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in list(error.absolute_path)[1:]).lstrip(".")
        raise RegistryError(f"{where}{': ' + key if key else ''}: {_explain(error)}")


def _explain(error: Any) -> str:
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        accepted = sorted(error.schema.get("properties", {}))
        unknown = sorted(str(key) for key in set(error.instance) - set(accepted))
        return f"unknown key {unknown[0]!r}{_hint(unknown[0], accepted)}; expected some of {accepted}"
    return error.message


def _one_vs_rest(name: str, entry: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    rule = entry.get("one_vs_rest")
    if rule is None:
        return {}
    return {
        rule["name"].format(code): {
            "name": rule["name"].format(code),
            "title": rule["title"].format(code),
            "base": name,
            "positive": [code],
            **{key: rule[key].format(code) for key in ("stand_in_for", "positive_text") if key in rule},
            **{key: rule[key] for key in ("used_by",) if key in rule},
        }
        for code in rule["codes"]
    }


def _check_meaning(name: str, entry: Mapping[str, Any], registry: Mapping[str, Any], where: str) -> None:
    """Check rules that a schema cannot express readably."""
    for key in ("base", "features_of"):
        if key in entry:
            _check_known(entry[key], registry, f"{where}: {key}")
    if "base" in entry and "base" in registry[entry["base"]]:
        raise RegistryError(f"{where}: base: {entry['base']!r} has a base itself; name {registry[entry['base']]['base']!r}")
    if "features_of" in entry:
        _check_ends(name, registry, f"{where}: features_of")
    for number, needed in enumerate(entry.get("needs", [])):
        _check_known(needed, registry, f"{where}: needs[{number}]")
    if "base" in entry and "loader" in entry:
        raise RegistryError(f"{where}: loader: a data set with `base` uses that set's arrays and takes no loader")
    if "loader" not in entry and "base" not in entry and not entry.get("resource"):
        raise RegistryError(f"{where}: loader: missing; name a loader, or a `base`")
    if "positive" not in entry and not entry.get("resource"):
        raise RegistryError(f"{where}: positive: missing; list the targets that count as positive")
    if "loader" in entry:
        _check_loader(entry, where)
    for number, file in enumerate(entry.get("files", [])):
        _check_file(file, f"{where}: files[{number}] ({file['name']})")


def _check_loader(entry: Mapping[str, Any], where: str) -> None:
    """Check the name and options of pulib's loaders; loaders given by dotted path may have any options."""
    loader = entry["loader"]
    if "." in loader:
        return
    if loader == "pu_table":
        raise RegistryError(f"{where}: loader: 'pu_table' is called 'purank.load_pu_table' now, with the same options")
    _check_one_of(loader, LOADERS, f"{where}: loader: unknown loader", "expected a dotted path or one of")
    for key, value in entry.get("options", {}).items():
        _check_one_of(key, OPTIONS[loader], f"{where}: options: the loader {loader!r} has no option", "expected some of")
        if key in VALUES:
            _check_one_of(value, VALUES[key], f"{where}: options.{key}: unknown value", "expected one of")
        if value is not None and key in TYPES and (not isinstance(value, TYPES[key]) or isinstance(value, bool)):
            expected = " or ".join(kind.__name__ for kind in TYPES[key])
            raise RegistryError(f"{where}: options.{key}: {value!r} is of type {type(value).__name__}; expected {expected}")
        for word in value or () if key in KEYS else ():
            _check_one_of(word, KEYS[key], f"{where}: options.{key}: unknown key", "expected some of")


def _check_one_of(word: Any, known: Iterable[str], what: str, expected: str) -> None:
    if word not in known:
        raise RegistryError(f"{what} {word!r}{_hint(word, known)}; {expected} {', '.join(sorted(known))}")


def _check_known(name: str, registry: Mapping[str, Any], where: str) -> None:
    if name not in registry:
        raise RegistryError(f"{where}: unknown data set {name!r}{_hint(name, registry)}")


def _check_ends(name: str, registry: Mapping[str, Any], where: str) -> None:
    """Raise an error if ``features_of`` is circular; unknown names raise an error elsewhere."""
    path, here = [name], registry[name].get("features_of")
    while here in registry and here not in path:
        path.append(here)
        here = registry[here].get("features_of")
    if here == name:
        way = " -> ".join(repr(step) for step in [*path, name])
        raise RegistryError(f"{where}: {way} is circular; one of these data sets has to be read from files")


def _check_file(file: Mapping[str, Any], where: str) -> None:
    if "path" in file:
        return
    if not file.get("urls") and not file.get("pip"):
        raise RegistryError(f"{where}: urls: missing; give download addresses, a wheel for `pip`, or the `path` of your file")
    if not any(file.get(key) for key in KINDS):
        raise RegistryError(
            f"{where}: sha256: missing; a downloaded file needs a checksum, so that a damaged one cannot pass: "
            f"give one of {', '.join(KINDS)}"
        )


_OF_BASE = ("license", "citation", "source", "used_by", "target_names", "stand_in_for")


def _inherit(entry: dict[str, Any], base: Mapping[str, Any], *keys: str) -> None:
    for key in keys or _OF_BASE:
        if key in base:
            entry.setdefault(key, base[key])


def _hint(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(str(word), [str(k) for k in known], n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
