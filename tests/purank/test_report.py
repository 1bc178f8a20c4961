"""What the report says of learners on a table of one's own, what the command and its configuration take, and the code."""

import dataclasses
import io
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from purank import command, judge, learners, question, ranked, report, scoring
from purank.model import model_code
from tests.purank.rows import FEW, known_prior, make_rows, scored_by, write_table

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Sentences need no fine quantiles, and no picture, which test_ranking.py looks at."""
    monkeypatch.setattr(ranked, "DRAWS", ranked.DRAWS // 8)
    monkeypatch.setattr(judge, "RESAMPLES", judge.RESAMPLES // 4)
    monkeypatch.setattr(report, "draw_head", lambda ranked, path: path.write_text("<svg></svg>"))


def answer(tmp_path, rows, estimate, scored, **asked):
    asked = question.Question(**{"table": "own.csv", "label": "labeled", **asked})
    report.write_answer(asked, (5, 1), rows, estimate, scored, tmp_path)
    return (tmp_path / "report.md").read_text(encoding="utf-8")


def test_without_truth_the_report_says_that_all_is_estimated(tmp_path):
    rows, truth = make_rows(n=1000)
    rows.ids[:] = [f"{k % 90}|<" for k in range(1000)]
    scored = {name: scored_by(rows, truth, 2.0, k) for k, name in enumerate(FEW)}
    text = answer(tmp_path, rows, known_prior(rows, 0.3, 0.2, 0.4), scored)
    assert "no row's truth is: everything below is estimated" in text
    assert "π, the share of positives, is about 30.0%, and anything from 20.0% to 40.0% is possible" in text
    hidden, n = judge.hidden(known_prior(rows, 0.3, 0.2, 0.4), rows.labeled_share), len(rows.unlabeled)
    assert f"which means {hidden.low * n:,.0f} to {hidden.high * n:,.0f} positives among the {n} unlabeled rows" in text
    assert "Take **" in text
    whole, said = pd.read_csv(tmp_path / "ranked.csv")["probability"].sum(), f"there would be {hidden.prior * n:,.0f}."
    assert f"all rows of the list add up to {whole:,.0f} positives; at the estimate itself, {said}" in text
    assert "test rows" not in text.split("## Which rows")[0]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (page.count("<table>"), page.count("|&lt;</td>")) == (3, report.LISTED), "names of rows are no marks"
    assert "<svg" in page
    assert "PICTURE" not in page


def test_truth_is_what_orders_where_there_is_enough(tmp_path):
    rows, truth = make_rows(n=1000, n_test=200)
    scored = {"naive_lr": scored_by(rows, truth, 2.0), "elkan_noto_lr": scored_by(rows, truth, 0.1)}
    text = answer(tmp_path, rows, known_prior(rows, 0.3), scored, prior=0.3)
    assert "Its area under the ROC curve on the test rows" in text
    assert "You gave π = 30.0%" in text
    assert "add up to" not in text, "one π, one number"
    assert "The other method is worse, by more than chance explains." in text
    assert "the best method is itself a plain classifier" in text
    few, truth = make_rows(n=1000, n_test=12)
    text = answer(tmp_path, few, known_prior(few, 0.3), {name: scored_by(few, truth, 2.0) for name in FEW}, prior=0.3)
    share = 1 - judge.hidden(known_prior(few, 0.3), few.labeled_share).prior
    assert f"By proxy, calling every row negative is right for {share:.1%}" in text, "twelve rows measure nothing"


def test_proxies_above_one_are_said_to_prove_that_the_prior_is_wrong(tmp_path):
    rows, truth = make_rows(n=4000, prior=0.2, shift=3.0)
    scored = {name: scored_by(rows, truth, 3.0, k) for k, name in enumerate(FEW)}
    text = answer(tmp_path, rows, known_prior(rows, 0.6), scored, prior=0.6)
    assert "this π cannot be right, or labels were not drawn at random" in text
    assert "It proves that π is wrong" in text
    right = answer(tmp_path, rows, known_prior(rows, 0.2), scored, prior=0.2)
    assert "cannot be right" not in right


def test_rare_positives_are_not_told_by_accuracy_or_a_hundred_rows(tmp_path):
    rows, truth = make_rows(n=20_000, prior=0.005, label_share=0.5)
    scored = {name: scored_by(rows, truth, 2.5, k) for k, name in enumerate(FEW)}
    text = answer(tmp_path, rows, known_prior(rows, 0.005, 0.004, 0.007), scored)
    assert "the measure that matters if positives are rare" in text
    assert re.search(r"negative is right for at least 99\.\d% of them, so that accuracy says nothing here", text)
    wanted = int(re.search(r"about ([\d,]+) of them contain 30 positives", text)[1].replace(",", ""))
    assert wanted > 5_000


def test_a_learner_no_better_than_chance_is_called_that(tmp_path):
    rows, truth = make_rows(n=1500)
    text = answer(tmp_path, rows, known_prior(rows, 0.3), {name: scored_by(rows, truth, 0.0, k) for k, name in enumerate(FEW)})
    assert "A constant would do" in text


def test_what_failed_is_told_and_the_rest_goes_on(tmp_path):
    """In options of the command, as in the terminal."""
    rows, truth = make_rows()
    pi = dataclasses.replace(known_prior(rows, 0.3), warnings=("Pass prior=, or collect; prior_interval shows how",))
    rows.description.append("note: a tab (separator= says another)")
    broken = scoring.Scored(np.empty(0), np.empty(0), error="ValueError: prior=0.9 is no luck")
    text = answer(tmp_path, rows, pi, {"naive_lr": scored_by(rows, truth), "pu_et": broken})
    assert "- Pass --prior, or collect; the interval shows how\n" in text
    assert "PU extra trees has no result: ValueError: --prior 0.9 is no luck" in text
    assert "a tab (--separator says another)" in text


def test_known_negatives_test_and_never_train(tmp_path):
    write_table(tmp_path / "own.csv", n=400)
    frame = pd.read_csv(tmp_path / "own.csv")
    frame["labeled"] = np.where(frame["labeled"] == 1, "yes", np.where(frame["age"] < -1, "no", "open"))
    frame.to_csv(tmp_path / "own.csv", index=False)
    spelled = {"pos_label": "yes", "neg_label": "no", "unlabeled_label": "open"}
    rows = command.read_rows(question.Question(table=str(tmp_path / "own.csv"), label="labeled", **spelled))
    n = int((frame["labeled"] == "no").sum())
    assert n > 3
    assert (rows.truth[rows.test] == 0).sum() == len(rows.test) == n
    assert not set(rows.test) & {*rows.train, *rows.unlabeled, *rows.positives}
    assert f"{n} known negatives train no learner" in rows.description[-1]
    scored = {name: scored_by(rows, rows.labeled, 2.0, k) for k, name in enumerate(FEW)}
    text = answer(tmp_path, rows, known_prior(rows, 0.3), scored)
    assert f"{n} rows are known to be negative" in text
    assert re.search(rf"Labeled rows rank above the {n} rows known to be negative in \d+\.\d% of the pairs", text)
    assert len(pd.read_csv(tmp_path / "ranked.csv")) == (frame["labeled"] == "open").sum()


def test_proxies_of_few_labels_are_called_noise(tmp_path):
    rows, truth = make_rows(n=600, prior=0.1, label_share=0.2)
    assert len(rows.positives) < 20
    scored = {name: scored_by(rows, truth, 3.0, k) for k, name in enumerate(FEW)}
    text = answer(tmp_path, rows, known_prior(rows, 0.5, 0.0, 1.0), scored)
    assert f"Only {len(rows.positives)} of 600 rows are labeled, fewer than 30: **proxies of so few are noise**" in text
    assert "by proxy is more than 100%" in text
    worst = answer(tmp_path, rows, known_prior(rows, 0.9, 0.2, 1.0), {name: scored_by(rows, ~truth, 3.0) for name in FEW})
    assert "by proxy is less than 0% (less than 0% to" in worst, "an estimate lies in its interval"
    assert not re.search(r"1[0-9][0-9]\.\d%", text.replace("100.0%", "").split("## Reasons for doubt")[0])
    assert "With so few labeled rows it is noise" in text


def test_shares_in_the_report_are_never_below_zero(tmp_path):
    rows, truth = make_rows(n=600)
    one = scored_by(rows, truth, 2.0)
    place = one.place.copy()
    place[np.argsort(place)[:3]] += 1e-3
    near = scoring.Scored(place, one.called, 0.5, 0.01, 100)
    scored = {"upu_logistic": one, "naive_lr": near, "pu_et": scored_by(rows, ~truth, 2.0)}
    text = answer(tmp_path, rows, known_prior(rows, 0.3, 0.2, 0.4), scored)
    assert not re.search(r"[-−]\d[\d.]*%", text)
    assert "Behind the best" in text


@pytest.mark.parametrize(("n", "prior", "share"), [(400, 0.3, 0.4), (400, 0.1, 0.2), (20_000, 0.01, 0.5), (5_000, 0.5, 0.9)])
def test_heads_hold_enough_labeled_rows_to_mean_something(n, prior, share):
    rows, truth = make_rows(n=n, prior=prior, label_share=share)
    scored = scored_by(rows, truth, 2.5)
    rho = judge.hidden(known_prior(rows, prior), rows.labeled_share)
    lines = ranked.ranked_rows(rows, {"pu_et": scored}, ["pu_et"], {"pu_et": "x"}, rho)
    heads = report.head_table(rows, scored, lines)
    assert heads
    order = np.sort(scored.place[rows.unlabeled])[::-1]
    for head in heads:
        assert np.sum(scored.place[rows.positives] >= order[head["k"] - 1]) >= min(10, len(rows.positives))
        assert head["lift_low"] <= head["lift"] <= head["lift_high"]
        assert head["low"] <= head["expected_positives"] <= head["high"]
    few = report.head_table(dataclasses.replace(rows, groups=np.arange(n) % 5), scored, lines)
    assert few[0]["lift_low"] < heads[0]["lift_low"], "rows of a group are one draw"
    lengths = [head["k"] for head in heads]
    assert lengths == sorted(set(lengths))


def test_a_file_of_configuration_has_the_keys_of_the_command(tmp_path):
    entries = yaml.safe_load((ROOT / "config" / "own.yaml").read_text(encoding="utf-8"))
    shown = re.findall(r"^(?:# )?(\w+): ", (ROOT / "config" / "own.yaml").read_text(encoding="utf-8"), flags=re.M)
    assert set(shown) <= set(question.Question.model_fields)
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({**entries, "lable": "x"}))
    with pytest.raises(ValueError, match=r"unknown option 'lable' \(did you mean '\w+'\?\)"):
        question.read_question(tmp_path / "own.yaml", {})
    (tmp_path / "own.yaml").write_text("table: a.csv\nlabel: y\nprior: 0.3\nlabel: z\n")
    with pytest.raises(ValueError, match="a key occurs twice"):
        question.read_question(tmp_path / "own.yaml", {})
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({**entries, "prior": 3}))
    with pytest.raises(ValueError, match="prior='3': Input should be less than 1"):
        question.read_question(tmp_path / "own.yaml", {})
    typed = "pos_label: yes\nmissing: [007, 1.50, 12:30]\nencode: {a: {no: 1, null: 2}}\n"
    (tmp_path / "own.yaml").write_text(f"table: my_table.csv\nlabel: 2020\nprior: 0.5\nbudget: .5\n{typed}")
    read = question.read_question(tmp_path / "own.yaml", {"prior": 0.2})
    assert (read.table, read.label, read.prior, read.budget) == (str(tmp_path / "my_table.csv"), "2020", 0.2, 0.5)
    assert (read.pos_label, read.missing, read.encode) == ("yes", ["007", "1.50", "12:30"], {"a": {"no": 1, None: 2}})
    assert scoring.digest(read.model_dump())
    same = set(question.Question.model_fields) - {"kinds", "encode"}
    assert same <= {action.dest for action in command.parser()._actions}


def test_a_mistake_ends_the_command_before_anything_runs(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "own.csv")
    assert command.main(["own.csv", "--label", "lable"]) == 2
    assert "lable" in capsys.readouterr().err
    assert command.main(["own.csv", "--label", "labeled", "--methods", "pu_te"]) == 2
    assert command.main(["missing.csv", "--label", "labeled"]) == 2
    assert command.main(["own.csv", "--label", "labeled", "--cores", "0"]) == 2
    assert command.main(["own.csv", "--label", "labeled", "--check"]) == 0
    assert "labeled" in capsys.readouterr().out
    assert command.main(["own.csv", "--label", "labeled", "--prior", "0.01"]) == 2
    assert "--prior 0.01 contradicts the labels" in capsys.readouterr().err
    frame = pd.read_csv("own.csv")
    frame["clinic"] = np.where(frame["labeled"] == 1, "a", np.resize(["a", "b"], len(frame)))
    frame.to_csv("own.csv", index=False)
    assert command.main(["own.csv", "--label", "labeled", "--groups", "clinic"]) == 2
    said = capsys.readouterr().err
    assert "all labeled rows are of one group" in said
    assert "--groups names a column" in said, "read_table's groups= is an option here"
    frame.assign(known=np.where(frame["labeled"] == 1, "1", "")).to_csv("own.csv", index=False)
    assert command.main(["own.csv", "--label", "labeled", "--truth", "known"]) == 2
    said = capsys.readouterr().err
    assert "0 labeled rows to train on; at least 2 are needed. Rows with a truth only test: leave" in said
    assert [file.name for file in tmp_path.iterdir()] == ["own.csv"]


def test_the_page_has_every_option_of_the_command_with_its_values():
    page = (ROOT / "docs" / "purank.md").read_text(encoding="utf-8").partition("\n## Options\n")[2]
    rows = [row.split(" | ") for row in page.splitlines() if row.startswith("| `--")]
    shown = {name: " | ".join(row) for row in rows for name in re.findall(r"`(--[\w-]+)", row[0])}
    actions = command.parser()._actions
    options = {action.option_strings[-1]: action for action in actions if action.option_strings and action.dest != "help"}
    assert set(shown) == set(options)
    for name, action in options.items():
        assert all(f"`{choice}`" in shown[name] for choice in action.choices or []), name
        kind = f" {action.metavar}" if action.metavar else ""
        assert f"`{name}{kind}{' ...' if action.nargs == '+' else ''}`" in shown[name], name
    defaults = question.Question(table="t", label="l")
    for name in ("scenario", "methods", "budget"):
        value = getattr(defaults, name)
        assert re.search(rf"\| `?{value if isinstance(value, str) else f'{value:g}'}`? \|$", shown[f"--{name}"]), name


def test_a_terminal_without_pi_a_missing_label_and_no_locks_are_no_traceback(tmp_path, capsys, monkeypatch):
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", narrow)
    with pytest.raises(SystemExit, match="0"):
        command.main(["--help"])
    narrow.flush()
    assert b"--prior" in narrow.buffer.getvalue()
    monkeypatch.undo()
    assert command.main([str(tmp_path / "own.csv")]) == 2
    assert capsys.readouterr().err.startswith("purank: --label COLUMN is missing")
    monkeypatch.setitem(sys.modules, "fcntl", None)  # as where there is no such module
    write_table(tmp_path / "own.csv")
    monkeypatch.setattr(command, "score_all", lambda *_, **__: {})  # which ends the run
    asked = [str(tmp_path / "own.csv"), "--label", "labeled", "--prior", "0.3", "--output", str(tmp_path / "out")]
    assert command.main(asked) == 2
    assert capsys.readouterr().err.startswith("purank: no learner could be trained")


def test_a_run_is_complete_though_a_package_lacks_until_it_is_there(tmp_path, capsys, monkeypatch):
    write_table(tmp_path / "own.csv")
    rows = command.read_rows(question.Question(table=str(tmp_path / "own.csv"), label="labeled"))
    scored = {"naive_lr": scored_by(rows, rows.labeled), "cvir": scoring.Scored(np.empty(0), np.empty(0), error="no torch")}
    runs = []
    monkeypatch.setattr(command, "score_all", lambda *_, **__: runs.append(1) or scored)
    asked = [str(tmp_path / "own.csv"), "--label", "labeled", "--prior", "0.3", "--output", str(tmp_path / "out")]
    for found, n_runs in ((None, 1), (None, 1), (1, 2), (1, 3)):  # where it is there, another error may be a matter of luck
        monkeypatch.setattr(learners, "find_spec", lambda _, found=found: found)
        assert command.main([*asked, "--methods", "naive_lr", "cvir"]) == 0
        assert len(runs) == n_runs
    write_table(tmp_path / "own.csv", name=[f"case {k}" for k in range(120)])  # the same rows, with names
    assert command.main([*asked, "--methods", "naive_lr", "cvir"]) == 0
    assert pd.read_csv(tmp_path / "out" / "ranked.csv")["row"].str.startswith("case").all()
    (tmp_path / "file").touch()
    assert command.main([*asked[:-1], str(tmp_path / "file")]) == 2
    assert "Make room there, or give another folder by --output" in capsys.readouterr().err
    assert command.main([*asked, "--methods", "naive_lr"]) == 0
    assert command.main([*asked, "--methods", "naive_lr"]) == 0
    assert "Nothing to be done" in capsys.readouterr().out


#: One of each form: scaled or not, wrapping another or not, with parameters or without.
WRITTEN = ("naive_lr", "elkan_noto_hgb", "bagging_svm", "upu_gaussian", "pu_et")


@pytest.mark.parametrize("method", WRITTEN)
def test_the_code_at_the_end_of_the_report_runs_as_it_stands(tmp_path, method):
    learner = learners.LEARNERS[method]
    write_table(tmp_path / "own.csv", clinic=["a'", "b{"] * 60)
    asked = question.Question(table=str(tmp_path / "own.csv"), label="labeled", drop=["size"], kinds={"age": "number"})
    code = model_code(asked, learner, 0.3)
    (tmp_path / "model.py").write_text(code)
    names = runpy.run_path(str(tmp_path / "model.py"))
    assert names["model"].feature_names_in_.tolist() == ["age", "pay", "clinic=a'", "clinic=b{"]
    assert len(names["scores"]) == 120
    assert np.isfinite(names["scores"]).all()


def test_the_code_leaves_test_rows_out_and_samples_as_the_bench_does(tmp_path):
    write_table(tmp_path / "own.csv", n=200)
    frame = pd.read_csv(tmp_path / "own.csv")
    frame["truth"] = np.where(np.arange(200) % 4 == 0, frame["labeled"], None)
    frame.to_csv(tmp_path / "own.csv", index=False)
    asked = question.Question(table=str(tmp_path / "own.csv"), label="labeled", truth="truth")
    rows = command.read_rows(asked)
    estimate, scored = known_prior(rows, 0.3), {"upu_logistic": scored_by(rows, rows.labeled, 2.0)}
    report.write_answer(asked, (5, 1), rows, estimate, scored, tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    code = text.rpartition("```python\n")[2].partition("```")[0]
    assert code == (tmp_path / "model.py").read_text(encoding="utf-8")
    names = {}
    exec(compile(code, "report.md", "exec"), names)
    assert np.flatnonzero(names["train"]).tolist() == rows.train.tolist()
    assert names["model"][-1].prior == judge.hidden(estimate, rows.labeled_share).prior
    assert f"fits uPU, logistic to all {len(rows.train)} rows" in text
    sampled = {"upu_logistic": dataclasses.replace(scored["upu_logistic"], sampled=60)}
    text = answer(tmp_path, rows, estimate, sampled, **asked.model_dump(exclude={"label"}))
    assert f"fits uPU, logistic to 60 rows drawn at random from {len(rows.train)}, as in" in text
    exec(compile((tmp_path / "model.py").read_text(encoding="utf-8"), "model.py", "exec"), names)
    assert len(names["train"]) == 60
    assert set(names["train"]) <= set(rows.train)
