"""Trials: seeds by key, tidy results, jobs that survive interruptions."""

import errno
import hashlib
import importlib.util
import shutil
import signal
import sys
import threading
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from pulab.plan import Method, Task, own
from pulab.plan.own import missing_requirements
from pulab.trials import results
from pulab.trials.cost import Cost, Timer, TooLongError, at_most
from pulab.trials.logs import report_end
from pulab.trials.runner import JobRunner, run_repeat
from pulab.trials.trial import TrialContext, TrialResult
from pulib.datasets import Dataset, UnreadableFileError, load_prepared
from pulib.sampling import CaseControl, Split
from tests.pulab.toy import PLAIN, recipe_of

#: What needs nothing, and is never built.
M = Method(name="m", label="M", estimator="sklearn.dummy.DummyClassifier")


def context(repeat=0, method=None, meta=None):
    X = np.arange(12.0).reshape(6, 2)
    y = np.array([1, 1, 0, 0, 1, 0], dtype=np.int8)
    data = Dataset("toy", X, y, y, meta=meta or {})
    split = Split(np.array([0]), np.arange(6), np.array([4, 5]), 0.5)
    return TrialContext("p", "toy", "s", "m", repeat, data, split, method or M, PLAIN)


def draw(ctx):
    rng = np.random.default_rng(ctx.seed)
    return TrialResult(scalars={"accuracy": rng.random()}, series={"curve": rng.random(3)}, seconds={"fit": 0.1})


def test_a_trial_has_a_seed_of_its_own_and_one_that_all_methods_of_the_repeat_share():
    a = context()
    b = TrialContext("p", "toy", "s", "other", 0, a.data, a.split, M, PLAIN)
    assert a.shared_seed == b.shared_seed
    assert context(repeat=1).shared_seed != a.shared_seed
    # pinned: a change here changes every archived result of ours
    for trial, key in ((a, b'["p","toy","s","m",0]'), (b, b'["p","toy","s","other",0]')):
        assert trial.seed == int.from_bytes(hashlib.sha256(key).digest()[:4], "big")


def test_result_rows_are_tidy_and_must_not_be_empty():
    key = ("p", "d", "s", "m", 0)
    rows = results.result_rows(key, TrialResult(scalars={"a": 1.0}, series={"c": (np.array([5, 10]), np.array([0.1, 0.2]))}))
    assert list(rows.columns) == results.COLUMNS
    assert rows["step"].tolist() == [-1, 5, 10]
    with pytest.raises(ValueError, match="returned no numbers"):
        results.result_rows(key, TrialResult())


def test_an_error_of_a_method_is_a_result_and_a_fault_of_the_machine_is_not():
    row = run_repeat(context(), lambda ctx: Path("no/such/file").read_text()).rows.iloc[0]
    said = "FileNotFoundError: [Errno 2] No such file or directory: 'no/such/file'"
    assert (row["status"], row["message"]) == ("failed", said)
    for fault in (MemoryError(), OSError(errno.ENOSPC, "full"), OSError(errno.EROFS, "read-only")):
        with pytest.raises(type(fault)):
            run_repeat(context(), Mock(side_effect=fault))


