"""Numbers behind archived results do not change unless the version of the code behind them is raised."""

import warnings

import pytest

from pulab.plan import versions
from pulab.plan.canonical import estimators_in
from pulib.datasets.loaders import LOADERS
from tests.golden import estimators, protocols, store
from tests.golden.things import Thing, archived_trials, changed_defaults, things, whole_plan
from tests.sizes import NOT_COMPILED

pytestmark = pytest.mark.skipif(NOT_COMPILED, reason="NUMBA_DISABLE_JIT: golden numbers are those of compiled kernels")
#: Writes ``pulab/plan/defaults.json``, from which identities leave out parameters at their defaults.
TABLE = "python -m pulab.plan.canonical"
ALL = things()
#: Boosting with line searches and two steps of a hundred trees per fold take 15 seconds each.
LONG = {"pulib.expansion.SGBDotaClassifier", "pulib.reductions.TwoStepPUClassifier", "studies.pces.readings.SGBDotaClassifier"}


@pytest.mark.parametrize(
    "thing",
    [pytest.param(thing, marks=[pytest.mark.slow] * (thing.name in LONG), id=f"{thing.kind}-{thing.name}") for thing in ALL],
)
def test_golden_numbers(thing):
    for package in estimators.needs(thing.name):
        pytest.importorskip(package)
    recorded = store.read(*thing)
    record = record_of(thing)
    assert recorded["cases"], f"no golden numbers of {thing.kind} {thing.name}; record them: {record}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = thing.cases(recorded["cases"])
    missing = sorted(found.keys() ^ recorded["cases"].keys())
    assert not missing, f"{thing.kind} {thing.name}: cases that are new or gone: {missing}; record them: {record}"
    moved = thing.moved(found, recorded["cases"])
    if moved:
        pytest.fail(describe(thing, moved), pytrace=False)
    assert recorded.get("version") == thing.declared, f"the version of {thing.name} was raised and no number moved: {record}"


def record_of(thing):
    return f"python -m tests.golden {thing.name}"


def describe(thing, moved):
    record = record_of(thing)
    worst = sorted(moved, key=moved.get, reverse=True)[:4]
    lines = [f"golden numbers of {thing.kind} {thing.name} moved, {len(moved)} of them:"]
    lines += [f"  {key}: by {moved[key]:.2g} of the largest" for key in worst]
    if thing.declared is not None:
        lines += [
            f"If they are meant to: raise the version of {thing.name} ({thing.place}, now {thing.declared}), "
            f"add a line to CHANGELOG.md, and record: {record}",
            f"{archived_trials(thing)} archived trials become outdated.",
        ]
        if all(key.startswith("defaults, ") for key in moved):
            lines.append("Only fits at the defaults moved. If a new default is why, also write the table of defaults: " + TABLE)
        if thing.kind == "protocol":
            lines.append("If an estimator that it runs moved as well, and is why, only that one's version is raised.")
    else:
        lines.append(f"If they are meant to: raise the versions of what runs it, add a line to CHANGELOG.md, record: {record}")
    return "\n".join(lines)


@pytest.mark.parametrize("thing", [thing for thing in ALL if thing.kind == "estimator"], ids=lambda thing: thing.name)
def test_defaults(thing):
    recorded = store.read(*thing)
    changed = changed_defaults(thing, recorded["defaults"])
    for parameter, (old, new) in changed.items():
        pytest.fail(
            f"the default of {thing.name}({parameter}) was {old} and is {new}: raise the version of {thing.name} "
            f"({thing.place}, recorded with {recorded['version']}), write the table of defaults ({TABLE}), add a line to "
            f"CHANGELOG.md, and record: {record_of(thing)}\n"
            f"{archived_trials(thing)} archived trials become outdated.",
            pytrace=False,
        )


def test_estimators_loaders_and_tasks_have_versions_and_golden_numbers():
    plan = whole_plan()
    recipes = [plan.recipe(group) for group in plan.groups.values()]
    used = {path for recipe in recipes for path in estimators_in([recipe.method, recipe.task])}
    assert {path for path in used if path.startswith(("pulib.", "pulab.", "studies."))} <= set(estimators.names())
    assert set(versions.LOADERS) >= set(LOADERS)
    assert set(versions.LOADERS) == {thing.name for thing in ALL if thing.kind == "loader"}
    assert set(protocols.tasks()) == set(protocols.CASES)


def test_every_recorded_file_belongs_to_something():
    assert {path.name for path in store.RECORDED.iterdir()} == {store.file_of(*thing).name for thing in ALL}


def test_changed_rounding_is_reported_by_name():
    thing = Thing("estimator", "pulib.linear.OnlinePUClassifier")
    recorded = store.read(*thing)["cases"]
    found = thing.cases(recorded)
    assert thing.moved(found, recorded) == {}
    case = next(iter(found))
    found[case]["numbers"]["decision_function"] = found[case]["numbers"]["decision_function"] * (1 + 1e-7)
    moved = thing.moved(found, recorded)
    assert list(moved) == [f"{case}: decision_function"]
    report = describe(thing, moved)
    assert "golden numbers of estimator pulib.linear.OnlinePUClassifier moved, 1 of them" in report
    assert "raise the version of pulib.linear.OnlinePUClassifier" in report
    assert "archived trials become outdated" in report
