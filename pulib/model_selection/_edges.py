"""Check whether an optimum lies on the edge of the search space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

#: Distance to an end of a distribution within which an optimum is on the edge: a share of the width of its support, on the log
#: scale if it is log-uniform.
_NEAR = 0.05


def parameters_on_edge(space: Mapping | Sequence[Mapping], best: Mapping[str, Any]) -> dict[str, bool]:
    """Return for each numeric parameter whether its best value is on the edge of its range.

    From a list of spaces, only those with all of the best parameters count.  Lists of fewer than three numbers are left out
    because they have no interior, and so are distributions that are unbounded or lack ``support``.

    Examples
    --------
    >>> from pulib.model_selection._edges import parameters_on_edge
    >>> parameters_on_edge({"C": [0.1, 1, 10], "gamma": [0.5, 1, 2]}, {"C": 10, "gamma": 1})
    {'C': True, 'gamma': False}
    """
    spaces = [space] if isinstance(space, Mapping) else [s for s in space if all(name in s for name in best)]
    on_edge: dict[str, bool] = {}
    for name, value in best.items():
        if not isinstance(value, Real) or isinstance(value, bool):
            continue
        listed: set[float] = set()
        for part in spaces:
            values = part[name]
            if hasattr(values, "rvs"):
                inside = _near_end(values, float(value))
                if inside is not None:
                    on_edge[name] = inside
            else:
                listed.update(float(v) for v in values if isinstance(v, Real))
        if len(listed) > 2:
            on_edge[name] = float(value) in (min(listed), max(listed))
    return on_edge


def _near_end(distribution: Any, value: float) -> bool | None:
    if not hasattr(distribution, "support"):
        return None
    low, high = (float(v) for v in distribution.support())
    if not np.isfinite([low, high]).all():
        return None
    kind = getattr(getattr(distribution, "dist", None), "name", "")
    if kind in ("loguniform", "reciprocal"):
        low, high, value = np.log(low), np.log(high), np.log(value)
    width = high - low
    return bool(value < low + _NEAR * width or value > high - _NEAR * width)
