"""Critical-difference diagrams over all tasks, one per setting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import pandas as pd
from matplotlib.figure import Figure

from pulab.claims.cases import ALPHA
from pulab.figures.panels import draw_empty_panel, make_sheet, missing_note
from pulab.figures.style import styles
from pulab.tables import Paper, Results
from pulab.tables.sentences import listing
from pulib.plots import PAGE, critical_difference_diagram
from pulib.statistics import FriedmanNemenyi, friedman_nemenyi
from studies.resvm.places import METHODS, SETTINGS, TASKS
from studies.resvm.scores import scores_by_repeat

#: Minimum number of tasks for a test.
LEAST = 3


def draw_ranks(results: Results, paper: Paper) -> Figure:
    """Draw a diagram per setting."""
    methods = {method: results.labels[method] for method in METHODS}
    colors = {methods[method]: style.color for method, style in styles(methods, results).items()}
    tests = paper.table("friedman").set_index("row")["mean"]
    note = missing_note(results, results.tidy[results.tidy["setting"].isin(SETTINGS)], list(TASKS), methods)
    means = {setting: _means(results, setting, methods) for setting in SETTINGS}
    tested = {setting: friedman_nemenyi(scores) for setting, scores in means.items() if len(scores) >= LEAST}
    firsts = Counter(result.average_ranks.idxmin() for result in tested.values()).most_common(1)
    heading = f"{firsts[0][0]} has the best mean rank in {firsts[0][1]} of {len(tested)} settings" if firsts else ""
    level = [name for name in methods.values() if firsts and _never_differ(firsts[0][0], name, tested.values())]
    heading += f", and differs significantly from {listing(level)} in none" if level else ""
    note = f"Methods joined by a bar differ by less than the critical difference (CD, 5%), hence not significantly. {note}"
    fig, body = make_sheet(1.95 * len(SETTINGS) + 0.2, note if tested else "", heading, width=0.8 * PAGE)
    for ax, (setting, label) in zip(body.subplots(len(SETTINGS), 1), SETTINGS.items(), strict=True):
        if setting not in tested:
            draw_empty_panel(ax)
            ax.set_title(f"{label}: {len(means[setting])} tasks run, at least {LEAST} are needed")
            continue
        result = tested[setting]
        critical_difference_diagram(result, ax, colors=colors)
        theirs = f" (published {float(tests[setting]):.2g})" if setting in tests and results.preset == "paper" else ""
        p = f"p = {result.f_pvalue:.2g}" if result.f_pvalue >= 0.0001 else "p < 0.0001"
        title = f"{label}: {len(means[setting])} tasks, Friedman's F test, {p}{theirs}"
        ax.set_title(title, fontsize=9, pad=40, loc="left", x=-0.12)
    return fig


def _never_differ(first: str, other: str, tested: Iterable[FriedmanNemenyi]) -> bool:
    """Return whether two methods differ significantly in no setting."""
    return first != other and all(result.pvalues.loc[first, other] >= ALPHA for result in tested)


def _means(results: Results, setting: str, methods: Mapping[str, str]) -> pd.DataFrame:
    """Return mean areas, tasks by methods, over the repeats that all methods have."""
    areas = {t: scores_by_repeat(results.tidy, results.stand_ins.get(t, t), setting, list(methods)) for t in TASKS}
    return pd.DataFrame({task: own.mean().rename(methods) for task, own in areas.items() if len(own)}).T
