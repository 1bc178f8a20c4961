# Grids by a rule that looks at no test row; what they are settled for is said in the study's file, presets.<preset>.grids.


rule settle_grid:
    input:
        lambda wildcards: [file for dataset in GRIDS[wildcards.family]["datasets"] for file in FILES.prepared(dataset)],
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
        tasks=lambda wildcards: targets.grid_tasks(PLAN, GRIDS[wildcards.family], wildcards.method),
        code=files_fingerprint("pulab/protocols/resvm.py", "studies/resvm/grids.py"),
    script:
        "../scripts/settle_grid.py"


rule render_grids:
    input:
        [f"{RESULTS}/grids/{family}/{method}.csv" for family in GRIDS for method in GRIDS[family]["methods"]],
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
        labels=lambda wildcards: {name: entry["label"] for name, entry in PLAN.methods.items()},
        code=files_fingerprint("studies/resvm/grids.py"),
    script:
        "../scripts/render_grids.py"
