# Claims of the papers, judged on the results of all studies.


rule judge_claims:
    input:
        results=[FILES.tidy(study) for study in PLAN.studies],
        timings=[FILES.timings(study) for study in PLAN.studies],
    output:
        csv=CLAIMS,
        cases=f"{RESULTS}/claim_cases.csv",
        md=f"{RESULTS}/claims.md",
        html=report(
            f"{RESULTS}/claims.html",
            caption="../report/claims.rst",
            category="findings",
            labels={"table": "claims"},
        ),
        tex=f"{RESULTS}/claims.tex",
    log:
        f"{LOGS}/claims.log",
    benchmark:
        f"{BENCHMARKS}/claims.tsv"
    # scoreboard and report wait for it
    priority: 1
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        studies=list(PLAN.studies),
        made_by=CLAIMS_OF,
    script:
        "../scripts/judge_claims.py"


# Counts of the verdicts on all cells and claims.
rule make_scoreboard:
    input:
        tables=[file for study in PLAN.studies for file in FILES.tables(study, ["csv"])],
        checksums=[f"{RESULTS}/{study}/tables.sha256" for study in PLAN.studies],
        claims=CLAIMS,
    output:
        csv=SCOREBOARD,
        md=f"{RESULTS}/scoreboard.md",
        html=report(
            f"{RESULTS}/scoreboard.html",
            caption="../report/scoreboard.rst",
            category="findings",
            labels={"table": "scoreboard"},
        ),
    log:
        f"{LOGS}/scoreboard.log",
    benchmark:
        f"{BENCHMARKS}/scoreboard.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        code=REPORTS_CODE,
    script:
        "../scripts/make_scoreboard.py"
