"""The questions of the level field, answered in sentences: each with its numbers, and where its figure and cells are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from pulab.tables import Answers, Results
from pulab.tables.sentences import Sentence, sentences
from studies.levelfield import answers as numbers
from studies.levelfield.field import METRICS
from studies.levelfield.levels import PRIORS, WRONG

TEMPLATES = Path(__file__).parents[1] / "templates"
BIASED = {f"biased_{k}": f"clear cases (k = {k})" for k in (1, 3, 10)} | {"biased_border": "doubtful cases (k = 10)"}
#: By question, what computes the numbers that its template shows.
NUMBERS: dict[str, Callable[[Results], dict[str, Any]]] = {
    "coverage": numbers.coverage_numbers,
    "ranks": numbers.ranks_numbers,
    "trivial": numbers.trivial_numbers,
    "labels": numbers.labels_numbers,
    "biased": partial(numbers.change_numbers, levels=BIASED, reference="one_sample"),
    "wrong": partial(numbers.change_numbers, levels=WRONG, reference="two_sample"),
    "prior": partial(numbers.change_numbers, levels=PRIORS, reference="two_sample"),
    "estimated": numbers.estimated_numbers,
    "scenario": numbers.scenario_numbers,
    "tuning": numbers.tuning_numbers,
    "costs": numbers.costs_numbers,
    "properties": numbers.properties_numbers,
}


def answers(results: Results) -> Answers:
    """A list of sentences per question, in the place of a table."""
    found = {
        name: sentences(TEMPLATES / f"{name}.md.jinja", metric_names=METRICS, **NUMBERS[name](results))
        for name in results.study.questions
    }
    rows = [{"question": name, **sentence._asdict()} for name, own in found.items() for sentence in own]
    return Answers(pd.DataFrame(rows, columns=["question", *Sentence._fields]), results.study.questions)
