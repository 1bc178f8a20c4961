"""The eight questions of the level field, answered in sentences: each with its number, and where its figure and cells are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pulab.tables import levelfield_sentences as at_defaults
from pulab.tables import levelfield_sentences_lost as lost
from pulab.tables.inputs import Inputs
from pulab.tables.levelfield_words import Sentence
from pulab.tables.render import latex_escape

QUESTIONS = {
    "coverage": ("How much was run?", at_defaults.about_coverage),
    "ranks": ("Who ranks where, at defaults?", at_defaults.about_ranks),
    "trivial": ("Is a default ever worse than no learning at all?", at_defaults.about_trivial),
    "labels": ("How many labels does each need?", at_defaults.about_labels),
    "biased": ("Who bears biased labels?", lost.about_biased),
    "wrong": ("Who bears wrong labels?", lost.about_wrong),
    "prior": ("Who bears a wrong π?", lost.about_prior),
    "estimated": ("What does an estimated π cost?", lost.about_estimated),
    "scenario": ("What does the wrong scenario cost, and does the switch mend it?", lost.about_scenario),
    "tuning": ("What does tuning without negatives gain, and lose?", lost.about_tuning),
    "costs": ("What does it cost?", at_defaults.about_costs),
    "properties": ("Which properties of a task go with which learner?", at_defaults.about_properties),
}
NOTHING = "Not run yet."


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the answers, as ``spec``, their entry in the study's configuration, titles them: a list in the place of a table."""
    found = answers(spec, inputs)
    rows = [{"question": key, **sentence._asdict()} for key, own in found.items() for sentence in own]
    told = pd.DataFrame(rows, columns=["question", *Sentence._fields])
    told.to_csv(paths["csv"], index=False)
    Path(paths["md"]).write_text(f"**{spec['title']}**\n\n{answers_markdown(told)}\n", encoding="utf-8")
    Path(paths["tex"]).write_text(_latex(found), encoding="utf-8")


def answers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, list[Sentence]]:
    """Per question its sentences; none where nothing was run."""
    return {key: list(about(spec, inputs)) for key, (_, about) in QUESTIONS.items()}


def answers_markdown(told: pd.DataFrame) -> str:
    """A heading and a list per question; links are relative to the study's rendered files."""
    return "\n\n".join(f"### {QUESTIONS[key][0]}\n\n{text}" for key, text in answer_lists(told).items())


def answer_lists(told: pd.DataFrame) -> dict[str, str]:
    """Per question a Markdown list of its sentences.

    >>> row = {"question": "costs", "text": "It takes 3 s.", "figure": "figure_costs", "table": "table_costs"}
    >>> answer_lists(pd.DataFrame([row]))["costs"]
    '- It takes 3 s. ([figure](figure_costs.svg), [cells](table_costs.csv))'
    """
    lists = {key: [_item(row) for row in told[told["question"] == key].to_dict("records")] for key in QUESTIONS}
    return {key: "\n".join(lines or [f"- {NOTHING}"]) for key, lines in lists.items()}


def _item(row: Mapping[str, str]) -> str:
    links = [f"[figure]({row['figure']}.svg)"] * bool(row["figure"]) + [f"[cells]({row['table']}.csv)"]
    return f"- {row['text']} ({', '.join(links)})"


def _latex(found: Mapping[str, list[Sentence]]) -> str:
    lines = []
    for key, own in found.items():
        lines += [rf"\paragraph{{{latex_escape(QUESTIONS[key][0])}}}", r"\begin{itemize}"]
        lines += [rf"\item {latex_escape(text.replace('*', ''))}" for text in ([s.text for s in own] or [NOTHING])]
        lines.append(r"\end{itemize}")
    return "\n".join(lines) + "\n"
