"""What each learner loses in some settings against their references: a panel per setting and metric, a row per learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from pulab.figures.panels import make_page
from pulab.tables import Results
from pulab.tables.sentences import sentence_case
from studies.levelfield.drawing import draw_intervals, leave_room_for_names, name_rows
from studies.levelfield.field import METRICS, Field, difference, over_tasks
from studies.levelfield.levels import Switched


def draw_losses(
    results: Results, against: Mapping[str, Switched], metrics: Sequence[str], *, wording: str, remark: str = ""
) -> Figure:
    """What is lost in each setting of ``against``, compared with its reference, which ``wording`` names."""
    settings = [*against, *(entry.reference for entry in against.values())]
    field = Field.of(results, settings, metrics)
    lost = {
        (setting, metric): difference(field.scores(entry.reference, metric), field.scores(setting, metric))
        for metric in metrics
        for setting, entry in against.items()
    }
    lost = {place: table[field.ranked(table.columns)] for place, table in lost.items()}
    lost = {place: table for place, table in lost.items() if table.size}
    most = max((len(table) for table in lost.values()), default=0)
    # compared by their means are those that have all tasks
    whole = {place: table.dropna(axis="columns") for place, table in lost.items()}
    costs = {place: table.mean(axis=1).mean() for place, table in whole.items() if table.size}
    worst = max(costs, key=costs.__getitem__, default=None)
    learners = list(whole[worst].mean().sort_values(kind="stable").index) if worst else []
    learners += [
        m for m in field.ranked(field.table.columns) if m not in learners and any(m in table for table in lost.values())
    ]
    names = [_with_tasks(field.label(m), [len(t[m].dropna()) for t in lost.values() if m in t], most) for m in learners]
    titles = [against[s].label.replace(", ", ",\n") + (f"\n{METRICS[m]}" if len(metrics) > 1 else "") for s, m in lost]
    heading, note = "", ""
    if worst:
        label, metric = against[worst[0]].label, METRICS[worst[1]]
        heading = f"{sentence_case(label)}: {100 * costs[worst]:.1f} points of {metric} lost on average, the most of all panels"
        note = f"{remark} " if remark else ""
        note += (
            f"Points {'of ' + metric + ' ' if len(metrics) == 1 else ''}lost against {wording}; means over "
            f"{most} tasks, or as "
            "many as a name says, with 95% bootstrap intervals. Left of zero: gained."
        )
    columns = len(lost) if len(lost) <= 4 else len(against)
    shape = (-(-len(lost) // columns), columns) if lost else None
    page = make_page(
        titles, note=note, heading=heading, shape=shape, row_height=0.9 + 0.19 * max(len(learners), 3),
        title_size=8, sharex=True, sharey=True,
    )  # fmt: skip
    leave_room_for_names(page.fig)
    for k, (ax, table) in enumerate(zip(page.axes, lost.values(), strict=True)):
        draw_intervals(ax, over_tasks(table).reindex(learners))
        name_rows(ax, names)
        ax.tick_params(axis="y", labelsize=7.5, labelleft=k % columns == 0)
        ax.set_xlabel("points lost")
    return page.fig


def _with_tasks(name: str, tasks: list[int], most: int) -> str:
    """A name, with the number of tasks where it is smaller than that of others."""
    return name if min(tasks) == most else f"{name} ({min(tasks)} task{'s' * (min(tasks) != 1)})"
