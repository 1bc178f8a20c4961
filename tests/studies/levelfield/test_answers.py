"""The level field's sentences: what templates make of small records, and what is said of few learners."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from jinja2 import UndefinedError

from pulab.tables.sentences import Range, sentences
from studies.levelfield.answers import NUMBERS, TEMPLATES
from studies.levelfield.effects import Effect
from studies.levelfield.levels import METRICS
from studies.levelfield.numbers import leaders_between
from tests.studies.levelfield.drawn import LEARNERS, ROOT, TASKS, make_tidy, results_of

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
    ("best", "worst", "said"),
    [
        (Effect(-1.0), LOSS, "*A* loses least (1.0), and *B* loses most (5.0 [3.0, 7.0])."),
        (GAIN, LOSS, "*A* gains 1.2 [−0.5, 2.0] points, whereas *B* loses 5.0 [3.0, 7.0] points."),
        (GAIN, Effect(0.5), "*A* gains most (1.2 [−0.5, 2.0]), and *B* gains least (0.5)."),
        (ZERO, ZERO, "*A* gains most (0.0 [−1.0, 1.0]), and *B* gains least (0.0 [−1.0, 1.0])."),
    ],
)
def test_no_loss_and_no_gain_is_negative(best, worst, said):
    for text in of_change("wrong", change(best, worst)):
        assert text.endswith(said)
        assert not re.search(r"(rises|falls) by −|(gains|loses|lose|gain) −", text)


def test_numbers_of_labels_in_between_are_interpolated_in_the_logarithm():
    scores = {"labels_10": pd.DataFrame({"a": [0.5, 0.7], "b": [0.6, 0.6], "c": [0.9, np.nan]}, index=["s", "t"])}
    scores["labels_30"] = pd.DataFrame({"a": [0.9, 0.9, 0.1], "b": [0.7, 0.7, 0.9], "c": [0.9] * 3}, index=["s", "t", "u"])
    nothing = pd.DataFrame()
    field = SimpleNamespace(scores=lambda s, _: scores.get(s, nothing), ranked=list, label=str.upper)
    (found,) = leaders_between(field, "accuracy")  # b leads with 10 labels, a with 30; u has one number, c lacks a task
    assert (found.labels, found.name) == (20, "A")
    assert found.mean == pytest.approx(60 + 30 * np.log(2) / np.log(3))


def test_one_learner_is_not_compared_with_itself():
    brief, whole = of_change("wrong", change(LOSS, LOSS, learners=1, tasks=1))
    assert "on average over 1 learner and 1 task (too few to generalize)" in whole
    assert brief.endswith("The one learner is *A*, which loses 5.0 [3.0, 7.0] points of accuracy.")


def test_changes_of_both_metrics_are_one_clause_if_they_are_alike():
    assert "accuracy falls by 5.0 [3.0, 7.0] points and AUC by 5.0" in of_change("wrong", change(GAIN, LOSS))[1]
    assert "points and AUC rises by 1.2" in of_change("wrong", change(GAIN, LOSS, auc=GAIN))[1]
    assert "accuracy stays the same and AUC falls by" in of_change("wrong", change(GAIN, LOSS, accuracy=ZERO))[1]


def test_a_wrong_prior_is_said_by_how_far_it_is_off():
    low, high = change(GAIN, LOSS, level="0.6"), change(GAIN, LOSS, level="1.4", accuracy=GAIN)
    brief, *whole = texts("prior", changes=[low, high], worst=low)
    assert brief.startswith("If π is set 40% too low, accuracy falls by 5.0")
    assert brief.endswith("If it is set 40% too high, accuracy rises by 1.2 [−0.5, 2.0] points.")
    assert [text[:26] for text in whole] == ["If π is set 40% too low, a", "If π is set 40% too high, "]


def test_labels_that_do_no_harm_are_not_said_to_do_some():
    partly = SimpleNamespace(name="SAR-EM", tasks=1, own=GAIN, others=Effect(-13.4))
    found = change(GAIN, GAIN, accuracy=GAIN, level="clear cases", partly_run=[partly])
    brief, _, other = of_change("biased", found)
    assert brief.startswith("Biased labels do no harm: accuracy rises by 1.2")
    assert other == (
        "With labels on clear cases, *SAR-EM* gains 1.2 [−0.5, 2.0] points of accuracy over the 1 task on which it was run; "
        "the other learners lose 13.4 there on average."
    )


def test_the_only_estimator_or_criterion_is_not_the_best_of_several():
    (text,) = texts(
        "estimated", own=[], own_errors={}, estimators=[SimpleNamespace(name="KM1", error=3.0, effect=LOSS, tasks=2)]
    )
    assert text == (
        "Of the estimators, *KM1* costs least: given its π instead of the true one, accuracy falls by 5.0 [3.0, 7.0] points on "
        "average over 2 tasks (too few to generalize); the estimate is off by 3.0 points."
    )
    criteria = [SimpleNamespace(name="PU score", effect=LOSS)]
    tuned = [SimpleNamespace(metric="auc", tasks=6, criteria=own, oracle=GAIN) for own in (criteria, [])]
    one, none = texts("tuning", tuned=tuned)
    assert "tuning by *PU score* loses 5.0 [3.0, 7.0] points of AUC over the defaults" in one
    assert "best of" not in one + none
    assert none.startswith("Tuning by the true labels of the held-out rows gains 1.2 [−0.5, 2.0] points of AUC")


def test_who_loses_to_trivial_classifiers_is_named():
    below = [SimpleNamespace(name=name, below=tasks, tasks=6) for name, tasks in (("A", 2), ("B", 2), ("C", 1))]
    two = SimpleNamespace(setting="two samples", learners=5, below=below)
    one = SimpleNamespace(setting="one sample", learners=4, below=[])
    many, none = texts("trivial", overall=None, settings=[two, one])
    assert many.startswith("Two samples: 3 of 5 learners do worse than the best trivial classifier on at least one task.")
    assert many.endswith("The worst are *A* (2 of 6 tasks) and *B* (2 of 6 tasks).")
    assert none.startswith("One sample: none of 4 learners does worse than the best trivial classifier on any task.")
    overall = SimpleNamespace(learners=5, below=0, tasks=6)
    (text,) = texts("trivial", overall=overall, settings=[])
    assert text == "None of 5 learners does worse than the best trivial classifier on any task."
    few, many = SimpleNamespace(name="A", below=1), SimpleNamespace(name="B", below=4)
    overall = SimpleNamespace(learners=5, below=5, tasks=6, fewest=few, median=2.5, most=many)
    (text,) = texts("trivial", overall=overall, settings=[])
    assert text == (
        "5 of 5 learners do worse than the best trivial classifier on at least one of 6 tasks, half of them on 2.5 or more. "
        "*A* does so on the fewest (1), *B* on the most (4)."
    )


def test_a_ranking_without_a_ceiling_says_nothing_of_one():
    a, b, c, d = (SimpleNamespace(name=name, rank=rank) for name, rank in (("A", 1.25), ("B", 1.75), ("C", 3.0), ("D", 1.5)))
    counts = {"tasks": 4, "others": 2, "wins": 0, "losses": 0}
    leader = SimpleNamespace(setting="two samples", metric="auc", best=a, runners_up=[b, c], score=91.0, **counts)
    vars(leader).update(inseparable=2, first_on=1.5, first_somewhere=2, better=0.5, same=0.3, worse=0.2, ceiling_lead=np.nan)
    leader.level, leader.true_prior = ["B"], None
    leader.new_tasks = SimpleNamespace(tasks=2, best=d)
    ranges = {"tasks": Range(4, 4), "others": Range(4, 4), "wins": Range(0, 0), "losses": Range(0, 0)}
    overall = SimpleNamespace(best="A", first=1, rankings=1, second="B", times_second=1, ceiling_lead=None, **ranges)
    glance, best, pair, others = texts("ranks", leaders=[leader], overall=overall)
    assert "in the only ranking" in glance
    assert "significantly better than 0 of the 4 other learners and significantly worse than none" in glance
    assert "supervised" not in glance + best
    assert "best score on 1.5 of the tasks; 2 learners have the best score on at least one" in best
    assert pair.startswith(
        "Two samples, AUC: *A* is significantly better than 0 of the 2 other learners and significantly worse"
    )
    assert others == (
        "Two samples, AUC: *B* is not significantly behind *A*. On the 2 tasks that no default has seen, *D* has the best mean "
        "rank (1.50)."
    )


def test_a_number_that_a_template_misses_is_an_error():
    with pytest.raises(UndefinedError):
        sentences(TEMPLATES / "costs.md.jinja", metric_names=METRICS)


def computed(tidy, folder):
    results = results_of(tidy, folder)
    return {name: compute(results) for name, compute in NUMBERS.items()}


@pytest.mark.parametrize("learners", [0, 1])
def test_few_learners_or_none_give_few_sentences_or_none(learners, tmp_path):
    """With one there is nothing to rank, and with none nothing is said of learners."""
    tidy = make_tidy(repeats=1)
    tidy = tidy[tidy["method"].isin([*LEARNERS[:learners], "lf_all_negative", "lf_supervised_rf"])]
    found = computed(tidy, tmp_path)
    said = {name: texts(name, **records) for name, records in found.items()}
    assert said["ranks"] == said["costs"] == []
    assert bool(said["wrong"]) == bool(said["tuning"]) == bool(learners)
    if learners:
        assert said["wrong"][0].startswith("With 30% wrong labels, accuracy falls by")
        assert "The one learner is *PU extra trees*" in said["wrong"][0]
        assert said["trivial"][0].startswith("None of 1 learner does worse")


def test_equal_scores_share_the_first_place(tmp_path):
    tidy = make_tidy(tasks=TASKS[:3], repeats=2)
    first = tidy[tidy["method"] == LEARNERS[0]]
    tied = pd.concat([tidy[tidy["method"] != LEARNERS[1]], first.assign(method=LEARNERS[1])], ignore_index=True)
    leader = computed(tied, tmp_path)["ranks"]["leaders"][0]
    assert leader.best.rank == leader.runners_up[0].rank == 1.5
    assert (leader.first_on, leader.first_somewhere) == (1.5, 2)
    assert leader.same == pytest.approx(1)


@pytest.mark.parametrize(("inconclusive", "verb"), [(0, "are"), (1, "is"), (2, "are")])
def test_remarks_on_choices_agree_with_their_counts(inconclusive, verb):
    records = {"digits": ["2", "5", "8"], "tables": ["2.1"], "seen": "5 of 6", "unseen": "1 of 9"}
    records |= {"penalty": "20%", "bagging": "9%", "blind": "4 of 15", "inconclusive": inconclusive}
    areas, edges = (sentence.text for sentence in sentences(ROOT / "studies/resvm/templates/choices.md.jinja", **records))
    assert "on the digits 2, 5, and 8. Of the areas in tables 2.1, 5 of 6 are reproduced on these digits and 1 of 9" in areas
    assert f"4 of 15 are reproduced and {inconclusive} {verb} inconclusive" in edges
