"""``purank``: check a table, say what was understood and how long it will take, and run the workflow."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pulib
from purank.judge import hidden
from purank.learners import LEARNERS, chosen_learners
from purank.model import fitted_model
from purank.prior import known_pi
from purank.question import Question, QuestionError, in_options, read_question
from purank.report import ANSWERS, write_answer
from purank.run import FIRST_ROWS, Work, score_all, sizes_of
from purank.scoring import digest
from purank.table import read_rows
from purank.tables import TableError, checked

_say = functools.partial(print, flush=True)
#: Files kept between runs, below the results folder, and the marker of a complete run.
WORK, COMPLETE = Path("work"), Path("work", "complete")
DESCRIPTION = (
    "Compare methods on a table in which some positives are labeled, report which to take, and rank the unlabeled rows."
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser("purank", description=DESCRIPTION)
    add = top.add_argument
    add("table", type=Path, help="CSV, Parquet or Excel file with a header; or a YAML file with these options as keys")
    add("--label", metavar="COLUMN", help="says which rows are labeled")
    add("--pos-label", metavar="VALUE", help="of the label column in labeled rows, if that is not 1, yes or true")
    add("--truth", metavar="COLUMN", help="the truth of some rows, which are used for testing only; empty for the others")
    add("--groups", metavar="COLUMN", help="says which rows belong together, such as those of one patient")
    add("--id", metavar="COLUMN", help="names the rows in ranked.csv")
    add("--drop", nargs="+", metavar="COLUMN", help="not to be used as features")
    add("--prior", type=float, metavar="π", help="share of positives, if you know it (estimated)")
    add(
        "--scenario",
        choices=["one_sample", "two_sample"],
        help="two_sample: labeled rows come from a different source than the others (one_sample)",
    )
    add("--methods", nargs="+", metavar="METHOD", help=f"default, all, or some of {', '.join(LEARNERS)}")
    add("--repeats", type=int, metavar="N", help="how often the rows are divided into folds (2 up to 5,000 rows, else 1)")
    add("--budget", type=float, metavar="MINUTES", help="for the whole run (15); slow methods train on a sample of the rows")
    add("--cores", type=int, metavar="N", default=os.cpu_count() or 1, help="how many to use (all)")
    add("--output", type=Path, metavar="FOLDER", help="for the results (the table's name with _purank)")
    add("--save-model", type=Path, metavar="FILE", help="run model.py and save the recommended method with joblib")
    add("--check", action="store_true", help="check the table, print what was understood, and stop")
    reading = top.add_argument_group("reading the table, if the inferred interpretation is wrong")
    add = reading.add_argument
    add("--neg-label", metavar="VALUE", help="of the label column in rows known to be negative")
    add("--unlabeled-label", metavar="VALUE", help="of the label column in unlabeled rows")
    add("--drop-label", metavar="VALUE", help="of the label column in rows to leave out")
    add("--kind", nargs="+", metavar="COLUMN=KIND", help="KIND is number, date, category, text or id")
    add("--missing", nargs="+", metavar="WORD", help="more spellings of a missing value")
    add("--not-missing", nargs="+", metavar="WORD", help="spellings that are categories, such as Na for sodium")
    add("--limits", choices=["half", "limit"], help="read detection limits such as <0.5 as half of them, or as they are")
    add("--on-missing", choices=["median", "drop_rows", "error"], help="how to treat missing numbers (median)")
    add("--dates", metavar="FORMAT", help="number, drop, or a format such as %%d/%%m/%%Y (number)")
    add("--text", choices=["drop", "hash"], help="how to treat free text (drop)")
    add("--max-levels", type=int, metavar="N", help="most categories of a column that get a feature each (20)")
    add("--decimal", choices=[".", ","], help="decimal mark")
    add("--encoding", metavar="NAME", help="of the file, such as cp1252")
    add("--separator", metavar="MARK", help="between columns")
    add("--names", nargs="+", metavar="COLUMN", help="of a text file without a header")
    add("--sheet", metavar="NAME", help="of an Excel file")
    return top


def question_of(given: argparse.Namespace) -> Question:
    """Read the question from the command line, or from the file that it names."""
    named = {key: value for key, value in vars(given).items() if key in Question.model_fields and value is not None}
    changes: dict[str, Any] = {key: value for key, value in named.items() if key not in ("table", "methods")}
    if given.methods:
        words = [word for part in given.methods for word in part.split(",")]
        changes["methods"] = words[0] if words in (["default"], ["all"]) else words
    if given.kind:
        changes["kinds"] = dict(_kind(text) for text in given.kind)
    if given.table.suffix in (".yaml", ".yml"):
        question = read_question(given.table, changes)
    else:
        if given.label is None:
            raise QuestionError("--label COLUMN is missing: the column that says which rows are labeled")
        question = checked(Question, {"table": str(given.table), **changes})
    return question.model_copy(update={"table": str(Path(question.table).expanduser().resolve())})


def _kind(text: str) -> tuple[str, str]:
    column, mark, kind = text.rpartition("=")
    if not mark:
        raise QuestionError(f"--kind {text}: expected COLUMN=KIND")
    return column, kind


@contextlib.contextmanager
def _writable(folder: Path) -> Iterator[None]:
    """Say what to do where results cannot be written."""
    try:
        yield
    except OSError as error:
        remedy = "Make room there, or give another folder by --output; the same command continues the run"
        raise QuestionError(f"the results cannot be written to {folder} ({error}). {remedy}") from error


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, which ends with this process; where systems have none, two runs must not share a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise QuestionError(
                f"{folder}: another run is at work there; wait for it, or give another folder by --output"
            ) from None
        except (ImportError, OSError):
            pass
        yield


def purank(given: argparse.Namespace) -> int:
    """Check the table, cross-fit the learners, and print the answer."""
    ends = time.monotonic()
    if given.cores < 1:
        raise QuestionError(f"--cores {given.cores}: expected at least 1")
    question = question_of(given)
    learners = chosen_learners(question.methods)
    rows = read_rows(question)
    print(in_options("\n".join(rows.description)), flush=True)
    if given.check:
        return 0
    ends += 60.0 * question.budget
    folder = (given.output or Path(f"{Path(question.table).stem}_purank")).absolute()
    with _writable(folder), _locked(folder):
        table = digest(rows.digest(), pulib.__version__)
        told = rows.description, rows.feature_names, rows.ids.tolist()
        run = digest(table, told, question.model_dump(), [(learner.name, learner.missing) for learner in learners])
        complete = all((folder / name).is_file() for name in [COMPLETE, *ANSWERS])
        if complete and (folder / COMPLETE).read_bytes() == run.encode():
            print("Nothing to be done: this run is complete.")
        else:
            (folder / COMPLETE).unlink(missing_ok=True)
            rows.save(folder / WORK)
            least = f"unless π and models of {FIRST_ROWS:,} rows take longer"
            _say(f"Time limit: {question.budget:g} minutes, {least}. Fitting each of {len(learners)} learners once ...")
            estimate = known_pi(question, rows, table, folder / WORK / "prior.json", given.cores)
            folds, repeats = sizes_of(question, rows)
            rho = hidden(estimate, rows.labeled_share)
            work = Work(folder / WORK, table, rho.prior, folds, repeats)
            scored = score_all(work, learners, rows, budget=question.budget, ends=ends, cores=given.cores, say=_say)
            write_answer(question, (folds, repeats), rows, estimate, scored, folder)
            if not any(scored[one.name].error for one in learners if not one.missing):  # else it may go better next time
                (folder / COMPLETE).write_text(run, encoding="utf-8")
        shown = given.output or Path(folder.name)
        print(f"\n{_sentences(folder / 'report.md')}\n\nReport: {shown / 'report.html'}\nRanked rows: {shown / 'ranked.csv'}")
    if given.save_model is not None:
        _save_model(folder, given.save_model)
    return 0


def _save_model(folder: Path, path: Path) -> None:
    """Fit the recommended method by the code that the report ends with, and save it."""
    import joblib

    print("\nFitting the recommended method ...", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    joblib.dump(fitted_model(folder), path)
    print(f"Model: {path} (joblib.load reads it)")


def _sentences(report: Path) -> str:
    """Return the answer: the text of the report between its title and the first heading."""
    text = report.read_text(encoding="utf-8")
    return text.split("\n## ")[0].partition("\n")[2].strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``purank`` and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # an encoding without π must not end a run
            stream.reconfigure(errors="replace")
    try:
        return purank(parser().parse_args(arguments))
    except KeyboardInterrupt:
        print("purank: interrupted; the same command continues the run", file=sys.stderr)
        return 130
    except BrokenProcessPool:
        print(
            "purank: the system ended a process, probably for lack of memory; the same command continues the run; it"
            " needs less with fewer --cores",
            file=sys.stderr,
        )
        return 2
    except (QuestionError, TableError, MemoryError, OSError) as error:
        print(f"purank: {in_options(str(error))}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
