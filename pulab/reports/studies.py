"""Pages of the report on one study: its verdict, why results differ, claims, tables and figures, and cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from pulab.plan.load import deviations_of
from pulab.plan.study import Shown, Study
from pulab.reports.claims import around, findings
from pulab.reports.site import Page, artifact_name, packed, picture
from pulab.reports.yardstick import yardstick
from pulab.tables import read_cells
from pulab.tables.record import Record, cell_key, judged_performances, printed_results
from pulab.tables.sheet import read_sheet
from pulab.tables.verdict import CAUSES, VERDICTS
from pulab.trials import results
from pulab.trials.trial import derive_seed

#: Tables with more rows are folded at first.
LONG = 25
#: Maximum number of failing cases to name per claim.
NAMED_CASES = 12
_ORIGIN = ["dataset", "setting", "method", "metric"]


@dataclass(frozen=True)
class Run:
    """Output of a run that all pages need.

    ``folder`` has ``<study>/<table>.json``, ``<study>/<figure>.svg`` and ``.png``, and ``tidy/<study>.parquet``; cells and
    claims come from :func:`named_cells` and :func:`linked_claims`.  With ``single``, all pages go into one file, including
    their pictures.
    """

    folder: Path
    cells: pd.DataFrame
    claims: pd.DataFrame
    preset: str
    single: bool

    def own(self, frame: pd.DataFrame, study: str) -> pd.DataFrame:
        return frame[frame["study"] == study]

    @property
    def judged(self) -> bool:
        """Whether its numbers are compared with the papers'; those of a demonstration are not."""
        return self.preset != "quick"


def study_pages(run: Run, name: str, study: Study) -> list[Page]:
    """Make a page for the study, and one for each of its questions that it answers."""
    artifacts = [
        _artifact(run, name, key, shown)
        for key, shown in (*study.tables.items(), *study.figures.items())
        if key != study.answers
    ]
    answers = _answers(run.folder / name, study)
    asked = {part["section"]: part for part in answers if part["section"]}
    pages = []
    for section, part in asked.items():
        own = [artifact for artifact in artifacts if artifact["section"] == section]
        pages.append(_page(run, name, study, own, f"{name}-{section.split()[-1]}", section, {"answers": part["questions"]}))
    rest = [a for a in artifacts if a["section"] not in asked]
    links = [(page.name, asked[section]) for page, section in zip(pages, asked, strict=True)]
    lead = [question for part in answers if not part["section"] for question in part["questions"]]
    return [_page(run, name, study, rest, name, "", {"questions": links, "answers": lead}), *pages]


def _page(
    run: Run, name: str, study: Study, artifacts: list[dict[str, Any]], page: str, section: str, more: Mapping[str, Any]
) -> Page:
    """Make the page of a study, or of one of its questions."""
    asked = more.get("answers", [])
    cells = run.own(run.cells, name) if not section else run.cells[:0]
    paper = any(artifact["paper"] for artifact in artifacts)
    context = {
        "study": study,
        "section": section,
        "verdict": verdict_of(run, name),
        "main": [a for a in artifacts if a["paper"] or not paper],
        "beyond": [a for a in artifacts if paper and not a["paper"]],
        "missed": missed(printed_results(cells)),
        "findings": [(heading, part.to_dict("records")) for heading, part in findings(run.own(run.claims, name))],
        "deviations": deviations_of(study) if not section else "",
        "forest": bool(len(judged_performances(cells))),
        "choices": {
            side: sorted(set(cells.loc[cells["verdict"].isin([*VERDICTS, "not judged", "stand-in"]), side]) - {""})
            for side in ("dataset", "method")
        },
    } | dict(more)
    title = " ".join(question["title"] for question in asked) if section else study.title
    sections = _sections(page, context)
    found = details(cells, run.folder / "tidy" / f"{name}.parquet") if len(cells) else {}
    return Page(page, title, "study.html", context, sections, _entries(page, title, context), found)


def _sections(page: str, context: Mapping[str, Any]) -> list[tuple[str, str]]:
    parts = [
        (context["missed"]["reasons"], f"{page}-reasons", "Why results differ"),
        (context["findings"], f"{page}-claims", "Claims"),
        *((True, a["id"], f"{a['number']} {a['title']}" if a["paper"] else a["title"]) for a in context["main"]),
        (context["beyond"], f"{page}-beyond", "Beyond the paper"),
        (context["deviations"], f"{page}-deviations", "Our choices"),
    ]
    return [(anchor, label) for there, anchor, label in parts if there]


