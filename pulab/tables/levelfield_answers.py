"""The eight questions of the level field, answered in sentences: each with its number, and where its figure and cells are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pulab.tables import levelfield_sentences as sentences
from pulab.tables.inputs import Inputs
from pulab.tables.levelfield_sentences import Sentence
from pulab.tables.render import latex_escape

QUESTIONS = {
    "coverage": "How much was run?",
    "ranks": "Who ranks where, at defaults?",
    "trivial": "Is a default ever worse than no learning at all?",
    "labels": "How many labels does each need?",
    "biased": "Who bears biased labels?",
    "wrong": "Who bears wrong labels?",
    "prior": "Who bears a wrong π?",
    "estimated": "What does an estimated π cost?",
    "scenario": "What does the wrong scenario cost, and does the switch mend it?",
    "tuning": "What does tuning without negatives gain, and lose?",
    "costs": "What does it cost?",
    "properties": "Which properties of a task go with which learner?",
}
NOTHING = "Not run yet."


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the answers that ``spec``, its entry in the study's configuration, asks for: a list in the place of a table."""
    found = answers(spec, inputs)
    rows = [{"question": key, **sentence._asdict()} for key, own in found.items() for sentence in own]
    told = pd.DataFrame(rows, columns=["question", *Sentence._fields])
    told.to_csv(paths["csv"], index=False)
    Path(paths["md"]).write_text(f"**{spec['title']}**\n\n{answers_markdown(told)}\n", encoding="utf-8")
    Path(paths["tex"]).write_text(_latex(found), encoding="utf-8")


def answers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, list[Sentence]]:
    """Per question of ``spec["questions"]`` (all of them where it has none) its sentences; none where nothing was run."""
    ask = {key: getattr(sentences, f"about_{key}") for key in QUESTIONS}
    return {key: list(ask[key](spec, inputs)) for key in spec.get("questions", QUESTIONS)}


def answers_markdown(told: pd.DataFrame) -> str:
    """A heading and a list per question; links are relative to the study's rendered files."""
    return "\n\n".join(f"### {QUESTIONS[key]}\n\n{text}" for key, text in answer_lists(told).items())


def answer_lists(told: pd.DataFrame) -> dict[str, str]:
    """Per question a Markdown list of its sentences.

    >>> row = {"question": "costs", "text": "It takes 3 s.", "figure": "figure_costs", "table": "table_costs"}
    >>> answer_lists(pd.DataFrame([row]))["costs"]
    '- It takes 3 s. ([figure](figure_costs.png), [cells](table_costs.csv))'
    """
    lists = {key: [_item(row) for row in told[told["question"] == key].to_dict("records")] for key in QUESTIONS}
    return {key: "\n".join(lines or [f"- {NOTHING}"]) for key, lines in lists.items()}


def _item(row: Mapping[str, str]) -> str:
    links = [f"[figure]({row['figure']}.png)"] * bool(row["figure"]) + [f"[cells]({row['table']}.csv)"]
    return f"- {row['text']} ({', '.join(links)})"


def _latex(found: Mapping[str, list[Sentence]]) -> str:
    lines = []
    for key, own in found.items():
        lines += [rf"\paragraph{{{latex_escape(QUESTIONS[key])}}}", r"\begin{itemize}"]
        lines += [rf"\item {latex_escape(text.replace('*', ''))}" for text in ([s.text for s in own] or [NOTHING])]
        lines.append(r"\end{itemize}")
    return "\n".join(lines) + "\n"
