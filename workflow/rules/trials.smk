# The unit of work, and how its results come together.


rule run_trials:
    input:
        unpack(dataset_files),
        splits=f"{RESULTS}/splits/{{paper}}/{{dataset}}/{{setting}}/{{first}}-{{last}}.npz",
    output:
        results=f"{TRIALS}/{{first}}-{{last}}.results.parquet",
        timings=f"{TRIALS}/{{first}}-{{last}}.timings.parquet",
    log:
        f"{LOGS}/trials/{{paper}}/{{dataset}}/{{setting}}/{{method}}/{{first}}-{{last}}.log",
    benchmark:
        f"{BENCHMARKS}/trials/{{paper}}/{{dataset}}/{{setting}}/{{method}}/{{first}}-{{last}}.tsv"
    conda:
        "../../envs/core.yaml"
    threads: lambda wildcards: group_of(wildcards).threads
    resources:
        mem_mb=lambda wildcards, attempt: group_of(wildcards).mem_mb * attempt,
        runtime=lambda wildcards, attempt: group_of(wildcards).runtime * attempt,
        gpu=lambda wildcards: group_of(wildcards).gpus,
    params:
        spec=trial_spec,
        # what was not here (a package, a GPU) is looked for again where the results say so and it is here now
        looked_for=lambda wildcards: times_looked_for(
            lacking_record(f"{TRIALS}/{{first}}-{{last}}.results.parquet".format(**wildcards)), trial_spec(wildcards)["method"]
        ),
    script:
        "../scripts/run_trials.py"


# One tidy table per paper; trials that cannot be run are rows with their reason.
rule collect_trials:
    input:
        results=lambda wildcards: batch_files(wildcards.paper, "results"),
        timings=lambda wildcards: batch_files(wildcards.paper, "timings"),
    output:
        results=f"{RESULTS}/tidy/{{paper}}.parquet",
        timings=f"{RESULTS}/tidy/{{paper}}.timings.parquet",
    log:
        f"{LOGS}/collect/{{paper}}.log",
    benchmark:
        f"{BENCHMARKS}/collect/{{paper}}.tsv"
    conda:
        "../../envs/core.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        unbuilt=lambda wildcards: [row for row in PLAN.unbuilt if row[0] == wildcards.paper],
    script:
        "../scripts/collect_trials.py"


# A failed trial is shown in the tables; the run as a whole still has to say so.
rule check_trials:
    input:
        results=f"{RESULTS}/tidy/{{paper}}.parquet",
        rendered=lambda wildcards: paper_files(wildcards.paper),
    output:
        touch(f"{RESULTS}/tidy/{{paper}}.checked"),
    log:
        f"{LOGS}/check/{{paper}}.log",
    benchmark:
        f"{BENCHMARKS}/check/{{paper}}.tsv"
    conda:
        "../../envs/core.yaml"
    script:
        "../scripts/check_trials.py"


if PRESET == "paper" and config["tidy"] != "committed":

    # The paper preset is run in parts, on more than one machine: the repository's copy takes in what is new and keeps the rest.
    rule archive_trials:
        input:
            results=f"{RESULTS}/tidy/{{paper}}.parquet",
            timings=f"{RESULTS}/tidy/{{paper}}.timings.parquet",
        output:
            results=update(f"{FIGURES}/tidy/{{paper}}.parquet"),
            timings=update(f"{FIGURES}/tidy/{{paper}}.timings.parquet"),
        log:
            f"{LOGS}/archive/{{paper}}.log",
        benchmark:
            f"{BENCHMARKS}/archive/{{paper}}.tsv"
        conda:
            "../../envs/core.yaml"
        script:
            "../scripts/archive_trials.py"
