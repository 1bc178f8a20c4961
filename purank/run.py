"""Cross-fit all learners within a time budget: models run in parallel processes, and finished ones are kept on disk.

The first model of a learner is trained on more and more rows, as far as its share of the time and of the memory reaches; the
others get as many rows.  What a learner does not need goes to those that could not train on all rows.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zipfile import is_zipfile

import numpy as np
from threadpoolctl import threadpool_limits

from pulib.utils import available_bytes
from purank.learners import LEARNERS, Learner
from purank.question import Question
from purank.scoring import SEED, Scored, digest, sample_rows, score_fold, together
from purank.table import Rows

#: Folds, and partitions into them: small tables, whose scores depend more on the draw, get more of them.
FOLDS, FEW_ROWS, REPEATS_OF_FEW = 5, 5_000, 2
#: Number of rows of a learner's first model, however little time there is, and the factor by which it grows.
FIRST_ROWS, GROWTH = 1_000, 8
#: The share of the time that models get (the rest is for the report), and of the free memory that all processes may take.
SURE_SHARE, MEMORY_SHARE = 0.8, 0.8
#: Rows of the fit that compiles a learner's kernels in a process, so that it counts in no time.
WARM_ROWS = 200


@dataclass(frozen=True)
class Work:
    """Data and options shared by all models of a run.

    Attributes
    ----------
    folder : Path
        With the files of the rows, and one for each model.
    table : str
        Changes with the rows and the library.
    prior : float
        The share of positives among the unlabeled rows.
    n_folds, repeats : int
    """

    folder: Path
    table: str
    prior: float
    n_folds: int
    repeats: int

    def file(self, learner: Learner, fold: int, limited: object = None) -> Path:
        """Where the scores of a model are; ``limited`` is what the number of its rows depends on, None for all rows."""
        built = learner.build(self.prior, SEED).__repr__(N_CHAR_MAX=10**6)
        name = digest(self.table, built, self.n_folds, limited)
        return self.folder / "scores" / f"{learner.name}-{fold}-{name}.npz"


def sizes_of(question: Question, rows: Rows) -> tuple[int, int]:
    """Return the numbers of folds and repeats; each fold has at least one labeled and one unlabeled row."""
    sides = [side if rows.groups is None else np.unique(rows.groups[side]) for side in (rows.positives, rows.unlabeled)]
    folds = max(2, min(FOLDS, *map(len, sides)))
    return folds, question.repeats or (REPEATS_OF_FEW if len(rows.train) <= FEW_ROWS else 1)


def score_all(
    work: Work, learners: Sequence[Learner], rows: Rows, *, budget: float, ends: float, cores: int, say: Callable[[str], object]
) -> dict[str, Scored]:
    """Cross-fit learners; scores from earlier runs are read from files, and what failed or is cut off is tried again.

    Parameters
    ----------
    work : Work
    learners : sequence of Learner
    rows : Rows
    budget : float
        Minutes of the whole run.
    ends : float
        When these are over, by :func:`time.monotonic`.
    cores : int
        Processes.
    say : callable
        Takes lines of text for the user.
    """
    failed = {one.name: f"the Python package {one.missing!r} is not installed" for one in learners if one.missing}
    able = [one for one in learners if not one.missing]
    room = SURE_SHARE * max(ends - time.monotonic(), 0.0)
    memory = MEMORY_SHARE * available_bytes() / cores
    n_models = work.n_folds * work.repeats
    with processes(cores, work.folder / "run.log") as pool:

        def first(some: Sequence[Learner], share: float) -> dict[str, Scored]:
            share = min(share, room / (1 + -(-(n_models - 1) // cores)))  # of one model, which is one process's
            kept = {one.name: Scored.load(work.file(one, 0)) for one in some if is_zipfile(work.file(one, 0))}
            names = [one.name for one in some if one.name not in kept]
            begun = [pool.submit(first_model, work, name, budget, share, memory) for name in names]
            return kept | {name: future.result() for name, future in zip(names, begun, strict=True)}

        share = cores * room / n_models / max(len(able), 1)
        found = first(able, share)
        cut = [one for one in able if found[one.name].sampled and not is_zipfile(work.file(one, 1, found[one.name].sampled))]
        if cut:
            spent = sum(seconds_of(one, rows, work.n_folds) for one in found.values() if not one.sampled)
            found |= first(cut, max(share, (cores * room / n_models - spent) / len(cut)))
        models = [
            (seconds_of(found[one.name], rows, work.n_folds), one, fold)
            for one in able
            if not found[one.name].error
            for fold in range(1, n_models)
            if not is_zipfile(work.file(one, fold, found[one.name].sampled or None))
        ]
        models.sort(key=lambda model: -model[0])
        left = max(sum(seconds for seconds, _, _ in models) / cores, models[0][0] if models else 0.0)
        say(announced(found, cores, left))
        begun = {pool.submit(next_model, work, one.name, fold, found[one.name].sampled): one.name for _, one, fold in models}
        failed |= {one.name: found[one.name].error for one in able if found[one.name].error}
        for done, future in enumerate(as_completed(begun), 1):
            failed |= {begun[future]: error} if (error := future.result()) else {}
            if 4 * done // len(begun) > 4 * (done - 1) // len(begun):
                say(f"  {done} of {len(begun)} models")
    scored = {name: Scored(np.empty(0), np.empty(0), error=why) for name, why in failed.items()}
    for one in (one for one in able if one.name not in failed):
        files = [work.file(one, fold, found[one.name].sampled or None) for fold in range(1, n_models)]
        scored[one.name] = together([found[one.name], *map(Scored.load, files)])
    return {one.name: scored[one.name] for one in learners}


def announced(found: Mapping[str, Scored], cores: int, seconds: float) -> str:
    """Say how much longer a run will take, and what is left out to meet the budget."""
    lines = [f"{len(found)} learners on {cores} core{'s' * (cores > 1)}: about {in_words(seconds)} more."]
    for name, one in found.items():
        if one.sampled:
            lines.append(
                f"  {LEARNERS[name].label} trains on {one.sampled:,} rows drawn at random, to stay within time and memory."
            )
    return "\n".join(lines)


def in_words(seconds: float) -> str:
    """Seconds below two minutes, else minutes.

    >>> in_words(31.2), in_words(300)
    ('30 seconds', '5 minutes')
    """
    return f"{max(5, 5 * round(seconds / 5))} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"


def seconds_of(one: Scored, rows: Rows, n_folds: int) -> float:
    """Return the seconds of a model: its fit, and the scores and classes of a fold's rows and of test rows."""
    return 0.0 if one.error else one.fit_seconds + 2e-3 * one.predict_seconds * (len(rows.train) / n_folds + len(rows.test))


