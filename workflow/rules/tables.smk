# Tables, the published value beside ours: one job for all of a study.

for study in PLAN.studies:

    rule:
        name:
            f"render_tables_{study}"
        input:
            results=FILES.tidy(study),
            timings=FILES.timings(study),
            published=FILES.printed(study),
        output:
            FILES.tables(study, ("csv", "md", "tex", "json")),
            reported(study, "tables", "html"),
        log:
            f"{LOGS}/tables/{study}.log",
        benchmark:
            f"{BENCHMARKS}/tables/{study}.tsv"
        localrule: True
        conda:
            "../../envs/core.yaml"
        params:
            code=TABLES_CODE,
            title=PLAN.studies[study]["title"],
            tables=specs_of(study, "tables"),
            shared=shared_spec(PLAN, study),
        script:
            "../scripts/render_tables.py"
