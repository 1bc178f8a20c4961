# Cost of the plan, from the times of trials that were run:
# `snakemake scale --cores 1 --configfile config/paper.yaml --config train=none`.


rule render_scale:
    input:
        timings=[FILES.timings(study) for study in PLAN.studies],
    output:
        costs=f"{RESULTS}/costs.csv",
        spread=f"{RESULTS}/spread.csv",
        md=f"{RESULTS}/scale.md",
    log:
        f"{LOGS}/tables/scale.log",
    benchmark:
        f"{BENCHMARKS}/tables/scale.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        code=files_fingerprint("pulab/trials/scale.py"),
        jobs=lambda wildcards: job_rows(cut_jobs(PLAN.groups.values())),
        # processor time of a job in addition to its trials
        overhead=3.5,
    script:
        "../scripts/render_scale.py"


# What Snakemake would execute, without running it: `snakemake plan --cores 1`, with any options.
rule write_plan:
    input:
        timings=[file for study in PLAN.studies for file in FILES.archived(f"tidy/{study}.timings.parquet")],
    output:
        csv=f"{RESULTS}/plan.csv",
        md=f"{RESULTS}/plan.md",
    log:
        f"{LOGS}/tables/plan.log",
    benchmark:
        f"{BENCHMARKS}/tables/plan.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        code=files_fingerprint("pulab/trials/scale.py"),
        groups=lambda wildcards: plan_rows(PLAN.jobs.values()),
    script:
        "../scripts/write_plan.py"
