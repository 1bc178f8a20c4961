# The report: one file that opens in a browser without a network; and what is made of the README and the documentation.


rule make_report:
    input:
        tables=[file for file in table_files() if file.endswith(".csv")],
        figures=[file for file in figure_files() if file.endswith(".png")],
        scoreboard=SCOREBOARD,
        claims=CLAIMS,
        timings=[timings_file(paper) for paper in PLAN.papers],
        datasets=dataset_table(),
    output:
        html=report(REPORT, caption="../report/report.rst", category="findings", labels={"table": "everything in one file"}),
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
        methods={name: PLAN.methods[name] for name in PLAN.methods if name in {g.method for g in PLAN.groups.values()}},
        # where this machine looks for files is nobody's business
        configuration={key: value for key, value in PLAN.config.items() if key not in ("mirror", "resources_dir")},
        preset=PRESET,
    script:
        "../scripts/make_report.py"


# The README's scoreboard, findings, figures, data sets and deviations, the page of findings and the tables of docs/scale.md are
# made, not written: `snakemake readme --cores 1 --configfile config/paper.yaml`.
rule readme:
    input:
        scoreboard=SCOREBOARD,
        claims=CLAIMS,
        datasets=ancient(f"{FIGURES}/datasets.md"),
        scale=f"{FIGURES}/scale.md",
        figures=[f"{FIGURES}/{paper}/{figure}.png" for paper, figure in README_FIGURES.items() if paper in PLAN.papers],
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
        findings="docs/findings.md",
        preset=PRESET,
        shown=[
            {"paper": PLAN.papers[paper]["title"], **PLAN.papers[paper]["figures"][figure]}
            for paper, figure in README_FIGURES.items()
            if paper in PLAN.papers
        ],
        papers={
            name: {"title": entry["title"], "deviations": entry.get("deviations", [])} for name, entry in PLAN.papers.items()
        },
    script:
        "../scripts/update_readme.py"
