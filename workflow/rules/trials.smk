# The unit of work, and the collection of its results.


# Kernels are compiled once, before the trials that use them; filling the cache later does not make trials outdated. There are
# no parameters, since Snakemake overlooks changes in a job whose ancient input is made again.
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


# Trials of one study and data set in one job: some repeats of one (setting, method), or of several.
rule run_trials:
    input:
        unpack(dataset_files),
        kernels=compiled_kernels,
    output:
        f"{TRIALS}/{{first}}-{{last}}.csv",
    log:
        f"{LOGS}/trials/{{study}}/{{dataset}}/{{job}}/{{first}}-{{last}}.log",
    benchmark:
        f"{BENCHMARKS}/trials/{{study}}/{{dataset}}/{{job}}/{{first}}-{{last}}.tsv"
    conda:
        lambda wildcards: environment(PLAN.packages(job_of(wildcards).groups))
    threads: lambda wildcards: job_of(wildcards).most("threads")
    resources:
        mem_mb=lambda wildcards, attempt: job_of(wildcards).most("mem_mb") * attempt,
        runtime=lambda wildcards, attempt: job_of(wildcards).most("runtime") * attempt,
        gpu=lambda wildcards: job_of(wildcards).most("gpus"),
    params:
        positive=lambda wildcards: REGISTRY[wildcards.dataset]["positive"],
        trials=lambda wildcards: trials_of(RETRAIN.as_run(job_of(wildcards))),
        # missing packages or a missing GPU: the trials run once these are available
        missing_requirements=lambda wildcards: [
            reason
            for group in RETRAIN.as_run(job_of(wildcards)).groups
            for reason in missing_requirements(PLAN.recipe(group).method)
        ],
        store=STORE,
        # depends only on the wildcards: Snakemake does not compare parameters that depend on output
        asked=lambda wildcards: RETRAIN.asked(RETRAIN.as_run(job_of(wildcards))),
    script:
        "../scripts/run_trials.py"


# One tidy table per study: every finished trial of the whole plan, even if this run is a part of it, and archived ones where
# they may be shown. A trial that cannot be run is a row with its reason.
rule collect_trials:
    input:
        jobs=lambda wildcards: FILES.jobs(wildcards.study),
        archived=lambda wildcards: FILES.archived_trials(wildcards.study) if PLAN.shows_archived else [],
    output:
        results=f"{RESULTS}/tidy/{{study}}.parquet",
        timings=f"{RESULTS}/tidy/{{study}}.timings.parquet",
        record=f"{RESULTS}/tidy/{{study}}.trials.parquet",
        sources=f"{RESULTS}/tidy/{{study}}.sources.json",
    log:
        f"{LOGS}/collect/{{study}}.log",
    benchmark:
        f"{BENCHMARKS}/collect/{{study}}.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        groups=lambda wildcards: [
            f"{'/'.join(key)} {repeats} {identity.name}"
            for key, (identity, repeats) in PLAN.identities(wildcards.study).items()
        ],
        store=STORE,
        shows_archived=lambda wildcards: PLAN.shows_archived and bool(FILES.archived_trials(wildcards.study)),
    script:
        "../scripts/collect_trials.py"


# Number of trials in the tables that have the current identity, and a list of the others.
rule count_current:
    input:
        results=[FILES.tidy(study) for study in PLAN.studies],
        record=[FILES.record(study) for study in PLAN.studies],
    output:
        md=f"{RESULTS}/current.md",
        json=f"{RESULTS}/current.json",
    log:
        f"{LOGS}/current.log",
    benchmark:
        f"{BENCHMARKS}/current.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        present=lambda wildcards: [
            f"{'/'.join(key)} {identity.name}"
            for study in PLAN.studies
            for key, (identity, _) in PLAN.identities(study).items()
        ],
        sources=today,
    script:
        "../scripts/count_current.py"


# Tables show failed trials; any run that renders them must also report the failure.
for study in PLAN.studies:

    rule:
        name:
            f"check_trials_{study}"
        input:
            results=FILES.tidy(study),
            jobs=FILES.jobs(study),
            rendered=FILES.rendered(study),
        output:
            touch(FILES.checked(study)),
        log:
            f"{LOGS}/check/{study}.log",
        benchmark:
            f"{BENCHMARKS}/check/{study}.tsv"
        localrule: True
        conda:
            "../../envs/core.yaml"
        params:
            declared=repr(PLAN.studies[study].expected_failures),
            study=study,
        script:
            "../scripts/check_trials.py"
