"""Speed and memory of the kernels, each compared with its reference in one process.

There is one module per paper's kernels, and others for networks, memory maps and first use.  Each has a function
``measure(record, **sizes)``; ``snakemake --cores all speed`` reads the sizes from ``config/speed.yaml``.
``priors`` measures the errors of estimated class priors.
"""
