"""``purank``: check a table, say what was understood and how long it will take, and run the workflow."""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn, TextIO

from pulab.plan.configuration import ConfigError, check, read_yaml
from pulib.utils import available_bytes
from purank.jobs import ANSWERS, CONFIG
from purank.learners import all_learners, chosen_learners
from purank.model import fitted_model
from purank.pilot import prior_seconds, try_learners
from purank.plan import Plan, make_plan
from purank.question import READING, Question, read_question, write_yaml
from purank.table import Rows, read_rows
from purank.tables import TableError

SNAKEFILE = Path(__file__).with_name("Snakefile")
#: What Snakemake says, and the lines of it that say how far it is, or what went wrong.
LOG = Path("work/logs/snakemake.log")
_PROGRESS = re.compile(r"\d+ of \d+ steps|Nothing to be done|Error|Exception")
DESCRIPTION = (
    "Compare methods on a table in which some positives are labeled, report which to take, and rank the unlabeled rows."
)
EPILOG = "Arguments after -- are passed to Snakemake: purank table.csv --label labeled -- --executor slurm --jobs 20"


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    top = argparse.ArgumentParser("purank", description=DESCRIPTION, epilog=EPILOG)
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
    add("--methods", nargs="+", metavar="METHOD", help=f"default, all, or some of {', '.join(all_learners())}")
    add("--repeats", type=int, metavar="N", help="how often the rows are divided into folds (2 up to 5,000 rows, else 1)")
    add("--budget", type=float, metavar="MINUTES", help="for the whole run (15); slow methods train on a sample of the rows")
    add("--cores", type=int, metavar="N", default=os.cpu_count() or 1, help="how many to use (all)")
    add("--output", type=Path, metavar="FOLDER", help="for the results (the table's name with _purank)")
    add("--save-model", type=Path, metavar="FILE", help="fit the recommended method to all rows and save it with joblib")
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
    add("--skip-lines", type=int, metavar="N", help="before the header (0)")
    add("--names", nargs="+", metavar="COLUMN", help="of a text file without a header")
    add("--sheet", metavar="NAME", help="of an Excel file")
    return top


def question_of(given: argparse.Namespace) -> Question:
    """The question that the command line asks, or the file that it names."""
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
            raise ConfigError("--label COLUMN is missing: the column that says which rows are labeled")
        question = check(Question, {"table": str(given.table), **changes}, "options")
    return question.model_copy(update={"table": str(Path(question.table).expanduser().resolve())})


def _kind(text: str) -> tuple[str, str]:
    column, mark, kind = text.rpartition("=")
    if not mark:
        raise ConfigError(f"--kind {text}: expected COLUMN=KIND")
    return column, kind


def planned(question: Question, rows: Rows, cores: int, config: Path) -> Plan:
    """The plan of a run that was begun with the same question and table, or a new one from what learners cost here."""
    asked = {"question": question.model_dump(), "sha256": _sha256(Path(question.table))}
    before = read_yaml(config) if config.is_file() else {}
    if {key: before.get(key) for key in asked} == asked:
        return check(Plan, before["plan"], str(config))
    learners = chosen_learners(question.methods)
    print(f"Measuring what {len(learners)} learners cost on this machine ...", flush=True)
    X, labeled = rows.X[rows.train], rows.labeled[rows.train]
    guess = min(max(2.0 * rows.labeled_share, 0.001), 0.5) if question.prior is None else question.prior
    tried = try_learners(learners, X, labeled, guess, len(rows.train), cores)
    seconds = prior_seconds(question, X, labeled, cores) if question.prior is None else 0.0
    plan = make_plan(question, rows, learners, tried, cores=cores, memory=available_bytes(), prior=seconds)
    write_yaml({**asked, "plan": asdict(plan)}, config)
    return plan


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def announced(plan: Plan) -> str:
    """How long a run will take, and what is left out for that."""
    lines = [f"{sum(len(job.learners) for job in plan.jobs)} learners on {plan.cores} cores: about {in_words(plan.seconds)}."]
    for name, n in plan.sampled.items():
        lines.append(f"  {all_learners()[name].label} trains on {n:,} rows drawn at random, to stay within time and memory.")
    return "\n".join(lines)


def in_words(seconds: float) -> str:
    """Seconds below two minutes, else minutes.

    >>> in_words(31.2), in_words(300)
    ('30 seconds', '5 minutes')
    """
    return f"{max(5, 5 * round(seconds / 5))} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"


