# Data sets: files fetched and checked, then prepared as arrays.


from pulib.datasets.prepare import forget_unavailable, loader_sources
from pulib.datasets.registry import sources

# A set that could not be had is looked for again where the mirrors have changed, or where it must be had now.
if workflow.is_main_process:
    forget_unavailable(
        f"{RESOURCES}/data",
        f"{RESOURCES}/raw",
        MIRRORS if config["missing_data"] == "report" else None,
    )


# What the raw files depend on: an address may change without a rerun.
def download_spec(dataset):
    return [{key: value for key, value in file.items() if key != "urls"} for file in REGISTRY[dataset].get("files", [])]


# What the arrays depend on: a title may change without a rerun.
def preparation_spec(dataset):
    keys = (
        "loader",
        "options",
        "needs",
        "features_of",
        "target_names",
        "positive",
        "expected",
    )
    return {key: REGISTRY[dataset].get(key) for key in keys}


def prepared_from(wildcards):
    fetched = [f"{RESOURCES}/raw/{name}/files.json" for name in sources(REGISTRY, wildcards.dataset)]
    before = REGISTRY[wildcards.dataset].get("features_of")
    return fetched + [f"{RESOURCES}/data/{before}/{file}" for file in ("X.npy", "y.npy", "meta.json") if before]


# Three copies of the array, and Python.
def preparation_memory(wildcards, attempt):
    expected = REGISTRY[wildcards.dataset].get("expected", {})
    array = expected.get("n", 10_000) * expected.get("d", 100) * 4 / 1e6
    return int(1000 + min(3 * array, 7000)) * attempt


rule download_dataset:
    output:
        record=ensure(f"{RESOURCES}/raw/{{dataset}}/files.json", non_empty=True),
    log:
        "logs/datasets/download/{dataset}.log",
    benchmark:
        "benchmarks/datasets/download/{dataset}.tsv"
    retries: 2
    conda:
        "../../envs/core.yaml"
    resources:
        mem_mb=500,
        runtime=720,
    params:
        files=lambda wildcards: download_spec(wildcards.dataset),
    script:
        "../scripts/download_dataset.py"


rule prepare_dataset:
    input:
        prepared_from,
    output:
        X=f"{RESOURCES}/data/{{dataset}}/X.npy",
        y=f"{RESOURCES}/data/{{dataset}}/y.npy",
        meta=ensure(f"{RESOURCES}/data/{{dataset}}/meta.json", non_empty=True),
    log:
        "logs/datasets/prepare/{dataset}.log",
    benchmark:
        "benchmarks/datasets/prepare/{dataset}.tsv"
    conda:
        "../../envs/core.yaml"
    threads: lambda wildcards: 2 if "features_of" in REGISTRY[wildcards.dataset] else 1
    resources:
        mem_mb=preparation_memory,
        runtime=240,
    params:
        spec=lambda wildcards: preparation_spec(wildcards.dataset),
        source=lambda wildcards: source_fingerprint(*loader_sources(REGISTRY[wildcards.dataset])),
    script:
        "../scripts/prepare_dataset.py"
