# Tables, the published value beside ours; and the scoreboard made of all of them.


rule render_table:
    input:
        results=lambda wildcards: tidy_file(wildcards.paper),
        timings=lambda wildcards: timings_file(wildcards.paper),
        published="config/published/{paper}.csv",
    output:
        csv=f"{FIGURES}/{{paper}}/{{table}}.csv",
        md=report(
            f"{FIGURES}/{{paper}}/{{table}}.md",
            caption="../report/table.rst",
            category="{paper}",
            subcategory="tables",
            labels={"table": "{table}"},
        ),
        tex=f"{FIGURES}/{{paper}}/{{table}}.tex",
    log:
        f"{LOGS}/tables/{{paper}}/{{table}}.log",
    benchmark:
        f"{BENCHMARKS}/tables/{{paper}}/{{table}}.tsv"
    wildcard_constraints:
        table="table[A-Za-z0-9_]*",
    conda:
        "../../envs/core.yaml"
    params:
        kind=lambda wildcards: PLAN.papers[wildcards.paper]["tables"][wildcards.table]["kind"],
        spec=lambda wildcards: artifact_spec(wildcards, "tables", wildcards.table),
    script:
        "../scripts/tables/{params.kind}.py"


rule make_scoreboard:
    input:
        tables=[file for file in table_files() if file.endswith(".csv")],
        claims=CLAIMS,
    output:
        csv=SCOREBOARD,
        md=report(
            f"{FIGURES}/scoreboard.md", caption="../report/scoreboard.rst", category="findings", labels={"table": "scoreboard"}
        ),
    log:
        f"{LOGS}/scoreboard.log",
    benchmark:
        f"{BENCHMARKS}/scoreboard.tsv"
    conda:
        "../../envs/core.yaml"
    script:
        "../scripts/make_scoreboard.py"
