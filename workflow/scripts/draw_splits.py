"""Draw the splits of a batch of repeats of a data set and setting."""

from pathlib import Path

from pulib.datasets import load_prepared
from pulib.experiments.logs import start_log
from pulib.experiments.seeds import split_seed
from pulib.sampling import make_splits, save_splits

start_log(snakemake.log[0])
paper, dataset = snakemake.wildcards.paper, snakemake.wildcards.dataset
spec = snakemake.params.spec
repeats = range(int(snakemake.wildcards.first), int(snakemake.wildcards.last) + 1)
data = load_prepared(Path(snakemake.input.meta).parent, dataset, spec["positive"])
splits = {}
if data.meta.get("available", True):
    seeds = {repeat: split_seed(paper, dataset, repeat) for repeat in repeats}
    splits = make_splits(data, spec["kind"], seeds, shared_seed=split_seed(paper, dataset, None), **spec["options"])
save_splits(snakemake.output.splits, splits)
print(f"{len(splits)} splits of {dataset}, kind {spec['kind']}, {spec['options']}")
