"""What a study shows is held against what its trials measure, and against its paper, before anything is trained."""

from fnmatch import fnmatchcase

import pandas as pd
import pytest

from pulab.plan import Shown, named
from pulab.plan.configuration import ConfigError
from pulab.plan.experiment import Task
from pulab.plan.load import ROOT, load_study, study_names
from pulab.plan.shown import check_shown
from tests.pulab.toy import setting, study_of

TABLES = """
from pulab.tables import comparison, place

AREAS = {"metric": "accuracy"}


def table1(results, paper):
    columns = [place("a", metric=f"importance_{name}") for name in "ab"]
    return _compared(results, paper, columns)


def _compared(results, paper, columns):
    return comparison(results, paper, "1", [], columns, metric="accuracy")


def table_more(results, paper):
    return comparison(results, paper, "more", [], [], metric="f_score")
"""
FIGURES = """
def figure1(results, paper):
    return results.tidy[results.tidy["metric"] == "accuracy"]
"""
CLAIMS = """
NUMBERS = Numbers(metric="accuracy")
"""


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A study whose modules are files, some of them with a text replaced."""
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = tmp_path / "a_study_of_mine"
    folder.mkdir()
    texts = {"__init__": "", "tables": TABLES, "figures": FIGURES, "claims": CLAIMS}
    (folder / "published.csv").write_text("study,table,row,column,mean\nmine,1,r,c,1.0\n")

    def make(module="tables", old="", new="", **more):
        for name, text in texts.items():
            assert old in texts[module]
            (folder / f"{name}.py").write_text(text.replace(old, new) if name == module else text)
        tables = named(table1=Shown("One", published=True), table_more=Shown("More"))
        return study_of(**{"module": folder.name, "tables": tables, "figures": named(figure1=Shown("A figure")), **more})

    return make


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("tables", 'metric="accuracy"', 'metric="acuracy"'), ["tables.py: line 13", "'acuracy' (did you mean 'accuracy'?)"]),
        (("tables", '{"metric": "accuracy"}', '{"metric": "auc"}'), ["tables.py: line 4", "'auc'"]),
        (("tables", "importance_{name}", "imprtance_{name}"), ["'imprtance_*'"]),
        (("tables", 'metric="f_score"', 'metric="f_scores"'), ["'f_scores' (did you mean 'f_score'?)"]),
        (("figures", '"accuracy"', '"accuracy_1"'), ["figures.py", "'accuracy_1'"]),
        (("claims", "accuracy", "acc"), ["claims.py: line 2", "'acc'", "`measures` of a task's class"]),
        (("tables", '"1"', '"2"'), ["published.csv has no table '2'", "its tables are ['1']"]),
        (("tables", "def table1", "def table_1"), ["tables: table1", "no function of this name (did you mean 'table_1'?)"]),
        (("figures", "def figure1(results, paper)", "def figure1(results, paper"), ["figures.py: line 2"]),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(made, change, words):
    check_shown(made())
    with pytest.raises(ConfigError) as caught:
        check_shown(made(*change))
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_task_has_to_say_what_it_measures(made):
    with pytest.raises(ConfigError, match="task Task measures nothing: name what its function"):
        check_shown(made(settings=[setting.but(task=Task())]))


def test_a_leaderboard_needs_its_function(made):
    with pytest.raises(ConfigError, match=r"study p: board: .*board.py has no function of this name"):
        check_shown(made(board="Leaderboard"))


@pytest.mark.parametrize("name", study_names())
def test_tasks_measure_what_they_say_and_no_more(name):
    """Held against the archived numbers and times of each setting."""
    study, tidy = load_study(name), ROOT / "figures" / "paper" / "tidy"
    check_shown(study)
    stored = pd.concat([pd.read_parquet(tidy / f"{name}{kind}.parquet") for kind in ("", ".timings")])
    stored = stored[stored["status"].isin(["ok"]) | stored["status"].isna()]
    measured = stored[["setting", "metric"]].drop_duplicates().astype(str).groupby("setting")["metric"].unique()
    said, found = set(), set()
    for own in study.settings_of("paper").values():
        tasks = [own.task, *own.tasks.values()]
        names = set().union(*(task.measured() for task in tasks))
        said |= names
        for metric in measured.get(own.name, ()):
            matching = {pattern for pattern in names if fnmatchcase(metric, pattern)}
            assert matching, f"{type(own.task).__name__}.measures lacks {metric!r}"
            found |= matching
    assert said == found
