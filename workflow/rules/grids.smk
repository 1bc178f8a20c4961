# Grids settled by a rule that uses no test rows; the families of data sets are in studies/resvm/study.


rule settle_grid:
    input:
        lambda wildcards: [file for dataset in GRIDS[wildcards.family].datasets for file in FILES.prepared(dataset)],
    output:
        csv=f"{RESULTS}/grids/{{family}}/{{method}}.csv",
    log:
        f"{LOGS}/grids/{{family}}/{{method}}.log",
    benchmark:
        f"{BENCHMARKS}/grids/{{family}}/{{method}}.tsv"
    conda:
        "../../envs/core.yaml"
    threads: lambda wildcards: min(2, workflow.cores)
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        code=files_fingerprint("studies/resvm/protocol.py", "studies/resvm/grids.py", "studies/resvm/study"),
    script:
        "../scripts/settle_grid.py"


rule render_grids:
    input:
        [f"{RESULTS}/grids/{family}/{method}.csv" for family in GRIDS for method in GRIDS[family].methods],
    output:
        csv=f"{RESULTS}/grids.csv",
        md=f"{RESULTS}/grids.md",
        html=report(f"{RESULTS}/grids.html", caption="../report/grids.rst", category="grids by a rule"),
    log:
        f"{LOGS}/grids/render.log",
    benchmark:
        f"{BENCHMARKS}/grids/render.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        code=files_fingerprint("studies/resvm/grids.py"),
    script:
        "../scripts/render_grids.py"
