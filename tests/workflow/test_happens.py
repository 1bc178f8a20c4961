"""What runs again after a change or a fault: each line of the table in docs/workflow.md, done for real."""

import shutil

import pandas as pd
import pytest

from tests.workflow.toy import BATCH, RESULTS, edit, edit_text, without_compiling

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

TABLE, SCOREBOARD = "results/quick/toy/table1.csv", "results/quick/scoreboard.csv"
OF_FOREST = BATCH.format(method="forest")


@pytest.fixture
def done(toy):
    """A run that has ended, and what it gave."""
    run = without_compiling(toy).snakemake("all")
    assert run.code == 0, run.text
    return toy, toy.outcome()


def again(space, *arguments, target="all"):
    """Rules that run in a run that goes well."""
    run = space.snakemake(target, *arguments)
    assert run.code == 0, run.text
    return run.counts()


def test_a_deleted_trial_runs_again_and_a_damaged_one_is_set_aside_and_runs_again(done):
    space, whole = done
    stored = next((space.folder / "results/quick/store/toy").rglob("3-*.json"))
    stored.unlink()
    assert again(space)["run_trials"] == 1
    assert space.outcome()[TABLE] == whole[TABLE]
    stored.write_bytes(stored.read_bytes()[:-40])
    (space.folder / RESULTS).unlink()
    run = space.snakemake("all")
    assert run.code != 0, run.text
    assert "run the same command again, which trains them" in run.text
    assert stored.with_suffix(".unreadable").is_file()
    again(space)
    assert space.outcome()[TABLE] == whole[TABLE]
    assert "Nothing to be done" in space.snakemake("all").text


def test_a_deleted_table_report_and_tidy_file_are_made_again(done):
    space, whole = done
    for name in (TABLE, "results/quick/report.html", RESULTS):
        (space.folder / name).unlink()
        assert "run_trials" not in again(space), name
        assert (space.folder / name).is_file()
    shutil.rmtree(space.folder / "results/quick/report")
    assert again(space)["make_report"] == 1
    assert space.outcome()[TABLE] == whole[TABLE]
    assert space.outcome()[RESULTS] == whole[RESULTS]


def test_a_table_that_was_edited_by_hand_is_noticed(done):
    space, whole = done
    edit_text(space.folder / TABLE, ("forest", "Forest"))
    run = space.snakemake("all")
    assert run.code != 0
    assert f"{TABLE} is not what was rendered: delete it" in run.text
    (space.folder / TABLE).unlink()
    again(space)
    assert space.outcome()[TABLE] == whole[TABLE]


def test_a_part_of_the_plan_runs_nothing_that_is_there(done):
    space, _ = done
    assert again(space, "--config", "only_methods=[tree]").keys() == {"make_report", "all", "total"}, (
        "the report names the options"
    )


def test_a_parameter_and_more_repeats_run_what_is_new_and_a_title_runs_no_trial(done):
    space, _ = done
    edit_text(space.folder / "studies/toy/study.py", ('Shown("Accuracy"', 'Shown("How right"'))
    ran = again(space)
    assert "run_trials" not in ran
    assert ran["render_tables_toy"] == 1
    edit(space.folder / "config" / "methods.yaml", lambda methods: methods["tree"]["params"].update(max_depth=2))
    assert again(space)["run_trials"] == 1
    run = space.snakemake("all", "--config", "repeats=6")
    assert run.code == 0, run.text
    assert run.counts()["run_trials"] == 2, run.text
    rows = pd.read_parquet(space.folder / RESULTS)
    assert rows.groupby("method")["repeat"].nunique().to_dict() == {"forest": 6, "tree": 6}


def test_a_class_of_ones_own_stands_beside_the_configuration_that_names_it(toy, tmp_path):
    """As config/README.md says it; a misspelled parameter of it is found before anything runs."""
    (tmp_path / "my_method.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n\n\nclass Mine(LogisticRegression):\n    pass\n"
    )
    own = tmp_path / "mine.yaml"
    text = (
        "methods:\n  mine: {label: Mine, estimator: my_method.Mine, params: {C: 2.0, max_iter: 500}}\n"
        "experiments:\n  toy: [{datasets: [breast_cancer], settings: [standard], methods: [mine]}]\n"
    )
    own.write_text(text)
    run = toy.snakemake(RESULTS, "--configfile", str(own), "--config", "only_methods=[mine]")
    assert run.code == 0, run.text
    rows = pd.read_parquet(toy.folder / RESULTS)
    assert set(rows["status"]) == {"ok"}
    for wrong, words in (
        ("max_iter: many", "max_iter"),
        ("max_itr: 5", "takes no parameter 'max_itr' (did you mean 'max_iter'?)"),
        ("C: 1.0", "the key 'C' stands twice"),
    ):
        own.write_text(text.replace("max_iter: 500", wrong))
        run = toy.snakemake(RESULTS, "--configfile", str(own), "-n")
        assert run.code != 0
        assert words in run.text
    own.write_text(text.replace("my_method.Mine", "my_method.Mien"))
    assert "my_method has no 'Mien' (did you mean 'Mine'?)" in toy.snakemake(RESULTS, "--configfile", str(own), "-n").text


@pytest.mark.parametrize(
    ("mirror", "words"),
    [("nowhere", "no folder 'nowhere'"), ("a,b", "several are a list: --config mirror='[a,b]'")],
)
def test_a_mirror_that_is_not_there_is_an_error_before_anything_runs(toy, mirror, words):
    run = toy.snakemake(RESULTS, "-n", "--config", f"mirror={mirror}")
    assert run.code != 0
    assert words in run.text
