"""What a job costs beside its trials: `python workflow/measure_overhead.py [jobs]`, 200 where no number is given.

Runs the plainest method that there is, one repeat to a job, in a folder of its own, first the splits, then the trials.
Processor time is counted beside elapsed time, so that the number holds on a machine that is busy with other things too.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
PLAINEST = ["papers=[pces]", "only_datasets=[expanding_clusters]", "only_methods=[random_ranking]", "batch_size=1"]


def run(folder: Path, jobs: int, until: str, *more: str) -> tuple[float, float]:
    """Processor time and elapsed time of Snakemake and all its children, in seconds."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--directory", folder, "--cores", "2"]
    command += ["results/quick/tidy/pces.parquet", "--until", until, "--quiet", "all", *more]
    command += ["--config", *PLAINEST, f"repeats={jobs}"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.perf_counter() - start


def main(jobs: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("config", "profiles"):
            (folder / part).symlink_to(ROOT / part)
        run(folder, jobs, "prepare_dataset")
        print(f"{jobs} jobs, 2 cores | processor time per job | elapsed time per job | plan, in all", flush=True)
        for rule in ("draw_splits", "run_trials"):
            plan = run(folder, jobs, rule, "--dry-run")
            spent = run(folder, jobs, rule)
            files = folder.glob("results/quick/trials/**/*.timings.parquet")
            trials = sum(pd.read_parquet(file).query("metric == 'trial'")["seconds"].sum() for file in files)
            per_job = f"{(spent[0] - trials) / jobs:.2f} s | {spent[1] / jobs:.2f} s"
            print(f"{rule} | {per_job} | {plan[0]:.1f} s", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
