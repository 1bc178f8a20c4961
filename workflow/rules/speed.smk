# Speed: ours and the reference in one process, several times, medians. Takes all cores, so that nothing else runs beside it.


rule measure_speed:
    output:
        csv=f"{FIGURES}/speed/{{paper}}.csv",
    log:
        f"{LOGS}/speed/{{paper}}.log",
    conda:
        "../../envs/core.yaml"
    threads: lambda wildcards: workflow.cores
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        mirrors=MIRRORS,
        resources=RESOURCES,
        preset=PRESET,
    script:
        "../scripts/benchmark_{wildcards.paper}.py"
