"""How the level field shows cases that archived results lack: gaps, failures, and leads that may be chance."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from pulab.tables import Paper, write_study_table
from pulib.plots import style
from studies.levelfield import figures as draw
from studies.levelfield import tables as make
from studies.levelfield.answers import NUMBERS
from studies.levelfield.board import seconds_of
from studies.levelfield.field import Field, complete_blocks
from studies.levelfield.leaders import may_be_chance
from studies.levelfield.levels import MAIN
from studies.levelfield.numbers import single_repeats
from tests.studies.levelfield.drawn import ABILITY, CRITERIA, LEARNERS, STUDY, TASKS, UNRANKED, make_tidy, results_of

PAPER = Paper.read([])


@pytest.fixture(scope="module")
def tidy():
    return make_tidy()


def rendered(name, results, folder):
    results = results.shows(name, STUDY.tables[name])
    paths = {suffix: str(folder / f"{name}.{suffix}") for suffix in ("csv", "md", "tex")}
    write_study_table(results, getattr(make, name)(results, PAPER), paths)
    return (folder / f"{name}.md").read_text(encoding="utf-8")


def test_tables_say_what_was_not_run(tmp_path):
    tidy = make_tidy(tasks=TASKS[:1], repeats=1, settings=[]).iloc[:0]
    results = results_of(tidy, tmp_path)
    for name in STUDY.tables:
        text = rendered(name, results, tmp_path)
        assert "not run" in text.lower() or "not part of this run" in text, name
    for name, shown in STUDY.figures.items():
        with style():
            getattr(draw, name)(results.shows(name, shown), PAPER)


def test_gaps_exclude_methods_before_tasks():
    scores = pd.DataFrame(np.ones((6, 3)), index=TASKS, columns=["a", "b", "c"])
    scores.loc[TASKS[:4], "c"] = np.nan
    scores.loc[TASKS[0], "b"] = np.nan
    kept, left_out = complete_blocks(scores)
    assert list(kept) == ["a", "b"]
    assert left_out == ["c", TASKS[0]]


def test_failed_learner_ranks_last_and_is_excluded_if_only_finished(tidy):
    """A learner that was not run is excluded, or the task is."""
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
    """Other settings have more tasks: second classes of a data set, and generated sets."""
    more = make_tidy(tasks=["digits_odd"], settings=["two_sample"])
    field = Field.of_tidy(pd.concat([tidy, more]), [*MAIN, "two_sample"], ["accuracy"], {}, {}, UNRANKED)
    assert set(field.scores("two_sample", "accuracy").index) == set(TASKS)
    assert "digits" not in field.ranking("two_sample", "accuracy", without=["digits"]).scores.index


def title_of(figure, tidy, folder):
    with style():
        fig = figure(results_of(tidy, folder), PAPER)
    return " ".join(" ".join(part.get_suptitle() for part in (fig, *fig.subfigs)).split())


def test_title_of_ranks_names_the_lead_that_may_be_chance(tidy, tmp_path):
    """The leader is ahead on four of six tasks by AUC, and on all by accuracy."""
    tied = tidy.copy()
    best, other = sorted(LEARNERS, key=ABILITY.get)[:-3:-1]
    swap = tied["dataset"].isin(TASKS[:2]) & (tied["metric"] == "auc") & (tied["setting"] == "estimated_one_sample")
    places = [tied[swap & (tied["method"] == name)].index for name in (best, other)]
    tied.loc[places[0], "value"], tied.loc[places[1], "value"] = (tied.loc[p, "value"].to_numpy() for p in places[::-1])
    titles = [title_of(draw.figure_ranks, own, tmp_path) for own in (tidy, tied)]
    assert "chance" not in titles[0]
    assert titles[1].endswith("; the lead by “AUC, one sample” may be chance")


def test_title_names_a_runner_up_that_does_not_differ_from_the_best():
    scores = pd.DataFrame({"a": [0.9, 0.8, 0.9], "b": [0.8, 0.9, 0.8], "c": [0.1, 0.2, 0.1]})
    assert draw._leaders(scores) == ["a", "b"]
    assert draw._leaders(scores[["a", "c"]]) == ["a"]


def test_title_of_tuning_claims_no_gain_if_the_interval_contains_zero(tidy, tmp_path):
    """Gains on all tasks; then gains and losses that cancel, with a slight gain on average."""
    mixed = tidy.copy()
    sign = np.where(mixed["dataset"].isin(TASKS[::2]), 0.05, -0.04)
    for name in set(CRITERIA) - {"none", "oracle"}:
        mixed["value"] += np.where(mixed["metric"] == f"accuracy_{name}", sign - CRITERIA[name], 0.0)
    titles = [title_of(draw.figure_tuning, own, tmp_path) for own in (tidy, mixed)]
    assert re.fullmatch(r"Tuning by .* gains 1.0 points of accuracy; tuning by true labels gains 2.0 .*", titles[0])
    assert titles[1] == "No PU criterion shows a gain; tuning by true labels gains 2.0 points of accuracy"


def test_lead_that_depends_on_the_drawn_tasks_may_be_chance():
    """One learner is ahead on every task, or on seven of twelve tasks."""
    for signs, doubtful in ((np.ones(12), False), (np.repeat([1, -1], [7, 5]), True)):
        places = pd.DataFrame({"a": 1.5 - 0.5 * signs, "b": 1.5 + 0.5 * signs})
        assert may_be_chance(places) == doubtful


def test_single_repeats_are_compared_with_the_others():
    """Equal repeats rank alike; learners and tasks with fewer repeats, and a ceiling, do not count; two are too few."""
    tidy = make_tidy(settings=["two_sample"])
    same = tidy.assign(value=tidy.groupby(["dataset", "method", "metric"])["value"].transform("first"))
    repeats_of = partial(single_repeats, roles={"lf_supervised_rf": "ceiling"}, setting="two_sample", metric="accuracy")
    found = repeats_of(same)
    assert found["rho"].tolist() == pytest.approx([1.0] * 3)
    assert found[["repeats", "tasks", "learners"]].drop_duplicates().to_numpy().tolist() == [[3, len(TASKS), len(ABILITY) - 1]]
    fewer = same[(same["repeat"] < 2) | ~((same["method"] == LEARNERS[0]) | (same["dataset"] == TASKS[0]))]
    found = repeats_of(fewer)
    assert set(zip(found["tasks"], found["learners"], strict=True)) == {(len(TASKS) - 1, len(ABILITY) - 2)}
    assert repeats_of(same[same["repeat"] < 2]).empty
    worst = same["repeat"].eq(2) & same["metric"].eq("accuracy")
    turned = same.assign(value=same["value"].where(~worst, -3 * same["value"]))
    assert repeats_of(turned)["rho"].tolist() == pytest.approx([-1.0] * 3)


def test_table_and_sentence_give_one_cost_of_an_estimated_prior(tmp_path):
    """Learners that use no π, such as the last one here, count in neither."""
    tidy = make_tidy()
    same = tidy["setting"].isin(["estimated_two_sample", "two_sample"]) & tidy["method"].eq(LEARNERS[-1])
    tidy.loc[same & tidy["metric"].isin(["accuracy", "auc"]), "value"] = 0.5
    results = results_of(tidy, tmp_path)
    cells = make.table_estimated_prior(
        results.shows("table_estimated_prior", STUDY.tables["table_estimated_prior"]), PAPER
    ).cells
    found = NUMBERS["estimated"](results)
    change, default = found["own"][0], found["default"]
    assert change.learners == len(LEARNERS) - 1
    shown = cells.set_index(["row", "column"])["ours"]
    places = [("mean over learners", f"{metric} lost, two samples, {change.tasks} tasks") for metric in ("accuracy", "AUC")]
    assert shown[places].tolist() == pytest.approx([-change.accuracy.mean, -change.auc.mean])
    assert shown[change.worst.name, places[0][1]] == pytest.approx(-change.worst.effect.mean)
    assert default.name == "best bin"
    of_default = cells["column"].str.startswith("accuracy lost, best bin") & cells["row"].eq("mean over learners")
    assert cells[of_default]["ours"].tolist() == pytest.approx([-default.effect.mean])


def test_all_tables_show_the_same_seconds(tmp_path):
    """They are those of two samples; with one sample, learners take twice as long here."""
    results = results_of(make_tidy(), tmp_path)
    overview, costs = (
        getattr(make, name)(results.shows(name, STUDY.tables[name]), PAPER).cells for name in ("table_overview", "table_costs")
    )
    overview = overview[overview["column"] == "seconds"].set_index("row")["ours"]
    costs = costs[costs["column"].isin(["fit, s", "predict, s"])].groupby("row")["ours"].sum()
    assert overview.to_dict() == pytest.approx(costs[overview.index].to_dict())
    assert seconds_of(results).groupby("method").median()[LEARNERS].tolist() == pytest.approx(sorted(overview))
