"""The store of finished trials: what a trial's identity follows from, and files that are whole or nothing."""

import errno
import os

import numpy as np
import pandas as pd
import pytest

from pulab.trials import results, versions
from pulab.plan.identity import Identity, Origin, data_identity, identity_of, loaders_of
from pulab.trials.store import Outcome, Store
from pulab.trials.trial import TrialResult
from pulib.datasets import UnreadableFileError, load_registry

KEY = ("p", "toy", "s", "m")
NOW = Identity("c", "d", "seeds 1")
SPEC = {
    "protocol": "studies.puet.protocol.run",
    "method": {
        "estimator": "pulib.trees.PUExtraTreesClassifier",
        "params": {"risk": "nnpu"},
        "label": "ours",
        "requires": ["numpy"],
    },
    "setting": {"task": "classify"},
    "split": {"scheme": "case_control", "options": {"n_labeled": 5}, "positive": [1]},
    "data": {"content_sha256": "0"},
    "loaders": [],
}
REGISTRY = load_registry()


def outcome(**numbers):
    series = {"curve": (np.array([3, 9]), np.array([0.1 + 0.2, np.nan])), "wide": np.array([np.inf, -0.0])}
    rows = results.result_rows((*KEY, 4), TrialResult(scalars=numbers or {"accuracy": 1 / 3}, series=series))
    timings = results.timing_rows((*KEY, 4), {"trial": 0.1, "fit": 0.05}, "a machine, 2 cores")
    return Outcome(rows, timings, Origin("numpy 1", "a processor"))


def test_a_trial_comes_back_to_the_bit_with_its_times_and_its_origin(tmp_path):
    store, given = Store(tmp_path), outcome()
    store.write(KEY, 4, NOW, given)
    found = store.read(KEY, 4, NOW)
    by = ["metric", "step"]
    pd.testing.assert_frame_equal(found.rows.sort_values(by), given.rows.sort_values(by), check_exact=True)
    assert np.signbit(found.rows.loc[(found.rows["metric"] == "wide") & (found.rows["step"] == 1), "value"]).all()
    pd.testing.assert_frame_equal(found.timings, given.timings)
    assert found.origin == given.origin
    assert store.read(KEY, 4, NOW._replace(versions="seeds 2")) is None
    assert store.read(KEY, 3, NOW) is None


