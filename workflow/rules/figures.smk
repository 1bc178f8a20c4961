# Figures as SVG and PNG: one job per study.

for study in PLAN.studies:

    rule:
        name:
            f"render_figures_{study}"
        input:
            results=FILES.tidy(study),
            timings=FILES.timings(study),
            published=FILES.published(study),
        output:
            FILES.figures(study, ("svg",)),
            reported(study, "figures", "png"),
        log:
            f"{LOGS}/figures/{study}.log",
        benchmark:
            f"{BENCHMARKS}/figures/{study}.tsv"
        localrule: True
        conda:
            "../../envs/core.yaml"
        params:
            title=PLAN.studies[study].title,
            study=study,
            made_by=FIGURES_OF[study],
        script:
            "../scripts/render_figures.py"
