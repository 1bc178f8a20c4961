# Shared by all rules: the checked configuration, the plan, paths, and input functions.  There are no rules here.

import os
import time

from snakemake.exceptions import WorkflowError

from pulab.plan import targets
from pulab.plan.configuration import ConfigError, check, name_file, read_yaml
from pulab.plan.files import Files
from pulab.plan.identity import files_fingerprint, hash_of, loader_names, names_in
from pulab.plan.load import deviations_of
from pulab.plan.models import Config
from pulab.plan.own import check_mirrors, missing_requirements
from pulab.plan.plan import cut_jobs, job_rows, load_plan, plan_rows, rendered_from
from pulab.plan.versions import LOADERS
from pulab.trials.logs import writing_fault
from pulab.trials.retrain import Retrain, changed_trials, changed_words
from pulib.datasets import mirror_list
from pulib.datasets.prepare import mirrors_tried
from pulib.datasets.registry import RegistryError, load_registry
from studies.resvm.study import find_grids

# The folder of the Snakefile, even if another workflow uses this one as a module.
ROOT = CLONE

CONFIGURED = []
try:
    # read_yaml rejects duplicate keys; Snakemake keeps the last one
    for file in workflow.configfiles:
        CONFIGURED.append((str(file), read_yaml(Path(file))))
    CONFIGURED.append(("--config", workflow.config_settings.config))
    check(Config, config, "config")
    if workflow.is_main_process:  # a compute node may lack the folder and does not need it
        check_mirrors(config["mirror"])
    REGISTRY = load_registry(extra=config["datasets"])
    PLAN = load_plan(config, REGISTRY)
    SPEED = targets.load_speed(REGISTRY, ROOT)
    PRIORS = targets.load_priors(PLAN.preset, REGISTRY, ROOT)
except (ConfigError, RegistryError) as error:
    raise WorkflowError(f"configuration error: {name_file(str(error), CONFIGURED)}") from None

BEGAN = time.time()
FILES = Files(PLAN, ROOT)
PLAN.find_archived = FILES.archived_repeats
GRIDS = find_grids(PLAN.preset, PLAN.studies)
PRESET = PLAN.preset
RESOURCES = FILES.resources
RESULTS = FILES.results
LOGS = f"logs/{PRESET}"
if workflow.is_main_process and (fault := writing_fault(".snakemake", RESULTS, LOGS)):
    raise WorkflowError(fault)
BENCHMARKS = f"{LOGS}/benchmarks"
TRIALS = f"{RESULTS}/trials/{{study}}/{{dataset}}/{{job}}"
STORE = f"{RESULTS}/store"
RETRAIN = Retrain(FILES, workflow, BEGAN)
RERUN = FILES.rerun
SCOREBOARD = f"{RESULTS}/scoreboard.csv"
CLAIMS = f"{RESULTS}/claims.csv"
REPORT = f"{RESULTS}/report.html"
SINGLE = PLAN.config.report == "single"
MIRRORS = mirror_list(config["mirror"])
# Snakemake detects changes of a script; these parameters detect changes of the code that it calls, or of a study.
TABLES_CODE = files_fingerprint("pulab/tables", "pulib/statistics")
REPORTS_CODE = files_fingerprint("pulab/reports", "pulab/tables", "benchmarks/tables.py", "benchmarks/history.py")
MEASURED_CODE = files_fingerprint("benchmarks/tables.py", "benchmarks/history.py", "pulab/tables")
RENDERING = ("pulab/tables", "pulab/figures", "pulib/statistics", "pulib/plots")
RENDERED_BY = {study: rendered_from(PLAN, study, *RENDERING) for study in PLAN.studies}
CLAIMS_OF = {study: rendered_from(PLAN, study, "pulab/claims", "pulab/tables") for study in PLAN.studies}


wildcard_constraints:
    study="[A-Za-z0-9_]+",
    dataset="[A-Za-z0-9_]+",
    job="[A-Za-z0-9_/]+",
    first="[0-9]+",
    last="[0-9]+",
    kernel="[a-z_]+",


def dataset_files(wildcards):
    return dict(zip(("X", "y", "meta"), FILES.prepared(wildcards.dataset)))


def job_of(wildcards):
    place = (wildcards.study, wildcards.dataset, wildcards.job)
    return PLAN.jobs[(*place, int(wildcards.first), int(wildcards.last))]


# The source that would make the trials today; if it changes, statements about it must be updated.
def today(wildcards):
    return hash_of(sorted(PLAN.sources().items()))


# As text, since Snakemake compares nothing else; the job looks the trials up in the plan.
def trials_of(job):
    return [f"{group.place} {','.join(map(str, repeats))} {PLAN.identity(group).name}" for group, repeats in job.trials]


# None for neural networks, which can run while other methods' kernels are compiled.
def compiled_kernels(wildcards):
    methods = (PLAN.recipe(group).method for group in job_of(wildcards).groups)
    return ancient(rules.compile_kernels.output) if any(method.is_compiled for method in methods) else []


# PyTorch has a separate environment.
def environment(packages):
    return f"../../envs/{'nn' if 'torch' in packages else 'core'}.yaml"


# A study's artifacts for Snakemake's own report, in the order of the paper: the report sorts them by their first label.
def reported(study, section, suffix):
    def flagged(place, name, title):
        labels = {"no.": f"{place:02d}", section: title}
        caption = f"../report/{section}.rst"
        return report(f"{RESULTS}/{study}/{name}.{suffix}", caption=caption, category=study, subcategory=section, labels=labels)

    artifacts = getattr(PLAN.studies[study], section).items()
    return [flagged(k, name, shown.title) for k, (name, shown) in enumerate(artifacts, start=1)]


def measured_sets(kernel):
    names = targets.speed_sets(SPEED[kernel][PRESET])
    return {name: {"folder": FILES.arrays(name), "positive": REGISTRY[name]["positive"]} for name in names}
