# What all rules share: the checked configuration, the plan, paths, and the few input functions.  No rules here.

import os
import sys
from functools import cache
from glob import glob
from pathlib import Path

sys.path.insert(0, os.path.join(workflow.basedir, "workflow"))

from planning import ConfigError, batches, load_plan, load_priors, load_speed, speed_sets, validate_config
from pulib.datasets import mirror_list
from pulib.datasets.prepare import loader_sources, mirrors_tried
from pulib.datasets.registry import RegistryError, load_registry, sources
from pulib.experiments.fingerprint import seeded_fingerprint, source_fingerprint
from pulib.experiments.runner import lacking_record, times_looked_for
from snakemake.exceptions import WorkflowError

try:
    validate_config(config)
    REGISTRY = load_registry(extra=config.get("datasets"))
    PLAN = load_plan(config, REGISTRY)
    SPEED = load_speed(REGISTRY)
    PRIORS = load_priors(PLAN.preset, REGISTRY)
except (ConfigError, RegistryError) as error:
    raise WorkflowError(f"configuration error: {error}") from None

PRESET = PLAN.preset
RESOURCES = config["resources_dir"]
RESULTS = f"results/{PRESET}"
FIGURES = f"figures/{PRESET}"
LOGS = f"logs/{PRESET}"
BENCHMARKS = f"benchmarks/{PRESET}"
TRIALS = f"{RESULTS}/trials/{{paper}}/{{dataset}}/{{setting}}/{{method}}"
SCOREBOARD = f"{FIGURES}/scoreboard.csv"
CLAIMS = f"{FIGURES}/claims.csv"
REPORT = f"{RESULTS}/report.html"
TRIAL_CHECKS = [f"{RESULTS}/tidy/{paper}.checked" for paper in PLAN.papers if config["tidy"] != "committed"]
# What the README shows: one figure of each of three papers.
README_FIGURES = {"resvm": "figure_ranks", "adapu": "figure2", "pces": "figure2"}
ALL_PAPERS = sorted(Path(file).stem for file in glob(os.path.join(workflow.basedir, "config", "papers", "*.yaml")))
MIRRORS = mirror_list(config["mirror"])


wildcard_constraints:
    paper="[a-z0-9]+",
    dataset="[A-Za-z0-9_]+",
    setting="[A-Za-z0-9_]+",
    method="[a-z0-9_]+",
    first="[0-9]+",
    last="[0-9]+",
    kernel="[a-z_]+",


def prepared_files():
    return [f"{RESOURCES}/data/{name}/{file}" for name in PLAN.datasets() for file in ("X.npy", "y.npy", "meta.json")]


def dataset_files(wildcards):
    folder = f"{RESOURCES}/data/{PLAN.base(wildcards.dataset)}"
    return {
        "X": f"{folder}/X.npy",
        "y": f"{folder}/y.npy",
        "meta": f"{folder}/meta.json",
    }


def batch_files(paper, kind):
    return [
        os.path.join(RESULTS, "trials", *g.key, f"{first}-{last}.{kind}.parquet")
        for g in PLAN.groups_of(paper)
        for first, last in g.batches()
    ]


# The results that tables and figures are made from.  The paper preset's are kept in the repository, where what one machine
# ran adds to what others did.
def tidy_file(paper):
    return f"{FIGURES}/tidy/{paper}.parquet" if PRESET == "paper" else f"{RESULTS}/tidy/{paper}.parquet"


def timings_file(paper):
    return tidy_file(paper).replace(".parquet", ".timings.parquet")


def table_files(papers=None):
    return [
        f"{FIGURES}/{paper}/{table}.{suffix}"
        for paper in papers or PLAN.papers
        for table in PLAN.papers[paper]["tables"]
        for suffix in ("csv", "md", "tex")
    ]


def figure_files(papers=None):
    return [
        f"{FIGURES}/{paper}/{figure}.{suffix}"
        for paper in papers or PLAN.papers
        for figure in PLAN.papers[paper]["figures"]
        for suffix in ("pdf", "png")
    ]


# The paper preset's tables, figures and merged results are in the repository; to Snakemake a file that is there is done. What
# this run's own trials gave is not, so every target asks for it as well, and what hangs on it is made again.
def own_results(papers=None):
    return [f"{RESULTS}/tidy/{paper}.parquet" for paper in papers or PLAN.papers if config["tidy"] != "committed"]


def test_files(papers=None):
    return [
        f"{FIGURES}/{paper}/{name}.csv"
        for paper in papers or PLAN.papers
        if PLAN.papers[paper].get("tests")
        for name in ("tests", "ranks")
    ]


def paper_files(paper):
    return table_files([paper]) + figure_files([paper]) + test_files([paper]) if paper in PLAN.papers else []


# Which data could be had is known where it was prepared, not where results kept in the repository are rendered again.
def dataset_table():
    return [f"{FIGURES}/datasets.md"] if config["tidy"] != "committed" else []


# A file of the paper preset's, to which each run adds: it is there while it is written anew.
def added_to(file):
    return update(file) if PRESET == "paper" else file


# Records of prepared sets that other parts of the plan ask for.
def other_records():
    whole = config | {"papers": ALL_PAPERS, "only_datasets": [], "only_methods": [], "tidy": "run"}
    files = [f"{RESOURCES}/data/{name}/meta.json" for name in load_plan(whole, REGISTRY).datasets()]
    return [file for file in files if os.path.isfile(file) and file not in prepared_files()]


