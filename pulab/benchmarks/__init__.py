"""Speed and memory of the kernels, each beside its reference in one process.

One module per paper's kernels, and others for networks, memory maps, bounds and first use, each with a function
``measure(record, **sizes)``; what sizes are measured is said in ``config/speed.yaml``, which ``snakemake --cores all
speed`` reads.
"""

from pulab.benchmarks.record import LEAST_MEMORY, Record, slopes

__all__ = ["LEAST_MEMORY", "Record", "slopes"]
