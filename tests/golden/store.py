"""Read, write, and compare golden numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).with_name("recorded")
DIGITS = 13


def file_of(kind: str, name: str) -> Path:
    if kind == "estimator":
        study = f"{name.split('.')[1]}." if name.startswith("studies.") else ""  # its classes may share names with pulib's
        name = study + name.rpartition(".")[2]
    return RECORDED / f"{kind}-{name}.json"


def read(kind: str, name: str) -> dict[str, Any]:
    file = file_of(kind, name)
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"cases": {}}


def write(kind: str, name: str, content: Mapping[str, Any]) -> None:
    """Write one case per line."""
    RECORDED.mkdir(exist_ok=True)
    cases = content["cases"]
    rest = "".join(f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in content.items() if key != "cases")
    lines = ",\n".join(f" {json.dumps(case)}: {json.dumps(_plain(entry))}" for case, entry in cases.items())
    file_of(kind, name).write_text(f'{{{rest}"cases": {{\n{lines}\n}}}}\n', encoding="utf-8")


def _plain(entry: Any) -> Any:
    if isinstance(entry, Mapping):
        return {key: _plain(value) for key, value in entry.items()}
    if isinstance(entry, np.ndarray | list | tuple):
        return [_plain(value) for value in (entry.tolist() if isinstance(entry, np.ndarray) else entry)]
    return float(f"{entry:.{DIGITS}g}") if isinstance(entry, float) else entry


def difference(new: Any, old: Any) -> float:
    """Return the largest difference, relative to the largest number of the array; infinite if shapes differ."""
    new, old = np.asarray(new, dtype=np.float64).ravel(), np.asarray(old, dtype=np.float64).ravel()
    if new.shape != old.shape or not np.array_equal(np.isnan(new), np.isnan(old)):
        return float("inf")
    same = (new == old) | np.isnan(new)
    if same.all():
        return 0.0
    scale = np.nanmax(np.abs(old[np.isfinite(old)]), initial=1e-300)
    gaps = np.abs(new[~same] - old[~same])
    return float("inf") if not np.isfinite(gaps).all() else float(gaps.max() / scale)


def differences(new: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, float]:
    """Return the differences that are not zero, by case and number."""
    found = {}
    for case in {**old, **new}:
        ours, theirs = (part.get(case, {}).get("numbers", {}) for part in (new, old))
        for number in {**theirs, **ours}:
            gap = difference(ours[number], theirs[number]) if number in ours and number in theirs else float("inf")
            if gap > 0:
                found[f"{case}: {number}"] = gap
    return found
