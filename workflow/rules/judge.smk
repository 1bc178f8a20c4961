# Claims of the papers, judged on the results of all studies, and counts of the verdicts on all cells and claims.


rule judge:
    input:
        results=[FILES.tidy(study) for study in PLAN.studies],
        timings=[FILES.timings(study) for study in PLAN.studies],
        tables=[file for study in PLAN.studies for file in FILES.tables(study, ["csv"])],
        checksums=[f"{RESULTS}/{study}/tables.sha256" for study in PLAN.studies],
    output:
        claims=CLAIMS,
        cases=f"{RESULTS}/claim_cases.csv",
        claims_md=f"{RESULTS}/claims.md",
        claims_html=report(
            f"{RESULTS}/claims.html",
            caption="../report/claims.rst",
            category="findings",
            labels={"table": "claims"},
        ),
        claims_tex=f"{RESULTS}/claims.tex",
        scoreboard=SCOREBOARD,
        scoreboard_md=f"{RESULTS}/scoreboard.md",
        scoreboard_html=report(
            f"{RESULTS}/scoreboard.html",
            caption="../report/scoreboard.rst",
            category="findings",
            labels={"table": "scoreboard"},
        ),
    log:
        f"{LOGS}/judge.log",
    benchmark:
        f"{BENCHMARKS}/judge.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        studies=list(PLAN.studies),
        made_by=CLAIMS_OF,
        code=REPORTS_CODE,
    script:
        "../scripts/judge.py"
