# What the plan costs, from the times of the trials that were run: `snakemake scale --cores 1 --configfile config/paper.yaml --config tidy=committed`.


rule render_scale:
    input:
        timings=[timings_file(paper) for paper in PLAN.papers],
    output:
        costs=f"{FIGURES}/costs.csv",
        spread=f"{FIGURES}/spread.csv",
        md=f"{FIGURES}/scale.md",
    log:
        f"{LOGS}/tables/scale.log",
    benchmark:
        f"{BENCHMARKS}/tables/scale.tsv"
    conda:
        "../../envs/core.yaml"
    params:
        jobs=lambda wildcards: planned_jobs(),
        # seconds of a job beside its trials, as workflow/measure_overhead.py finds them: its own, and one split, which many share
        overhead=3.5,
    script:
        "../scripts/tables/scale.py"
