# Figures, as SVG and PNG: one job for all of a study.

for study in PLAN.studies:

    rule:
        name:
            f"render_figures_{study}"
        input:
            results=tidy_file(study),
            timings=timings_file(study),
            published=printed_numbers(study),
        output:
            figure_files(study, ("svg",)),
            reported(study, "figures", "png"),
        log:
            f"{LOGS}/figures/{study}.log",
        benchmark:
            f"{BENCHMARKS}/figures/{study}.tsv"
        localrule: True
        conda:
            "../../envs/core.yaml"
        params:
            code=FIGURES_CODE,
            title=PLAN.studies[study]["title"],
            figures={name: artifact_spec(PLAN, study, "figures", name) for name in PLAN.studies[study]["figures"]},
        script:
            "../scripts/render_figures.py"
