"""Building the report from what is on disk: tables (CSV), figures (PNG), the scoreboard, and where it all ran."""

from __future__ import annotations

import base64
import html
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, select_autoescape

from pulib.experiments.runner import machine_name
from pulib.tables import VERDICTS
from pulib.tables.render import cell_texts, footnotes

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib", "snakemake")


def provenance() -> dict[str, str]:
    """Commit, versions and processor of this run."""
    try:
        commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown (no git checkout)"
    versions = {name: version(name) for name in _PACKAGES if _installed(name)}
    return {"commit": commit.strip(), "processor": machine_name(), "Python": platform.python_version(), **versions}


def _installed(name: str) -> bool:
    try:
        version(name)
    except Exception:
        return False
    return True


def _table(path: Path, decimals: int) -> dict[str, Any]:
    cells = pd.read_csv(path, keep_default_na=True)
    if not {"row", "column", "ours", "published"} <= set(cells.columns):
        return {
            "header": list(cells.columns),
            "rows": [["" if pd.isna(v) else str(v) for v in row] for row in cells.values],
            "notes": [],
        }
    for column in ("note", "stand_in", "status", "verdict", "row", "column"):
        if column in cells:
            cells[column] = cells[column].astype("object").where(cells[column].notna(), "").astype(str)
    ours, published = cell_texts(cells, decimals)
    verdicts = {(c.row, c.column): getattr(c, "verdict", "") for c in cells.itertuples(index=False)}
    stand_ins = dict(zip(cells["row"], cells["stand_in"], strict=True))
    rows = []
    for row in ours.index:
        label = f"{row} (stand-in: {stand_ins[row]})" if stand_ins[row] else row
        rows.append(
            {
                "label": label,
                "cells": [
                    {
                        "ours": ours.loc[row, c],
                        "published": published.loc[row, c],
                        "verdict": verdicts.get((row, c), "").replace(" ", "-"),
                    }
                    for c in ours.columns
                ],
            }
        )
    return {"header": list(ours.columns), "cells": rows, "notes": footnotes(cells)}


def _image(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode()


def render_report(*, papers: Mapping[str, Mapping[str, Any]], folder: Path, scoreboard: Path, preset: str) -> str:
    """The report as one HTML string.

    Parameters
    ----------
    papers : mapping
        Per paper: ``title``, ``citation``, ``deviations``, ``tables`` and ``figures`` (name to ``title`` and ``caption``).
    folder : Path
        Holds ``<paper>/<table>.csv`` and ``<paper>/<figure>.png``.
    scoreboard : Path
        CSV with one row per cell and its verdict.
    """
    sections = []
    for name, paper in papers.items():
        tables = [
            {"id": f"{name}-{key}", **spec, **_table(folder / name / f"{key}.csv", spec.get("decimals", 2))}
            for key, spec in paper["tables"].items()
        ]
        figures = [
            {"id": f"{name}-{key}", **spec, "image": _image(folder / name / f"{key}.png")}
            for key, spec in paper["figures"].items()
        ]
        sections.append({**paper, "name": name, "tables": tables, "figures": figures})
    cells = pd.read_csv(scoreboard)
    counts = cells.groupby("paper", sort=False)["verdict"].value_counts().unstack(fill_value=0)
    counts = counts.reindex(columns=[v for v in VERDICTS if v in counts.columns])
    environment = Environment(loader=PackageLoader("pulib.reports"), autoescape=select_autoescape(["html"]))
    return environment.get_template("report.html").render(
        preset=preset,
        sections=sections,
        verdicts=list(counts.columns),
        counts=[(paper, [int(n) for n in row]) for paper, row in counts.iterrows()],
        provenance=provenance(),
        escape=html.escape,
    )
