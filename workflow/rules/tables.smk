# Tables, the published value beside ours, with the tests across methods: one job for all of a study.

for study in PLAN.studies:

    rule:
        name:
            f"render_tables_{study}"
        input:
            results=tidy_file(study),
            timings=timings_file(study),
            published=printed_numbers(study),
        output:
            table_files(study, ("csv", "tex")),
            reported(study, "tables", "md"),
            tests=test_files(study),
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
            tables={name: artifact_spec(PLAN, study, "tables", name) for name in PLAN.studies[study]["tables"]},
            tests=PLAN.studies[study].get("tests", []),
        script:
            "../scripts/render_tables.py"