def test_one_changed_byte_is_found(tmp_path):
    store = Store(tmp_path)
    store.write(KEY, 4, NOW, outcome())
    file = store.file(KEY, 4, NOW)
    whole = file.read_bytes()
    for damaged in (whole.replace(b"0.333", b"0.433", 1), whole[:-10], whole[: len(whole) // 2], b""):
        file.write_bytes(damaged)
        with pytest.raises(UnreadableFileError, match=r"4-.*json cannot be read .*: delete it"):
            store.read(KEY, 4, NOW)


def test_what_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        Store(tmp_path).write(KEY, 4, NOW, outcome())
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_trial_without_numbers_leaves_its_reason_until_it_has_some(tmp_path):
    store = Store(tmp_path)
    failed = Outcome.without_numbers((*KEY, 4), "failed", "ValueError: no")
    store.write(KEY, 4, NOW, failed)
    assert store.read(KEY, 4, NOW) is None
    assert store.find(KEY, 4, NOW).rows["message"].tolist() == ["ValueError: no"]
    store.write(KEY, 4, NOW, outcome())
    assert store.find(KEY, 4, NOW).ok


def test_an_identity_holds_what_decides_and_no_more():
    first = identity_of(SPEC)
    assert first.versions == "estimator PUExtraTreesClassifier 1, protocol puet.classify 1, seeds 1, split case_control 1"
    told = SPEC | {"method": SPEC["method"] | {"label": "another", "requires": []}}
    moved = SPEC | {"method": SPEC["method"] | {"estimator": "pulib.trees._extra_trees.PUExtraTreesClassifier"}}
    assert identity_of(told) == first
    assert identity_of(moved).configuration == first.configuration
    for change in (
        {"method": SPEC["method"] | {"params": {"risk": "upu"}}},
        {"setting": {"task": "time"}},
        {"split": SPEC["split"] | {"options": {"n_labeled": 6}}},
        {"split": SPEC["split"] | {"positive": [2]}},
        {"data": {"content_sha256": "1"}},
        {"loaders": ["table"]},
    ):
        assert identity_of(SPEC | change).name != first.name


def test_a_raised_version_changes_the_trials_that_use_it_and_no_others(monkeypatch):
    other = SPEC | {"method": {"estimator": "pulib.svm.BaggingSVC"}}
    nested = SPEC | {"method": {"estimator": "pulib.reductions.NaivePUClassifier", "params": {"estimator": SPEC["method"]}}}
    before = [identity_of(spec).name for spec in (SPEC, other, nested)]
    monkeypatch.setitem(versions.ESTIMATORS, "pulib.trees.PUExtraTreesClassifier", 2)
    assert [identity_of(spec).name == old for spec, old in zip((SPEC, other, nested), before, strict=True)] == [
        False,
        True,
        False,
    ]


def test_a_changed_default_counts_where_it_is_left_and_a_pinned_former_one_is_what_it_was(monkeypatch):
    path = SPEC["method"]["estimator"]

    def name(**params):
        return identity_of(SPEC | {"method": SPEC["method"] | {"params": {"risk": "nnpu", **params}}}).name

    left, pinned = name(), name(max_depth=4)
    monkeypatch.setitem(versions.DEFAULTS, path, {"max_depth": [None, 8]})
    assert name() != left, "the default is another one now"
    assert name(max_depth=None) == left, "the former default, written out"
    assert name(max_depth=4) == pinned, "set all along"


def test_data_is_named_by_its_arrays_checksum_where_it_is_known_else_by_files_and_loaders():
    known = data_identity("mnist_digit_3", REGISTRY)
    assert known["content_sha256"] == REGISTRY["mnist"]["expected"]["content_sha256"]
    assert loaders_of("mnist_digit_3", REGISTRY) == []
    made = data_identity("mnist_gist", REGISTRY)
    assert made["loader"] == "gist"
    assert loaders_of("mnist_gist", REGISTRY) == ["gist"]
    assert loaders_of("circle_noise", REGISTRY) == ["generated", "make_circle_noise"]
    other = {**REGISTRY, "mnist_gist": REGISTRY["mnist_gist"] | {"options": {"scales": 2}}}
    assert data_identity("mnist_gist", other) != made


def test_a_file_of_ones_own_counts_by_its_content(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n1,0\n")
    entry = {"title": "Mine", "loader": "table", "positive": [1], "files": [{"name": "a.csv", "path": str(file)}]}
    registry = load_registry(extra={"mine": entry})
    before = data_identity("mine", registry)
    file.write_text("x,y\n2,0\n")
    assert data_identity("mine", registry) != before


@pytest.mark.parametrize("package", [True, False])
def test_a_module_of_ones_own_counts_by_its_files(tmp_path, monkeypatch, package):
    from pulab.trials import identity

    file = tmp_path / ("my_package/deep.py" if package else "my_module.py")
    file.parent.mkdir(exist_ok=True)
    monkeypatch.syspath_prepend(tmp_path)
    path = "my_package.deep.M" if package else "my_module.M"
    names = set()
    for text in ("class M:\n    a = 1\n", "class M:\n    a = 2\n"):
        file.write_text(text)
        identity._module_hash.cache_clear()
        names.add(identity_of(SPEC | {"method": {"estimator": path}}).name)
    assert len(names) == 2


def test_no_data_is_named_by_the_version_of_pulib_that_prepares_it(monkeypatch):
    registry = load_registry()
    made = [data_identity(name, registry) for name in registry if "base" not in registry[name]]
    monkeypatch.setattr("pulib.datasets.prepare.__version__", "99.0")
    assert [data_identity(name, registry) for name in registry if "base" not in registry[name]] == made
    assert sum(bool(data.get("features_of")) for data in made) > 1


def test_a_parameter_that_came_later_keeps_the_identity_where_it_stands_for_what_was():
    def identity(**params):
        return identity_of(SPEC | {"method": SPEC["method"] | {"params": SPEC["method"]["params"] | params}})

    assert identity(training_prior=None) == identity() == identity_of(SPEC)
    assert identity(training_prior="auto") != identity()
    assert identity(bootstrap=None) != identity(), "of no other parameter"
