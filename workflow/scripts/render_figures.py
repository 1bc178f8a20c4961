"""Draw the figures of a study."""

from importlib import import_module
from pathlib import Path

from pulab.tables import read_published
from pulab.trials import results
from pulab.trials.logs import start_log
from pulib.plots import save_figure, style

start_log(snakemake.log[0])
folder = Path(snakemake.output[0]).parent
tidy, published = results.read(snakemake.input.results), read_published(snakemake.input.published)
for name, spec in snakemake.params.figures.items():
    with style():
        entry = {**spec, **snakemake.params.shared, "timings": snakemake.input.timings}
        fig = import_module(f"pulab.figures.kinds.{spec['kind']}").draw(
            entry, results.first_repeats(tidy, spec["first_repeats"]), published
        )
        save_figure(fig, folder / f"{name}.svg", folder / f"{name}.png")
    print(f"{name}: {spec['title']}", flush=True)
