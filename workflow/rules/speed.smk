# Speed: ours and the reference several times in one process, as medians; time and memory over n and d. A measurement reserves
# all cores, so that nothing else runs at the same time. config/speed.yaml lists the measurements.


rule measure_speed:
    input:
        lambda wildcards: [f"{spec['folder']}/meta.json" for spec in measured_sets(wildcards.kernel).values()],
    output:
        csv=f"{RESULTS}/speed/{{kernel}}.csv",
    log:
        f"{LOGS}/speed/{{kernel}}.log",
    benchmark:
        f"{BENCHMARKS}/speed/{{kernel}}.tsv"
    conda:
        lambda wildcards: environment([SPEED[wildcards.kernel].get("needs")])
    threads: lambda wildcards: workflow.cores
    resources:
        mem_mb=lambda wildcards: SPEED[wildcards.kernel].get("mem_mb", 8000),
        runtime=60,
    params:
        sizes=lambda wildcards: SPEED[wildcards.kernel][PRESET],
        needs=lambda wildcards: SPEED[wildcards.kernel].get("needs"),
        sets=lambda wildcards: measured_sets(wildcards.kernel),
    script:
        "../scripts/measure_speed.py"


# Also adds this run's measurements to the history of versions.
rule render_speed:
    input:
        measured=[f"{RESULTS}/speed/{kernel}.csv" for kernel in SPEED],
        history=FILES.archived("speed/history.csv"),
    output:
        history=f"{RESULTS}/speed/history.csv",
        md=f"{RESULTS}/speed/overview.md",
        html=report(f"{RESULTS}/speed/overview.html", caption="../report/speed.rst", category="speed"),
        tex=f"{RESULTS}/speed/overview.tex",
    log:
        f"{LOGS}/speed/render/overview.log",
    benchmark:
        f"{BENCHMARKS}/speed/render/overview.tsv"
    localrule: True
    conda:
        "../../envs/core.yaml"
    params:
        code=MEASURED_CODE,
        specs=SPEED,
    script:
        "../scripts/render_speed.py"