@pytest.mark.parametrize("kind", ["results", "meta.json", "X.npy"])
def test_a_truncated_file_is_named_with_a_remedy(tmp_path, kind):
    results.write(run_repeat(context(), draw).rows, tmp_path / "results")
    np.save(tmp_path / "X.npy", np.zeros((300, 2)))
    np.save(tmp_path / "y.npy", np.zeros(300))
    (tmp_path / "meta.json").write_text("{}")
    read = partial(results.read, tmp_path / kind) if kind == "results" else partial(load_prepared, tmp_path, "toy", [1])
    read()
    content = (tmp_path / kind).read_bytes()
    (tmp_path / kind).write_bytes(content[: len(content) // 2])
    with pytest.raises(UnreadableFileError, match=rf"{kind} cannot be read \(.+\): delete it"):
        read()
    (tmp_path / kind).unlink()
    with pytest.raises(FileNotFoundError):
        read()


@pytest.mark.parametrize(
    ("error", "last"),
    [
        (OSError(errno.ENOSPC, "No space left", "results/a.parquet"), "error: results/a.parquet: the disk is full: free some"),
        (MemoryError(), "error: out of memory: give such jobs more"),
        (UnreadableFileError("a.npz cannot be read"), "error: a.npz cannot be read"),
        (ValueError("prior = 2"), "ValueError: prior = 2"),
    ],
)
def test_a_log_ends_with_what_to_do_about_a_fault_of_the_machine(error, last, capsys):
    report_end(type(error), error, None)
    assert capsys.readouterr().err.splitlines()[-1].startswith(last)


def test_a_missing_library_or_data_set_is_reported_instead_of_run():
    row = run_repeat(context(method=replace(M, requires=("no_such_package_here",))), draw).rows.iloc[0]
    assert (row["status"], "no_such_package_here" in row["message"]) == ("unavailable", True)
    row = run_repeat(context(meta={"available": False, "reason": "epsilon.bz2 could not be downloaded"}), draw).rows.iloc[0]
    assert (row["status"], row["message"]) == ("unavailable", "epsilon.bz2 could not be downloaded")


@pytest.mark.parametrize("method", [replace(M, requires=("my_library",)), replace(M, needs_gpu=True)])
def test_missing_requirements_of_a_method_are_reported_until_they_are_met(monkeypatch, method):
    here = []
    monkeypatch.setattr(own, "missing_library", lambda names: next((n for n in names if n not in here), None))
    monkeypatch.setattr(own, "gpu_available", lambda: bool(here))
    (reason,) = missing_requirements(method)
    row = run_repeat(context(method=method), draw).rows.iloc[0]
    assert (row["status"], row["message"]) == ("unavailable", reason)
    here.append("my_library")
    assert missing_requirements(method) == []
    assert run_repeat(context(method=method), draw).rows["status"].unique() == ["ok"]
    assert missing_requirements(M) == []


CALLS = []
DIES = []


def protocol(ctx):
    """Notes what is run, and with which rows; dies where it is told to."""
    CALLS.append((ctx.method_name, ctx.repeat))
    if CALLS[-1] in DIES:
        DIES.clear()
        raise KeyboardInterrupt
    if ctx.method.params.get("fails"):
        raise ValueError("out of order")
    return TrialResult(scalars={"accuracy": np.random.default_rng(ctx.seed).random(), "rows": float(ctx.split.unlabeled.sum())})


@dataclass(frozen=True, kw_only=True)
class Twice(Task):
    """Another task of the same study."""

    name: ClassVar[str] = "twice"


def again(ctx):
    CALLS.append(("twice", ctx.repeat))
    return TrialResult(scalars={"accuracy": 2.0})


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run groups of one job; give back what was run and the rows of all of it."""
    X, y = np.arange(80.0).reshape(40, 2), np.arange(40) % 2
    found = importlib.util.spec_from_file_location("studies.toy.protocol", __file__)
    module = importlib.util.module_from_spec(found)
    module.RUN = {type(PLAIN): protocol, Twice: again}
    monkeypatch.setitem(sys.modules, "studies.toy.protocol", module)

    def run(*groups, task=PLAIN, **more):
        CALLS.clear()
        job = JobRunner(Dataset("toy", X, y, y), tmp_path / "finished")
        recipe = partial(recipe_of, split=CaseControl(n_labeled=5), task=task, module="studies.toy", **more)
        found = [
            job.run(("p", "toy", "s", name), recipe(replace(M, params=params)), repeats) for name, params, repeats in groups
        ]
        rows = [outcome.rows for outcomes in found for outcome in outcomes.values()]
        return list(CALLS), results.concat(rows, results.COLUMNS)

    return run


def test_a_trial_with_another_task_or_data_set_is_not_reused(run):
    one = ("m", {}, [0])
    assert run(one)[0] == [("m", 0)]
    assert run(one, task=Twice())[0] == [("twice", 0)], "by the function of its class"
    assert run(one, task=Twice())[0] == []
    assert [len(run(one, data=data)[0]) for data in ({"a": 1}, {"a": 1}, {"a": 2}, {"a": 1})] == [1, 0, 1, 0]


def test_an_interrupted_job_continues_and_gives_the_same_rows(run, tmp_path):
    groups = ("a", {}, [0, 1, 2]), ("b", {}, [0, 1, 2])
    _, whole = run(*groups)
    shutil.rmtree(tmp_path / "finished")
    DIES.append(("b", 1))
    with pytest.raises(KeyboardInterrupt):
        run(*groups)
    calls, rows = run(*groups)
    assert calls == [("b", 1), ("b", 2)]
    pd.testing.assert_frame_equal(rows, whole)


def test_only_changed_and_additional_trials_run_regardless_of_batches(run):
    before, rows = run(("a", {}, [0, 1]), ("b", {}, [0, 1]))
    assert len(before) == 4
    assert run(("a", {}, [0, 1]), ("b", {"depth": 3}, [0, 1]))[0] == [("b", 0), ("b", 1)]
    assert run(("a", {}, [0, 1, 2]), ("b", {}, [0, 1, 2]))[0] == [("a", 2), ("b", 2)]
    calls, alone = run(("b", {}, [1]))
    assert not calls
    pd.testing.assert_frame_equal(alone, rows[(rows["method"] == "b") & (rows["repeat"] == 1)].reset_index(drop=True))


def test_methods_of_a_repeat_are_given_the_same_rows_alone_or_together(run, tmp_path):
    _, rows = run(("a", {}, [0, 1]), ("b", {}, [0, 1]))
    seen = rows[rows["metric"] == "rows"].pivot(index="repeat", columns="method", values="value")
    assert (seen["a"] == seen["b"]).all()
    shutil.rmtree(tmp_path / "finished")
    _, alone = run(("b", {}, [1]))
    assert alone[alone["metric"] == "rows"]["value"].tolist() == [seen.loc[1, "b"]]


def test_what_failed_is_run_again_with_its_job(run):
    assert run(("a", {"fails": True}, [0]), ("b", {}, [0]))[1]["status"].tolist() == ["failed", "ok", "ok"]
    assert run(("a", {"fails": True}, [0]), ("b", {}, [0]))[0] == [("a", 0)]


def test_archived_files_are_small_and_unchanged_rows_keep_their_bytes(tmp_path):
    values = np.random.default_rng(0).integers(0, 50, size=3000) / 50
    rows = results.result_rows(("p", "d", "s", "m", 0), TrialResult(series={"accuracy": values}))
    small, plain = tmp_path / "small.parquet", tmp_path / "plain.parquet"
    results.write(rows, plain)
    assert results.keep(rows, small)
    assert small.stat().st_size < plain.stat().st_size
    assert results.read(small).equals(results.read(plain))
    before = small.read_bytes()
    assert not results.keep(results.read(plain), small)
    assert small.read_bytes() == before
    assert results.keep(rows.assign(value=rows["value"] + 1), small)
    assert results.read(small)["value"].min() >= 1


def test_waiting_does_not_count_toward_a_limit_and_timers_are_removed():
    before = signal.getsignal(signal.SIGALRM)
    with at_most(0.05):
        time.sleep(0.1)  # the time of others does not count
    with pytest.raises(KeyError), at_most(5.0):
        {}["what the block raises"]
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_limit_does_not_reduce_the_clocks_resolution():
    """A timer of the processor's seconds would: of most blocks that take less than a millisecond, the clock would see none."""
    seconds = []
    for _ in range(30):
        with Timer() as timer, at_most(60.0):
            sum(range(20_000))
        seconds.append(timer.seconds)
    assert np.quantile(seconds, 0.1) > 5e-5


def test_outside_the_main_thread_a_limit_is_checked_at_the_end():
    found = []

    def block():
        try:
            with at_most(0.02):
                end = time.process_time() + 0.1
                while time.process_time() < end:
                    pass
                found.append("ran to its end")
        except TooLongError:
            found.append("too long")

    thread = threading.Thread(target=block)
    thread.start()
    thread.join()
    assert found == ["ran to its end", "too long"]


def test_memory_is_that_of_the_block(tmp_path, monkeypatch):
    monkeypatch.setattr("pulab.trials.cost._PROCESS", tmp_path)
    monkeypatch.setattr("pulab.trials.cost._release_memory", lambda: True)
    (tmp_path / "status").write_text("VmPeak:\t 99000 kB\nVmHWM:\t   9000 kB\nVmRSS:\t    3000 kB\n")
    with Cost() as cost:
        assert (tmp_path / "clear_refs").read_text() == "5"
        (tmp_path / "status").write_text("VmPeak:\t 99000 kB\nVmHWM:\t   67000 kB\nVmRSS:\t    3500 kB\n")
    assert cost.memory() == {"peak_memory_mb": 64.0}
    assert cost.seconds >= 0
    monkeypatch.setattr("pulab.trials.cost._PROCESS", tmp_path / "elsewhere")
    with Cost() as cost:
        pass
    assert cost.memory() == {}


def test_one_thread_is_timed_by_its_processor_and_several_by_the_wall():
    for n_threads in (1, 2):
        with Timer(n_threads) as timer:
            time.sleep(0.3)
        assert (timer.seconds >= 0.3) == (n_threads > 1)
