# What the papers say in words, judged on the results of all of them.


rule judge_claims:
    input:
        results=[tidy_file(paper) for paper in PLAN.papers],
        timings=[timings_file(paper) for paper in PLAN.papers],
    output:
        csv=CLAIMS,
        cases=f"{FIGURES}/claim_cases.csv",
        md=report(
            f"{FIGURES}/claims.md",
            caption="../report/claims.rst",
            category="findings",
            labels={"table": "claims"},
        ),
        tex=f"{FIGURES}/claims.tex",
    log:
        f"{LOGS}/claims.log",
    benchmark:
        f"{BENCHMARKS}/claims.tsv"
    conda:
        "../../envs/core.yaml"
    params:
        claims=PLAN.claims,
        labels={paper: claim_labels(paper) for paper in PLAN.papers},
        stand_ins={paper: stand_ins(paper) for paper in PLAN.papers},
    script:
        "../scripts/judge_claims.py"
