"""The tasks of the reference benchmark: their rows and facts, and that no two contain the same data."""

import os
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from pulab.trials.runner import JobRunner
from pulib.datasets import download, list_tasks, load_dataset, load_registry, load_task, mirror_list
from pulib.datasets._tasks import SCHEMES, TABLE, TASKS, facts_of, share_discrete
from pulib.datasets.download import DownloadError, Policy
from pulib.datasets.registry import RegistryError
from studies.levelfield.study import STUDY
from tests.pulib.content import fingerprints, shared_rows

REGISTRY = load_registry()
NEARBY = Path(__file__).parents[3] / "shared" / "mirror"
LEAST_POSITIVES = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return Path(os.environ.get("PULIB_DATA") or tmp_path_factory.mktemp("resources"))


@pytest.fixture(autouse=True)
def one_attempt(monkeypatch):
    monkeypatch.setattr(download, "Policy", partial(Policy, attempts=1))  # without a network, more only take time


def load(name, folder):
    try:
        return load_dataset(name, data_dir=folder, mirror=mirror_list() or [str(NEARBY)])
    except DownloadError as error:
        pytest.skip(f"the data set {name} could not be downloaded: {error.summary}")


def settings_of_study():
    return {
        setting.name: setting
        for experiment in STUDY.presets["paper"].experiments
        for setting in experiment.settings
        if setting.name in SCHEMES
    }


def test_study_and_benchmark_have_the_same_reference_settings():
    assert {name: setting.split for name, setting in settings_of_study().items()} == SCHEMES


@pytest.mark.parametrize(("name", "setting"), list(zip(["breast_cancer", "digits"], SCHEMES, strict=True)))
def test_rows_are_those_of_a_trial(name, setting, folder):
    data = load_dataset(name, data_dir=folder)
    runner = JobRunner(data, folder / "finished")
    key = ("levelfield", name, setting, "any")
    splits = runner.draw_splits(key, settings_of_study()[setting].split, [0, 3])
    for repeat, split in splits.items():
        task = load_task(name, setting, np.int64(repeat), data_dir=folder)
        assert np.array_equal(task.rows, np.concatenate([split.labeled, split.unlabeled]))
        assert np.array_equal(task.rows_test, split.test)
        assert np.array_equal(task.X, data.X[task.rows])
        assert np.array_equal(task.X_test, data.X[split.test])
        assert np.array_equal(task.y_test, data.y[split.test])
        assert task.y.tolist() == [1] * len(split.labeled) + [0] * len(split.unlabeled)
        assert task.prior == split.prior
    assert not np.array_equal(splits[0].test, splits[3].test)


def test_settings_of_a_repeat_share_their_test_rows(folder):
    one, two = (load_task("breast_cancer", setting, 1, data_dir=folder) for setting in SCHEMES)
    assert np.array_equal(one.rows_test, two.rows_test)
    assert not np.array_equal(one.rows, two.rows)


def test_table_of_tasks_matches_the_registry():
    tasks = list_tasks()
    assert [task.name for task in tasks] == list(TASKS), f"run python -m pulib.datasets._tasks, which writes {TABLE.name}"
    for task in tasks:
        assert task == facts_of(REGISTRY, task.name, task.share_discrete)
        assert 0 <= task.share_discrete <= 1
        assert task.n_positive >= LEAST_POSITIVES
        assert task.n - task.n_positive >= LEAST_POSITIVES


def test_one_task_per_entry():
    assert len(TASKS) == len({REGISTRY[name].get("base", name) for name in TASKS}) >= 40


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("breastcancer",), RegistryError, "unknown benchmark task 'breastcancer' .did you mean 'breast_cancer'"),
        (("breast_cancer", "two_samples"), ValueError, "setting='two_samples'; expected one of one_sample, two_sample"),
        (("breast_cancer", "one_sample", -1), ValueError, "repeat=-1"),
        (("breast_cancer", "one_sample", 1.0), TypeError, "'float'"),
    ],
)
def test_unknown_tasks_settings_and_repeats_raise_an_error(arguments, error, words):
    with pytest.raises(error, match=words):
        load_task(*arguments)


def test_shared_rows_are_found_in_any_order_and_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    other = 3 * X[rng.permutation(300)][:, rng.permutation(5)] + 1
    assert shared_rows(fingerprints(X), fingerprints(other)) > 0.99
    assert shared_rows(fingerprints(X), fingerprints(X[:200, ::-1])) == 1
    assert shared_rows(fingerprints(X), fingerprints(rng.normal(size=(300, 5)))) == 0
    one_hot = [np.eye(4)[rng.choice(4, (300, 3), p=shares)].reshape(300, -1) for shares in ([0.1, 0.2, 0.3, 0.4], [0.25] * 4)]
    assert shared_rows(fingerprints(one_hot[0]), fingerprints(one_hot[0][:, ::-1])) == 1
    assert shared_rows(*map(fingerprints, one_hot)) < 0.1


@pytest.mark.slow
@pytest.mark.mirror
@pytest.mark.parametrize("task", list_tasks(), ids=lambda task: task.name)
def test_every_task_is_as_listed(task, folder):
    data = load(task.name, folder)
    assert (*data.X.shape, int(data.y.sum())) == (task.n, task.d, task.n_positive)
    assert share_discrete(data.X) == task.share_discrete


@pytest.mark.slow
@pytest.mark.mirror
def test_no_two_tasks_contain_the_same_rows(folder):
    found = {}
    for name in TASKS:
        data = load(name, folder)
        found[name] = fingerprints(data.X[:60_000])
    same = {(a, b): shared_rows(found[a], found[b]) for a, b in combinations(found, 2)}
    assert {pair: share for pair, share in same.items() if share > 0.02} == {}
