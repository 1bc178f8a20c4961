"""Trials: seeds by identity, fingerprints of source, tidy results, batches that survive interruptions."""

import errno
import hashlib
import shutil
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pulib._faults import UnreadableFileError
from pulib.datasets import Dataset, load_prepared, load_registry
from pulib.datasets.prepare import loader_sources
from pulib.experiments import fingerprint as fp
from pulib.experiments import results, runner
from pulib.experiments.logs import report_end
from pulib.experiments.runner import (
    Checkpoints,
    data_identity,
    lacking_record,
    record_lacking,
    run_batch,
    run_repeat,
    times_looked_for,
)
from pulib.experiments.seeds import derive_seed
from pulib.experiments.trial import TrialContext, TrialResult, make_estimator
from pulib.sampling import Split, load_splits, save_splits


def context(repeat=0, method=None, meta=None, n_jobs=1):
    X = np.arange(12.0).reshape(6, 2)
    y = np.array([1, 1, 0, 0, 1, 0], dtype=np.int8)
    data = Dataset("toy", X, y, y, meta=meta or {})
    split = Split(np.array([0]), np.arange(6), np.array([4, 5]), 0.5)
    return TrialContext("p", "toy", "s", "m", repeat, data, split, method or {}, {}, n_jobs)


def draw(ctx):
    rng = np.random.default_rng(ctx.seed)
    return TrialResult(scalars={"accuracy": rng.random()}, series={"curve": rng.random(3)}, seconds={"fit": 0.1})


def test_seeds_depend_on_every_part_of_the_identity():
    seeds = {
        derive_seed(*identity) for identity in [("a", "b", 1), ("a", "b", 2), ("a", "c", 1), ("ab", "", 1), ("a", "b", "1")]
    }
    assert len(seeds) == 5
    # pinned: a change here changes every published result of ours
    expected = int.from_bytes(hashlib.sha256(b'["puet","mnist",3]').digest()[:4], "big")
    assert derive_seed("puet", "mnist", 3) == expected


def test_methods_of_a_repeat_share_one_seed_and_have_their_own():
    a = context()
    b = TrialContext("p", "toy", "s", "other", 0, a.data, a.split, {}, {})
    assert a.shared_seed == b.shared_seed
    assert a.seed != b.seed
    assert context(repeat=1).shared_seed != a.shared_seed


def test_make_estimator_gives_seed_and_threads_only_where_taken_and_builds_nested_ones():
    tree = {"estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 2}}
    bag = make_estimator("sklearn.ensemble.BaggingClassifier", {"estimator": tree, "n_estimators": 3}, 7, 2)
    assert (bag.random_state, bag.n_jobs, bag.n_estimators) == (7, 2, 3)
    assert (bag.estimator.random_state, bag.estimator.max_depth) == (7, 2)


def test_result_rows_are_tidy_and_refuse_nothing():
    key = ("p", "d", "s", "m", 0)
    rows = results.result_rows(key, TrialResult(scalars={"a": 1.0}, series={"c": (np.array([5, 10]), np.array([0.1, 0.2]))}))
    assert list(rows.columns) == results.COLUMNS
    assert rows["step"].tolist() == [-1, 5, 10]
    with pytest.raises(ValueError, match="returned no numbers"):
        results.result_rows(key, TrialResult())


def test_a_raising_method_becomes_a_failed_row_with_its_message():
    def broken(ctx):
        raise RuntimeError("no convergence at C = 3")

    outcome = run_repeat(context(), broken)
    assert outcome.rows["status"].tolist() == ["failed"]
    assert outcome.rows["message"].iloc[0] == "RuntimeError: no convergence at C = 3"


def test_what_the_machine_lacks_is_no_result_of_the_method():
    for fault in (
        MemoryError(),
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EROFS, "Read-only file system"),
    ):

        def lacking(ctx, fault=fault):
            raise fault

        with pytest.raises(type(fault)):
            run_repeat(context(), lacking)
    assert run_repeat(context(), lambda ctx: Path("no/such/file").read_text()).rows["status"].tolist() == ["failed"]


