"""Where a table's cell comes from: its data set, setting and method, its seeds, and the command that runs it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pulab.trials.seeds import trial_seed

#: How many seeds are shown; the others follow the same rule.
SHOWN_SEEDS = 5


@dataclass(frozen=True)
class Origin:
    """The trials behind a cell; an empty text is what its table does not say."""

    study: str
    dataset: str = ""
    setting: str = ""
    method: str = ""

    def seeds(self, n: int) -> list[int]:
        """Seeds of the first repeats, at most :data:`SHOWN_SEEDS`; none where the trial is not known in full."""
        if not (self.dataset and self.setting and self.method):
            return []
        identity = (self.study, self.dataset, self.setting, self.method)
        return [trial_seed(*identity, repeat) for repeat in range(min(n, SHOWN_SEEDS))]

    def command(self, preset: str) -> str:
        """What runs the cell's trials once more and compares; it touches no table.

        >>> Origin("opu", "vote", "r20", "opu_dh").command("quick")
        "snakemake rerun --cores all --config studies='[opu]' only_datasets='[vote]' only_methods='[opu_dh]'"
        """
        configured = "" if preset == "quick" else f" --configfile config/{preset}.yaml"
        chosen = [f"studies='[{self.study}]'"]
        chosen += [f"only_datasets='[{self.dataset}]'"] if self.dataset else []
        chosen += [f"only_methods='[{self.method}]'"] if self.method else []
        return f"snakemake rerun --cores all{configured} --config {' '.join(chosen)}"


def origin_of(study: str, spec: Mapping[str, Any], cell: Mapping[str, Any], methods: Mapping[str, str]) -> Origin:
    """Read a cell's trial from its table's entry in the study's configuration.

    Parameters
    ----------
    study : str
    spec : mapping
        The table's entry: ``select`` of the table, its rows and its columns, ``setting``, ``method``, ``compare``.
    cell : mapping
        With ``row``, ``column`` and ``stand_in``.
    methods : mapping of str to str
        Method to its label, for tables whose rows or columns are named by these.
    """
    select = dict(spec.get("select") or {})
    for side in ("row", "column"):
        select |= _select(spec.get(f"{side}s"), cell[side])
    dataset = cell.get("stand_in") or select.get("dataset", "")
    setting = select.get("setting") or spec.get("setting") or ""
    method = select.get("method") or spec.get("method") or _named(spec.get("compare"), cell, methods)
    return Origin(study, *(value if isinstance(value, str) else "" for value in (dataset, setting, method)))


def _select(places: Any, label: str) -> dict[str, Any]:
    for place in places if isinstance(places, list) else []:
        if isinstance(place, Mapping) and place.get("label") == label:
            return dict(place.get("select") or {})
    return {}


def _named(compared: Any, cell: Mapping[str, Any], methods: Mapping[str, str]) -> str:
    """The method whose label is a cell's column or row, or begins it ("BAG wins"); empty if it is not one."""
    labels = [(name, methods.get(name, name)) for name in compared] if isinstance(compared, list) else []
    for text in (cell["column"], cell["row"]):
        fitting = [name for name, label in labels if text == label or text.startswith(f"{label} ")]
        if len(fitting) == 1 and " against " not in text:
            return fitting[0]
    return ""
