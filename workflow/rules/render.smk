# Tables and figures of a study: one job, because most of its time goes into imports.

for study in PLAN.studies:

    rule:
        name:
            f"render_study_{study}"
        input:
            results=FILES.tidy(study),
            timings=FILES.timings(study),
            published=FILES.published(study),
        output:
            FILES.tables(study, ("csv", "md", "tex", "json")),
            reported(study, "tables", "html"),
            FILES.figures(study, ("svg",)),
            reported(study, "figures", "png"),
            checksums=f"{RESULTS}/{study}/tables.sha256",
        log:
            f"{LOGS}/render/{study}.log",
        benchmark:
            f"{BENCHMARKS}/render/{study}.tsv"
        localrule: True
        conda:
            "../../envs/core.yaml"
        params:
            title=PLAN.studies[study].title,
            study=study,
            made_by=RENDERED_BY[study],
        script:
            "../scripts/render_study.py"
