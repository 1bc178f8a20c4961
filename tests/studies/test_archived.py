"""Today's code renders the archived numbers as archived; ``snakemake archive`` writes a new archive."""

import io
import re
import shutil
from functools import cache
from importlib import import_module
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest

from pulab.claims import Evidence, claims_of, judge_claims, labels_of
from pulab.plan.load import load_study, study_names
from pulab.reports.claims import claims_sheet, read_claims
from pulab.reports.pages import BLOCKS, update_pages
from pulab.reports.scoreboard import scoreboard_sheet
from pulab.tables import Paper, Results, read_cells, write_study_table
from pulab.tables.sentences import text_of
from pulib.plots import save_figure, style
from tests.golden.things import whole_plan

ROOT = Path(__file__).parents[2]
ARCHIVED = ROOT / "figures" / "paper"
RENDERED = ROOT / "results" / "paper"
NOT_RENDERED = "no report of the preset paper: run it with train=none"
#: Not made by the target ``all``: measured separately, or made by the target ``scale``.
MEASURED = ("speed", "priors.csv", "grids.csv", "costs.csv", "spread.csv")
STUDIES = {name: load_study(name) for name in study_names()}
#: A second or less each; together they cover all computations of resvm and the level field. The slow tier has the rest.
QUICK = {
    "resvm": ("table2_5", "table2_6", "table_repeats", "table_hinge_pu", "table_friedman", "table_edges", "table_margins"),
    "levelfield": ("table_overview", "table_trivial", "table_labels", "table_estimated_prior", "table_tuning", "figure_tuning"),
    "adapu": ("figure_traces",),
    "opu": ("figure1", "figure_weighting"),
    "puet": ("figure1", "figure5"),
}
NUMBER = r"-?\d+(?:\.\d+)?"


def parts_of(section):
    return [(study, name) for study, own in STUDIES.items() for name in getattr(own, section) if name in QUICK.get(study, ())]


@cache
def results_of(study):
    files = (ARCHIVED / "tidy" / f"{study}{suffix}.parquet" for suffix in ("", ".timings"))
    return Results.of(whole_plan(), study, *files)


def made(study, section, name):
    """Return the archived results that a table or figure uses, and what its function makes of them."""
    paper = Paper.read([*ROOT.glob(f"studies/{study}/published.csv")])
    results = results_of(study).shows(name, getattr(STUDIES[study], section)[name])
    return results, getattr(import_module(f"{STUDIES[study].module}.{section}"), name)(results, paper)


def as_read(table):
    return pd.read_csv(io.StringIO(table.to_csv(index=False)))


def compare_tables(found, kept):
    pd.testing.assert_frame_equal(pd.read_csv(found), pd.read_csv(kept), rtol=1e-9)
    assert found.with_suffix(".md").read_text("utf-8") == kept.with_suffix(".md").read_text("utf-8")


@pytest.mark.parametrize(("study", "table"), parts_of("tables"))
def test_tables(study, table, tmp_path):
    write_study_table(*made(study, "tables", table), {suffix: tmp_path / f"made.{suffix}" for suffix in ("csv", "md")})
    compare_tables(tmp_path / "made.csv", ARCHIVED / study / f"{table}.csv")


def compare_figures(found, kept):
    """Compare shapes, words, and (up to rounding) positions, if Matplotlib has the lock's version."""
    if f"matplotlib=={matplotlib.__version__} " not in (ROOT / "requirements.lock").read_text("utf-8"):
        return
    # compressed pixels and hashed clip names may differ even if nothing else does
    texts = [re.sub(r'data:[^"]*|#p\w+|id="p\w+', "", file.read_text("utf-8")) for file in (found, kept)]
    assert re.sub(NUMBER, "", texts[0]) == re.sub(NUMBER, "", texts[1])
    found_numbers, kept_numbers = (np.array(re.findall(NUMBER, text), dtype=float) for text in texts)
    np.testing.assert_allclose(found_numbers, kept_numbers, atol=0.02)


@pytest.mark.parametrize(("study", "figure"), parts_of("figures"))
def test_figures(study, figure, tmp_path):
    with style():
        save_figure(made(study, "figures", figure)[1], tmp_path / "made.svg", tmp_path / "made.png")
    compare_figures(tmp_path / "made.svg", ARCHIVED / study / f"{figure}.svg")


@pytest.mark.slow
def test_workflow_renders_the_archive():
    """Requires ``results/paper`` as rendered from the archive (``train=none``)."""
    if not (RENDERED / "report.html").is_file():
        pytest.skip(NOT_RENDERED)
    names = sorted(file.relative_to(ARCHIVED) for file in ARCHIVED.rglob("*") if file.suffix in (".csv", ".svg"))
    kept = [name for name in names if name.parts[0] not in MEASURED]
    assert len(kept) > 100
    assert {name.parts[0] for name in kept} >= {*STUDIES, "claims.csv", "scoreboard.csv"}
    for name in kept:
        if name.suffix == ".svg":
            compare_figures(RENDERED / name, ARCHIVED / name)
        elif name.parts[0] in STUDIES:
            compare_tables(RENDERED / name, ARCHIVED / name)
        else:  # claims and their evidence, which other processors may round differently
            pd.testing.assert_frame_equal(pd.read_csv(RENDERED / name), pd.read_csv(ARCHIVED / name), rtol=1e-5)


@pytest.mark.parametrize("study", [name for name, study in STUDIES.items() if name not in ("opu", "pces") and claims_of(study)])
def test_claims(study):
    own = STUDIES[study]
    judged = judge_claims(study, claims_of(own), Evidence.of(results_of(study), labels_of(own)))
    for found, file in zip(judged, ("claims", "claim_cases"), strict=True):
        archived = pd.read_csv(ARCHIVED / f"{file}.csv").query("study == @study")
        pd.testing.assert_frame_equal(as_read(found), as_read(archived), rtol=1e-5, check_dtype=False)


def test_counts():
    claims = read_claims(ARCHIVED / "claims.csv")
    assert claims_sheet(claims).markdown() == (ARCHIVED / "claims.md").read_text("utf-8")
    board = scoreboard_sheet(read_cells(ARCHIVED / "scoreboard.csv"), claims).markdown()
    assert board == (ARCHIVED / "scoreboard.md").read_text("utf-8")


def test_pages(tmp_path):
    """Generated parts of the README and the docs match the archive, and its index page lists everything."""
    pages = [*BLOCKS, "docs/choosing.md", *(f"studies/{name}/page.md" for name in STUDIES)]
    for page in pages:
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / page, tmp_path / page)
    update_pages(tmp_path, ARCHIVED, STUDIES)
    assert [page for page in pages if (tmp_path / page).read_bytes() != (ROOT / page).read_bytes()] == []
    assert text_of("index.md", studies=whole_plan().studies, preset="paper") == (ARCHIVED / "README.md").read_text("utf-8")
