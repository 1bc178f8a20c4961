"""What an entry of a study's ``tables`` or ``figures`` may hold, as far as its kind does not matter.

A kind is a module of :mod:`pulab.tables.kinds` or :mod:`pulab.figures.kinds`; its class ``Keys`` declares the keys of its own.
Entries are checked before anything is trained; names of methods, data sets and settings are looked up in the registries.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pulab.trials.configuration import Dataset, Entry, Method, Setting, check, check_name

#: The default of a key that an entry may leave out; None is no value of it.
OPTIONAL: Any = None


def _check_number(text: str) -> str:
    """A level of a numeric axis."""
    try:
        float(text)
    except ValueError:
        raise ValueError(f"expected a number, got {text!r}") from None
    return text


Number = Annotated[str, AfterValidator(_check_number)]


class AnyArtifact(BaseModel):
    """Keys that every table and figure may have, next to those of its kind.

    Attributes
    ----------
    section : str
        The place in the paper.
    reading : {"main", "other"}
        For a table: whether the headline counts its cells; a row or a column may have this key, too.
    cells : str
        What a table's cells are, if its kind does not determine it.
    first_repeats : int
        Number of repeats to use, if not the study's.
    points : float
        Points in one unit of its cells, if the unit does not show it.
    """

    model_config: ClassVar[ConfigDict] = {"strict": True, "extra": "allow"}

    kind: str
    title: str
    caption: str = ""
    section: str = ""
    reading: Literal["main", "other"] = "main"
    cells: Literal["performance", "wins", "count", "mark", "fact", "parameter", "time"] = "performance"
    first_repeats: Annotated[int, Field(ge=1)] = 1
    points: float = 1.0


class Artifact(AnyArtifact, Entry):
    """An entry of one kind: it has no keys but those that are declared."""


class Select(Entry):
    """Columns of the tidy results, and the value that each must have."""

    dataset: Dataset = ""
    setting: Setting = ""
    method: Method = ""
    metric: str = ""
    step: int = -1


class Target(Entry):
    """A published cell."""

    row: str
    column: str


class Place(Entry):
    """A row or a column of a table."""

    label: str
    select: Select = Select()
    published: str = ""
    reading: Literal["main", "other"] = "main"
    decimals: int = 1
    scale: float = 1.0
    rows: list[str] = []
    target: Target | None = None


Places = list[Place]


class Published(Entry):
    """Published cells: their table, and rows and columns by data set and method."""

    table: str | list[str]
    rows: dict[Dataset, str] = {}
    columns: dict[Method, str] = {}
    method: Method = ""
    n: int = 0


class Resolve(Entry):
    """A method whose parameters are looked up on data sets."""

    method: Method
    datasets: list[Dataset]


class Switched(Entry):
    """A setting whose methods are given the other scenario."""

    reference: Setting
    label: str


def check_artifacts(section: str, entries: Mapping[str, Mapping[str, Any]], where: str, **names: Iterable[str]) -> None:
    """Hold a study's ``tables`` or ``figures`` against their kinds; the names are those of :func:`check`."""
    for name, entry in entries.items():
        place = f"{where}: {section}.{name}"
        check_name(entry["kind"], kinds_of(section), "kind", f"{place}.kind")
        check(keys_of(section, entry["kind"]), entry, place, **names)


def kinds_of(section: str) -> list[str]:
    """The kinds of ``tables`` or ``figures``: their modules."""
    return sorted(file.stem for file in _folder(section).glob("[!_]*.py"))


@cache
def keys_of(section: str, kind: str) -> type[Artifact]:
    """The class ``Keys`` of a kind's module, from its text: importing it would import what it draws or computes with.

    It may use what the module imports from :mod:`typing` and from here.
    """
    file = _folder(section) / f"{kind}.py"
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module in ("typing", __name__)]
    keys = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Keys"]
    names: dict[str, Any] = {"__name__": f"pulab.{section}.kinds.{kind}"}
    exec(compile(ast.Module([*imports, *keys], []), str(file), "exec", dont_inherit=True), names)
    return names.get("Keys", Artifact)


def _folder(section: str) -> Path:
    return Path(__file__).parents[1] / section / "kinds"
