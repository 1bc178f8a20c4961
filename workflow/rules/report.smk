# The report: one file that opens in a browser without a network.


rule make_report:
    input:
        tables=table_files(),
        figures=[file for file in figure_files() if file.endswith(".png")],
        scoreboard=SCOREBOARD,
    output:
        html=REPORT,
    log:
        f"{LOGS}/report.log",
    benchmark:
        f"{BENCHMARKS}/report.tsv"
    conda:
        "../../envs/core.yaml"
    params:
        papers={
            name: {
                "title": entry["title"],
                "citation": entry["citation"],
                "deviations": entry.get("deviations", []),
                "tables": entry["tables"],
                "figures": entry["figures"],
            }
            for name, entry in PLAN.papers.items()
        },
        preset=PRESET,
    script:
        "../scripts/make_report.py"


# The README's scoreboard, data sets and deviations, and the tables of docs/scale.md, are made, not written: `snakemake --configfile config/paper.yaml readme`.
rule readme:
    input:
        scoreboard=f"{FIGURES}/scoreboard.md",
        datasets=ancient(f"{FIGURES}/datasets.md"),
        scale=f"{FIGURES}/scale.md",
    output:
        touch(f"{RESULTS}/readme.updated"),
    log:
        f"{LOGS}/readme.log",
    benchmark:
        f"{BENCHMARKS}/readme.tsv"
    conda:
        "../../envs/core.yaml"
    params:
        readme="README.md",
        scale_page="docs/scale.md",
        papers={name: {"deviations": entry.get("deviations", [])} for name, entry in PLAN.papers.items()},
    script:
        "../scripts/update_readme.py"
