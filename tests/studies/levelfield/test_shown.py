"""The level field's tables, figures, statements and answers, from drawn numbers, whole ones and such as have gaps."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib import colormaps

from pulab.claims import Evidence, claims_of, judge_claims
from pulab.figures.style import INK, VERMILION
from pulab.reports.pages import answer_blocks, asked_for, linked, replace_block
from pulab.tables import Paper, write_study_table
from pulib.plots import style
from studies.levelfield import figures as draw
from studies.levelfield import tables as make
from studies.levelfield.dots import _colors
from studies.levelfield.field import Field, complete_blocks, over_tasks
from studies.levelfield.leaders import CHANCE, leaders, may_be_chance, standing
from studies.levelfield.levels import MAIN
from tests.studies.levelfield.drawn import (
    ABILITY,
    CRITERIA,
    LEARNERS,
    ROOT,
    STUDY,
    TASKS,
    UNRANKED,
    make_tidy,
    make_timings,
    results_of,
    unavailable,
)

TABLES, FIGURES, QUESTIONS = STUDY.tables, STUDY.figures, STUDY.questions
LABELS = {name: method.label for name, method in STUDY.methods_of(None).items()}
CLAIMS = claims_of(STUDY)
PAPER = Paper.read([])


#: Tables whose rows are no methods, or only those that are ranked.
NAMES = ("answers", "properties", "estimated_prior", "coverage", "overview", "tasks", "appendix", "sizes", "rare", "advice")
APART = [f"table_{name}" for name in NAMES]


@pytest.fixture(scope="module")
def tidy():
    return pd.concat([make_tidy(), unavailable()], ignore_index=True)


@pytest.fixture(scope="module")
def results(tidy, tmp_path_factory):
    return results_of(tidy, tmp_path_factory.mktemp("levelfield"))


@pytest.fixture(scope="module")
def tables(results, tmp_path_factory):
    """By name, what is rendered of a table where it is first asked for."""
    folder = tmp_path_factory.mktemp("levelfield")
    return cache(lambda name: rendered(name, results, folder))


def rendered(name, results, folder):
    results = results.shows(name, TABLES[name])
    paths = {suffix: str(folder / f"{name}.{suffix}") for suffix in ("csv", "md", "tex")}
    write_study_table(results, getattr(make, name)(results, PAPER), paths)
    return pd.read_csv(paths["csv"], keep_default_na=False), (folder / f"{name}.md").read_text(encoding="utf-8")


def test_each_table_has_ceilings_and_trivial_classifiers_unranked(tables):
    for name in TABLES:
        cells, text = tables(name)
        assert len(cells), name
        assert "nan" not in text, name
        if name not in APART:
            assert "(ceiling, true labels)" in text, name
            assert "trivial" in text, name
        if name.startswith("table_ranks"):
            ranks = cells[cells["column"].str.startswith("mean rank") & (cells["ours"] != "")]
            assert set(ranks["row"]) == {LABELS[method] for method in LEARNERS}
            assert "the Python package 'torch' is not installed" in text


def test_each_figure_is_drawn(results):
    for name, shown in FIGURES.items():
        with style():
            fig = getattr(draw, name)(results.shows(name, shown), PAPER)
        texts = [text.get_text() for part in (fig, *fig.subfigs) for ax in part.axes for text in ax.texts]
        assert "not part of this run" not in texts, name


def test_what_was_not_run_is_said(tmp_path):
    tidy = make_tidy(tasks=TASKS[:1], repeats=1, settings=[]).iloc[:0]
    results = results_of(tidy, tmp_path)
    for name in TABLES:
        _, text = rendered(name, results, tmp_path)
        assert "not run" in text.lower() or "not part of this run" in text, name
    for name, shown in FIGURES.items():
        with style():
            getattr(draw, name)(results.shows(name, shown), PAPER)
    table, _ = judge_claims("levelfield", CLAIMS, Evidence(tidy, make_timings(tidy), {}, UNRANKED))
    assert set(table["verdict"]) == {"pending"}


def test_gaps_cost_methods_before_tasks():
    scores = pd.DataFrame(np.ones((6, 3)), index=TASKS, columns=["a", "b", "c"])
    scores.loc[TASKS[:4], "c"] = np.nan
    scores.loc[TASKS[0], "b"] = np.nan
    kept, left_out = complete_blocks(scores)
    assert list(kept) == ["a", "b"]
    assert left_out == ["c", TASKS[0]]


def test_who_fails_is_ranked_last_and_left_out_of_the_ranking_of_those_that_finished(tidy):
    """Who was not run is left out with the task, or without it."""
    place = (tidy["setting"] == "estimated_two_sample") & (tidy["dataset"] == "digits")
    here = place & (tidy["method"] == "lf_pu_et")
    failed = tidy[here].head(1).assign(metric="", value=np.nan, status="failed", message="stopped")
    field = Field.of_tidy(pd.concat([tidy[~here], failed]), MAIN, ["accuracy"], {}, {}, UNRANKED)
    assert field.failures == {("estimated_two_sample", "digits", "lf_pu_et"): "stopped"}
    ranking = field.ranking("estimated_two_sample", "accuracy")
    assert ranking.task_ranks.loc["digits", "lf_pu_et"] == len(LEARNERS)
    assert ranking.task_ranks.drop("digits")["lf_pu_et"].eq(1).all()
    finished = field.ranking("estimated_two_sample", "accuracy", only_finished=True)
    assert set(finished.ranks.index) == set(LEARNERS) - {"lf_pu_et"}
    assert len(finished.scores) == len(TASKS)
    field = Field.of_tidy(tidy[~here], MAIN, ["accuracy"], {}, {}, UNRANKED)
    assert field.ranking("estimated_two_sample", "accuracy").left_out == ["digits"]


def test_rankings_are_over_the_tasks_of_the_main_settings(tidy):
    """Other settings have more: second classes of a data set, sets that are generated."""
    more = make_tidy(tasks=["digits_odd"], settings=["two_sample"])
    field = Field.of_tidy(pd.concat([tidy, more]), [*MAIN, "two_sample"], ["accuracy"], {}, {}, UNRANKED)
    assert set(field.scores("two_sample", "accuracy").index) == set(TASKS)
    assert "digits" not in field.ranking("two_sample", "accuracy", without=["digits"]).scores.index


def test_intervals_over_tasks_leave_gaps_out_column_by_column():
    values = pd.DataFrame({"a": [0.5, 0.6, 0.7], "b": [0.1, np.nan, 0.3], "c": [np.nan] * 3})
    found = over_tasks(values)
    assert found.index.tolist() == ["a", "b"]
    assert found["tasks"].tolist() == [3, 2]
    assert found.loc["b", "mean"] == pytest.approx(20)


def test_every_question_is_answered_with_its_figure_and_its_cells(tables, tmp_path):
    told, text = tables("table_answers")
    assert list(dict.fromkeys(told["question"])) == list(QUESTIONS)
    assert set(told["figure"]) - {""} <= set(FIGURES)
    assert set(told["table"]) <= set(TABLES)
    assert told["text"].str.contains(r"\d").all()
    assert text.count("([") == len(told)
    told.to_csv(tmp_path / "table_answers.csv", index=False)
    brief = answer_blocks(tmp_path, STUDY)
    assert list(brief) == list(QUESTIONS)
    for lines in brief.values():
        assert 0 < len(lines.splitlines()) <= 3


def test_the_guide_has_a_place_for_each_brief_answer(tables, tmp_path):
    tables("table_answers")[0].to_csv(tmp_path / "table_answers.csv", index=False)
    text = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    told_blocks = answer_blocks(tmp_path, STUDY)
    asked = asked_for(text, told_blocks)
    # who ranks where, and on what that rests, other blocks say
    assert set(told_blocks) - set(asked) == {"ranks", "coverage"}
    for key, told in asked.items():
        text = replace_block(text, key, linked(told, "../figures"))
    assert "](../figures/figure_costs.svg)" in text
    assert "](../figures/table_costs.csv)" in text


def title_of(figure, tidy, folder):
    with style():
        fig = figure(results_of(tidy, folder), PAPER)
    return " ".join(" ".join(part.get_suptitle() for part in (fig, *fig.subfigs)).split())


def test_the_title_of_the_ranks_says_which_lead_may_be_chance(tidy, tmp_path):
    """Ahead by AUC on four of six tasks, by accuracy on all."""
    tied = tidy.copy()
    best, other = sorted(LEARNERS, key=ABILITY.get)[:-3:-1]
    swap = tied["dataset"].isin(TASKS[:2]) & (tied["metric"] == "auc") & (tied["setting"] == "estimated_one_sample")
    places = [tied[swap & (tied["method"] == name)].index for name in (best, other)]
    tied.loc[places[0], "value"], tied.loc[places[1], "value"] = (tied.loc[p, "value"].to_numpy() for p in places[::-1])
    titles = [title_of(draw.figure_ranks, own, tmp_path) for own in (tidy, tied)]
    assert "chance" not in titles[0]
    assert titles[1].endswith("; the lead by “AUC, one sample” may be chance")


def test_levels_of_one_quantity_share_a_scale_of_colors_and_others_do_not():
    alike, apart = _colors(["5% wrong", "10% wrong", "no order"]), _colors(["two samples", "one sample"])
    assert apart == [INK, VERMILION]
    assert alike[2] == VERMILION
    assert [alike[0].tolist(), alike[1].tolist()] == colormaps["viridis_r"]([0.12, 1.0]).tolist()


def test_a_title_names_the_runner_up_where_the_tasks_do_not_tell_it_from_the_best():
    scores = pd.DataFrame({"a": [0.9, 0.8, 0.9], "b": [0.8, 0.9, 0.8], "c": [0.1, 0.2, 0.1]})
    assert draw._leaders(scores) == ["a", "b"]
    assert draw._leaders(scores[["a", "c"]]) == ["a"]


def test_the_title_of_tuning_claims_no_gain_whose_interval_holds_zero(tidy, tmp_path):
    """First with gains on all tasks, then with gains and losses that cancel, and a slight gain on average."""
    mixed = tidy.copy()
    sign = np.where(mixed["dataset"].isin(TASKS[::2]), 0.05, -0.04)
    for name in set(CRITERIA) - {"none", "oracle"}:
        mixed["value"] += np.where(mixed["metric"] == f"accuracy_{name}", sign - CRITERIA[name], 0.0)
    titles = [title_of(draw.figure_tuning, own, tmp_path) for own in (tidy, mixed)]
    assert re.fullmatch(r"Tuning by .* gains 1.0 points of accuracy; tuning by true labels gains 2.0 .*", titles[0])
    assert titles[1] == "No PU criterion shows a gain; tuning by true labels gains 2.0 points of accuracy"


def test_who_is_level_with_the_best_and_what_else_bears_on_it_is_said():
    rows = {"first": (1.1, 1.2), "second": (1.9, 1.8), "third": (3.0, 3.0)}
    columns = ("rank by accuracy", "rank by AUC")
    cells = [
        {"row": name, "column": column, "ours": rank, "note": "", "mark": f"{rank}" + " •" * (name != "third")}
        for name, own in rows.items()
        for column, rank in zip(columns, own, strict=True)
    ]
    cells += [{"row": name, "column": "gained by the true π", "ours": 1.2, "note": "", "mark": ""} for name in rows]
    overview = pd.DataFrame(cells)
    learners = {"first": "1.10", "second": "1.90", "third": "3.00", "slow": "", "ceiling": "–"}
    ranks = pd.DataFrame([{"row": name, "column": "mean rank", "mark": mark} for name, mark in learners.items()])
    new = pd.DataFrame([{"row": "second", "ours": 1.5, "tasks": 4}, {"row": "first", "ours": 2, "tasks": 4}])
    ranks = pd.concat([ranks, new.assign(column="rank on new tasks by accuracy, s", mark="x")])
    text = standing(overview, ranks)
    assert "*second* is not significantly behind the best in any ranking" in text
    assert "On the 4 tasks that no default has seen, *second* leads in 1 of 1 rankings." in text
    assert "chance" not in text
    assert text.endswith("for lack of numbers: *slow*.")
    leads = overview["row"].eq("first") & overview["column"].str.startswith("rank")
    doubted = overview.assign(note=np.where(leads, CHANCE, ""))
    assert "2 of 2 rankings; each lead may be chance." in standing(doubted, ranks)
    doubted.loc[0, "note"] = ""
    assert "2 of 2 rankings; the lead by “AUC” may be chance." in standing(doubted, ranks)
    swapped = overview.replace({"ours": {1.2: 1.8, 1.8: 1.2}})
    both = "*first* has the best mean rank in 1 of 2 rankings (“accuracy”) and *second* in 1 of 2 rankings (“AUC”)."
    assert both in standing(swapped, ranks)
    alone = standing(overview[overview["row"] != "second"], ranks[ranks["row"].isin(["first", "third"])])
    assert "not significantly" not in alone
    assert "Not ranked" not in alone


def test_a_lead_that_depends_on_the_drawn_tasks_may_be_chance():
    """One learner is ahead on every task, or on seven of twelve."""
    for signs, doubtful in ((np.ones(12), False), (np.repeat([1, -1], [7, 5]), True)):
        places = pd.DataFrame({"a": 1.5 - 0.5 * signs, "b": 1.5 + 0.5 * signs})
        assert may_be_chance(places) == doubtful


def test_the_pages_have_the_leaderboard_that_was_published():
    blocks = leaders(ROOT / "figures" / "paper" / "levelfield").blocks
    for page, names in (("README.md", ("front", "standing")), ("docs/choosing.md", ("podium", "standing"))):
        text = (ROOT / page).read_text(encoding="utf-8")
        for name, body in ((name, blocks[name]) for name in names):
            assert replace_block(text, name, body) == text, f"{page}: {name}; run `snakemake publish`"
