"""What a user asks: the table, what its columns mean, and how much time there is."""

from __future__ import annotations

import difflib
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from purank.tables import read_table


class QuestionError(ValueError):
    """A mistake in the options, with the option in its message, or a run that cannot begin."""


class Question(BaseModel):
    """The options of ``purank``, which a configuration file gives under the same names.

    Attributes
    ----------
    table : str
        Path of the table.
    label : str
        The column that says which rows are labeled.
    pos_label : optional
        Its value for labeled rows.
    truth, groups, id : str, optional
        Columns: the truth of test rows, which rows belong together, what rows are called.
    drop : list of str
        Columns that are not features.
    neg_label, unlabeled_label, drop_label, kinds, missing, not_missing, limits, on_missing, dates, text, max_levels, encode, \
decimal, encoding, separator, sheet, skip_lines, names : optional
        As for :func:`purank.read_table`.
    prior : float, optional
        π, if known.
    scenario : {"one_sample", "two_sample"}
    methods : "default", "all" or list of str
    repeats : int, optional
        Partitions of the rows into folds for cross-fitting.
    folds : int
    budget : float
        Minutes for everything.
    seed : int
    """

    model_config: ClassVar[ConfigDict] = {"extra": "forbid", "strict": True}

    table: str
    label: str
    pos_label: Any = None
    truth: str | None = None
    groups: str | None = None
    id: str | None = None
    drop: list[str] = []
    neg_label: Any = None
    unlabeled_label: Any = None
    drop_label: Any = None
    kinds: dict[str, str] = {}
    missing: list[str] = []
    not_missing: list[str] = []
    limits: Literal["half", "limit"] | None = None
    on_missing: str | None = None
    dates: str | None = None
    text: str | None = None
    max_levels: int | None = None
    encode: dict[str, dict[Any, float]] = {}
    decimal: str | None = None
    encoding: str | None = None
    separator: str | None = None
    sheet: str | int | None = None
    skip_lines: Annotated[int, Field(ge=0)] | None = None
    names: list[str] | None = None
    prior: Annotated[float, Field(gt=0, lt=1)] | None = None
    scenario: Literal["one_sample", "two_sample"] = "one_sample"
    methods: Literal["default", "all"] | list[str] = "default"
    repeats: Annotated[int, Field(ge=1)] | None = None
    folds: Annotated[int, Field(ge=2)] = 5
    budget: Annotated[float, Field(gt=0)] = 15.0
    seed: int = 0

    def reading(self) -> dict[str, Any]:
        """Arguments of :func:`purank.read_table`."""
        named = {key: getattr(self, key) for key in READING}
        return {key: value for key, value in named.items() if value not in (None, [], {})}


#: What :func:`purank.read_table` takes of a question; π and how rows were sampled are for the learners.
READING = [name for name in signature(read_table).parameters if name in {*Question.model_fields} - {"prior", "scenario"}]


def ask(values: dict[str, Any], where: str) -> Question:
    """A question from its options.

    Raises
    ------
    QuestionError
        With ``where`` and the key, for an unknown key or a wrong value.
    """
    for key in values:
        if key not in Question.model_fields:
            near = difflib.get_close_matches(str(key), Question.model_fields, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise QuestionError(f"{where}: unknown key {key!r}{hint}; expected some of {sorted(Question.model_fields)}")
    try:
        return Question(**values)
    except ValidationError as error:
        first = error.errors()[0]
        found = "" if first["type"] == "missing" else f", got {first['input']!r}"
        raise QuestionError(f"{where}: {first['loc'][0]}: {first['msg']}{found}") from None


def read_question(path: Path, changes: dict[str, Any]) -> Question:
    """A question from a file of configuration, with what the command line says laid over it.

    Paths in the file are relative to the folder that it is in.
    """
    try:
        found = yaml.load(path.read_text(encoding="utf-8"), Loader=_EachKeyOnce)
    except FileNotFoundError:
        raise QuestionError(f"{path}: no such configuration file") from None
    except yaml.YAMLError as error:
        raise QuestionError(f"{path}: not valid YAML: {error}") from None
    if not isinstance(found, dict):
        raise QuestionError(f"{path}: expected keys and values, such as `table: my_table.csv`")
    if "table" in found:
        found["table"] = str(path.parent / Path(str(found["table"])).expanduser())
    return ask({**found, **changes}, str(path))


class _EachKeyOnce(yaml.SafeLoader):
    """Rejects duplicate keys, of which YAML's own loaders keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found = super().construct_mapping(node, deep)
        if len(found) < len(node.value):
            raise yaml.YAMLError(f"a key occurs twice among {sorted(map(str, found))}")
        return found
