# Errors of estimated class priors on fully labeled data; config/priors.yaml lists the data sets.


rule estimate_priors:
    input:
        unpack(dataset_files),
    output:
        csv=f"{RESULTS}/priors/{{dataset}}.csv",
    log:
        f"{LOGS}/priors/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/priors/{{dataset}}.tsv"
    conda:
        "../../envs/core.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        positive=lambda wildcards: REGISTRY[wildcards.dataset]["positive"],
        sizes={key: value for key, value in PRIORS.items() if key != "datasets"},
        code=files_fingerprint("benchmarks/priors.py", "pulib/priors", "pulib/_priors", "pulib/_trees"),
    script:
        "../scripts/estimate_priors.py"


rule render_priors:
    input:
        [f"{RESULTS}/priors/{dataset}.csv" for dataset in PRIORS["datasets"]],
    output:
        csv=f"{RESULTS}/priors.csv",
        md=f"{RESULTS}/priors.md",
        html=report(f"{RESULTS}/priors.html", caption="../report/priors.rst", category="class priors"),
    log:
        f"{LOGS}/priors/render.log",
    benchmark:
        f"{BENCHMARKS}/priors/render.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        code=TABLES_CODE,
        sizes=PRIORS,
    script:
        "../scripts/render_priors.py"
