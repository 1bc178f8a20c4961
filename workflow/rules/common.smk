# What all rules share: the checked configuration, the plan, paths, and the few input functions.  No rules here.

import json
import os
import time
from pathlib import Path

from snakemake.exceptions import WorkflowError

from pulab.reports.specs import artifact_spec, method_roles, read_names
from pulab.trials.configuration import ConfigError
from pulab.trials.identity import estimator_paths, files_fingerprint, loader_names
from pulab.trials.kept import record_file
from pulab.trials.plan import cut_jobs, load_plan, load_priors, load_speed, speed_sets, validate_config
from pulab.trials.runner import lacking
from pulab.trials.scale import job_rows
from pulab.trials.versions import LOADERS
from pulib.datasets import mirror_list
from pulib.datasets.prepare import mirrors_tried
from pulib.datasets.registry import RegistryError, load_registry, sources

# The folder of the Snakefile, also where another workflow uses this one as a module.
ROOT = CLONE

try:
    validate_config(config, ROOT)
    REGISTRY = load_registry(extra=config["datasets"])
    PLAN = load_plan(config, REGISTRY, ROOT)
    SPEED = load_speed(REGISTRY, ROOT)
    PRIORS = load_priors(PLAN.preset, REGISTRY, ROOT)
except (ConfigError, RegistryError) as error:
    raise WorkflowError(f"configuration error: {error}") from None

PRESET = PLAN.preset
NO_GRIDS = {"settings": [], "methods": {}, "families": {}}
GRIDS = PLAN.preset_of("resvm").get("grids", NO_GRIDS) if "resvm" in PLAN.studies else NO_GRIDS
RESOURCES = config["resources_dir"]
RESULTS = f"results/{PRESET}"
LOGS = f"logs/{PRESET}"
BENCHMARKS = f"benchmarks/{PRESET}"
TRIALS = f"{RESULTS}/trials/{{study}}/{{dataset}}/{{job}}"
STORE = f"{RESULTS}/store"
# Trials that are run once more: changed code runs them anew.
RERUN = f"{RESULTS}/rerun/{files_fingerprint('pulib', 'pulab/protocols', 'pulab/trials')}"
BEGAN = time.time()
SCOREBOARD = f"{RESULTS}/scoreboard.csv"
CLAIMS = f"{RESULTS}/claims.csv"
REPORT = f"{RESULTS}/report.html"
MIRRORS = mirror_list(config["mirror"])
# Snakemake sees a change of a script, and these parameters one of what the script calls.
TABLES_CODE = files_fingerprint("pulab/tables", "pulab/trials/comparisons.py", "pulib/statistics")
FIGURES_CODE = files_fingerprint("pulab/figures", "pulib/plots", "pulab/tables")
CLAIMS_CODE = files_fingerprint("pulab/claims", "pulab/tables")
REPORTS_CODE = files_fingerprint("pulab/reports", "pulab/tables")


wildcard_constraints:
    study="[a-z0-9]+",
    dataset="[A-Za-z0-9_]+",
    job="[A-Za-z0-9_/]+",
    first="[0-9]+",
    last="[0-9]+",
    kernel="[a-z_]+",


def prepared(dataset, *files):
    return [f"{RESOURCES}/data/{PLAN.base(dataset)}/{file}" for file in files or ("X.npy", "y.npy", "meta.json")]


def prepared_files(*files):
    return [file for dataset in PLAN.datasets() for file in prepared(dataset, *files)]


def dataset_files(wildcards):
    return dict(zip(("X", "y", "meta"), prepared(wildcards.dataset)))


def job_of(wildcards):
    place = (wildcards.study, wildcards.dataset, wildcards.job)
    return PLAN.jobs[(*place, int(wildcards.first), int(wildcards.last))]


def compiled_kernels(wildcards):
    """Nothing for networks, which run while the others' kernels are compiled."""
    return ancient(rules.compile_kernels.output) if PLAN.compiled_methods([job_of(wildcards)]) else []


def job_files(study):
    jobs = [job for job in PLAN.jobs.values() if job.study == study]
    return [f"{TRIALS}/{job.first}-{job.last}.csv".format(**vars(job), job=job.name) for job in jobs]


def rerun_file(job):
    return f"{RERUN}/trials/{{study}}/{{dataset}}/{{job}}/{job.first}-{job.last}.csv".format(**vars(job), job=job.name)


# What a group's numbers come from: the names under which tolerances are stated.
def names_of(spec):
    return [*estimator_paths([spec["method"], spec["setting"]]), *spec["loaders"]]


def checked_file(study):
    return f"{RESULTS}/{study}/trials.checked"


def environment(groups):
    return f"../../envs/{PLAN.environment(groups)}.yaml"


# A file of the source tree, as it is called from the folder that is worked in.
def source_file(name):
    return os.path.relpath(ROOT / name)


def tidy_file(study):
    return f"{RESULTS}/tidy/{study}.parquet"


def timings_file(study):
    return f"{RESULTS}/tidy/{study}.timings.parquet"


# What was published of this preset, where it is there: nothing but the target `publish` writes it.
def published(*names):
    files = [source_file(f"figures/{PRESET}/{name}") for name in names]
    return [file for file in files if os.path.isfile(file)]