def run_workflow(folder: Path, cores: int, arguments: Sequence[str]) -> int:
    """Snakemake in the folder of the run, which ends with this process; its exit code.

    Snakemake's own lock outlives a run that is killed.  Ours is of the file system: it ends with the process that holds it.
    What Snakemake says goes to a file, and how far it is to the terminal; all of it where ``arguments`` ask for something else.

    Raises
    ------
    ConfigError
        Where another run is at work.
    """
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(SNAKEFILE), "--directory", str(folder)]
    command += ["--cores", str(cores), "--resources", f"mem_mb={int(0.9 * available_bytes() / 1e6)}"]
    command += ["--rerun-incomplete", "--keep-going", "--scheduler", "greedy", "--quiet", "rules", "host"]
    with open(folder / ".lock", "w") as lock:
        held = _locked(lock)
        (folder / LOG).parent.mkdir(parents=True, exist_ok=True)
        with (
            open(folder / LOG, "wb") as log,
            open(folder / LOG, encoding="utf-8", errors="replace") as said,
            _signals_as_exits(),
        ):
            process = subprocess.Popen(
                [*command, "--nolock", *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[lock.fileno()] if held else [],
                env=_environment(folder),
            )
            try:
                return _watched(process, said, whole=bool(arguments))
            finally:
                _end(process)


def _watched(process: subprocess.Popen[bytes], said: TextIO, *, whole: bool) -> int:
    """The exit code of a process, whose log is shown while it grows."""
    code = None
    while code is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(timeout=0.2)
        for line in said:
            if whole or _PROGRESS.search(line):
                print(line.rstrip(), flush=True)
    return code


@contextlib.contextmanager
def _signals_as_exits() -> Iterator[None]:
    """A signal that would end this process at once, and leave Snakemake at work, ends it by way of ``finally``."""

    def leave(number: int, _: Any) -> NoReturn:
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler == signal.SIG_DFL:  # under nohup, one of them is ignored
            signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(process: subprocess.Popen[bytes], patience: float = 10.0) -> None:
    """End Snakemake and its jobs, if they are at work: it cancels what it sent to a cluster, and waits for jobs of its own."""
    if process.poll() is not None:
        return
    import psutil

    jobs = psutil.Process(process.pid).children(recursive=True)
    process.terminate() if os.name == "nt" else process.send_signal(signal.SIGINT)
    for job in jobs:
        with contextlib.suppress(psutil.NoSuchProcess):
            job.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for job in psutil.wait_procs(jobs, timeout=1.0)[1]:
        with contextlib.suppress(psutil.NoSuchProcess):
            job.kill()


def _locked(lock: TextIO) -> bool:
    """Whether the lock is held; some systems and file systems have none, and then two runs must not share a folder."""
    try:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        folder = Path(lock.name).parent
        raise ConfigError(f"{folder}: another run is at work there; wait for it, or give another folder by --output") from None
    except (ImportError, OSError):
        return False
    return True


def _environment(folder: Path) -> dict[str, str]:
    """For Snakemake, which keeps a cache: below the run's folder where the home cannot be written."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    try:
        (cache / "snakemake").mkdir(parents=True, exist_ok=True)
        if os.access(cache / "snakemake", os.W_OK):
            return dict(os.environ)
    except OSError:
        pass
    return os.environ | {"XDG_CACHE_HOME": str(folder.resolve() / "work" / "cache")}


_ARGUMENT = re.compile(rf"\b({'|'.join({*READING, 'prior', 'scenario'} - {'encode'})})=(\[[^]]*]|{{[^}}]*}}|'[^']*'|[\w.]+)?")


def in_options(text: str) -> str:
    """What a message of :func:`purank.read_table` calls arguments, as this command's options.

    >>> in_options("missing=['12.4O', '?'] reads them as missing, kinds={'pay day': 'text'} makes it text, drop= drops it")
    "--missing 12.4O '?' reads them as missing, --kind 'pay day=text' makes it text, --drop drops it"
    """

    def option(match: re.Match[str]) -> str:
        name = "--kind" if match[1] == "kinds" else f"--{match[1].replace('_', '-')}"
        try:
            value = ast.literal_eval(match[2] or "[]")
        except (SyntaxError, ValueError):  # a list that ends with "and 7 more", say
            return f"{name} {match[2]}"
        values = [f"{key}={kind}" for key, kind in value.items()] if isinstance(value, dict) else value
        words = values if isinstance(values, list) else [values]
        return " ".join([name, *("..." if word is ... else shlex.quote(str(word)) for word in words)])

    return _ARGUMENT.sub(option, text)


def purank(given: argparse.Namespace, more: Sequence[str]) -> int:
    """Check the table, run the workflow, and print the answer."""
    question = question_of(given)
    chosen_learners(question.methods)
    rows = read_rows(question)
    print(in_options("\n".join(rows.description)), flush=True)
    if given.check:
        return 0
    folder = given.output or Path(f"{Path(question.table).stem}_purank")
    plan = planned(question, rows, given.cores, folder / CONFIG)
    print(announced(plan), flush=True)
    code = run_workflow(folder, given.cores, more)
    if code == 0 and all((folder / name).is_file() for name in ANSWERS):
        print(f"\n{_sentences(folder / 'report.md')}\n\nReport: {folder / 'report.html'}\nRanked rows: {folder / 'ranked.csv'}")
        if given.save_model is not None:
            _save_model(folder, given.save_model)
    elif code:
        print(f"Snakemake ended with exit code {code}.", file=sys.stderr)
    print(f"Snakemake's log: {folder / LOG}", flush=True)
    return code


def _save_model(folder: Path, path: Path) -> None:
    """Fit the recommended method to all rows, by the code that the report ends with, and save it."""
    import joblib

    print("\nFitting the recommended method to all rows ...", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    joblib.dump(fitted_model(folder), path)
    print(f"Model: {path} (joblib.load reads it)")


def _sentences(report: Path) -> str:
    """The answer: what stands in the report before the first heading behind its title."""
    text = report.read_text(encoding="utf-8")
    return text.split("\n## ")[0].partition("\n")[2].strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command ``purank``; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # an encoding without π must not end a run
            stream.reconfigure(errors="replace")
    words = list(sys.argv[1:] if arguments is None else arguments)
    own, more = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    given = parser().parse_args(own)
    try:
        return purank(given, more)
    except (ConfigError, TableError, MemoryError, OSError) as error:
        print(f"purank: {in_options(str(error))}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
