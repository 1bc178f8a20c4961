"""Options for reading a table, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from purank.tables._findings import TableError, did_you_mean

#: Maximum number of categories with a column each; if there are more, only frequent ones get a column.
MAX_LEVELS = 20


def _dates(rule: str) -> str:
    if rule not in ("number", "drop") and "%" not in rule:
        raise ValueError("expected number, drop, or a format such as %d/%m/%Y")
    return rule


def _texts(given: Any) -> Any:
    """Convert one text or several to a list."""
    return [str(word) for word in given] if isinstance(given, list | tuple | set | frozenset) else [given]


Texts = Annotated[list[str], BeforeValidator(_texts)]
Kind = Literal["number", "date", "category", "text", "id"]


class Reading(BaseModel):
    """The options of :func:`purank.read_table` of the same names."""

    model_config: ClassVar[ConfigDict] = {"extra": "forbid"}

    label: str
    pos_label: Any = None
    neg_label: Any = None
    unlabeled_label: Any = None
    drop_label: Any = None
    truth: str | None = None
    groups: str | None = None
    id: str | None = None
    drop: Texts = []
    kinds: dict[str, Kind] = {}
    missing: Texts = []
    not_missing: Texts = []
    limits: Literal["half", "limit"] | None = None
    on_missing: Literal["median", "drop_rows", "error"] = "median"
    dates: Annotated[str, AfterValidator(_dates)] = "number"
    text: Literal["drop", "hash"] = "drop"
    max_levels: Annotated[int, Field(ge=2)] = MAX_LEVELS
    encode: dict[str, dict[Any, float]] = {}
    decimal: Literal[".", ","] | None = None
    encoding: str | None = None
    separator: str | None = None
    sheet: str | int | None = None
    names: Annotated[list[str], BeforeValidator(_texts)] | None = None
    scenario: Literal["one_sample", "two_sample"] = "one_sample"
    prior: Annotated[float, Field(gt=0, lt=1)] | None = None


Options = TypeVar("Options", bound=Reading)


def checked(model: type[Options], given: Mapping[str, Any], where: str = "") -> Options:
    """Options of the right types.

    Raises
    ------
    TableError
        With ``where`` and the option, for an unknown option or a wrong value.
    """
    known = model.model_fields
    for key in given:
        if key not in known:
            hint = did_you_mean(str(key), known)
            raise TableError(f"{where}unknown option {key!r}{hint}; expected some of {sorted(known)}")
    try:
        options = model(**given)
    except ValidationError as error:
        first = error.errors()[0]
        found = "" if first["type"] == "missing" else f"={first['input']!r}"
        raise TableError(
            f"{where}{': '.join(map(str, first['loc']))}{found}: {first['msg'].removeprefix('Value error, ')}"
        ) from None
    both = {word.strip() for word in options.missing} & {word.strip() for word in options.not_missing}
    if both:
        raise TableError(f"{where}missing= and not_missing= both name {min(both)!r}; expected each spelling in one of them")
    return options
