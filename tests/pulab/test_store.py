"""The store of finished trials: what a trial's identity follows from, and files that are whole or nothing."""

import errno
import hashlib
import os
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from pulab.plan import Method, identity, versions
from pulab.plan.identity import Identity, Origin, data_identity, identity_of, loaders_of
from pulab.trials import results
from pulab.trials.store import Outcome, Store, collect
from pulab.trials.trial import TrialResult
from pulib.datasets import UnreadableFileError, load_registry
from pulib.sampling import CaseControl, Censored
from tests.pulab.toy import FOREST, Classify, recipe_of

KEY = ("p", "toy", "s", "m")
NOW = Identity("c", "d", "seeds 1")
OURS = Method(name="m", label="ours", estimator=FOREST, params={"risk": "upu"}, requires=("numpy",))
RECIPE = recipe_of(OURS)
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
    os.utime(store.file(KEY, 4, NOW), (4e9, 4e9))
    assert store.read(KEY, 4, NOW, forced="today") is None, "what was finished before is run again, whatever its clock said"
    store.write(KEY, 4, NOW, given, forced="today")
    assert store.read(KEY, 4, NOW, forced="today").origin == given.origin


def test_one_changed_byte_and_another_format_are_found(tmp_path):
    store = Store(tmp_path)
    store.write(KEY, 4, NOW, outcome())
    file = store.file(KEY, 4, NOW)
    whole = file.read_bytes()
    another = b"{}\n" + hashlib.sha256(b"{}").hexdigest().encode() + b"\n"
    for damaged in (whole.replace(b"0.333", b"0.433", 1), whole[:-10], whole[: len(whole) // 2], b"", another):
        file.write_bytes(damaged)
        with pytest.raises(UnreadableFileError, match=r"4-.*json cannot be read .*: delete it"):
            store.read(KEY, 4, NOW)


def test_a_failed_write_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
    with pytest.raises(OSError, match="No space left"):
        Store(tmp_path).write(KEY, 4, NOW, outcome())
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_trial_without_numbers_leaves_its_reason_until_it_has_some(tmp_path):
    store = Store(tmp_path)
    failed = Outcome.without_numbers((*KEY, 4), "failed", "ValueError: no")
    store.write(KEY, 4, NOW, failed)
    assert store.read(KEY, 4, NOW) is None
    assert store.find(KEY, 4, NOW).rows["message"].tolist() == ["ValueError: no"]
    store.file(KEY, 4, NOW, finished=False).write_bytes(b"")
    assert collect({KEY: (NOW, 5)}, store).rows.empty, "a damaged reason is set aside"
    assert [file.suffix for file in tmp_path.rglob("4-*")] == [".unreadable"]
    store.write(KEY, 4, NOW, outcome())
    assert store.find(KEY, 4, NOW).ok
    store.write(KEY, 4, NOW, Outcome.without_numbers((*KEY, 4), "unavailable", "needs a GPU"))
    assert store.find(KEY, 4, NOW).ok
    store.write(KEY, 4, NOW, failed)
    assert store.find(KEY, 4, NOW).rows["message"].tolist() == ["ValueError: no"], "other code gave the numbers"


def test_an_identity_has_only_what_affects_numbers():
    """However it is spelled: tests/pulab/test_canonical.py."""
    first = identity_of(RECIPE)
    assert first.versions == "estimator PUExtraTreesClassifier 1, protocol p.classify 1, seeds 1, split case_control 1"
    relabeled = replace(OURS, name="n", label="another", requires=(), style=("blue", "o"), role="rival", needs_gpu=True)
    assert identity_of(replace(RECIPE, method=relabeled)) == first
    assert identity_of(replace(RECIPE, module="studies.opu")) == first
    for change in (
        {"method": replace(OURS, labels="all")},
        {"method": replace(OURS, standardize=True)},
        {"method": replace(OURS, prior_name="share")},
        {"method": replace(OURS, features={"body": "cnn"})},
        {"method": replace(OURS, box={"C": [1, 2]})},
        {"task": Classify(scenario="one_sample")},
        {"task": Classify(params={"n_estimators": 7})},
        {"split": Censored()},
        {"positive": [2]},
        {"data": {"content_sha256": "1"}},
        {"loaders": ("table",)},
        {"study": "q"},
    ):
        assert identity_of(replace(RECIPE, **change)).name != first.name, change


def test_a_raised_version_changes_the_trials_that_use_it_and_no_others(monkeypatch):
    other = Method(name="m", label="", estimator="pulib.svm.BaggingSVC")
    within = {"estimator": {"estimator": FOREST, "params": {"risk": "upu"}}}
    nested = Method(name="m", label="", estimator="pulib.reductions.NaivePUClassifier", params=within)
    beside = Classify(params={"reference": within})
    changes = [{}, {"method": other}, {"method": nested}, {"method": other, "task": beside}]
    recipes = [replace(RECIPE, **change) for change in changes]
    before = [identity_of(recipe).name for recipe in recipes]
    monkeypatch.setitem(versions.ESTIMATORS, FOREST, 2)
    assert [identity_of(recipe).name == old for recipe, old in zip(recipes, before, strict=True)] == [False, True, False, False]
    for kind in (CaseControl, Classify):
        before = identity_of(RECIPE)
        monkeypatch.setattr(kind, "version", 2)
        after = identity_of(RECIPE)
        assert after.versions != before.versions
        assert after[:2] == before[:2]


def test_an_estimator_of_a_study_has_the_version_that_the_study_says():
    tree = Method(name="m", label="", estimator="studies.pces.pruned_tree.PrunedTreeClassifier")
    one, two = (identity_of(replace(RECIPE, method=tree, versions={tree.estimator: n})) for n in (1, 2))
    assert "estimator PrunedTreeClassifier 1" in one.versions
    assert one.name != two.name


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


def test_a_users_file_is_identified_by_its_content(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n1,0\n")
    entry = {"title": "Mine", "loader": "table", "positive": [1], "files": [{"name": "a.csv", "path": str(file)}]}
    registry = load_registry(extra={"mine": entry})
    before = data_identity("mine", registry)
    file.write_text("x,y\n2,0\n")
    assert data_identity("mine", registry) != before


@pytest.mark.parametrize("place", ["my_package/deep.py", "my_module.py", "my_helper.py"])
def test_a_users_module_is_identified_by_its_files_and_those_it_imports(tmp_path, monkeypatch, place):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "deep.py").write_text("import json\n\nfrom my_module import M\n")
    (tmp_path / "my_module.py").write_text("import numpy as np\n\ndef late():\n    import my_helper\n")
    (tmp_path / "my_helper.py").touch()
    names = set()
    for text in ("", "a = 2\n"):
        with open(tmp_path / place, "a") as file:
            file.write(text)
        identity._own_modules.cache_clear()
        names.add(identity_of(replace(RECIPE, method=Method(name="m", label="", estimator="my_package.deep.M"))).name)
    assert len(names) == 2


def test_no_data_is_named_by_the_version_of_pulib_that_prepares_it(monkeypatch):
    registry = load_registry()
    made = [data_identity(name, registry) for name in registry if "base" not in registry[name]]
    monkeypatch.setattr("pulib.datasets.prepare.__version__", "99.0")
    assert [data_identity(name, registry) for name in registry if "base" not in registry[name]] == made
    assert sum(bool(data.get("features_of")) for data in made) > 1
