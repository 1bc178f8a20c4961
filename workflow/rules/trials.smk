# The unit of work, and how its results come together.


# Kernels are compiled once, before the trials that use them; a cache that was filled later makes no trial older. There are no
# parameters here, since Snakemake overlooks what has changed in a job whose ancient input is made anew.
rule compile_kernels:
    output:
        touch(f"{RESULTS}/kernels.compiled"),
    log:
        f"{LOGS}/compile.log",
    benchmark:
        f"{BENCHMARKS}/compile.tsv"
    conda:
        "../../envs/core.yaml"
    script:
        "../scripts/compile_kernels.py"


# The trials of one study and data set that run together: some repeats of one (setting, method), or of several.
rule run_trials:
    input:
        unpack(dataset_files),
        kernels=compiled_kernels,
    output:
        results=f"{TRIALS}/{{first}}-{{last}}.results.parquet",
        timings=f"{TRIALS}/{{first}}-{{last}}.timings.parquet",
        made=f"{TRIALS}/{{first}}-{{last}}.made.parquet",
    log:
        f"{LOGS}/trials/{{study}}/{{dataset}}/{{job}}/{{first}}-{{last}}.log",
    benchmark:
        f"{BENCHMARKS}/trials/{{study}}/{{dataset}}/{{job}}/{{first}}-{{last}}.tsv"
    conda:
        lambda wildcards: environment(job_of(wildcards).groups)
    threads: lambda wildcards: job_of(wildcards).most("threads")
    resources:
        mem_mb=lambda wildcards, attempt: job_of(wildcards).most("mem_mb") * attempt,
        runtime=lambda wildcards, attempt: job_of(wildcards).most("runtime") * attempt,
        gpu=lambda wildcards: job_of(wildcards).most("gpus"),
    params:
        positive=lambda wildcards: REGISTRY[wildcards.dataset]["positive"],
        groups=lambda wildcards: [
            {"key": group.key, "repeats": repeats, "spec": PLAN.trial_spec(group)}
            for group, repeats in job_of(wildcards).trials
        ],
        # what is not here (a package, a GPU): its trials are run once it is
        lacking=lambda wildcards: [
            reason for group, _ in job_of(wildcards).trials for reason in lacking(PLAN.trial_spec(group)["method"])
        ],
        finished=f"{RESULTS}/finished",
    script:
        "../scripts/run_trials.py"


# One tidy table per study: what was published, and over it what this run's trials gave. A trial that cannot be run is a row
# with its reason.
rule collect_trials:
    input:
        results=lambda wildcards: job_files(wildcards.study, "results"),
        timings=lambda wildcards: job_files(wildcards.study, "timings"),
        made=lambda wildcards: job_files(wildcards.study, "made"),
        published=lambda wildcards: published(f"tidy/{wildcards.study}.parquet", f"tidy/{wildcards.study}.timings.parquet"),
        published_made=lambda wildcards: published(f"tidy/{wildcards.study}.made.parquet"),
    output:
        results=f"{RESULTS}/tidy/{{study}}.parquet",
        timings=f"{RESULTS}/tidy/{{study}}.timings.parquet",
        made=f"{RESULTS}/tidy/{{study}}.made.parquet",
    log:
        f"{LOGS}/collect/{{study}}.log",
    benchmark:
        f"{BENCHMARKS}/collect/{{study}}.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        confirmed=lambda wildcards: confirmed_files(wildcards.study),
    script:
        "../scripts/collect_trials.py"


# A failed trial is shown in the tables; the run as a whole still has to say so.
rule check_trials:
    input:
        results=[tidy_file(study) for study in PLAN.studies],
        rendered=[of_all_studies(files) for files in (table_files, figure_files)],
    output:
        touch(TRIALS_CHECKED),
    log:
        f"{LOGS}/check.log",
    benchmark:
        f"{BENCHMARKS}/check.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        jobs=[(*job.key, group.setting, group.method) for job in PLAN.jobs.values() for group, _ in job.trials],
    script:
        "../scripts/check_trials.py"
