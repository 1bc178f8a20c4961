"""Names of the chapter's data sets, settings and methods in tables, figures and claims."""

from __future__ import annotations

from pulab.tables import Place, place

MNIST = {f"mnist_digit_{digit}": f"mnist {digit}" for digit in range(10)}
SENSIT = {f"sensit_class_{number}": f"sensit {number}" for number in (1, 2, 3)}
SMALL = {"circle_noise": "synthetic", "cancer": "cancer", "ijcnn1": "ijcnn1", "covtype": "covtype"}
#: The chapter's 17 tasks, with their labels in its tables.
TASKS = SMALL | MNIST | SENSIT
#: Families of tasks; each family counts once in normalized shares.
FAMILIES = {label: [name] for name, label in SMALL.items()} | {"mnist": list(MNIST), "sensit": list(SENSIT)}
SETTINGS = {"supervised": "supervised", "pu": "PU learning", "semi": "semi-supervised"}
#: Published table with the areas of each setting.
PRINTED = {"supervised": "2.2", "pu": "2.3", "semi": "2.4"}
METHODS = ("resvm_cwsvm", "resvm_bag", "resvm_resvm")
BLIND = tuple(f"{method}_blind" for method in METHODS)
NAMES = ("CWSVM", "BAG", "RESVM")
LODGEPOLE = place("covtype, lodgepole", published="covtype", reading="other", dataset="covtype_lodgepole")


def rows_of(tasks: dict[str, str]) -> list[Place]:
    return [place(label, dataset=name) for name, label in tasks.items()]


def with_lodgepole(rows: list[Place]) -> list[Place]:
    """Add covtype's other interpretation below it."""
    return [part for row in rows for part in ((row, LODGEPOLE) if row.label == "covtype" else (row,))]
