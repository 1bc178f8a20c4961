"""Speed and memory of the kernels, each compared with its reference in one process.

One module per paper's kernels, and others for networks, memory maps and first use, each with a function
``measure(record, **sizes)``; ``config/speed.yaml`` has the sizes, which ``snakemake --cores all speed`` reads.
``priors`` measures how far the estimates of the class prior are off.
"""
