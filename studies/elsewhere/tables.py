"""Tables of results published elsewhere; each function makes the table of its name."""

from __future__ import annotations

from pulab.tables import Paper, Results, Table, comparison, place
from studies.elsewhere.study import SIZES

SETS = {
    "landsat": "Landsat",
    "mushrooms_categorical_poisonous": "Mushrooms",
    "page_blocks": "Page blocks",
    "spambase": "Spambase",
    "wine_color": "Wine",
}
MIXED = tuple(
    place(f"{label}, {share}%", dataset=name, setting=f"positive_{share:02}")
    for name, label in SETS.items()
    for share in SIZES[name]
)
METHODS = (
    place("DEDPUL, boosting", method="dedpul"),
    place("DEDPUL, network", method="dedpul_mlp"),
    place("Elkan-Noto, network", method="elkan_noto_mlp"),
    place("nnPU, sigmoid", method="nnpu"),
)
BENCH_SETS = (
    place("MNIST", dataset="mnist"),
    place("Mushrooms", dataset="mushrooms_poisonous"),
    place("Spambase", dataset="spambase"),
)
BENCH_METHODS = (
    place("LBE", method="lbe", rows=("Mushrooms", "Spambase")),
    place("nnPU", method="nnpu_bench", rows=("Mushrooms", "Spambase")),
    place("VPU", method="vpu"),
    place("(TED)^n", published="BBE-PU", method="ted", rows=("Spambase",)),
)
INLIER_SETS = (
    place("Mushroom", dataset="mushrooms_categorical"),
    place("Spambase", dataset="spambase"),
    place("WDBC", dataset="breast_cancer"),
    place("Wine quality", dataset="wine_quality"),
)
INLIER_METHODS = (place("DEDPUL, trees", published="PUICL", method="dedpul_trees"), place("PU bagging", method="bagging"))


def table_dedpul(results: Results, paper: Paper) -> Table:
    return comparison(results, paper, "dedpul", MIXED, METHODS, metric="unlabeled_accuracy", scale=100, n_published=10)


def table_bench(results: Results, paper: Paper) -> Table:
    """Return means over all settings of this kind: only their trials have an accuracy on test rows."""
    return comparison(results, paper, "bench", BENCH_SETS, BENCH_METHODS, metric="accuracy", scale=100, n_published=30)


def table_puicl(results: Results, paper: Paper) -> Table:
    columns = INLIER_METHODS
    return comparison(
        results, paper, "puicl", INLIER_SETS, columns, metric="unlabeled_auc", scale=100, n_published=10, setting="inliers"
    )
