# Which rows each repeat trains and tests on: one small file per data set, setting and batch of repeats, shared by all methods.
# One file for all repeats would change with their number, and so rerun what was trained on the repeats that were there before.


rule draw_splits:
    input:
        unpack(dataset_files),
    output:
        splits=f"{RESULTS}/splits/{{paper}}/{{dataset}}/{{setting}}/{{first}}-{{last}}.npz",
    log:
        f"{LOGS}/splits/{{paper}}/{{dataset}}/{{setting}}/{{first}}-{{last}}.log",
    benchmark:
        f"{BENCHMARKS}/splits/{{paper}}/{{dataset}}/{{setting}}/{{first}}-{{last}}.tsv"
    conda:
        "../../envs/core.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        spec=split_spec,
    script:
        "../scripts/draw_splits.py"
