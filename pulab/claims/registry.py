"""The claims of a study: functions, each registered with the sentence that it tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from pulab.claims.cases import Case
from pulab.claims.evidence import Evidence
from pulab.plan.study import Study

VERDICTS = ("holds", "holds in part", "does not hold", "not tested in full", "pending", "not available")
#: Topics of claims, in display order.
THEMES = ("accuracy", "robustness", "tuning", "speed", "theory", "what models find")
Need = Literal["all", "most", "any"]
Function = Callable[..., Iterable[Case]]

#: Claims by qualified name of their function, in order of registration.
_REGISTERED: dict[str, Claim] = {}


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper and its test.

    Attributes
    ----------
    cases : callable
        Takes an :class:`~pulab.claims.evidence.Evidence` (and the keywords of ``also``), and yields
        :class:`~pulab.claims.cases.Case`.
    id : str
        Its name within the study.
    section : str
        Where the paper says it.
    quote : str
        The full sentence of the paper.
    part : str
        The words that are tested, if the sentence says more than one thing.
    tested : str
        The sentence as a test, with our thresholds.
    theme : str
        One of :data:`THEMES`; groups the claims on display.
    need : {"all", "most", "any"}
        How many of the cases must hold.
    unit : str
        Unit of the cases' numbers and of the values that evidence returns.
    decimals : int
        Number of decimals to show.
    also : mapping
        Maps the name of another interpretation to the function's keywords for it.
    why : mapping
        Maps a verdict to its explanation in prose, shown if the verdict is that one, or would be without the cases that are
        not available.
    weak : str
        Why the test says little: hardly any result could fail it (it follows from algebra, or any method passes it), or hardly
        any could pass.  Reasons that the cases show are found by :func:`pulab.claims.judge.weak_by_rule`.
    """

    cases: Function
    id: str
    section: str
    quote: str
    tested: str
    theme: str
    need: Need = "all"
    unit: str = ""
    decimals: int = 1
    also: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)
    weak: str = ""
    part: str = ""

    def __post_init__(self) -> None:
        if self.theme not in THEMES:
            raise ValueError(f"claim {self.id}: theme={self.theme!r}; expected one of {list(THEMES)}")
        if self.part not in self.quote:
            raise ValueError(f"claim {self.id}: part={self.part!r} does not occur in its quote")
        if self.need not in ("all", "most", "any"):
            raise ValueError(f"claim {self.id}: need={self.need!r}; expected all, most or any")
        if unknown := sorted(set(self.why) - set(VERDICTS)):
            raise ValueError(f"claim {self.id}: why: unknown verdict {unknown[0]!r}; expected some of {list(VERDICTS)}")


def claim(
    *,
    section: str,
    quote: str,
    theme: str,
    need: Need = "all",
    unit: str = "",
    decimals: int = 1,
    also: Mapping[str, Mapping[str, Any]] | None = None,
    weak: str = "",
    part: str = "",
    **why: str,
) -> Callable[[Function], Function]:
    """Register a function that yields cases as the test of a sentence.

    The claim has the function's name, and ``tested`` is its docstring.  The other parameters are those of :class:`Claim`;
    its reasons are keywords (``holds_in_part="..."``).
    """

    def register(function: Function) -> Function:
        tested, reasons = _one_line(function.__doc__ or ""), {key.replace("_", " "): _one_line(why[key]) for key in why}
        name = function.__name__.replace("_", "-")

        @wraps(function)
        def cases(evidence: Evidence, *reading: Any, **changes: Any) -> Iterable[Case]:
            return function(evidence.in_unit(unit), *reading, **changes)

        words = {"weak": _one_line(weak), "part": _one_line(part)}
        made = Claim(cases, name, section, _one_line(quote), tested, theme, need, unit, decimals, also or {}, reasons, **words)
        _REGISTERED[f"{function.__module__}.{function.__qualname__}"] = made
        return cases

    return register


def _one_line(text: str) -> str:
    return " ".join(text.split())


def claims_of(study: Study) -> list[Claim]:
    """Return the claims of a study's module ``claims`` or, in order of import, of its modules; empty without it.

    Raises a :class:`ValueError` if two claims share a name.
    """
    module = f"{study.module}.claims"
    if find_spec(module) is None:
        return []
    import_module(module)
    claims = [made for place, made in _REGISTERED.items() if place.startswith(f"{module}.")]
    ids = [made.id for made in claims]
    if twice := [name for name in ids if ids.count(name) > 1]:
        raise ValueError(f"{module}: two claims have the name {twice[0]!r}; rename one")
    return claims


def labels_of(study: Study) -> dict[str, str]:
    """Return a study's display names of methods, metrics and steps in claims that differ from the registries'."""
    return dict(getattr(import_module(f"{study.module}.claims"), "LABELS", {}))
