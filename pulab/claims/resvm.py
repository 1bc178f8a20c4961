"""Sentences of the RESVM chapter that need more than one comparison."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd

from pulab.claims.evidence import Evidence, Missing
from pulab.claims.own import Case, attempted, case, share_of
from pulib.statistics import win_counts

DIGITS = [f"mnist_digit_{digit}" for digit in range(10)]
TASKS = ["circle_noise", "cancer", "ijcnn1", "covtype", *DIGITS, "sensit_class_1", "sensit_class_2", "sensit_class_3"]
METHODS = ["resvm_cwsvm", "resvm_bag", "resvm_resvm"]
#: Points of area.
GREAT, SMALL = 10.0, 5.0
LEVELS = (10, 20, 30, 40, 50, 60)
REPEATS = 20


def _areas(evidence: Evidence, dataset: str, setting: str, method: str) -> pd.Series:
    return 100.0 * evidence.values({"dataset": dataset, "setting": setting, "method": method, "metric": "pr_auc"})


def _drops(evidence: Evidence, method: str) -> dict[str, float]:
    """What a method loses from the PU to the semi-supervised setting, by task."""
    drops = {}
    for task in TASKS:
        try:
            drops[evidence.dataset(task)] = float(
                (_areas(evidence, task, "pu", method) - _areas(evidence, task, "semi", method)).mean()
            )
        except Missing:
            continue
    return drops


def rivals_degrade(evidence: Evidence) -> Iterator[Case]:
    """RESVM loses little in most tasks, and each rival much."""
    for method in METHODS:
        keeps = method == "resvm_resvm"
        drops = _drops(evidence, method)
        held = [drop <= SMALL if keeps else drop > GREAT for drop in drops.values()]
        words = f"{method}, loses " + (f"at most {SMALL:g} points" if keeps else f"more than {GREAT:g} points")
        yield attempted(words, partial(share_of, words, held, datasets=drops))


def _wins(evidence: Evidence, task: str, setting: str) -> pd.Series:
    scores = pd.concat([_areas(evidence, task, setting, method) for method in METHODS], axis=1, keys=METHODS).dropna()
    return win_counts(scores, ties="split")


def fewer_wins(evidence: Evidence) -> Iterator[Case]:
    """CWSVM's wins are fewer in the PU than in the supervised setting: all together, and on each set but cancer."""
    counts = {}
    for task in TASKS:
        try:
            counts[task] = [float(_wins(evidence, task, setting)["resvm_cwsvm"]) for setting in ("supervised", "pu")]
        except Missing:
            continue
    if not counts:
        yield attempted("all tasks", partial(share_of, "all tasks", []))
        return
    before, after = (sum(side) for side in zip(*counts.values(), strict=True))
    yield case("wins over all tasks", after < before, before, after, datasets=map(evidence.dataset, counts))
    for task, (before, after) in counts.items():
        fewer = after >= before if task == "cancer" else after < before or before == after == 0
        yield case(task, fewer, before, after, datasets=[evidence.dataset(task)])


def training_sets_shrink(evidence: Evidence) -> Iterator[Case]:
    """The median size of a base model's training set, positives and unlabeled rows, gets smaller from setting to setting."""
    for digit in DIGITS:
        for less, more in (("supervised", "pu"), ("pu", "semi")):

            def compared(digit: str = digit, less: str = less, more: str = more) -> Case:
                sizes = [_training_size(evidence, digit, setting) for setting in (less, more)]
                return case(f"{digit}, {less} to {more}", sizes[1] < sizes[0], *sizes, datasets=[evidence.dataset(digit)])

            yield attempted(f"{digit}, {less} to {more}", compared)


def _training_size(evidence: Evidence, digit: str, setting: str) -> float:
    select = {"dataset": digit, "setting": setting, "method": "resvm_resvm"}
    positives = evidence.values({**select, "metric": "best_n_positive"})
    ratio = evidence.values({**select, "metric": "best_unlabeled_per_positive"})
    return float((positives * (1.0 + ratio)).median())


def positives_hurt_more(evidence: Evidence) -> Iterator[Case]:
    """For each method and most levels: contaminating P costs more than contaminating U, each beside none of its own."""
    for method in METHODS:
        yield attempted(method, partial(_hurts_more, evidence, method))


def _hurts_more(evidence: Evidence, method: str) -> Case:
    def mean(part: str, level: int) -> float:
        setting = "sweep_30" if level == 30 else f"sweep_{part}_{level:02d}"
        return float(_areas(evidence, "circle_noise", setting, method).mean())

    losses = {part: [mean(part, 0) - mean(part, level) for level in LEVELS] for part in ("p", "u")}
    held = [p > u for p, u in zip(losses["p"], losses["u"], strict=True)]
    return share_of(method, held, datasets=["circle_noise"])


def curves_dominate(evidence: Evidence, datasets: list[str] | None = None) -> Iterator[Case]:
    """Per digit and rival: in most repeats RESVM's precision is at least as high at 95% of the levels of recall."""
    for name in datasets or DIGITS:
        for rival in METHODS[:2]:
            yield attempted(f"{name}, {rival}", partial(_dominates, evidence, name, rival))


def curves_dominate_everywhere(evidence: Evidence) -> Iterator[Case]:
    """The same over all tasks."""
    yield from curves_dominate(evidence, TASKS)


def _dominates(evidence: Evidence, name: str, rival: str) -> Case:
    select = {"dataset": name, "setting": "semi", "metric": "curve_precision"}
    try:
        resvm, other = (evidence.curves({**select, "method": method}) for method in ("resvm_resvm", rival))
    except Missing as why:
        raise Missing("not available", f"no curves are kept of {name}") from why
    if len(resvm) < REPEATS:
        raise Missing("not available", f"curves are kept of {len(resvm)} of {REPEATS} repeats of {name}")
    held = ((resvm >= other - 1e-12).mean(axis=1) >= 0.95).tolist()
    return share_of(f"{name}, {rival}", held, n=len(resvm), datasets=[name])


def less_sensitive(evidence: Evidence) -> Iterator[Case]:
    """How far the mean area moves from the main grid to the blind one: RESVM's less than CWSVM's, by digit and setting."""
    for name in DIGITS:
        for setting in ("pu", "semi"):
            yield attempted(f"{name}, {setting}", partial(_moves_less, evidence, name, setting))


def _moves_less(evidence: Evidence, name: str, setting: str) -> Case:
    moved = []
    for method in ("resvm_cwsvm", "resvm_resvm"):
        pair = [_areas(evidence, name, setting, f"{method}{grid}") for grid in ("_blind", "")]
        moved.append(abs(float((pair[0] - pair[1]).dropna().mean())))
    return case(f"{name}, {setting}", moved[1] < moved[0], *moved, datasets=[name])
