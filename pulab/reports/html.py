"""Building the report: tables, figures, scoreboard, claims, what is measured apart, and where it ran, as one page of HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from pulab.reports.claims import RULE, claim_counts, findings_by_verdict, read_claims, score
from pulab.reports.drawing import dots, scatter, sheet, verdict_class
from pulab.reports.fragments import RENDERED_LINK, artifact_name, grid, image, markdown, table
from pulab.reports.origin import Origin, origin_of
from pulab.reports.overview import dataset_table, method_table, provenance, timing_table
from pulab.reports.scoreboard import headline_table, printed_results
from pulab.tables import read_scoreboard
from pulab.tables.verdict import CAUSES, SIGNS, VERDICTS

#: Verdicts on claims, what does not hold first.
CLAIM_VERDICTS = ("does not hold", "holds in part", "holds", "pending", "not available")


def render_report(
    *,
    studies: Mapping[str, Mapping[str, Any]],
    folder: Path,
    scoreboard: Path,
    claims: Path,
    timings: Mapping[str, Path],
    methods: Mapping[str, Mapping[str, Any]],
    configuration: Mapping[str, Any],
    preset: str,
    measured: Path | None = None,
) -> str:
    """The report as one HTML string, which needs nothing beside itself.

    Parameters
    ----------
    studies : mapping
        Per study: ``title``, ``citation``, ``deviations``, ``tables`` and ``figures`` (name to its entry in the configuration).
    folder : Path
        What was rendered: ``<study>/<table>.md`` and ``.csv``, ``<study>/<figure>.png``, and, where they were made,
        ``claim_cases.csv``, ``datasets.csv``, ``speed/*.md``, ``priors.md``, ``grids.md`` and ``kept.md``.
    scoreboard : Path
        CSV with one row per cell and its verdict.
    claims : Path
        CSV with one row per claim.
    timings : mapping of study to Path
        Parquet files of measured times.
    methods : mapping
        Per method that was run: ``label``, ``estimator``, ``params``, ``grid``.
    configuration : mapping
        As the run was configured.
    preset : str
    measured : Path, optional
        Where speed, priors and grids lie if ``folder`` has none: what was published last.
    """
    cells = named_cells(scoreboard, studies, {name: method["label"] for name, method in methods.items()})
    judged = read_claims(claims)
    cases = _cases(folder / "claim_cases.csv")
    sections = [_section(name, study, folder, cells, judged, cases) for name, study in studies.items()]
    times, machines = timing_table(timings)
    environment = Environment(
        loader=PackageLoader("pulab.reports"), autoescape=select_autoescape(["html"]), trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["css"] = verdict_class
    parts = [part for part in (folder, measured) if part]
    return environment.get_template("report.html").render(
        preset=preset,
        sections=sections,
        verdicts=VERDICTS,
        labels={name: method["label"] for name, method in methods.items()},
        signs=SIGNS,
        claim_verdicts=[verdict for verdict in CLAIM_VERDICTS if verdict in set(judged["verdict"])],
        headline=Markup(markdown(headline_table(cells))) if cells["verdict"].isin(VERDICTS).any() else "",
        claim_counts=_counted(claim_counts(judged)) if len(judged) else [],
        abstracts=_abstracts(judged),
        rule=RULE,
        datasets=_grid(dataset_table(folder / "datasets.csv")),
        methods=_grid(method_table(methods)),
        timings=_grid(times),
        speed=_measured(parts, "speed/*.md"),
        priors=_measured(parts, "priors.md"),
        grids=_measured(parts, "grids.md"),
        kept=_measured([folder], "kept.md"),
        provenance=provenance(configuration, machines),
        choices={
            "dataset": sorted({o.dataset for o in cells["origin"]} - {""}),
            "method": sorted({o.method for o in cells["origin"]} - {""}),
        },
        cells=Markup(_details(cells, preset)),
    )


def named_cells(
    scoreboard: Path, studies: Mapping[str, Mapping[str, Any]], labels: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """All cells of all tables, each with its name in the page (``key``) and its ``origin``."""
    cells = read_scoreboard(scoreboard)
    cells = cells[cells["study"].isin(list(studies))].reset_index(drop=True)
    by_table = cells.groupby(["study", "table"], sort=False)
    for side in ("row", "column"):
        cells[f"{side}_number"] = by_table[side].transform(lambda labels: pd.factorize(labels)[0])
    cells["key"] = [
        f"c-{c.study}-{c.table}-{c.row_number}-{c.column_number}"
        for c in cells[["study", "table", "row_number", "column_number"]].itertuples(index=False)
    ]
    cells["counted"] = cells.index.isin(printed_results(cells).index)
    cells["origin"] = [
        origin_of(cell["study"], studies[cell["study"]]["tables"].get(cell["table"], {}), cell, labels or {})
        for cell in cells.to_dict("records")
    ]
    return cells


def published_against_ours(scoreboard: Path, studies: Mapping[str, Mapping[str, Any]]) -> str:
    """The picture for the README: one scatter per study, as SVG."""
    cells = printed_results(named_cells(scoreboard, studies))
    panels = [(name, scatter(cells[cells["study"] == name], f"{name}: published against ours")) for name in studies]
    return sheet([(name, svg) for name, svg in panels if svg])


def _section(
    name: str,
    study: Mapping[str, Any],
    folder: Path,
    cells: pd.DataFrame,
    claims: pd.DataFrame,
    cases: Mapping[tuple[str, str], list[dict[str, Any]]],
) -> dict[str, Any]:
    """All that the page says of one study."""
    of_study = cells[cells["study"] == name]
    printed = printed_results(of_study)
    tables = [_table(name, key, spec, folder, of_study[of_study["table"] == key]) for key, spec in study["tables"].items()]
    figures = [_figure(name, key, spec, folder) for key, spec in study["figures"].items()]
    if not any(artifact["paper"] for artifact in (*tables, *figures)):  # a study that repeats no paper goes beyond none
        tables, figures = ([artifact | {"paper": None} for artifact in part] for part in (tables, figures))
    counts = printed["verdict"].value_counts()
    told = claims[claims["study"] == name]
    failing = told[told["verdict"] == "does not hold"]
    return {
        **study,
        "name": name,
        # those of the abstract first
        "failing": failing.sort_values("section", key=lambda s: s != "abstract", kind="stable").to_dict("records"),
        "artifacts": [*(t for t in tables if t["paper"] is not False), *(f for f in figures if f["paper"] is not False)],
        "extras": [*(t for t in tables if t["paper"] is False), *(f for f in figures if f["paper"] is False)],
        "counts": [(verdict, int(counts.get(verdict, 0))) for verdict in VERDICTS],
        "judged": int(printed["verdict"].isin(VERDICTS).sum()),
        "printed": len(printed),
        "scatter": Markup(scatter(printed, f"{name}: {len(printed)} printed results against ours")),
        "map": _map(printed),
        "reasons": _reasons(printed),
        "findings": [
            {"heading": heading, "claims": [_claim(claim, cases) for claim in part.to_dict("records")]}
            for heading, part in findings_by_verdict(told)
        ],
    }


def _table(study: str, key: str, spec: Mapping[str, Any], folder: Path, cells: pd.DataFrame) -> dict[str, Any]:
    keys: list[list[str]] = []
    if len(cells):
        wide = cells.pivot_table(index="row_number", columns="column_number", values="key", aggfunc="first")
        keys = wide.fillna("").to_numpy().tolist()
    text = (folder / study / f"{key}.md").read_text(encoding="utf-8")
    text = RENDERED_LINK.sub(lambda link: f"](#{study}-{link[1].rpartition('.')[0]}", text)
    return _head(study, key, spec) | {"html": Markup(table(text, keys))}


def _figure(study: str, key: str, spec: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    return _head(study, key, spec) | {"image": image(folder / study / f"{key}.png"), "caption": spec.get("caption", "")}


def _head(study: str, key: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    number, paper = artifact_name(key)
    section = str(spec.get("section", ""))
    told = section and str(spec.get("caption", "")).lower().startswith(section.lower())  # as the level field's questions
    return {
        "id": f"{study}-{key}",
        "number": number,
        "paper": paper,
        "title": spec["title"],
        "section": "" if told else section[:1].upper() + section[1:],
    }


def _map(printed: pd.DataFrame) -> dict[str, Any]:
    """Tables by data sets: the verdicts of the cells there, and where the first of them stands."""
    printed = printed.assign(dataset=[o.dataset or "all" for o in printed["origin"]])
    datasets, tables = list(dict.fromkeys(printed["dataset"])), list(dict.fromkeys(printed["table"]))
    rows = []
    for name in tables:
        places = []
        for dataset in datasets:
            here = printed[(printed["table"] == name) & (printed["dataset"] == dataset)]
            verdicts = [(v, int((here["verdict"] == v).sum())) for v in VERDICTS]
            places.append({"key": here["key"].iloc[0] if len(here) else "", "verdicts": [(v, n) for v, n in verdicts if n]})
        rows.append({"table": artifact_name(name)[0], "places": places})
    return {"datasets": datasets, "rows": rows}


def _reasons(printed: pd.DataFrame) -> list[dict[str, Any]]:
    """Why results are not reproduced: every reason once, with all cells that it is about, the worst reason first."""
    missed = printed[printed["verdict"].isin(VERDICTS[1:])]
    reasons = []
    for (cause, why), part in missed.groupby(["cause", "why"], sort=False):
        places = [
            {"key": c["key"], "verdict": c["verdict"], "place": f"{c['row']} / {c['column']}", "by": c["difference"]}
            | {"table": artifact_name(c["table"])[0]}
            for c in part.to_dict("records")
        ]
        worst = sum(place["verdict"] == "different" for place in places)
        reasons.append({"cause": CAUSES.get(cause, "not given"), "why": why, "places": places, "worst": worst})
    return sorted(reasons, key=lambda reason: (-reason["worst"], -len(reason["places"])))


def _abstracts(claims: pd.DataFrame) -> list[dict[str, Any]]:
    """What an abstract says and our runs do not, or not in all cases: the first that a reader looks for."""
    missed = claims[claims["section"].str.contains("abstract") & claims["verdict"].isin(CLAIM_VERDICTS[:2])]
    told = [claim._asdict() | {"score": score(claim)} for claim in missed.itertuples()]
    return sorted(told, key=lambda claim: CLAIM_VERDICTS.index(claim["verdict"]))


def _claim(claim: dict[str, Any], cases: Mapping[tuple[str, str], list[dict[str, Any]]]) -> dict[str, Any]:
    claim_cases = cases.get((claim["study"], claim["id"]), [])
    told = pd.Series(claim)
    datasets = sorted({name for case in claim_cases for name in str(case.get("datasets", "")).replace(",", " ").split()})
    return claim | {"score": score(told), "dots": Markup(dots(claim_cases)), "datasets": " ".join(datasets)}


def _cases(file: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The cases behind each claim, those of other readings left out."""
    if not file.is_file():
        return {}
    frame = pd.read_csv(file)
    frame = frame[frame["reading"].isna() | (frame["reading"] == "")]
    return {key: part.to_dict("records") for key, part in frame.groupby(["study", "id"], sort=False)}


def _titled(text: str, name: str) -> tuple[str, Markup]:
    first, _, rest = text.partition("\n")
    return (first.strip("* "), Markup(markdown(rest))) if first.startswith("**") else (name, Markup(markdown(text)))


def _measured(folders: Sequence[Path], pattern: str) -> list[tuple[str, Markup]]:
    """Tables of what was measured apart from the trials, from the first folder that has them, the overview first."""
    for folder in folders:
        if files := sorted(folder.glob(pattern), key=lambda file: (file.stem != "overview", file.stem)):
            return [_titled(file.read_text(encoding="utf-8"), file.stem) for file in files]
    return []


def _counted(counts: pd.DataFrame) -> Markup:
    rows = [[escape(str(name).strip("*")), *(str(int(n)) for n in row)] for name, row in counts.iterrows()]
    header = ["study", *(f'{SIGNS[c]} <span class="long">{c}</span>' if c in SIGNS else c for c in counts.columns)]
    return Markup(grid(["run here" if text == "judged" else text for text in header], rows))


def _grid(frame: Mapping[str, Any] | None) -> Markup:
    if frame is None:
        return Markup("")
    rows = [[escape(text) for text in row] for row in frame["rows"]]
    return Markup(grid([escape(text) for text in frame["header"]], rows))


def _details(cells: pd.DataFrame, preset: str) -> str:
    """What is said of each cell when it is opened, as JSON; reasons, which many cells share, once."""
    reasons: dict[str, int] = {}
    told = {cell["key"]: _detail(cell, reasons, preset) for cell in cells.to_dict("records")}
    text = json.dumps({"cells": told, "reasons": list(reasons)}, ensure_ascii=False, separators=(",", ":"))
    return text.replace("</", "<\\/")


def _detail(cell: Mapping[str, Any], reasons: dict[str, int], preset: str) -> dict[str, Any]:
    origin: Origin = cell["origin"]
    n = 0 if pd.isna(cell["n"]) else int(cell["n"])
    shown = {
        "study": cell["study"],
        "table": artifact_name(cell["table"])[0],
        "place": f"{cell['row']} / {cell['column']}",
        "verdict": cell["verdict"],
        "kind": cell["kind"],
        "reading": "" if cell["reading"] == "main" else cell["reading"],
        "counted": int(cell["counted"]),
        "n": n,
        "by": None if pd.isna(cell["difference"]) else round(cell["difference"], 3),
        "se": None if pd.isna(cell["se"]) else round(cell["se"], 3),
        "cause": f"{cell['cause']}: {CAUSES[cell['cause']]}" if cell["cause"] in CAUSES else cell["cause"],
        "why": reasons.setdefault(cell["why"], len(reasons)) + 1 if cell["why"] else 0,
        "note": cell["note"],
        "dataset": origin.dataset,
        "setting": origin.setting,
        "method": origin.method,
        "seeds": origin.seeds(n),
        "command": origin.command(preset),
    }
    return {key: value for key, value in shown.items() if value not in ("", None, [], 0)}
