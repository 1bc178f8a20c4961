"""A user's question: the table, the meaning of its columns, and the time budget."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import yaml
from pydantic import Field

from purank.tables import Reading, checked


class QuestionError(ValueError):
    """A mistake in the options, with the option in its message, or a run that cannot begin."""


class Question(Reading):
    """The options of ``purank``, which a configuration file gives under the same names: those of reading, and these.

    Attributes
    ----------
    table : str
        Path of the table.
    methods : "default", "all" or list of str
    repeats : int, optional
        Partitions of the rows into folds for cross-fitting.
    budget : float
        Minutes for everything.
    """

    table: str
    methods: Literal["default", "all"] | list[str] = "default"
    repeats: Annotated[int, Field(ge=1)] | None = None
    budget: Annotated[float, Field(gt=0)] = 15.0

    def reading(self) -> dict[str, Any]:
        """Arguments of :func:`purank.read_table`."""
        return self.model_dump(include={*Reading.model_fields}, exclude_defaults=True)


def read_question(path: Path, changes: dict[str, Any]) -> Question:
    """Read a question from a configuration file; options of the command line take precedence.

    Paths in the file are relative to the folder that it is in.
    """
    try:
        found = yaml.load(path.read_text(encoding="utf-8"), Loader=_Words)
    except FileNotFoundError:
        raise QuestionError(f"{path}: no such configuration file") from None
    except yaml.YAMLError as error:
        raise QuestionError(f"{path}: not valid YAML: {error}") from None
    if not isinstance(found, dict):
        raise QuestionError(f"{path}: expected keys and values, such as `table: my_table.csv`")
    if "table" in found:
        found["table"] = str(path.parent / Path(str(found["table"])).expanduser())
    return checked(Question, {**found, **changes}, f"{path}: ")


class _Words(yaml.SafeLoader):
    """A loader that keeps yes, 007 and 1.50 as they are typed, and rejects duplicate keys; YAML's own loaders keep the last."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        first: [(tag, form) for tag, form in forms if tag.endswith((":null", ":merge"))]
        for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found = super().construct_mapping(node, deep)
        if len(found) < len(node.value):
            raise yaml.YAMLError(f"a key occurs twice among {sorted(map(str, found))}")
        return found


_ARGUMENT = re.compile(rf"\b({'|'.join({*Reading.model_fields} - {'encode'})})=(\[[^]]*]|{{[^}}]*}}|'[^']*'|[\w.]+)?")


def in_options(text: str) -> str:
    """Replace argument names in a message of :func:`purank.read_table` by this command's options.

    >>> in_options("missing=['12.4O', '?'] reads them as missing, kinds={'pay day': 'text'} makes it text, drop= drops it")
    "--missing 12.4O '?' reads them as missing, --kind 'pay day=text' makes it text, --drop drops it"
    """

    def option(match: re.Match[str]) -> str:
        name = "--kind" if match[1] == "kinds" else f"--{match[1].replace('_', '-')}"
        try:
            value = ast.literal_eval(match[2] or "[]")
        except (SyntaxError, ValueError):  # such as a list that ends with "and 7 more"
            return f"{name} {match[2]}"
        values = [f"{key}={kind}" for key, kind in value.items()] if isinstance(value, dict) else value
        words = values if isinstance(values, list) else [values]
        return " ".join([name, *("..." if word is ... else shlex.quote(str(word)) for word in words)])

    return _ARGUMENT.sub(option, text)