def test_a_repeat_that_cannot_be_kept_leaves_nothing_and_a_garbled_one_is_run_again(tmp_path, monkeypatch):
    checkpoints = Checkpoints(tmp_path, {"x": 1})
    outcome = run_repeat(context(), draw)
    checkpoints.save(0, outcome)
    (kept,) = (tmp_path / ".unfinished").iterdir()
    kept.write_bytes(kept.read_bytes()[:-20] + b"garbage that is no pickle")
    assert checkpoints.load(0) is None
    kept.unlink()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pulib.experiments.runner.pickle.dump", full)
    with pytest.raises(OSError, match="No space left"):
        checkpoints.save(0, outcome)
    assert not list((tmp_path / ".unfinished").iterdir())


@pytest.mark.parametrize("kind", ["results", "splits", "meta.json", "X.npy"])
def test_a_cut_off_file_is_named_with_what_to_do(tmp_path, kind):
    save_splits(tmp_path / "splits", {0: Split(np.array([0]), np.arange(6), np.array([4, 5]), 0.5)})
    results.write(run_repeat(context(), draw).rows, tmp_path / "results")
    np.save(tmp_path / "X.npy", np.zeros((300, 2)))
    np.save(tmp_path / "y.npy", np.zeros(300))
    (tmp_path / "meta.json").write_text("{}")
    readers = {"results": lambda: results.read(tmp_path / kind), "splits": lambda: load_splits(tmp_path / kind)}
    read = readers.get(kind, lambda: load_prepared(tmp_path, "toy", [1]))
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


def test_missing_library_and_missing_data_are_said_not_run():
    row = run_repeat(context(method={"requires": ["no_such_package_here"]}), draw).rows.iloc[0]
    assert (row["status"], "no_such_package_here" in row["message"]) == ("unavailable", True)
    row = run_repeat(context(meta={"available": False, "reason": "epsilon.bz2 could not be had"}), draw).rows.iloc[0]
    assert (row["status"], row["message"]) == ("unavailable", "epsilon.bz2 could not be had")


def kept(folder, method, spec=None):
    """Run and keep a batch of two repeats as the workflow does; the status of the second."""
    times = times_looked_for(folder / "0-1.lacking.json", method)
    rows, timings = run_batch((context(r, method) for r in range(2)), draw, Checkpoints(folder, spec))
    record_lacking(lacking_record(folder / "0-1.results.parquet"), method, rows, times)
    results.write(rows, folder / "0-1.results.parquet")
    results.write(timings, folder / "0-1.timings.parquet")
    return rows[rows["repeat"] == 1]["status"].iloc[0]


@pytest.mark.parametrize("method", [{"requires": ["my_library"]}, {"options": {"needs": "gpu"}}])
def test_what_was_not_here_is_run_once_it_is(tmp_path, monkeypatch, method):
    here = []
    monkeypatch.setattr(runner, "missing_library", lambda names: next((n for n in names if n not in here), None))
    monkeypatch.setattr(runner, "gpu_available", lambda: bool(here))
    path = tmp_path / "0-1.lacking.json"

    def looked_for():
        return times_looked_for(path, method)

    for times, spec in enumerate(("first", "changed")):  # it may be taken away again
        here.clear()
        assert looked_for() == times
        assert kept(tmp_path, method, spec) == "unavailable"
        assert looked_for() == times, "nothing has changed"
        here.append("my_library")
        assert looked_for() == times + 1
        assert kept(tmp_path, method, spec) == "ok"
        assert looked_for() == times + 1, "it was run"
    assert times_looked_for(path, {}) == 0


def test_data_that_cannot_be_had_is_not_looked_for_by_way_of_the_method(tmp_path):
    method = {"requires": ["numpy"]}
    missing = context(method=method, meta={"available": False, "reason": "far.txt could not be had"})
    record_lacking(tmp_path / "a.json", method, run_repeat(missing, draw).rows, 0)
    assert times_looked_for(tmp_path / "a.json", method) == 0