@contextlib.contextmanager
def processes(n: int, log: Path) -> Iterator[ProcessPoolExecutor]:
    """Start processes that end with this one, however it ends; their output goes to a file."""
    log.parent.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    pool = ProcessPoolExecutor(n, mp_context=context, initializer=_begin, initargs=(str(log),))
    try:
        yield pool
    finally:
        for process in multiprocessing.active_children():
            process.kill()
        pool.shutdown(cancel_futures=True)


def _begin(log: str) -> None:
    with open(log, "ab", buffering=0) as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@cache
def _rows(folder: Path) -> Rows:
    return Rows.load(folder)


_warm: set[str] = set()


def _score(work: Work, name: str, fold: int, max_rows: int | None) -> Scored:
    """Train one model on one thread; with more threads than free cores, training is much slower."""
    learner, rows = LEARNERS[name], _rows(work.folder)
    with threadpool_limits(1):
        if name not in _warm:
            _warm.add(name)
            few = sample_rows(rows.train, rows.labeled, WARM_ROWS, seed=0)
            with contextlib.suppress(Exception):  # the model itself says what is wrong
                learner.build(work.prior, 0).fit(rows.X[few], rows.labeled[few].astype(np.int64))
        return score_fold(learner, rows, work.prior, fold, n_folds=work.n_folds, max_rows=max_rows)


def next_model(work: Work, name: str, fold: int, sampled: int) -> str:
    """Train a model on as many rows as the first one, and keep its scores; return the error if there are none."""
    found = _score(work, name, fold, sampled or None)
    if not found.error:
        found.save(work.file(LEARNERS[name], fold, sampled or None))
    return found.error


def first_model(work: Work, name: str, budget: float, share: float, memory: float) -> Scored:
    """Train the first model of a learner on as many rows as seconds and bytes allow, and keep its scores."""
    whole, part = work.file(LEARNERS[name], 0), work.file(LEARNERS[name], 0, f"{budget} minutes")
    kept = Scored.load(part) if is_zipfile(part) else None
    found = grown(lambda n: _score(work, name, 0, n), _rows(work.folder), work.n_folds, share, memory, kept)
    if found is not kept and not found.error:
        found.save(part if found.sampled else whole)
    return found


def grown(
    train: Callable[[int], Scored], rows: Rows, n_folds: int, share: float, memory: float, found: Scored | None = None
) -> Scored:
    """The last model of a series, of which each has more rows, that did not fail and took its share of time and memory at most.

    Parameters
    ----------
    train : callable
        From a number of rows to a model's scores.
    rows : Rows
    n_folds : int
    share : float
        Seconds.
    memory : float
        Bytes.
    found : Scored, optional
        A model to begin with.
    """
    n_scored, power, risen = len(rows.train) / n_folds + len(rows.test), 2.0, 0.0
    row_bytes = 8.0 * rows.X.shape[1]
    while found is None or (found.sampled and not found.error):
        n = FIRST_ROWS
        if found is not None:
            last = found.n_trained
            n = GROWTH * last
            while n > last and (
                found.fit_seconds * (n / last) ** power + (seconds_of(found, rows, n_folds) - found.fit_seconds) * (n / last)
                > share
                or row_bytes * (2.0 * n + n_scored) + risen * n / last > memory
            ):
                n = int(0.9 * n)
            if n < 1.2 * last:
                break
        with _memory() as taken:
            now = train(n)
        if found is not None:
            if now.error or seconds_of(now, rows, n_folds) > 1.25 * share:
                break
            power = float(np.clip(np.log(now.fit_seconds / found.fit_seconds) / np.log(now.n_trained / last), 1.0, 3.0))
        found, risen = now, 1.3 * taken[0]
    return found


@contextlib.contextmanager
def _memory() -> Iterator[list[float]]:
    """Return the maximum growth of the process in bytes; 0 if the system does not report it."""
    status, risen = Path("/proc/self/status"), [0.0]

    def read(what: str) -> float:
        lines = status.read_text().splitlines()
        return 1024.0 * int(next(line.split()[1] for line in lines if line.startswith(what)))

    try:
        Path("/proc/self/clear_refs").write_text("5")
        before = read("VmRSS")
    except OSError:
        yield risen
        return
    yield risen
    risen[0] = max(read("VmHWM") - before, 0.0)
