"""Tables of the RESVM chapter; each function makes the table of its name."""

from __future__ import annotations

from pulab.tables import Paper, Results, Table, comparison, place
from studies.resvm.places import BLIND, METHODS, MNIST, SENSIT, SMALL, TASKS, rows_of, with_lodgepole
from studies.resvm.tables.edges import edge_table
from studies.resvm.tables.friedman import friedman_table
from studies.resvm.tables.intervals import interval_table
from studies.resvm.tables.margins import margin_table
from studies.resvm.tables.parameters import parameter_table
from studies.resvm.tables.wins import win_table


def table2_1(results: Results, paper: Paper) -> Table:
    rows = rows_of(SMALL | {"mnist_digit_7": "mnist"} | SENSIT)
    columns = [
        place("d", metric="n_features"),
        place("contamination", scale=100, metric="contamination_unlabeled"),
        place("training |P|", metric="n_labeled"),
        place("training |U|", metric="n_unlabeled"),
        place("test |P|", metric="n_test_positive"),
        place("test |N|", metric="n_test_negative"),
    ]
    return comparison(results, paper, "2.1", rows, columns, decimals=0, setting="pu", method="resvm_resvm")


def table2_2(results: Results, paper: Paper) -> Table:
    return interval_table(results, paper, "2.2", "supervised", with_lodgepole(rows_of(TASKS)), METHODS)


def table2_3(results: Results, paper: Paper) -> Table:
    return interval_table(results, paper, "2.3", "pu", with_lodgepole(rows_of(TASKS)), METHODS)


def table2_4(results: Results, paper: Paper) -> Table:
    return interval_table(results, paper, "2.4", "semi", with_lodgepole(rows_of(TASKS)), METHODS)


def _hinge(results: Results, paper: Paper, table: str, setting: str) -> Table:
    columns = [
        place("CWSVM", method="resvm_cwsvm"),
        place("CWSVM, hinge loss and bias", published="CWSVM", method="resvm_cwsvm_hinge"),
    ]
    return comparison(
        results, paper, table, rows_of(MNIST), columns, metric="pr_auc", scale=100, decimals=1, n_published=20, setting=setting
    )


def table_hinge(results: Results, paper: Paper) -> Table:
    return _hinge(results, paper, "2.2", "supervised")


def table_hinge_pu(results: Results, paper: Paper) -> Table:
    return _hinge(results, paper, "2.3", "pu")


def table_hinge_semi(results: Results, paper: Paper) -> Table:
    return _hinge(results, paper, "2.4", "semi")


def table_repeats(results: Results, paper: Paper) -> Table:
    rows = with_lodgepole(rows_of({"covtype": "covtype"}))
    return interval_table(results, paper, "100 repeats", "semi", rows, METHODS, n_published=100)


def table2_5(results: Results, paper: Paper) -> Table:
    return win_table(results, paper)


def table_friedman(results: Results, paper: Paper) -> Table:
    return friedman_table(results, paper)


def table2_6(results: Results, paper: Paper) -> Table:
    return parameter_table(results, paper)


def table_edges(results: Results, paper: Paper) -> Table:
    digits = {name: MNIST[name] for name in ("mnist_digit_3", "mnist_digit_7", "mnist_digit_8")}
    return edge_table(results, with_lodgepole(rows_of(SMALL | digits)), METHODS)


def table_blind(results: Results, paper: Paper) -> Table:
    return interval_table(results, paper, "2.2", "supervised", rows_of(SMALL | MNIST), BLIND)


def table_blind_pu(results: Results, paper: Paper) -> Table:
    return interval_table(results, paper, "2.3", "pu", rows_of(SMALL | MNIST), BLIND)


def table_blind_semi(results: Results, paper: Paper) -> Table:
    return interval_table(results, paper, "2.4", "semi", rows_of(SMALL | MNIST), BLIND)


def table_blind_edges(results: Results, paper: Paper) -> Table:
    return edge_table(results, rows_of(SMALL | MNIST), BLIND)


def table_margins(results: Results, paper: Paper) -> Table:
    return margin_table(results, paper, rows_of(SMALL | MNIST))
