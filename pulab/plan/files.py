"""Paths of a run's files below ``results/<preset>``, and of the archived files in the clone."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pulab.plan.identity import Identity, Key, files_fingerprint
from pulab.plan.load import folder_of
from pulab.plan.plan import Job, Plan
from pulib.datasets import reading
from pulib.datasets.registry import sources


def stored_file(store: Path, key: Key, repeat: int, identity: Identity, suffix: str) -> Path:
    """Return the path of a trial in a store."""
    return store.joinpath(*key, f"{repeat}-{identity.name}.{suffix}")


@dataclass(frozen=True)
class Files:
    """The files of a plan by content, relative to Snakemake's working folder.

    ``root`` is the clone, which has the archived files.
    """

    plan: Plan
    root: Path

    @property
    def results(self) -> str:
        return f"results/{self.plan.preset}"

    @property
    def resources(self) -> str:
        return self.plan.config.resources_dir

    @property
    def rerun(self) -> str:
        """The folder of repeated trials; code changes give a new folder."""
        return f"{self.results}/rerun/{files_fingerprint('pulib', 'studies', 'pulab/trials')}"

    def of_all(self, files: Callable[[str], Sequence[str]]) -> list[str]:
        """Return the files of every study of the plan."""
        return [file for study in self.plan.studies for file in files(study)]

    def raw(self, dataset: str) -> str:
        return f"{self.resources}/raw/{dataset}/files.json"

    def arrays(self, dataset: str) -> str:
        """Return the folder of a data set's prepared arrays."""
        return f"{self.resources}/data/{self.plan.base(dataset)}"

    def prepared(self, dataset: str, *names: str) -> list[str]:
        return [f"{self.arrays(dataset)}/{name}" for name in names or ("X.npy", "y.npy", "meta.json")]

    def all_prepared(self, *names: str) -> list[str]:
        return [file for dataset in self.plan.datasets() for file in self.prepared(dataset, *names)]

    def prepared_from(self, dataset: str) -> list[str]:
        """Return the files from which a data set's arrays are made."""
        before = self.plan.registry[dataset].get("features_of")
        fetched = [self.raw(name) for name in sources(self.plan.registry, dataset)]
        return fetched + (self.prepared(before) if before else [])

    def job(self, job: Job, below: str = "") -> str:
        """Return the file that lists a job's trials."""
        return f"{below or self.results}/trials/{job.study}/{job.dataset}/{job.name}/{job.first}-{job.last}.csv"

    def jobs(self, study: str) -> list[str]:
        return [self.job(job) for job in self.plan.jobs.values() if job.study == study]

    def tidy(self, study: str) -> str:
        return f"{self.results}/tidy/{study}.parquet"

    def timings(self, study: str) -> str:
        return f"{self.results}/tidy/{study}.timings.parquet"

    def record(self, study: str) -> str:
        return f"{self.results}/tidy/{study}.trials.parquet"

    def checked(self, study: str) -> str:
        return f"{self.results}/{study}/trials.checked"

    def tables(self, study: str, suffixes: Sequence[str] = ("csv", "md", "tex")) -> list[str]:
        return [f"{self.results}/{study}/{table}.{suffix}" for table in self.plan.studies[study].tables for suffix in suffixes]

    def figures(self, study: str, suffixes: Sequence[str] = ("svg", "png")) -> list[str]:
        names = self.plan.studies[study].figures
        return [f"{self.results}/{study}/{figure}.{suffix}" for figure in names for suffix in suffixes]

    def rendered(self, study: str) -> list[str]:
        return [*self.tables(study), *self.figures(study)]

    def source(self, name: str) -> str:
        """Return the path of a file of the clone, relative to the working folder."""
        return os.path.relpath(self.root / name)

    def archived(self, *names: str) -> list[str]:
        """Return the preset's archived files that exist; only the target ``archive`` writes them."""
        return [file for name in names if os.path.isfile(file := self.source(f"figures/{self.plan.preset}/{name}"))]

    def published(self, study: str) -> list[str]:
        """Return the file of published values, if the study reproduces a paper."""
        file = os.path.relpath(folder_of(self.plan.studies[study]) / "published.csv")
        return [file] if os.path.isfile(file) else []

    def archived_trials(self, study: str) -> list[str]:
        """Return the archived results of a study, its times, and its record."""
        files = self.archived(f"tidy/{study}.parquet", f"tidy/{study}.timings.parquet")
        return [*files, *self.archived(f"tidy/{study}.trials.parquet")] if len(files) == 2 else []

    def archiving_fault(self) -> str:
        """Return why the target ``archive`` would lose archived results, or show others in their place; empty if it may run."""
        if self.plan.preset != "paper":
            return "archive: the repository keeps results of the preset paper: add --configfile config/paper.yaml"
        if not self.plan.shows_archived:
            return "archive: an option for a part would lose all other trials: archive without it, or add train=missing"
        kept = {file.name.partition(".")[0] for file in (self.root / "figures" / "paper" / "tidy").glob("*.parquet")}
        if gone := sorted(kept - set(self.plan.studies)):
            return f"archive: {', '.join(gone)} would be missing: add to `studies`, or delete from figures/paper/tidy"
        return ""

    def archived_repeats(self, study: str) -> dict[Key, frozenset[int]]:
        """Return the repeats that need not be run, by group."""
        from pulab.trials import archived, results  # imports pandas, which planning otherwise does not need

        if not self.archived_trials(study):
            return {}
        present = {key: identity for key, (identity, _) in self.plan.identities(study).items()}
        tidy = self.archived_trials(study)[0]
        judged = archived.judge(results.read(tidy), archived.read_record(tidy), present)
        if self.plan.config.retrain == "changed":
            judged = judged[~archived.by_other_source(judged, self.plan.sources())]
        return archived.usable(judged)

    def run_summary(self, began: float) -> Iterator[str]:
        """Summarize what a run that began at a given time made, and from what."""
        compared, plan = Path(self.rerun, "agreement.md"), Path(self.results, "plan.md")
        if compared.is_file() and compared.stat().st_mtime >= began:
            yield from compared.read_text(encoding="utf-8").splitlines()
            return
        if plan.is_file() and plan.stat().st_mtime >= began:
            yield f"the plan is in {plan}; nothing was trained"
            return
        newest = _newest(Path(self.results), "tidy/*.parquet", "*/*.csv", "*/*.svg", "*.md")
        if newest < began <= _newest(Path(self.resources), "data/*/meta.json"):
            yield f"the data sets are in {self.resources}/data"
            return
        here = archived = 0
        for file in (file for study in self.plan.studies for file in Path(self.results, "tidy").glob(f"{study}.sources.json")):
            with reading(file):
                counted = json.loads(file.read_text(encoding="utf-8"))
                here, archived = here + counted["run here"], archived + counted["archived"]
        if archived:
            place = f"figures/{self.plan.preset}"
            yield f"{here} trials in {self.results}/tidy were run here; {archived} are archived trials from {place}"
        report = Path(self.results, "report.html")
        if report.is_file() and report.stat().st_mtime >= newest:
            yield f"tables, figures, tidy results and report are in {self.results}: {report}"
        else:
            yield f"the results are in {self.results}; `snakemake --cores all` with the same options makes the report, {report}"


def _newest(folder: Path, *patterns: str) -> float:
    """Return the time of the latest change among some files; 0 if there are none."""
    return max((file.stat().st_mtime for pattern in patterns for file in folder.glob(pattern)), default=0.0)
