"""One color and marker per method in all figures of all studies, as the methods' entries say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, NamedTuple

from pulib.plots import PALETTE

BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, BLACK, BROWN = PALETTE
#: By the names that methods' entries call them by.
COLORS = dict(zip(("blue", "vermilion", "green", "pink", "orange", "sky", "black", "brown"), PALETTE, strict=True))
#: Markers of methods; the diamond belongs to published values alone.
METHOD_MARKERS = ("o", "s", "^", "v", "P", "X", "*", "<", ">", "p", "h")
PUBLISHED_MARKER = "D"


class Look(NamedTuple):
    """Color and marker of a method."""

    color: str
    marker: str


def looks(methods: Iterable[str], spec: Mapping[str, Any]) -> dict[str, Look]:
    """The look of each method of one figure; methods that have none of their own take those that are left, in their order.

    Parameters
    ----------
    methods : iterable of str
    spec : mapping
        The figure's entry, whose ``looks`` are those of ``config/methods.yaml``.

    Examples
    --------
    >>> looks(["theirs", "mine"], {"looks": {"theirs": {"color": "green", "marker": "^"}}})
    {'theirs': Look(color='#009E73', marker='^'), 'mine': Look(color='#0072B2', marker='o')}
    """
    methods, given = list(dict.fromkeys(methods)), spec.get("looks", {})
    fixed = {m: Look(COLORS[given[m]["color"]], given[m]["marker"]) for m in methods if "marker" in given.get(m, {})}
    taken = set(fixed.values())
    # colors and markers both change from one to the next
    n = len(METHOD_MARKERS)
    spread = (Look(PALETTE[k], METHOD_MARKERS[(k + shift) % n]) for shift, k in product(range(n), range(len(PALETTE))))
    left = (look for look in spread if look not in taken)
    return {method: fixed[method] if method in fixed else next(left) for method in methods}


def color_of(method: str, spec: Mapping[str, Any]) -> str | None:
    """The color that a method has in all figures, if it has one."""
    look = spec.get("looks", {}).get(method)
    return COLORS[look["color"]] if look else None
