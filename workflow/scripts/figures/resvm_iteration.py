"""Figure 2.2: one iteration of the benchmark: the workflow's jobs and what they found."""

from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.logs import start_log
from pulib.plots._contamination import plot_iteration
from pulib.plots._style import PAGE, save_figure, style

start_log(snakemake.log[0])
spec = snakemake.params.spec
dataset = spec["stand_ins"].get(spec["dataset"], spec["dataset"])
tidy = results.read(snakemake.input.results)
own = tidy[(tidy["dataset"] == dataset) & (tidy["setting"] == spec["setting"]) & (tidy["repeat"] == 0) & (tidy["step"] == -1)]
found = {method: dict(part[["metric", "value"]].itertuples(index=False)) for method, part in own.groupby("method")}
sizes = found.get(spec["compare"][-1], {})
steps = [
    {"name": "data", "x": 1, "y": 4, "title": "prepare_dataset", "lines": [spec["datasets"][dataset]]},
    {
        "name": "split",
        "x": 1,
        "y": 3,
        "title": "draw_splits, repeat 0",
        "lines": [
            f"|P| = {sizes.get('n_labeled', 0):.0f}, {sizes.get('contamination_labeled', 0):.0%} contaminated",
            f"|U| = {sizes.get('n_unlabeled', 0):.0f}, {sizes.get('contamination_unlabeled', 0):.0%} contaminated",
            f"test: {sizes.get('n_test_positive', 0):.0f} + {sizes.get('n_test_negative', 0):.0f}",
        ],
    },
    {
        "name": "tables",
        "x": 1,
        "y": 1,
        "title": "collect_trials",
        "lines": ["areas of all methods, paired by repeat", "tests, tables, figures"],
    },
]
arrows = [("data", "split")]
for x, method in enumerate(spec["compare"]):
    values = found.get(method, {})
    lines = [
        f"{values.get('n_candidates', 0):.0f} candidates, the same folds",
        f"best PU score {values.get('pu_score', float('nan')):.2f}",
        "fitted on all of P and U",
        f"area under the PR curve {values.get('pr_auc', float('nan')):.3f}",
    ]
    steps.append({"name": method, "x": x, "y": 2, "title": f"run_trials: {spec['methods'][method]}", "lines": lines})
    arrows += [("split", method), (method, "tables")]
with style():
    fig = Figure(figsize=(PAGE, 4.0))
    plot_iteration(fig.add_subplot(), steps, arrows)
    save_figure(fig, snakemake.output.pdf, snakemake.output.png)
