import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger
from snakemake.settings.types import DeploymentMethod
from snakemake.utils import min_version

min_version("9.5")

# The workflow reads configuration and code from the clone, so Snakemake cannot fetch single files of it (github, gitfile).
CLONE = Path(workflow.current_basedir.get_path_or_uri(secret_free=True))
if not (CLONE / "workflow" / "rules").is_dir():
    raise WorkflowError(
        "this workflow runs from a clone: clone the repository, and name the Snakefile in it (docs/workflow.md)"
    )
try:
    import pulab.plan.plan
    from pulab.trials.cluster import accounting_fault, import_from, import_own
    from snakemake_logger_plugin_stages import show_stages
except ModuleNotFoundError as missing:
    raise WorkflowError(f"{missing} in this environment: run pip install -e '{CLONE}[all]'") from None

if DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method:
    raise WorkflowError("no container image is published: use --sdm conda, or build the Dockerfile (docs/workflow.md)")

# Conda environments do not include pulib: their jobs import it from the clone.
import_from(CLONE)

# Snakemake inserts the interpreter's path into bash's command line without quotes.
if set(sys.executable) & set(" '\"$&;()<>|*?`\\"):
    raise WorkflowError(
        f"Snakemake cannot start scripts with {sys.executable}: its path contains characters that bash does not take literally. "
        "Create the environment in a folder without spaces or quotes, and install the workflow there (docs/workflow.md)"
    )

show_stages(workflow, logger)


# The configuration in the folder in which Snakemake is started, or else the clone's.
configfile: "config/config.yaml" if Path("config/config.yaml").is_file() else str(CLONE / "config" / "config.yaml")


# A user's own classes are next to the configuration file that names them.
import_own(workflow.configfiles)


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/trials.smk"
include: "workflow/rules/rerun.smk"
include: "workflow/rules/render.smk"
include: "workflow/rules/judge.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/speed.smk"
include: "workflow/rules/scale.smk"
include: "workflow/rules/priors.smk"
include: "workflow/rules/grids.smk"


# All tables and figures of the preset, the scoreboard and the report; fails at the end if a trial failed.
rule all:
    default_target: True
    input:
        studies=FILES.of_all(FILES.rendered),
        tidy=[FILES.tidy(study) for study in PLAN.studies],
        datasets=f"{RESULTS}/datasets.md",
        scoreboard=SCOREBOARD,
        claims=CLAIMS,
        report=[REPORT, os.path.splitext(REPORT)[0]],
        checked=[FILES.checked(study) for study in PLAN.studies],
    localrule: True


# Only download and prepare data sets, on a machine that has a network.
rule data:
    input:
        meta=FILES.all_prepared("meta.json"),
    log:
        f"{LOGS}/data.log",
    localrule: True
    conda:
        "envs/core.yaml"
    script:
        "workflow/scripts/check_data.py"


# Train and evaluate without rendering.
rule trials:
    input:
        [FILES.tidy(study) for study in PLAN.studies],
    localrule: True


# Rerun named trials in a separate folder, and compare published, archived and new values by cell. Tables are not changed.
# `snakemake rerun --cores all --configfile config/paper.yaml --config only_datasets='[vote]' only_methods='[opu_dh]'`
rule rerun:
    input:
        f"{RERUN}/agreement.md",
    localrule: True


# All tables.
rule tables:
    input:
        FILES.of_all(FILES.tables),
        f"{RESULTS}/datasets.md",
        [FILES.checked(study) for study in PLAN.studies],
    localrule: True


# All figures.
rule figures:
    input:
        FILES.of_all(FILES.figures),
        [FILES.checked(study) for study in PLAN.studies],
    localrule: True


# A study's tables and figures: a target with the study's name.
for study in PLAN.studies:

    rule:
        name:
            study
        input:
            FILES.rendered(study),
            FILES.checked(study),
        localrule: True


# List the trials that the same options would run: results/<preset>/plan.md and plan.csv. Nothing is trained.
rule plan:
    input:
        f"{RESULTS}/plan.md",
    localrule: True


# Cost of the preset and its schedule on many cores, from the times of trials that were run.
rule scale:
    input:
        f"{RESULTS}/scale.md",
    localrule: True


# Each kernel compared with its reference, and its scaling with the data, measured one at a time on an otherwise idle machine.
rule speed:
    input:
        f"{RESULTS}/speed/overview.md",
    localrule: True


# Errors of estimated class priors, by data set and method.
rule priors:
    input:
        f"{RESULTS}/priors.md",
    localrule: True


# Grids of the RESVM chapter's other interpretation, settled by a rule that uses no test rows.
rule grids:
    input:
        f"{RESULTS}/grids.md",
    localrule: True


onstart:
    if "archive" in workflow.dag_settings.targets and (fault := FILES.archiving_fault()):
        raise WorkflowError(fault)
    if workflow.executor_plugin.name == "slurm":
        if fault := accounting_fault(getattr(workflow.executor_settings, "status_command", None)):
            raise WorkflowError(fault)
    RETRAIN.write_note()
    if words := changed_words(changed_trials(FILES)):
        print(words)


onsuccess:
    for line in [*FILES.run_summary(BEGAN), changed_words(changed_trials(FILES))]:
        print(line, end="\n" if line else "")
