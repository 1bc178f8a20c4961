# Figures, as PDF and PNG.


rule render_figure:
    input:
        results=lambda wildcards: tidy_file(wildcards.paper),
    output:
        pdf=f"{FIGURES}/{{paper}}/{{figure}}.pdf",
        png=report(
            f"{FIGURES}/{{paper}}/{{figure}}.png",
            caption="../report/figure.rst",
            category="{paper}",
            subcategory="figures",
            labels={"figure": "{figure}"},
        ),
    log:
        f"{LOGS}/figures/{{paper}}/{{figure}}.log",
    benchmark:
        f"{BENCHMARKS}/figures/{{paper}}/{{figure}}.tsv"
    wildcard_constraints:
        figure="figure[A-Za-z0-9_]*",
    conda:
        "../../envs/core.yaml"
    params:
        kind=lambda wildcards: PLAN.papers[wildcards.paper]["figures"][wildcards.figure]["kind"],
        spec=lambda wildcards: artifact_spec(wildcards, "figures", wildcards.figure),
    script:
        "../scripts/figures/{params.kind}.py"
