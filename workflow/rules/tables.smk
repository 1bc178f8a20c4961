# Tables of published values next to ours: one job per study.

for study in PLAN.studies:

    rule:
        name:
            f"render_tables_{study}"
        input:
            results=FILES.tidy(study),
            timings=FILES.timings(study),
            published=FILES.published(study),
        output:
            FILES.tables(study, ("csv", "md", "tex", "json")),
            reported(study, "tables", "html"),
            checksums=f"{RESULTS}/{study}/tables.sha256",
        log:
            f"{LOGS}/tables/{study}.log",
        benchmark:
            f"{BENCHMARKS}/tables/{study}.tsv"
        localrule: True
        conda:
            "../../envs/core.yaml"
        params:
            title=PLAN.studies[study].title,
            study=study,
            made_by=TABLES_OF[study],
        script:
            "../scripts/render_tables.py"
