"""The jobs of the bench's workflow: ``python -m purank.jobs score --learners pu_et naive_lr --threads 2``.

All of them work in the folder of the run, which holds the question and the plan (``bench.yaml``), and files between jobs in
``work``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from pulab.plan.configuration import check, read_yaml
from pulib.priors import PriorEstimate
from purank.learners import all_learners
from purank.model import CODE
from purank.plan import Plan
from purank.prior import estimate_pi
from purank.question import Question
from purank.report import write_answer
from purank.scoring import Scored, cross_fit
from purank.table import FILES, Rows, read_rows

CONFIG, WORK = Path("bench.yaml"), Path("work")
TABLE_FILES = [WORK / name for name in FILES]
PRIOR = WORK / "prior.json"
#: What the run is for, and the picture on its page.
ANSWERS = [
    CODE,
    *(Path(name) for name in ("report.html", "report.md", "ranked.csv", "learners.csv", "report.svg", "report.png")),
]


def scores_file(learner: str) -> Path:
    """Where the scores of a learner are."""
    return WORK / "scores" / f"{learner}.npz"


def load_config(path: Path = CONFIG) -> tuple[Question, Plan]:
    """The question and the plan of a run."""
    config = read_yaml(path)
    return check(Question, config["question"], str(path)), check(Plan, config["plan"], str(path))


def fingerprint(values: Mapping[str, Any], **more: Any) -> str:
    """A short text that changes with some options, for Snakemake, which would read braces within them as wildcards."""
    text = json.dumps({**values, **more}, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def table() -> None:
    """Read and check the table."""
    read_rows(load_config()[0]).save(WORK)


def prior(threads: int) -> None:
    """Estimate π, or take it as it is given."""
    question, _ = load_config()
    rows = Rows.load(WORK)
    if question.prior is not None:
        known = (question.prior, question.prior, question.prior, 0.95, "given", question.scenario)
        estimate = PriorEstimate(*known, n_labeled=len(rows.positives), n_unlabeled=len(rows.unlabeled))
    else:
        groups = None if rows.groups is None else rows.groups[rows.train]
        arrays = rows.X[rows.train], rows.labeled[rows.train]
        estimate = estimate_pi(*arrays, question.scenario, groups, seed=question.seed, n_jobs=threads)
    PRIOR.write_text(json.dumps({**asdict(estimate), "tail_curve": None}, indent=1), encoding="utf-8")


def load_prior() -> PriorEstimate:
    """What :func:`prior` wrote."""
    known = json.loads(PRIOR.read_text(encoding="utf-8"))
    return PriorEstimate(**{**known, "warnings": tuple(known["warnings"])})


def score(learners: Sequence[str], threads: int) -> None:
    """Cross-fit some learners."""
    from purank.judge import hidden

    question, plan = load_config()
    rows = Rows.load(WORK)
    rho = hidden(load_prior(), rows.labeled_share)
    most = {name: n for job in plan.jobs for name, n in job.learners.items()}
    with threadpool_limits(threads):
        for name in learners:
            scored = cross_fit(
                all_learners()[name],
                rows,
                rho.prior,
                n_folds=plan.folds,
                repeats=plan.repeats,
                max_rows=most[name],
                seed=question.seed,
                n_jobs=threads,
            )
            scores_file(name).parent.mkdir(parents=True, exist_ok=True)
            scored.save(scores_file(name))
            print(f"{name}: {scored.error or f'{scored.fit_seconds:.2f} s for a fit'}", flush=True)


def answer() -> None:
    """Compare the learners, list the rows, and write the report."""
    question, plan = load_config()
    scored = {name: Scored.load(scores_file(name)) for job in plan.jobs for name in job.learners}
    write_answer(question, plan, Rows.load(WORK), load_prior(), scored, Path("."))


def main(arguments: Sequence[str] | None = None) -> int:
    """One job."""
    parser = argparse.ArgumentParser("python -m purank.jobs", description="A job of the bench's workflow.")
    parser.add_argument("job", choices=["table", "prior", "score", "answer"])
    parser.add_argument("--learners", nargs="+", default=[])
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args(arguments)
    if given.job == "table":
        table()
    elif given.job == "prior":
        prior(given.threads)
    elif given.job == "score":
        score(given.learners, given.threads)
    else:
        answer()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
