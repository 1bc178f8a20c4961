"""Write the tables of a study."""

from functools import cache, partial
from importlib import import_module
from pathlib import Path

from pulab.tables.inputs import Inputs
from pulab.trials.logs import start_log

start_log(snakemake.log[0])
folder, params = Path(snakemake.output[0]).parent, snakemake.params
inputs = cache(partial(Inputs, snakemake.input.results, snakemake.input.timings, snakemake.input.published))
for name, spec in params.tables.items():
    paths = {suffix: str(folder / f"{name}.{suffix}") for suffix in ("csv", "md", "tex", "json", "html")}
    import_module(f"pulab.tables.kinds.{spec['kind']}").render({**spec, **params.shared}, inputs(spec["first_repeats"]), paths)
    print(f"{name}: {spec['title']}", flush=True)