def test_a_repeat_of_another_version_of_the_data_is_no_repeat_of_this_one(tmp_path):
    meta = {"content_sha256": "0" * 64, "n_train": None, "target_names": {"0": "a", "1": "b"}, "details": {"made": "today"}}
    calls = []

    def counted(ctx):
        calls.append(ctx.repeat)
        return draw(ctx)

    def run(**changes):
        run_batch([context()], counted, Checkpoints(tmp_path, [{"x": 1}, data_identity(meta | changes)]))
        return len(calls)

    assert [run(), run(), run(details={})] == [1, 1, 1]
    assert [run(n_train=4), run(target_names={"0": "b", "1": "a"}), run(content_sha256="1" * 64)] == [2, 3, 4]


def test_an_interrupted_batch_goes_on_and_gives_the_same_bytes(tmp_path):
    calls = []

    def dies_at_two(ctx):
        calls.append(ctx.repeat)
        if ctx.repeat == 2 and calls.count(2) == 1:
            raise KeyboardInterrupt
        return draw(ctx)

    def batch(folder):
        rows, _ = run_batch((context(r) for r in range(4)), dies_at_two, Checkpoints(folder, {"x": 1}))
        results.write(rows, folder / "0-3.results.parquet")

    with pytest.raises(KeyboardInterrupt):
        batch(tmp_path / "a")
    batch(tmp_path / "a")
    assert calls == [0, 1, 2, 2, 3]
    (tmp_path / "b").mkdir()
    batch(tmp_path / "b")
    assert (tmp_path / "a/0-3.results.parquet").read_bytes() == (tmp_path / "b/0-3.results.parquet").read_bytes()


def test_another_cut_into_batches_reuses_finished_repeats_of_the_same_spec_only(tmp_path):
    rows, timings = run_batch((context(r) for r in range(3)), draw, Checkpoints(tmp_path, {"x": 1}))
    results.write(rows, tmp_path / "0-2.results.parquet")
    results.write(timings, tmp_path / "0-2.timings.parquet")
    calls = []

    def counted(ctx):
        calls.append(ctx.repeat)
        return draw(ctx)

    again, _ = run_batch((context(r) for r in range(4)), counted, Checkpoints(tmp_path, {"x": 1}))
    # clear, or the checkpoint of the run above is what answers
    Checkpoints(tmp_path, {"x": 1}).clear(range(4))
    assert calls == [3]
    pd.testing.assert_frame_equal(again[again["repeat"] < 3].reset_index(drop=True), rows)
    run_batch((context(r) for r in range(2)), counted, Checkpoints(tmp_path, {"x": 2}))
    assert calls == [3, 0, 1]


def test_merge_keeps_what_is_not_rerun_and_never_trades_numbers_for_a_reason():
    def one(dataset, value, status="ok"):
        key = ("p", dataset, "s", "m", 0)
        if status != "ok":
            return results.status_rows(key, status, "why")
        return results.result_rows(key, TrialResult(scalars={"accuracy": value}))

    old = results.concat([one("a", 0.1), one("b", 0.2)], results.COLUMNS)
    new = results.concat([one("b", 0.3), one("c", 0.4), one("a", 0, "unavailable")], results.COLUMNS)
    merged = results.merge(old, new)
    assert dict(zip(merged["dataset"], merged["value"], strict=True)) == {"a": 0.1, "b": 0.3, "c": 0.4}


def forget_source():
    for cached in (fp._pulib_module, fp._imports, fp._closure, fp._file_hash, fp._lazy_names, fp._foreign):
        cached.cache_clear()


@pytest.fixture
def package(tmp_path, monkeypatch):
    root = tmp_path / "pulib"
    for name, text in {
        "__init__": "",
        "one/__init__": "from pulib.one._a import A\nfrom pulib.one._b import B",
        "one/_a": "from pulib.shared import helper\n\nclass A:\n    pass",
        "one/_b": "class B:\n    pass",
        "two": "from pulib import _base\nimport pulib.shared",
        "three": "X = 1",
        "shared": "def helper():\n    return 1",
        "_base": "B = 1",
    }.items():
        file = root / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setattr(fp, "PACKAGE", root)

    def prints():
        forget_source()
        return {name: fp.source_fingerprint(f"pulib.{name}") for name in ("one.A", "one.B", "two", "three")}

    yield root, prints
    prints()


