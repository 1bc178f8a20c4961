"""Figure 2: the generated set, how each method ranks the unit square, and that ranking along the two paths of the expansion."""

from matplotlib.figure import Figure

from pulib.datasets._expanding_clusters import CLUSTERS, PATHS
from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._expansion import series_of
from pulib.plots._ranking_maps import equalized_map, plot_map, plot_strips, plot_training_rows, strip_along
from pulib.plots._sensitivity import say_nothing_to_draw
from pulib.plots._style import PAGE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
tidy = results.read(snakemake.input.results)
tidy = tidy[(tidy["setting"] == spec["show_setting"]) & (tidy["dataset"] == spec["show_dataset"])]
methods = [name for name in spec["show_methods"] if (tidy["method"] == name).any()]
centers = {cluster.name: cluster.center for cluster in CLUSTERS}
paths = [[centers[name] for name in path] for path in PATHS]
with style():
    n = len(methods) + 1 if methods else 0
    columns = max(1, (n + 1) // 2)
    fig = Figure(figsize=(PAGE, PAGE / max(columns, 2) * 2.75))
    grid = fig.add_gridspec(4, columns, height_ratios=[1, 0.28, 1, 0.28])
    for number in range(n):
        row, column = divmod(number, columns)
        ax = fig.add_subplot(grid[2 * row, column])
        letter = "abcdefghijkl"[number]
        own = tidy[tidy["method"] == methods[max(number - 1, 0)]]
        if number == 0:
            x, y, positive = (series_of(own, name) for name in ("train_x", "train_y", "train_positive"))
            plot_training_rows(ax, x, y, positive == 1, paths)
            ax.set_title(f"{letter}  training rows", loc="left", fontsize=7)
            ax.legend(loc="lower left", fontsize=6, handletextpad=0.1, borderpad=0)
            continue
        image = equalized_map(series_of(own, "map"))
        plot_map(ax, image)
        ax.set_title(f"{letter}  {spec['methods'].get(methods[number - 1], methods[number - 1])}", loc="left", fontsize=7)
        below = fig.add_subplot(grid[2 * row + 1, column])
        plot_strips(below, [strip_along(image, path) for path in paths])
    if not methods:
        say_nothing_to_draw(fig.add_subplot(grid[:, :]))
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
