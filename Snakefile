from snakemake.utils import min_version

min_version("9.5")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/splits.smk"
include: "workflow/rules/trials.smk"
include: "workflow/rules/statistics.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/speed.smk"
include: "workflow/rules/scale.smk"
include: "workflow/rules/priors.smk"


localrules:
    all,
    data,
    trials,
    tables,
    figures,
    puet,
    adapu,
    opu,
    pces,
    resvm,
    speed,
    scale,
    priors,
    collect_trials,
    check_trials,
    test_methods,
    judge_claims,
    make_scoreboard,
    make_report,
    readme,


# Every table and figure of the preset, the scoreboard and the report; fails at the end where a trial failed.
rule all:
    default_target: True
    input:
        tables=table_files(),
        figures=figure_files(),
        tests=test_files(),
        datasets=dataset_table(),
        scoreboard=SCOREBOARD,
        claims=CLAIMS,
        report=REPORT,
        check=TRIAL_CHECKS,


# Download and prepare only: for the machine that has a network.
rule data:
    input:
        prepared_files(),


# Train and evaluate, render nothing.
rule trials:
    input:
        [tidy_file(paper) for paper in PLAN.papers],
        own_results(),


# All tables.
rule tables:
    input:
        table_files(),
        dataset_table(),
        own_results(),


# All figures.
rule figures:
    input:
        figure_files(),
        own_results(),


# One paper's tables and figures.
rule puet:
    input:
        paper_targets("puet"),


rule adapu:
    input:
        paper_targets("adapu"),


rule opu:
    input:
        paper_targets("opu"),


rule pces:
    input:
        paper_targets("pces"),


rule resvm:
    input:
        paper_targets("resvm"),


# What the preset costs and how it spreads over many cores, from the times of the trials that were run.
rule scale:
    input:
        f"{FIGURES}/scale.md",


# Every kernel beside its reference, and its growth with the data, measured one at a time on an otherwise idle machine.
rule speed:
    input:
        measured_files(),
        speed_files(),


# How far the estimates of the class prior are off, by data set and method.
rule priors:
    input:
        prior_files(),
