# Rerun named trials in a separate folder, and compare them with the archived ones; tables are not changed:
# `snakemake rerun --cores all --config only_datasets='[vote]' only_methods='[opu_dh]'`.


use rule run_trials as rerun_trials with:
    output:
        f"{RERUN}/trials/{{study}}/{{dataset}}/{{job}}/{{first}}-{{last}}.csv",
    log:
        f"{LOGS}/rerun/{{study}}/{{dataset}}/{{job}}/{{first}}-{{last}}.log",
    benchmark:
        f"{BENCHMARKS}/rerun/{{study}}/{{dataset}}/{{job}}/{{first}}-{{last}}.tsv"
    params:
        trials=lambda wildcards: trials_of(job_of(wildcards)),
        store=f"{RERUN}/store",
        asked=lambda wildcards: RETRAIN.asked(job_of(wildcards), RERUN),


# Archived trials are not an input, so nothing is run just for a comparison.
rule compare_rerun:
    input:
        [FILES.job(job, RERUN) for job in PLAN.jobs.values()],
    output:
        csv=f"{RERUN}/agreement.csv",
        md=f"{RERUN}/agreement.md",
    log:
        f"{LOGS}/rerun/compare.log",
    benchmark:
        f"{BENCHMARKS}/rerun/compare.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        groups=lambda wildcards: [
            (group.key, tuple(PLAN.identity(group)), repeats, names_in(PLAN.recipe(group)))
            for job in PLAN.jobs.values()
            for group, repeats in job.trials
        ],
        store=f"{RERUN}/store",
        # archived results, or else those in this folder's tables
        archived=[FILES.source(f"figures/{PRESET}/tidy"), f"{RESULTS}/tidy"],
        scoreboards=[FILES.source(f"figures/{PRESET}/scoreboard.csv"), SCOREBOARD],
    script:
        "../scripts/compare_rerun.py"
