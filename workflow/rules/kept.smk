# Which of the kept trials are what the present code would make; and one repeat of a group run again where that is not known.


rule confirm_trials:
    input:
        unpack(dataset_files),
        results=lambda wildcards: published(f"tidy/{wildcards.study}.parquet"),
    output:
        f"{RESULTS}/confirmed/{{study}}/{{dataset}}.parquet",
    log:
        f"{LOGS}/confirm/{{study}}/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/confirm/{{study}}/{{dataset}}.tsv"
    conda:
        lambda wildcards: environment(to_confirm(wildcards))
    resources:
        mem_mb=lambda wildcards, attempt: max((g.mem_mb for g in to_confirm(wildcards)), default=2000) * attempt,
        runtime=lambda wildcards, attempt: sum(g.runtime for g in to_confirm(wildcards)) * attempt,
    params:
        asked=lambda wildcards: KEPT.to_confirm(wildcards.study).get(wildcards.dataset, []),
        specs=lambda wildcards: {group.key: PLAN.trial_spec(group) for group in to_confirm(wildcards)},
    script:
        "../scripts/confirm_trials.py"


# How many kept trials are what the present code would make, and which are not.
rule tell_kept:
    input:
        results=[tidy_file(study) for study in PLAN.studies],
        made=[made_file(tidy_file(study)) for study in PLAN.studies],
    output:
        f"{RESULTS}/kept.md",
    log:
        f"{LOGS}/kept.log",
    benchmark:
        f"{BENCHMARKS}/kept.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        present=lambda wildcards: {key: tuple(made) for study in PLAN.studies for key, made in KEPT.present(study).items()},
    script:
        "../scripts/tell_kept.py"
