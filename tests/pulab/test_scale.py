"""What a plan costs: job times from trials, core-hours, and list scheduling, on cases that can be worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulab.plan.plan import Group, cut_jobs, job_rows, plan_rows
from pulab.trials import scale
from pulab.trials.results import TIMING_COLUMNS


def timings(*rows):
    """Rows of (study, method, repeat, seconds), on one data set and setting, each with a part that does not count."""
    return pd.DataFrame(
        [
            (study, "d", "s", method, repeat, metric, value, "m")
            for study, method, repeat, seconds in rows
            for metric, value in (("trial", seconds), ("fit", 99.0))
        ],
        columns=TIMING_COLUMNS,
    )


def jobs(*rows):
    """Rows of (study, dataset, method, first, last, threads, mem_mb), each a job."""
    parts = [
        (number, study, dataset, "s", method, list(range(first, last + 1)), *rest)
        for number, (study, dataset, method, first, last, *rest) in enumerate(rows)
    ]
    return pd.DataFrame(parts, columns=scale.JOB_COLUMNS)


MEASURED = timings(("p", "a", 0, 10.0), ("p", "a", 1, 20.0), ("p", "b", 0, 600.0))
JOBS = jobs(
    ("p", "d", "a", 0, 1, 1, 1000),  # both repeats measured
    ("p", "d", "a", 2, 3, 1, 1000),  # none of the two, but others of the group
    ("p", "d", "b", 0, 1, 2, 4000),  # one of two
    ("p", "e", "a", 0, 0, 1, 1000),  # another data set: the method's mean
    ("p", "e", "c", 0, 0, 1, 8000),  # a method never run: the study's mean over its groups
)


def test_job_times_come_from_own_repeats_then_the_group_the_method_the_study():
    timed = scale.job_seconds(JOBS, MEASURED)
    assert timed["seconds"].tolist() == [30.0, 30.0, 1200.0, 15.0, 307.5]
    assert timed["measured"].tolist() == [2, 0, 1, 0, 0]
    assert timed["guessed"].tolist() == [False, False, False, True, True]


def test_a_job_of_several_groups_takes_the_time_of_all_of_them():
    groups = [Group("p", "d", "s", method, repeats=2, job="all", mem_mb=mem) for method, mem in (("a", 1000), ("b", 3000))]
    rows = pd.DataFrame(job_rows(cut_jobs(groups)), columns=scale.JOB_COLUMNS)
    (job,) = scale.job_seconds(rows, MEASURED).to_dict("records")
    assert (job["seconds"], job["repeats"], job["measured"], job["mem_mb"]) == (10 + 20 + 600 + 600, 4, 3, 3000)


def test_costs_add_up_by_study():
    costs = scale.costs(scale.job_seconds(JOBS, MEASURED)).set_index("study")
    assert costs.index.tolist() == ["p", "all"]
    row = costs.loc["p"]
    assert row.equals(costs.loc["all"])
    assert (row["jobs"], row["trials"], row["measured"]) == (5, 8, 3)
    assert row["core_hours"] == pytest.approx((30 + 30 + 2 * 1200) / 3600)
    assert row["core_hours_guessed"] == pytest.approx((15 + 307.5) / 3600)
    assert (row["longest_minutes"], row["mem_gb"]) == (20.0, 8.0)


def test_the_simulation_on_cases_worked_out_by_hand():
    # 0..3: two of one core each; 3..5 the wide one, which waits for both
    assert scale.simulate([3, 3, 2], [1, 1, 2], [1, 2, 4], cores=2) == scale.Schedule(5.0, 1.0, 4.0)
    # a narrow job passes the wide one that does not fit yet
    assert scale.simulate([4, 1, 2], [1, 2, 1], [1, 1, 1], cores=2) == scale.Schedule(5.0, 0.8, 2.0)
    # four threads on two cores: twice as long
    assert scale.simulate([3], [4], [5], cores=2) == scale.Schedule(6.0, 1.0, 5.0)
    assert scale.simulate([], [], [], cores=2) == scale.Schedule(0.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="cores = 0"):
        scale.simulate([1], [1], [1], cores=0)


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 3)), min_size=1, max_size=30), st.integers(3, 20))
def test_no_schedule_beats_its_bounds_and_list_scheduling_is_near_them(drawn, cores):
    seconds, threads = zip(*drawn, strict=True)
    schedule = scale.simulate(seconds, threads, [100] * len(drawn), cores)
    work = float(np.dot(seconds, threads))
    assert max(work / cores, max(seconds)) <= schedule.makespan
    # until the last job starts, fewer than three cores are free
    assert schedule.makespan <= work / (cores - 2) + max(seconds)
    assert schedule.busy == pytest.approx(work / (schedule.makespan * cores))
    assert schedule.peak_mem_mb <= 100 * min(len(drawn), cores)


def test_more_cores_take_no_longer_and_the_longest_job_is_the_end_of_it():
    timed = scale.job_seconds(JOBS, MEASURED)
    table = scale.spread(timed, cores=(1, 2, 1000), overhead=5.0)
    # with 5 s each: 1205 s on two threads, then 312.5, 35, 35 and 20 s on one
    assert (table["hours"] * 3600).tolist() == pytest.approx([2 * 1205 + 402.5, 1205 + 312.5, 1205])
    assert (table["bound_hours"] * 3600).tolist() == pytest.approx([2 * 1205 + 402.5, (2 * 1205 + 402.5) / 2, 1205])
    assert table["peak_mem_gb"].tolist() == [8.0, 9.0, 15.0]


def test_the_plan_is_a_table_with_minutes_where_a_group_was_timed():
    groups = [Group("p", "d", "s", "a", repeats=7), Group("p", "d", "s", "c", repeats=2), Group("q", "d", "s", "b", repeats=1)]
    rows = plan_rows(cut_jobs(groups, {groups[0].key: frozenset((0, 1, 2))}))
    assert rows == [["p", "d", "s", "a", 4], ["p", "d", "s", "c", 2], ["q", "d", "s", "b", 1]]
    plan = scale.plan_table(rows, MEASURED)
    assert plan.columns.tolist() == ["study", "dataset", "setting", "method", "repeats", "expected_minutes"]
    assert plan["expected_minutes"].tolist() == pytest.approx([1.0, np.nan, np.nan], nan_ok=True), "4 times 15 seconds"
    text = scale.plan_text(plan).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text if line.startswith("| p ")]
    assert cells[0] == ["p", "6", "2", "1.00"], "trials, untimed ones, minutes"
    assert sum(line.startswith("| ") for line in text) == 2 + 2 + 3
    nothing = scale.plan_table([], MEASURED.head(0))
    assert len(nothing) == 0
    assert "| study" in scale.plan_text(nothing)
