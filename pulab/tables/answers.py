"""Sentences that answer a study's questions, in the place of a table: each with the figure and the cells that show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

NOTHING = "Not run yet."


def answer_lists(rows: pd.DataFrame, questions: Iterable[str]) -> dict[str, list[str]]:
    """Per question its sentences in Markdown; links are relative to the study's rendered files.

    >>> row = {"question": "costs", "text": "It takes 3 s.", "figure": "figure_costs", "table": "table_costs"}
    >>> answer_lists(pd.DataFrame([row]), ["costs"])["costs"]
    ['It takes 3 s. ([figure](figure_costs.svg), [cells](table_costs.csv))']
    """
    lists = {name: [_item(row) for row in rows[rows["question"] == name].to_dict("records")] for name in questions}
    return {name: lines or [NOTHING] for name, lines in lists.items()}


def _item(row: Mapping[str, str]) -> str:
    links = [f"[figure]({row['figure']}.svg)"] * bool(row["figure"]) + [f"[cells]({row['table']}.csv)"]
    return f"{row['text']} ({', '.join(links)})"
