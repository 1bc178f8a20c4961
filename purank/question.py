"""What a user asks: the table, what its columns mean, and how much time there is."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field

from pulab.plan.configuration import ConfigError, Entry, check, read_yaml
from purank.tables import read_table


class Question(Entry):
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


def read_question(path: Path, changes: dict[str, Any]) -> Question:
    """A question from a file of configuration, with what the command line says laid over it.

    Paths in the file are relative to the folder that it is in.

    Raises
    ------
    ConfigError
        With file and key, for an unknown key or a wrong value.
    """
    found = read_yaml(path)
    if not isinstance(found, dict):
        raise ConfigError(f"{path}: expected keys and values, such as `table: my_table.csv`")
    if "table" in found:
        found["table"] = str(path.parent / Path(str(found["table"])).expanduser())
    return check(Question, {**found, **changes}, str(path))


def write_yaml(values: dict[str, Any], path: Path) -> None:
    """Write configuration as YAML, and leave a file alone that holds the same: Snakemake goes by times."""
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
