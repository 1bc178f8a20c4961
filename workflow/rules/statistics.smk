# Tests across methods: per paper, every pair that its configuration names, on the repeats that both have.


rule test_methods:
    input:
        results=lambda wildcards: tidy_file(wildcards.paper),
    output:
        pairs=f"{FIGURES}/{{paper}}/tests.csv",
        ranks=f"{FIGURES}/{{paper}}/ranks.csv",
    log:
        f"{LOGS}/statistics/{{paper}}.log",
    benchmark:
        f"{BENCHMARKS}/statistics/{{paper}}.tsv"
    conda:
        "../../envs/core.yaml"
    params:
        tests=lambda wildcards: PLAN.papers[wildcards.paper].get("tests", []),
    script:
        "../scripts/test_methods.py"
