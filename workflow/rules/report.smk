# The report, which opens in a browser without a network, and the copy of a run in the repository.


rule make_report:
    input:
        tables=[file for study in PLAN.studies for file in FILES.tables(study, ["csv", "json"])],
        tidy=[FILES.tidy(study) for study in PLAN.studies],
        figures=[file for study in PLAN.studies for file in FILES.figures(study, ["svg", "png"])],
        scoreboard=SCOREBOARD,
        claims=CLAIMS,
        timings=[FILES.timings(study) for study in PLAN.studies],
        datasets=f"{RESULTS}/datasets.md",
        current=[f"{RESULTS}/current.md"] if PRESET == "paper" else [],
    output:
        html=REPORT if not SINGLE else report(REPORT, caption="../report/report.rst", category="findings"),
        pages=directory(os.path.splitext(REPORT)[0]),
        picture=f"{RESULTS}/published_against_ours.svg",
    log:
        f"{LOGS}/report.log",
    benchmark:
        f"{BENCHMARKS}/report.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        code=REPORTS_CODE,
        deviations=[deviations_of(study) for study in PLAN.studies.values()],
        made_by=list(RENDERED_BY.values()),
        changed=lambda wildcards: changed_words(changed_trials(FILES)),
        # the locations of files on this machine are private
        configuration=repr(PLAN.config.model_dump(exclude={"mirror", "resources_dir"})),
        preset=PRESET,
        single=SINGLE,
        measured={
            "speed": {name: {"title": entry["title"], "caption": entry["caption"]} for name, entry in SPEED.items()},
            "priors": PRIORS,
        },
        # speed, priors and grids are measured separately; without a measurement of this preset, the archived one is shown
        archived=os.path.join(os.path.relpath(workflow.basedir), "figures", PRESET),
    script:
        "../scripts/make_report.py"


# Copy the results of the paper preset into the source tree: `snakemake archive --cores 1 --configfile config/paper.yaml`, with
# `--config train=none` to render the archived results again. Measurements (speed, priors, grids) are included if they exist.
rule archive:
    input:
        tidy=[file for study in PLAN.studies for file in (FILES.tidy(study), FILES.timings(study), FILES.record(study))],
        current=f"{RESULTS}/current.md",
        rendered=FILES.of_all(FILES.rendered),
        scoreboard=SCOREBOARD,
        claims=CLAIMS,
        more=[
            f"{RESULTS}/{name}"
            for name in ("claim_cases.csv", "claims.md", "claims.tex", "scoreboard.md", "published_against_ours.svg")
        ],
        datasets=f"{RESULTS}/datasets.md",
        scale=f"{RESULTS}/scale.md",
        checked=[FILES.checked(study) for study in PLAN.studies],
        report=REPORT,
    output:
        touch(f"{RESULTS}/archived"),
    log:
        f"{LOGS}/archive.log",
    benchmark:
        f"{BENCHMARKS}/archive.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        preset=PRESET,
        root=os.path.relpath(workflow.basedir),
        made_by=list(RENDERED_BY.values()),
    script:
        "../scripts/archive.py"
