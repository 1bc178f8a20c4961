"""Run the trials of one batch: tune, fit, evaluate, for each of its repeats."""

from pathlib import Path

from pulib.datasets import load_prepared
from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.experiments.runner import Checkpoints, data_identity, lacking_record, record_lacking, run_batch
from pulib.experiments.trial import TrialContext, import_object
from pulib.sampling import Split, load_splits

start_log(snakemake.log[0])
spec, place = snakemake.params.spec, snakemake.wildcards
data = load_prepared(Path(snakemake.input.meta).parent, place.dataset, spec["split"]["positive"])
repeats = list(range(int(place.first), int(place.last) + 1))
if data.meta.get("available", True):
    splits = load_splits(snakemake.input.splits, repeats)
else:
    splits = dict.fromkeys(repeats, Split([], [], [], 0.5))

contexts = (
    TrialContext(
        paper=place.paper,
        dataset_name=place.dataset,
        setting_name=place.setting,
        method_name=place.method,
        repeat=repeat,
        data=data,
        split=splits[repeat],
        method=spec["method"],
        setting=spec["setting"],
        n_jobs=snakemake.threads,
    )
    for repeat in repeats
)
checkpoints = Checkpoints(Path(snakemake.output.results).parent, [spec, data_identity(data.meta)])
rows, timings = run_batch(contexts, import_object(spec["protocol"]), checkpoints)
record_lacking(lacking_record(snakemake.output.results), spec["method"], rows, snakemake.params.looked_for)
results.write(rows, snakemake.output.results)
results.write(timings, snakemake.output.timings)
checkpoints.clear(repeats)
