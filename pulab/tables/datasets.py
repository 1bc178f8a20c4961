"""Table of all data sets: sizes, priors, positive classes, sources, and availability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pulab.tables.markup import Prose, markdown
from pulab.tables.sheet import Grid, Sheet
from pulib.datasets import target_codes

COLUMNS = {
    "name": "name",
    "title": "data set",
    "n_train": "train",
    "n_test": "test",
    "d": "features",
    "prior": "π",
    "positive": "positive",
    "studies": "studies",
    "stand_in_for": "stands in for",
    "available": "here",
    "license": "license",
    "source": "source",
    "reason": "",
}
#: Columns of the CSV only; the readable table links to sources and lists unavailable data sets below.
_ONLY_CSV = ("stand_in_for", "available", "source", "reason")


def dataset_overview(registry: Mapping[str, Mapping[str, Any]], records: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row per data set; one-vs-rest tasks share a row.  Unknown values are empty.

    ``records`` maps prepared sets to their records (``meta.json``); sets without one were not used.
    """
    rows = []
    for name, entry in registry.items():
        if entry.get("resource") or _is_task(name, entry, registry):
            continue
        rows.append(_row(name, [entry], registry, records))
        if "one_vs_rest" in entry:
            rule = entry["one_vs_rest"]
            tasks = [registry[rule["name"].format(code)] for code in rule["codes"]]
            rows.append(_row(rule["name"].format("*"), tasks, registry, records))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _is_task(name: str, entry: Mapping[str, Any], registry: Mapping[str, Any]) -> bool:
    rule = registry[entry["base"]].get("one_vs_rest") if "base" in entry else None
    return rule is not None and name in {rule["name"].format(code) for code in rule["codes"]}


def _row(
    name: str, entries: list[Mapping[str, Any]], registry: Mapping[str, Any], records: Mapping[str, Any]
) -> dict[str, Any]:
    first, rule = entries[0], None
    base = registry[first.get("base", first["name"])]
    if len(entries) > 1:
        rule = base["one_vs_rest"]
    record = records.get(base["name"])
    facts = record if record and record.get("available", True) else base.get("expected", {})
    n, n_train = facts.get("n"), facts.get("n_train")
    priors = sorted({_prior(entry, facts) for entry in entries} - {None})  # type: ignore[type-var]
    return {
        "name": name,
        "title": rule["title"].format("k") if rule else first["title"],
        "n_train": n_train or n or "",
        "n_test": n - n_train if n and n_train else "",
        "d": facts.get("d", ""),
        "prior": " to ".join(f"{prior:.2f}" for prior in dict.fromkeys([*priors[:1], *priors[-1:]])),
        "positive": rule.get("positive_text", "").format("k") if rule else first.get("positive_text", ""),
        "studies": ", ".join(first.get("used_by", [])),
        "stand_in_for": rule.get("stand_in_for", "").format("*") if rule else first.get("stand_in_for", ""),
        "available": "not used" if record is None else "yes" if record.get("available", True) else "no",
        "license": first.get("license", ""),
        "source": first.get("source", ""),
        "reason": " ".join(records.get(name, {}).get("reason", "").split()),
    }


def _prior(entry: Mapping[str, Any], facts: Mapping[str, Any]) -> float | None:
    counts = {int(code): count for code, count in facts.get("class_counts", {}).items()}
    if not counts:
        return None
    names = facts.get("target_names") or entry.get("target_names")
    try:
        codes = target_codes(entry["positive"], names)
    except ValueError:  # class names that are only in the data, which are not here
        return None
    return round(sum(counts.get(code, 0) for code in codes) / sum(counts.values()), 2)


def keep_known(overview: pd.DataFrame, former: pd.DataFrame) -> pd.DataFrame:
    """Fill in data sets unused in this run from an earlier overview, read as strings."""
    known, columns = overview.astype(object), ["n_train", "n_test", "d", "prior", "available", "reason"]
    archived = former[former["available"] != "not used"].set_index("name").reindex(columns=columns, fill_value="")
    for row in overview[overview["available"] == "not used"].itertuples():
        if row.name in archived.index:
            known.loc[row.Index, columns] = archived.loc[row.name].tolist()
    return known


def dataset_sheet(overview: pd.DataFrame) -> Sheet:
    """Return the readable table, followed by unavailable data sets and the reasons."""
    rows = []
    for row in overview.astype(str).to_dict("records"):
        named = markdown(row["title"])
        linked = Prose(f"[{named}]({row['source']})" if row["source"] else named)
        row |= {"name": Prose(f"`{row['name']}`"), "title": linked}
        rows.append([row[name] for name in COLUMNS if name not in _ONLY_CSV])
    legend = "If no number of test rows is given, the publisher provides no split; π is the share of positives among all rows."
    unavailable = overview[overview["reason"].astype(bool)].sort_values("name")
    return Sheet(
        grids=[Grid.of([text for name, text in COLUMNS.items() if name not in _ONLY_CSV], rows)],
        legend=legend if unavailable.empty else f"{legend}\n\nNot available here:\n",
        notes=[markdown(f"{row.name} ({row.title}): {row.reason}") for row in unavailable.itertuples(index=False)],
    )
