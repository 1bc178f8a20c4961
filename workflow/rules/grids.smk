# Grids by a rule that looks at no test row; what they are settled for is said in the study's file, presets.<preset>.grids.

NO_GRIDS = {"settings": [], "methods": {}, "families": {}}
GRIDS = PLAN.preset_of("resvm").get("grids", NO_GRIDS) if "resvm" in PLAN.studies else NO_GRIDS


# The tasks of one family of sets that share a grid, and where its values begin.
def grid_tasks(wildcards):
    family = GRIDS["families"][wildcards.family]
    begins = [PLAN.method("resvm", GRIDS["methods"][wildcards.method], dataset)["grid"] for dataset in family["datasets"]]
    return {
        "grid": begins[0],
        "steps": family["steps"],
        "ends": family["ends"],
        "repeats": list(range(family["repeats"])),
        "groups": [
            {
                "key": ("resvm", dataset, setting, wildcards.method),
                "positive": REGISTRY[dataset]["positive"],
                "base": PLAN.base(dataset),
                "method": PLAN.method("resvm", wildcards.method, dataset) | {"grid": begins[0]},
                "setting": PLAN.setting("resvm", setting, dataset).get("evaluate", {}),
                "split": PLAN.split_spec("resvm", dataset, setting),
            }
            for dataset in family["datasets"]
            for setting in GRIDS["settings"]
        ],
    }


rule settle_grid:
    input:
        lambda wildcards: [file for dataset in GRIDS["families"][wildcards.family]["datasets"] for file in prepared(dataset)],
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
        tasks=grid_tasks,
        source=source_fingerprint("pulab.protocols.resvm_grids"),
    script:
        "../scripts/settle_grid.py"


rule render_grids:
    input:
        [f"{RESULTS}/grids/{family}/{method}.csv" for family in GRIDS["families"] for method in GRIDS["methods"]],
    output:
        csv=f"{RESULTS}/grids.csv",
        md=report(f"{RESULTS}/grids.md", caption="../report/grids.rst", category="grids by a rule"),
    log:
        f"{LOGS}/grids/render.log",
    benchmark:
        f"{BENCHMARKS}/grids/render.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        labels=lambda wildcards: {name: PLAN.methods[name]["label"] for name in GRIDS["methods"]},
        code=files_fingerprint("pulab/protocols/resvm_grids.py"),
    script:
        "../scripts/render_grids.py"
