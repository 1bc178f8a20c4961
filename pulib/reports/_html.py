"""Building the report from what is on disk: tables (CSV), figures (PNG), scoreboard, claims, and where it all ran."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, select_autoescape

from pulib.reports._overview import dataset_table, grid, method_table, provenance, timing_table
from pulib.reports.claims import RULE, claim_counts, findings_by_verdict, read_claims, score
from pulib.reports.scoreboard import cell_counts
from pulib.tables.render import cell_texts, differences, footnotes

_TEXTS = ("note", "stand_in", "status", "verdict", "row", "column")


def _decimals(spec: Mapping[str, Any], columns: Sequence[str]) -> dict[str, int]:
    """Digits behind the point of each column, as in the other renderings."""
    default = spec.get("decimals", 2)
    own = [column for column in spec.get("columns", []) if isinstance(column, Mapping)]
    return dict.fromkeys(columns, default) | {c["label"]: c.get("decimals", default) for c in own if c.get("label") in columns}


def _table(path: Path, spec: Mapping[str, Any], preset: str) -> dict[str, Any]:
    cells = pd.read_csv(path, keep_default_na=True)
    if not {"row", "column", "ours", "published"} <= set(cells.columns):
        rows = [["" if pd.isna(v) else str(v) for v in row] for row in cells.to_numpy()]
        return grid(list(cells.columns), rows) | {"notes": []}
    for column in _TEXTS:
        if column in cells:
            cells[column] = cells[column].astype("object").where(cells[column].notna(), "").astype(str)
    decimals = _decimals(spec, list(dict.fromkeys(cells["column"])))
    ours, published = cell_texts(cells, decimals)
    verdicts = {(c.row, c.column): getattr(c, "verdict", "") for c in cells.itertuples(index=False)}
    stand_ins = dict(zip(cells["row"], cells["stand_in"], strict=True))
    lines: list[dict[str, Any]] = []
    for row in ours.index:
        label = f"{row} (stand-in: {stand_ins[row]})" if stand_ins[row] else row
        values = [(ours.loc[row, c], published.loc[row, c], verdicts.get((row, c), "")) for c in ours.columns]
        lines.append({"label": label, "cells": [dict(zip(("ours", "published", "verdict"), v, strict=True)) for v in values]})
    remarks = spec.get("remarks", {}) if preset == "paper" else {}
    notes = [*differences(cells, decimals, remarks), *footnotes(cells)]
    return {"header": list(ours.columns), "cells": lines, "notes": notes}


def _head(paper: str, key: str, spec: Mapping[str, Any]) -> dict[str, str]:
    return {"id": f"{paper}-{key}", "title": spec["title"], "caption": spec.get("caption", "")}


def _image(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()


def _counts(counts: pd.DataFrame) -> dict[str, Any]:
    rows = [[name.strip("*"), *(str(int(n)) for n in row)] for name, row in counts.iterrows()]
    return grid(["paper", *counts.columns], rows)


def _findings(claims: pd.DataFrame) -> list[dict[str, Any]]:
    """Per heading the claims under it, as the template shows them."""
    return [
        {"heading": heading, "claims": [claim._asdict() | {"score": score(claim)} for claim in part.itertuples(index=False)]}
        for heading, part in findings_by_verdict(claims)
    ]


def render_report(
    *,
    papers: Mapping[str, Mapping[str, Any]],
    folder: Path,
    scoreboard: Path,
    claims: Path,
    timings: Mapping[str, Path],
    methods: Mapping[str, Mapping[str, Any]],
    configuration: Mapping[str, Any],
    preset: str,
) -> str:
    """The report as one HTML string, which needs nothing beside itself.

    Parameters
    ----------
    papers : mapping
        Per paper: ``title``, ``citation``, ``deviations``, ``tables`` and ``figures`` (name to ``title`` and ``caption``).
    folder : Path
        Holds ``<paper>/<table>.csv`` and ``<paper>/<figure>.png``, and ``datasets.csv`` where there is one.
    scoreboard : Path
        CSV with one row per cell and its verdict.
    claims : Path
        CSV with one row per claim.
    timings : mapping of paper to Path
        Parquet files of measured times.
    methods : mapping
        Per method that was run: ``label``, ``estimator``, ``params``, ``grid``.
    configuration : mapping
        As the run was configured.
    preset : str
    """
    judged = read_claims(claims)
    sections = []
    for name, paper in papers.items():
        tables = [
            _head(name, key, spec) | _table(folder / name / f"{key}.csv", spec, preset) for key, spec in paper["tables"].items()
        ]
        figures = [
            _head(name, key, spec) | {"image": _image(folder / name / f"{key}.png")} for key, spec in paper["figures"].items()
        ]
        own = judged[judged["paper"] == name]
        sections.append({**paper, "name": name, "tables": tables, "figures": figures, "findings": _findings(own)})
    times, machines = timing_table(timings)
    environment = Environment(
        loader=PackageLoader("pulib.reports"),
        autoescape=select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html").render(
        preset=preset,
        sections=sections,
        cell_counts=_counts(cell_counts(pd.read_csv(scoreboard))),
        claim_counts=_counts(claim_counts(judged)) if len(judged) else None,
        rule=RULE,
        datasets=dataset_table(folder / "datasets.csv"),
        methods=method_table(methods),
        timings=times,
        provenance=provenance(configuration, machines),
    )