def paper_targets(paper):
    return paper_files(paper) + own_results([paper]) if paper in PLAN.papers else []


def prior_files():
    return [f"{RESULTS}/priors/{dataset}.csv" for dataset in PRIORS["datasets"]] + [f"{FIGURES}/priors.md"]


def measured_sets(kernel):
    return {
        name: {"folder": f"{RESOURCES}/data/{PLAN.base(name)}", "positive": REGISTRY[name]["positive"]}
        for name in speed_sets(SPEED[kernel][PRESET])
    }


def measured_files():
    return [f"{RESULTS}/speed/{kernel}.csv" for kernel in SPEED]


def speed_files():
    return [f"{FIGURES}/speed/{name}.{suffix}" for name in [*SPEED, "overview"] for suffix in ("md", "tex", "pdf", "png")]


# Every batch of trials, run or not, as pulib.experiments.scale takes them.
def planned_jobs():
    return [
        [*group.key, first, last, group.threads, group.mem_mb]
        for group in PLAN.groups.values()
        for first, last in batches(group.repeats, group.batch_size)
    ]


# What a table or figure script needs to know of its paper.
def artifact_spec(wildcards, section, name):
    entry = PLAN.papers[wildcards.paper]
    preset = entry["presets"][PRESET]
    resolve = entry[section][name].get("resolve", {})
    return {
        "resolved": {
            dataset: {
                "method": PLAN.method(wildcards.paper, resolve["method"], dataset),
                "n_features": REGISTRY[dataset]["expected"]["d"],
            }
            for dataset in resolve.get("datasets", [])
        },
        **entry[section][name],
        "paper": wildcards.paper,
        "name": name,
        "preset": PRESET,
        "stand_ins": preset.get("stand_ins", {}),
        "options": preset.get("options", {}),
        "methods": {name: PLAN.methods[name]["label"] for name in PLAN.methods},
        "datasets": {name: REGISTRY[name].get("title", name) for name in REGISTRY},
    }


def stand_ins(paper):
    return PLAN.papers[paper]["presets"][PRESET].get("stand_ins", {})


# Names as people read them: a paper's own for its claims come first.
def claim_labels(paper):
    return {
        **{name: REGISTRY[name].get("title", name) for name in REGISTRY},
        **{name: PLAN.methods[name]["label"] for name in PLAN.methods},
        **{name: setting.get("label", name) for name, setting in PLAN.papers[paper]["settings"].items()},
        **PLAN.claim_labels.get(paper, {}),
    }


# Jobs of one group share their specs: made once, not once per batch, or a plan of many batches takes minutes.
@cache
def split_spec_of(paper, dataset, setting):
    split = dict(PLAN.setting(paper, setting, dataset)["split"])
    kind = split.pop("kind")
    return {
        "kind": kind,
        "options": split,
        "positive": REGISTRY[dataset]["positive"],
        "source": seeded_fingerprint(f"pulib.sampling._{kind}"),
    }


def split_spec(wildcards):
    return split_spec_of(wildcards.paper, wildcards.dataset, wildcards.setting)


# Everything that a trial's result depends on, but for its seed, which follows from its identity.
@cache
def trial_spec_of(paper, dataset, setting, method):
    entry = PLAN.method(paper, method, dataset)
    protocol = PLAN.papers[paper]["protocol"]
    return {
        "protocol": protocol,
        "method": entry,
        "setting": PLAN.setting(paper, setting, dataset).get("evaluate", {}),
        "split": split_spec_of(paper, dataset, setting),
        "source": seeded_fingerprint(protocol, *estimator_paths(entry)),
    }


def trial_spec(wildcards):
    return trial_spec_of(wildcards.paper, wildcards.dataset, wildcards.setting, wildcards.method)


def estimator_paths(value):
    if not isinstance(value, dict):
        return []
    own = [value["estimator"]] if isinstance(value.get("estimator"), str) else []
    return own + [path for part in value.values() for path in estimator_paths(part)]


def group_of(wildcards):
    return PLAN.groups[(wildcards.paper, wildcards.dataset, wildcards.setting, wildcards.method)]


# What the raw files depend on: an address may change without a rerun.
def download_spec(dataset):
    return [{key: value for key, value in file.items() if key != "urls"} for file in REGISTRY[dataset].get("files", [])]


# What the arrays depend on: a title may change without a rerun.
def preparation_spec(dataset):
    keys = (
        "loader",
        "options",
        "needs",
        "features_of",
        "target_names",
        "positive",
        "expected",
    )
    return {key: REGISTRY[dataset].get(key) for key in keys}


def prepared_from(wildcards):
    fetched = [f"{RESOURCES}/raw/{name}/files.json" for name in sources(REGISTRY, wildcards.dataset)]
    before = REGISTRY[wildcards.dataset].get("features_of")
    return fetched + [f"{RESOURCES}/data/{before}/{file}" for file in ("X.npy", "y.npy", "meta.json") if before]


# Three copies of the array, and Python.
def preparation_memory(wildcards, attempt):
    expected = REGISTRY[wildcards.dataset].get("expected", {})
    array = expected.get("n", 10_000) * expected.get("d", 100) * 4 / 1e6
    return int(1000 + min(3 * array, 7000)) * attempt
