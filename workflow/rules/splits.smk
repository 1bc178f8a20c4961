# Which rows each repeat trains and tests on: one small file per data set and setting.


rule draw_splits:
    input:
        unpack(dataset_files),
    output:
        splits=f"{RESULTS}/splits/{{paper}}/{{dataset}}/{{setting}}.npz",
    log:
        f"{LOGS}/splits/{{paper}}/{{dataset}}/{{setting}}.log",
    benchmark:
        f"{BENCHMARKS}/splits/{{paper}}/{{dataset}}/{{setting}}.tsv"
    conda:
        "../../envs/core.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        spec=split_spec,
        repeats=lambda wildcards: PLAN.repeats_of(
            wildcards.paper, wildcards.dataset, wildcards.setting
        ),
    script:
        "../scripts/draw_splits.py"
