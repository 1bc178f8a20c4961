"""Archived tables and claims are what today's code makes of the archived numbers; ``snakemake archive`` writes others."""

import io
from functools import cache
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

from pulab.claims import Evidence, claims_of, judge_claims, labels_of
from pulab.plan.load import load_study, study_names
from pulab.tables import Paper, Results, write_study_table
from tests.golden.things import whole_plan

ROOT = Path(__file__).parents[2]
ARCHIVED = ROOT / "figures" / "paper"
#: A second or less each, and all that is computed in resvm and the level field by one or another; the slow tier has the rest.
QUICK = {
    "resvm": ("table2_5", "table2_6", "table_repeats", "table_hinge_pu", "table_friedman", "table_edges", "table_margins"),
    "levelfield": ("table_overview", "table_trivial", "table_labels", "table_estimated_prior", "table_tuning"),
}
TABLES = [(study, table) for study in study_names() for table in load_study(study).tables]


@cache
def results_of(study):
    files = (ARCHIVED / "tidy" / f"{study}{suffix}.parquet" for suffix in ("", ".timings"))
    return Results.of(whole_plan(), study, *files)


def as_read(table):
    """A table as it is where it has been written and read again."""
    return pd.read_csv(io.StringIO(table.to_csv(index=False)))


@pytest.mark.parametrize(
    ("study", "table"),
    [pytest.param(*part, marks=[pytest.mark.slow] * (part[1] not in QUICK.get(part[0], ()))) for part in TABLES],
)
def test_tables(study, table, tmp_path):
    own = load_study(study)
    paper = Paper.read([*ROOT.glob(f"studies/{study}/published.csv")])
    results = results_of(study).shows(table, own.tables[table])
    made = getattr(import_module(f"{own.module}.tables"), table)(results, paper)
    write_study_table(results, made, {suffix: tmp_path / f"made.{suffix}" for suffix in ("csv", "md")})
    found, archived = (pd.read_csv(file) for file in (tmp_path / "made.csv", ARCHIVED / study / f"{table}.csv"))
    pd.testing.assert_frame_equal(found, archived, rtol=1e-9)


@pytest.mark.parametrize(
    "study",
    [
        pytest.param(study, marks=[pytest.mark.slow] * (study != "resvm"))
        for study in study_names()
        if claims_of(load_study(study))
    ],
)
def test_claims(study):
    own = load_study(study)
    made = judge_claims(study, claims_of(own), Evidence.of(results_of(study), labels_of(own)))
    for found, file in zip(made, ("claims", "claim_cases"), strict=True):
        archived = pd.read_csv(ARCHIVED / f"{file}.csv").query("study == @study")
        pd.testing.assert_frame_equal(as_read(found), as_read(archived), rtol=1e-5, check_dtype=False)
