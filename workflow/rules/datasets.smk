# Data sets: download and verify files, then prepare arrays.


rule download_dataset:
    input:
        own=lambda wildcards: [
            os.path.expanduser(file["path"]) for file in REGISTRY[wildcards.dataset]["files"] if "path" in file
        ],
    output:
        record=update(f"{RESOURCES}/raw/{{dataset}}/files.json"),
    log:
        "logs/datasets/download/{dataset}.log",
    benchmark:
        "logs/datasets/benchmarks/download/{dataset}.tsv"
    conda:
        "../../envs/core.yaml"
    resources:
        mem_mb=500,
        runtime=720,
    params:
        files=lambda wildcards: targets.download_spec(REGISTRY[wildcards.dataset]),
        # retry a set that could not be downloaded if the mirrors have changed, or if it is now required
        mirrors=lambda wildcards: mirrors_tried(
            f"{RESOURCES}/raw/{wildcards.dataset}/files.json", MIRRORS, PLAN.config.missing_data == "fail"
        ),
    script:
        "../scripts/download_dataset.py"


rule prepare_dataset:
    input:
        lambda wildcards: FILES.prepared_from(wildcards.dataset),
    output:
        X=f"{RESOURCES}/data/{{dataset}}/X.npy",
        y=f"{RESOURCES}/data/{{dataset}}/y.npy",
        meta=ensure(f"{RESOURCES}/data/{{dataset}}/meta.json", non_empty=True),
    log:
        "logs/datasets/prepare/{dataset}.log",
    benchmark:
        "logs/datasets/benchmarks/prepare/{dataset}.tsv"
    conda:
        "../../envs/core.yaml"
    threads: lambda wildcards: 2 if "features_of" in REGISTRY[wildcards.dataset] else 1
    resources:
        mem_mb=lambda wildcards, attempt: targets.preparation_memory(REGISTRY[wildcards.dataset]) * attempt,
        runtime=lambda wildcards, attempt: 240 * attempt,
    params:
        spec=lambda wildcards: targets.preparation_spec(REGISTRY[wildcards.dataset]),
        versions=lambda wildcards: [LOADERS.get(name, 1) for name in loader_names(REGISTRY[wildcards.dataset])],
    script:
        "../scripts/prepare_dataset.py"


# All sets of the registry: those of this run with their availability, the others as on the archived page.
rule render_datasets:
    input:
        registry=FILES.source("pulib/datasets/registry.yaml"),
        records=FILES.all_prepared("meta.json"),
        archived=FILES.archived("datasets.csv"),
    output:
        csv=f"{RESULTS}/datasets.csv",
        md=f"{RESULTS}/datasets.md",
        html=report(f"{RESULTS}/datasets.html", caption="../report/datasets.rst", category="data sets"),
        tex=f"{RESULTS}/datasets.tex",
    log:
        f"{LOGS}/tables/datasets.log",
    benchmark:
        f"{BENCHMARKS}/tables/datasets.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        code=TABLES_CODE,
        own=config["datasets"],
        asked=FILES.all_prepared("meta.json"),
    script:
        "../scripts/render_datasets.py"