@pytest.mark.parametrize(
    ("file", "text", "changed"),
    [
        ("one/_a", "from pulib.shared import helper\n\nclass A:\n    x = 1", {"one.A"}),
        ("shared", "def helper():\n    return 2", {"one.A", "two"}),
        ("_base", "B = 2", {"two"}),
        ("one/_b", "class B:\n    x = 1", {"one.B"}),
        ("three", '"""New docstring."""\n# and a comment\nX   =  1', set()),
        ("__init__", "Y = 1", set()),
    ],
)
def test_a_change_of_source_reaches_just_what_uses_it(package, file, text, changed):
    root, prints = package
    before = prints()
    (root / f"{file}.py").write_text(text)
    after = prints()
    assert {name for name in before if before[name] != after[name]} == changed


def test_fingerprints_of_installed_packages_are_versions_and_unknown_modules_errors(tmp_path, monkeypatch):
    assert fp.source_fingerprint("sklearn.ensemble.ExtraTreesClassifier") == fp.source_fingerprint("sklearn.svm.SVC")
    (tmp_path / "my_method.py").write_text(textwrap.dedent("class M:\n    a = 1\n"))
    monkeypatch.syspath_prepend(tmp_path)
    forget_source()
    first = fp.source_fingerprint("my_method.M")
    (tmp_path / "my_method.py").write_text("class M:\n    a = 2\n")
    forget_source()
    assert fp.source_fingerprint("my_method.M") != first
    with pytest.raises(ValueError, match=r"pulib\.nothing"):
        fp.source_fingerprint("pulib.nothing.There")


@pytest.mark.parametrize("init", ["from my_package.deep.part import M\n", None])
def test_of_a_package_of_ones_own_every_file_counts(tmp_path, monkeypatch, init):
    part = tmp_path / "my_package" / "deep" / "part.py"
    part.parent.mkdir(parents=True)
    part.write_text("class M:\n    a = 1\n")
    if init is not None:
        (tmp_path / "my_package" / "__init__.py").write_text(init)
        (tmp_path / "my_package" / "deep" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    forget_source()
    first = fp.source_fingerprint("my_package.deep.part.M")
    part.write_text("class M:\n    # a comment\n    a = 1\n")
    forget_source()
    assert fp.source_fingerprint("my_package.deep.part.M") == first
    part.write_text("class M:\n    a = 2\n")
    forget_source()
    assert fp.source_fingerprint("my_package.deep.part.M") != first


REGISTRY = load_registry()
USERS = {
    "resvm": lambda: fp.seeded_fingerprint("pulib.protocols.resvm.run"),
    "adapu": lambda: fp.seeded_fingerprint("pulib.protocols.adapu.run"),
    "contaminated": lambda: fp.seeded_fingerprint("pulib.sampling._contaminated"),
    "case_control": lambda: fp.seeded_fingerprint("pulib.sampling._case_control"),
    **{
        name: lambda name=name: fp.source_fingerprint(*loader_sources(REGISTRY[name]))
        for name in ("circle_noise", "expanding_clusters", "cifar10", "cifar10_gist", "20newsgroups", "digits")
    },
}


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("datasets/features/_scale", {"resvm"}),
        ("datasets/features/_gist", {"cifar10_gist"}),
        ("datasets/features/_text", {"20newsgroups"}),
        ("datasets/_circle_noise", {"contaminated", "circle_noise"}),
        ("datasets/_expanding_clusters", {"expanding_clusters"}),
        ("experiments/seeds", {"resvm", "adapu", "contaminated", "case_control"}),
        ("experiments/results", set()),
        ("datasets/download", set()),
    ],
)
def test_what_decides_numbers_counts_wherever_it_lies(tmp_path, monkeypatch, file, changed):
    shutil.copytree(fp.PACKAGE, tmp_path / "pulib", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(fp, "PACKAGE", tmp_path / "pulib")

    def prints():
        forget_source()
        return {name: make() for name, make in USERS.items()}

    before = prints()
    with open(tmp_path / "pulib" / f"{file}.py", "a") as source:
        source.write("\nCHANGED = True\n")
    after = prints()
    forget_source()
    assert {name for name in before if before[name] != after[name]} == changed
