# How many trials of the tables have the present identity, and which have not.
rule tell_kept:
    input:
        results=[FILES.tidy(study) for study in PLAN.studies],
        record=[FILES.record(study) for study in PLAN.studies],
    output:
        md=f"{RESULTS}/kept.md",
        json=f"{RESULTS}/kept.json",
    log:
        f"{LOGS}/kept.log",
    benchmark:
        f"{BENCHMARKS}/kept.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        present=lambda wildcards: [
            (key, tuple(identity)) for study in PLAN.studies for key, (identity, _) in PLAN.identities(study).items()
        ],
    script:
        "../scripts/tell_kept.py"