# What a paper prints, as cells; a study that repeats no paper has none.
def printed_numbers(study):
    file = source_file(f"config/published/{study}.csv")
    return [file] if os.path.isfile(file) else []


# The kept results of a study, its times, and its record.
def kept_files(study):
    files = published(f"tidy/{study}.parquet", f"tidy/{study}.timings.parquet")
    return [*files, *published(f"tidy/{study}.trials.parquet")] if len(files) == 2 else []


# Repeats that need not be run, by group.
def kept_repeats(study):
    from pulab.trials import kept, results

    if not kept_files(study):
        return {}
    present = {key: identity for key, (identity, _) in PLAN.identities(study).items()}
    tidy = kept_files(study)[0]
    return kept.usable(kept.judge(results.read(tidy), kept.read_record(tidy), present))


PLAN.find_kept = kept_repeats


# What was made, and of what; called when the run is over.
def last_words():
    compared = Path(RERUN, "agreement.md")
    if compared.is_file() and compared.stat().st_mtime >= BEGAN:
        yield from compared.read_text(encoding="utf-8").splitlines()
        return
    sources = [file for study in PLAN.studies for file in Path(RESULTS, "tidy").glob(f"{study}.sources.json")]
    counted = [json.loads(file.read_text()) for file in sources]
    here, kept = (sum(part[name] for part in counted) for name in ("here", "kept"))
    if kept:
        yield f"{here} trials in {RESULTS}/tidy were run here; {kept} are kept ones, from figures/{PRESET}"
    if os.path.isfile(REPORT) and all(os.path.getmtime(REPORT) >= os.path.getmtime(file) for file in sources):
        yield f"tables, figures, tidy results and report are in {RESULTS}: {REPORT}"
    else:
        yield f"what was made is in {RESULTS}; `snakemake --cores all` with the same options makes the report, {REPORT}"


def table_files(study, suffixes=("csv", "md", "tex")):
    return [f"{RESULTS}/{study}/{table}.{suffix}" for table in PLAN.studies[study]["tables"] for suffix in suffixes]


def figure_files(study, suffixes=("svg", "png")):
    return [f"{RESULTS}/{study}/{figure}.{suffix}" for figure in PLAN.studies[study]["figures"] for suffix in suffixes]


def test_files(study):
    return [f"{RESULTS}/{study}/{name}.csv" for name in ("tests", "ranks") if PLAN.studies[study].get("tests")]


# Files of a study's artifacts for Snakemake's own report, each under its title.
def reported(study, section, suffix):
    def flagged(name, title):
        place = {"category": study, "subcategory": section, "labels": {section: title}}
        return report(f"{RESULTS}/{study}/{name}.{suffix}", caption=f"../report/{section}.rst", **place)

    return [flagged(name, artifact["title"]) for name, artifact in PLAN.studies[study][section].items()]


def of_all_studies(files):
    return [file for study in PLAN.studies for file in files(study)]


def measured_sets(kernel):
    return {
        name: {"folder": f"{RESOURCES}/data/{PLAN.base(name)}", "positive": REGISTRY[name]["positive"]}
        for name in speed_sets(SPEED[kernel][PRESET])
    }


def speed_files():
    tables = [f"{RESULTS}/speed/{name}.{suffix}" for name in [*SPEED, "overview"] for suffix in ("md", "tex", "svg", "png")]
    return [*tables, f"{RESULTS}/speed/history.svg"]


# The tasks of one family of sets that share a grid, and where its values begin.
def grid_tasks(wildcards):
    family = GRIDS["families"][wildcards.family]
    begins = [PLAN.method("resvm", GRIDS["methods"][wildcards.method], dataset)["grid"] for dataset in family["datasets"]]
    return {
        "grid": begins[0],
        "steps": family["steps"],
        "ends": family["ends"],
        "repeats": list(range(family["repeats"])),
        "groups": [
            {
                "key": ("resvm", dataset, setting, wildcards.method),
                "positive": REGISTRY[dataset]["positive"],
                "base": PLAN.base(dataset),
                "method": PLAN.method("resvm", wildcards.method, dataset) | {"grid": begins[0]},
                "setting": PLAN.setting("resvm", setting, dataset).get("evaluate", {}),
                "split": PLAN.split_spec("resvm", dataset, setting),
            }
            for dataset in family["datasets"]
            for setting in GRIDS["settings"]
        ],
    }


# What the raw files depend on: an address may change without a rerun.
def download_spec(dataset):
    return [{key: value for key, value in file.items() if key != "urls"} for file in REGISTRY[dataset].get("files", [])]


# What the arrays depend on: a title may change without a rerun.
def preparation_spec(dataset):
    keys = ("loader", "options", "needs", "features_of", "target_names", "positive", "expected")
    return {key: REGISTRY[dataset].get(key) for key in keys}


def prepared_from(wildcards):
    fetched = [f"{RESOURCES}/raw/{name}/files.json" for name in sources(REGISTRY, wildcards.dataset)]
    before = REGISTRY[wildcards.dataset].get("features_of")
    return fetched + (prepared(before) if before else [])


# Three copies of the array, and Python.
def preparation_memory(wildcards, attempt):
    expected = REGISTRY[wildcards.dataset].get("expected", {})
    array = expected.get("n", 10_000) * expected.get("d", 100) * 4 / 1e6
    return int(1000 + min(3 * array, 7000)) * attempt
