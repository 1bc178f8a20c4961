"""The level field's sentences: what templates make of small records, and of few learners."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest
from jinja2 import UndefinedError

from pulab.tables.sentences import sentences
from studies.levelfield.answers import NUMBERS, TEMPLATES
from studies.levelfield.effects import Effect
from studies.levelfield.levels import METRICS
from tests.studies.levelfield.drawn import LEARNERS, TASKS, make_tidy, results_of

LOSS, GAIN, ZERO = Effect(-5.04, -7.0, -3.0), Effect(1.25, -0.5, 2.0), Effect(-0.04, -1.0, 1.0)


def texts(question, **records):
    return [sentence.text for sentence in sentences(TEMPLATES / f"{question}.md.jinja", metric_names=METRICS, **records)]


def change(best, worst, *, learners=2, tasks=8, accuracy=LOSS, auc=LOSS, level="30%", partly_run=()):
    ends = {"best": SimpleNamespace(name="A", effect=best), "worst": SimpleNamespace(name="B", effect=worst)}
    changed = {"level": level, "learners": learners, "tasks": tasks, "accuracy": accuracy, "auc": auc}
    return SimpleNamespace(**changed, **ends, partly_run=partly_run)


def of_change(question, found):
    return texts(question, changes=[found], worst=found)


@pytest.mark.parametrize(
    ("best", "worst", "expected"),
    [
        (Effect(-1.0), LOSS, "*A* loses least (1.0), and *B* loses most (5.0 [3.0, 7.0])."),
        (GAIN, LOSS, "*A* gains 1.2 [−0.5, 2.0] points, whereas *B* loses 5.0 [3.0, 7.0] points."),
        (ZERO, LOSS, "*A* changes by 0.0 [−1.0, 1.0] points, whereas *B* loses 5.0 [3.0, 7.0] points."),
        (GAIN, Effect(0.5), "*A* gains most (1.2 [−0.5, 2.0]), and *B* gains least (0.5)."),
        (ZERO, ZERO, "*A* gains most (0.0 [−1.0, 1.0]), and *B* gains least (0.0 [−1.0, 1.0])."),
    ],
)
def test_losses_and_gains_are_never_negative(best, worst, expected):
    for text in of_change("wrong", change(best, worst)):
        assert text.endswith(expected)
        assert not re.search(r"(rises|falls) by −|(gains|loses|lose|gain) −", text)


def test_one_learner_is_not_compared_with_itself():
    (text,) = of_change("wrong", change(LOSS, LOSS, learners=1, tasks=1))
    assert "on average over 1 learner and 1 task (too few to generalize)" in text
    assert text.endswith("The one learner is *A*, which loses 5.0 [3.0, 7.0] points of accuracy.")


def test_harmless_labels_are_described_as_harmless():
    partly = SimpleNamespace(name="SAR-EM", tasks=1, own=GAIN, others=Effect(-13.4))
    found = change(GAIN, GAIN, accuracy=GAIN, level="clear cases", partly_run=[partly])
    text, other = of_change("biased", found)
    assert text.startswith("Biased labels do no harm: accuracy rises by 1.2")
    assert "*SAR-EM* gains 1.2 [−0.5, 2.0] points of accuracy over the 1 task on which it was run" in other


def test_number_missing_from_a_template_raises_an_error():
    with pytest.raises(UndefinedError):
        sentences(TEMPLATES / "costs.md.jinja", metric_names=METRICS)


def computed(tidy, folder):
    results = results_of(tidy, folder)
    return {name: compute(results) for name, compute in NUMBERS.items()}


@pytest.mark.parametrize("learners", [0, 1])
def test_few_or_no_learners_give_few_or_no_sentences(learners, tmp_path):
    """With one learner, nothing is ranked; with none, no sentence is about learners."""
    tidy = make_tidy(repeats=1)
    tidy = tidy[tidy["method"].isin([*LEARNERS[:learners], "lf_all_negative", "lf_supervised_rf"])]
    found = computed(tidy, tmp_path)
    written = {name: texts(name, **records) for name, records in found.items()}
    assert written["ranks"] == written["costs"] == []
    assert bool(written["wrong"]) == bool(written["tuning"]) == bool(learners)
    if learners:
        assert written["wrong"][0].startswith("With 30% wrong labels, accuracy falls by")
        assert "The one learner is *PU extra trees*" in written["wrong"][0]
        assert written["trivial"][0].startswith("None of 1 learner does worse")


def test_learners_with_equal_scores_share_first_place(tmp_path):
    tidy = make_tidy(tasks=TASKS[:3], repeats=2)
    first = tidy[tidy["method"] == LEARNERS[0]]
    tied = pd.concat([tidy[tidy["method"] != LEARNERS[1]], first.assign(method=LEARNERS[1])], ignore_index=True)
    leader = computed(tied, tmp_path)["ranks"]["leaders"][0]
    assert leader.best.rank == leader.runners_up[0].rank == 1.5
    assert (leader.first_on, leader.first_somewhere) == (1.5, 2)
    assert leader.same == pytest.approx(1)
