"""Figure 2.1: contamination of bootstrap resamples by their size, simulated."""

from matplotlib.figure import Figure

from pulib.experiments.logs import start_log
from pulib.plots._contamination import plot_resample_contamination, resample_contamination
from pulib.plots._style import COLUMN, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
frame = resample_contamination(spec["sizes"], spec["contamination"], spec["n_draws"])
print(frame)
with style():
    fig = Figure(figsize=(COLUMN * 1.3, 2.6))
    plot_resample_contamination(fig.add_subplot(), frame, spec["contamination"])
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