def _entries(page: str, title: str, context: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the search entries of a page."""
    entries = [("", title, context["study"].citation)]
    for artifact in (*context["main"], *context["beyond"]):
        sheet = artifact.get("sheet")
        grids = sheet.grids if sheet else []
        labels = [text for grid in grids for text in (*grid.header, *(row[0].text for row in grid.rows))]
        lines = [line for own in sheet.lists.values() for line in own] if sheet else []
        found = [artifact["image"].title] if "image" in artifact else []
        words = " ".join([artifact["caption"], *found, *labels, *lines])
        entries.append((artifact["id"], f"{artifact['number']}: {artifact['title']}", words))
    for _, claims in context["findings"]:
        for claim in claims:
            entries.append((claim["anchor"], f"Claim: “{claim['quote']}”", f"{claim['tested']} {claim['numbers']}"))
    for reason in context["missed"]["reasons"]:
        entries.append((f"{page}-reasons", f"Why results differ: {reason['cause']}", reason["why"]))
    for question in context["answers"]:
        entries.append(("", question["title"], " ".join(row["text"] for row in question["sentences"])))
    if context["deviations"]:
        entries.append((f"{page}-deviations", "Our choices", context["deviations"]))
    return [(anchor, head, " ".join(text.split())) for anchor, head, text in entries]


def _artifact(run: Run, study: str, key: str, entry: Shown) -> dict[str, Any]:
    number, paper = artifact_name(key)
    place = run.folder / study / key
    shown = {
        "id": f"{study}-{key}",
        "number": number,
        "paper": paper,
        "title": entry.title,
        "section": entry.section,
        "caption": entry.caption,
    }
    if key.startswith("table"):
        sheet = read_sheet(place.with_suffix(".json"))
        return shown | {"sheet": sheet, "long": sheet.n_rows > LONG}
    where = packed(place.with_suffix(".png")) if run.single else f"../{study}/{key}.svg"
    return shown | {"image": picture(place.with_suffix(".svg"), where), "folded": entry.folded}


def _answers(folder: Path, study: Study) -> list[dict[str, Any]]:
    """Return questions with their sentences, by the section of their tables; empty if the study answers none."""
    if not study.answers:
        return []
    parts: dict[str, list[dict[str, Any]]] = {}
    for key, rows in results.read_csv(folder / f"{study.answers}.csv", keep_default_na=False).groupby("question", sort=False):
        sentences = rows.to_dict("records")
        section = study.tables[sentences[0]["table"]].section if sentences[0]["table"] in study.tables else ""
        parts.setdefault(section, []).append({"title": study.questions[str(key)], "sentences": sentences})
    return [{"section": section, "questions": questions} for section, questions in parts.items()]


def verdict_of(run: Run, name: str) -> dict[str, Any]:
    """Count the reproduced performances, with reference values, and the claims by verdict."""
    cells, claims = run.own(run.cells, name), run.own(run.claims, name)
    measured = yardstick(cells).iloc[-1].to_dict() if cells["verdict"].isin(VERDICTS).any() else {}
    counts = printed_results(cells)["verdict"].value_counts()
    return {
        "performances": {key: measured.get(key, 0.0) for key in ("judged", "reproduced", "expected", "placebo")},
        "counts": [(verdict, int(counts.get(verdict, 0))) for verdict in VERDICTS],
        "results": sum(int(counts.get(verdict, 0)) for verdict in VERDICTS),
        "claims": claims["verdict"].value_counts().to_dict(),
        "n_claims": len(claims),
    }


def missed(printed: pd.DataFrame) -> dict[str, Any]:
    """Return each reason why results are not reproduced, with its cells; the worst reason comes first."""
    cells = printed[printed["verdict"].isin(VERDICTS[1:])]
    reasons = []
    for (cause, why), part in cells.groupby(["cause", "why"], sort=False):
        places = [
            {"key": c["key"], "verdict": c["verdict"], "by": c["difference"]}
            | {"place": f"{artifact_name(c['table'])[0]}: {c['row']} / {c['column']}"}
            for c in part.to_dict("records")
        ]
        counted = _counted(part["verdict"])
        worst = int((part["verdict"] == VERDICTS[-1]).sum())
        cause_name = CAUSES.get(str(cause), "not given")
        reasons.append({"cause": cause_name, "why": why, "places": places, "counted": counted, "worst": worst})
    reasons.sort(key=lambda reason: (-reason["worst"], -len(reason["places"])))
    total = int(printed["verdict"].isin(VERDICTS).sum())
    return {"reasons": reasons, "n": len(cells), "of": total, "counted": _counted(cells["verdict"])}


def _counted(verdicts: pd.Series) -> str:
    counts = verdicts.value_counts()
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in reversed(VERDICTS) if verdict in counts)


def linked_claims(claims: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Add to claims the ``sentence`` that is shown, the ``anchor`` of their place, and their failing cases.

    ``failing`` names at most :data:`NAMED_CASES` cases of the main interpretation; ``more`` is the number of the others.
    """
    failed = cases[(cases["status"] == "fails") & (cases["reading"].fillna("") == "")]
    names = failed.groupby(["study", "id"])["case"].agg(list).to_dict()
    failing = [names.get((claim.study, claim.id), []) for claim in claims.itertuples()]
    return claims.assign(
        anchor=[f"claim-{claim.study}-{claim.id}" for claim in claims.itertuples()],
        sentence=claims["quote"],
        around=[around(claim) for claim in claims.itertuples()],
        failing=[own[:NAMED_CASES] for own in failing],
        more=[max(len(own) - NAMED_CASES, 0) for own in failing],
    )


def places_of(pages: Sequence[Page]) -> dict[str, str]:
    """Map the anchor of every table, figure and claim to the name of its page."""
    places: dict[str, str] = {}
    for page in pages:
        anchors = [a["id"] for a in (*page.context["main"], *page.context["beyond"])]
        anchors += [claim["anchor"] for _, claims in page.context["findings"] for claim in claims]
        places |= dict.fromkeys(anchors, page.name)
    return places


def claim_matrix(claims: pd.DataFrame, studies: Sequence[str], verdicts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the claims by verdict of each study that has some."""
    parts = {study: own for study in studies if len(own := claims[claims["study"] == study])}
    return [
        {"study": study, "n": len(own), "columns": [own[own["verdict"] == v].to_dict("records") for v in verdicts]}
        for study, own in parts.items()
    ]


def named_cells(scoreboard: Path, studies: Sequence[str]) -> pd.DataFrame:
    """Return all cells of all tables, with their ids in the pages (``key``) and whether the headline counts them."""
    cells = read_cells(scoreboard)
    cells = cells[cells["study"].isin(list(studies))].reset_index(drop=True)
    by_table = cells.groupby(["study", "table"], sort=False)
    numbers = [by_table[side].transform(lambda labels: pd.factorize(labels)[0]) for side in ("row", "column")]
    cells["key"] = [cell_key(*place) for place in zip(cells["study"], cells["table"], *numbers, strict=True)]
    cells["counted"] = cells.index.isin(printed_results(cells).index)
    return cells


def repeats_of(cells: pd.DataFrame, tidy: Path) -> dict[tuple[str, ...], list[float]]:
    """Return the values of all repeats by data set, setting, method and metric, for cells that have one of each."""
    wanted = cells.loc[(cells[_ORIGIN] != "").all(axis=1), _ORIGIN].drop_duplicates()
    rows = results.read(tidy)
    rows = rows[(rows["status"] == "ok") & (rows["step"] == -1) & rows["method"].isin(wanted["method"])]
    rows = rows.astype(dict.fromkeys(_ORIGIN, str)).merge(wanted.astype(str), on=_ORIGIN).sort_values("repeat")
    return {key: values.tolist() for key, values in rows.groupby(_ORIGIN)["value"]}


def details(cells: pd.DataFrame, tidy: Path) -> dict[str, dict[str, Any]]:
    """Map the id of each cell to the notes on it."""
    values = repeats_of(cells, tidy)
    return {cell["key"]: _detail(Record.of(cell), bool(cell["counted"]), values) for cell in cells.to_dict("records")}


def _detail(record: Record, counted: bool, values: Mapping[tuple[str, ...], list[float]]) -> dict[str, Any]:
    own = values.get((record.dataset, record.setting, record.method, record.metric), [])
    plain = ("study", "verdict", "why", "note", "dataset", "setting", "method", "metric")
    shown = {name: getattr(record, name) for name in plain} | {
        "runs": int(record.status == "ok"),
        "seed": derive_seed(*record.origin, 0) if record.n and all(record.origin) else None,
        "table": artifact_name(record.table)[0],
        "reading": "" if record.reading == "main" else record.reading,
        "counted": int(counted),
        "n": int(record.n),
        "by": _rounded(record.difference),
        "se": _rounded(record.se),
        "cause": f"{record.cause}: {CAUSES[record.cause]}" if record.cause in CAUSES else record.cause,
        "values": [float(f"{record.scale * value:.4g}") for value in own],
    }
    return {key: value for key, value in shown.items() if value not in ("", None, [], 0)}


def _rounded(value: float) -> float | None:
    return None if pd.isna(value) else round(value, 3)
