"""The questions of the level field, answered in sentences: each with its numbers, and where its figure and cells are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from pulab.tables import levelfield_answers as answers
from pulab.tables.inputs import Inputs, Paths, Spec
from pulab.tables.sentences import Sentence, sentences
from pulab.tables.sheet import Sheet
from pulab.trials.artifacts import OPTIONAL, Artifact, Method, Setting, Switched


class Question(NamedTuple):
    """A question, and what computes the numbers that its template shows."""

    text: str
    numbers: Callable[[Mapping[str, Any], Inputs], dict[str, Any]]


#: By the names of their templates, ``templates/levelfield_<name>.md.jinja``.
QUESTIONS = {
    "coverage": Question("How much was run?", answers.coverage_numbers),
    "ranks": Question("Which learners rank best at their defaults?", answers.ranks_numbers),
    "trivial": Question("Is any default worse than a trivial classifier?", answers.trivial_numbers),
    "labels": Question("How many labels do learners need?", answers.labels_numbers),
    "biased": Question("Which learners tolerate biased labels?", partial(answers.change_numbers, "biased", "one_sample")),
    "wrong": Question("Which learners tolerate wrong labels?", partial(answers.change_numbers, "wrong", "two_sample")),
    "prior": Question("Which learners tolerate a wrong π?", partial(answers.change_numbers, "priors", "two_sample")),
    "estimated": Question("What does estimating π cost?", answers.estimated_numbers),
    "scenario": Question("What does assuming the wrong scenario cost?", answers.scenario_numbers),
    "tuning": Question("What does tuning without negatives gain?", answers.tuning_numbers),
    "costs": Question("How long do learners take?", answers.costs_numbers),
    "properties": Question("Which learners suit which tasks?", answers.properties_numbers),
}
NOTHING = "Not run yet."


class Keys(Artifact):
    references: dict[Setting, str]
    labels: dict[Setting, str]
    biased: dict[Setting, str]
    wrong: dict[Setting, str]
    priors: dict[Setting, str]
    estimators: dict[Setting, str]
    switched: dict[Setting, Switched]
    before: dict[Method, Method] = OPTIONAL


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the answers, as ``spec``, their entry in the study's configuration, titles them: a list in the place of a table."""
    found = {name: sentences(f"levelfield_{name}", **question.numbers(spec, inputs)) for name, question in QUESTIONS.items()}
    rows = [{"question": name, **sentence._asdict()} for name, own in found.items() for sentence in own]
    table = pd.DataFrame(rows, columns=["question", *Sentence._fields])
    table.to_csv(paths["csv"], index=False)
    lists = {QUESTIONS[name].text: lines for name, lines in answer_lists(table).items()}
    Sheet(title=spec["title"], lists=lists).write(paths)


def answer_lists(table: pd.DataFrame) -> dict[str, list[str]]:
    """Per question its sentences in Markdown; links are relative to the study's rendered files.

    >>> row = {"question": "costs", "text": "It takes 3 s.", "figure": "figure_costs", "table": "table_costs"}
    >>> answer_lists(pd.DataFrame([row]))["costs"]
    ['It takes 3 s. ([figure](figure_costs.svg), [cells](table_costs.csv))']
    """
    lists = {name: [_item(row) for row in table[table["question"] == name].to_dict("records")] for name in QUESTIONS}
    return {name: lines or [NOTHING] for name, lines in lists.items()}


def _item(row: Mapping[str, str]) -> str:
    links = [f"[figure]({row['figure']}.svg)"] * bool(row["figure"]) + [f"[cells]({row['table']}.csv)"]
    return f"{row['text']} ({', '.join(links)})"
