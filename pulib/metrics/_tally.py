"""Labeled and unlabeled rows counted by their score, and what scores of a classifier follow from the counts and π."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

#: By how much π may fall below the share of labeled rows, which it equals where every positive is labeled.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Tally:
    """How many labeled and how many unlabeled rows have each distinct score, the greatest first.

    Of predicted labels the first entry counts the positive answers, and the second one the negative ones.
    """

    labeled: np.ndarray
    unlabeled: np.ndarray

    @classmethod
    def of_scores(cls, scores: np.ndarray, positive: np.ndarray) -> Tally:
        values, place = np.unique(-scores, return_inverse=True)
        return cls(*(np.bincount(place[rows], minlength=len(values)) for rows in (positive, ~positive)))

    @classmethod
    def of_answers(cls, answered: np.ndarray, positive: np.ndarray) -> Tally:
        place = (~answered).astype(np.intp)
        return cls(*(np.bincount(place[rows], minlength=2) for rows in (positive, ~positive)))

    @property
    def labeled_share(self) -> float:
        return float(self.labeled.sum() / (self.labeled.sum() + self.unlabeled.sum()))

    def resampled(self, rng: np.random.Generator) -> Tally:
        """Rows drawn with replacement, labeled ones apart from unlabeled ones."""
        return Tally(*(rng.multinomial(counts.sum(), counts / counts.sum()) for counts in (self.labeled, self.unlabeled)))

    def rates(self, prior: float, scenario: str) -> tuple[np.ndarray, np.ndarray]:
        """With each distinct score as the threshold: the recall, and the share of the population that is called positive.

        No fewer rows are called positive than positives are: where the counts say otherwise, the false positive rate is zero.
        """
        population = self.unlabeled if scenario == "two_sample" else self.unlabeled + self.labeled
        recall = np.cumsum(self.labeled) / self.labeled.sum()
        called = np.cumsum(population) / population.sum()
        return recall, np.maximum(called, prior * recall)


def check_prior(prior: float, labeled_share: float, scenario: str) -> None:
    """Refuse a π that the labels of one sample contradict."""
    if scenario == "one_sample" and prior < labeled_share - _ROUNDING:
        raise ValueError(
            f"prior={prior} is below the share of labeled rows, {labeled_share:.6g}; with scenario='one_sample' the labeled "
            "rows are part of the population, so that its share of positives can not be less. Pass a greater prior, or "
            "scenario='two_sample' if the unlabeled rows are a sample of the whole population."
        )


def recall(tally: Tally, prior: float, scenario: str) -> float:
    return float(tally.labeled[0] / tally.labeled.sum())


def precision(tally: Tally, prior: float, scenario: str) -> float:
    found, called = (rate[0] for rate in tally.rates(prior, scenario))
    return float(prior * found / called) if called > 0 else 0.0


def f1(tally: Tally, prior: float, scenario: str) -> float:
    found, called = (rate[0] for rate in tally.rates(prior, scenario))
    return float(2.0 * prior * found / (called + prior))


def accuracy(tally: Tally, prior: float, scenario: str) -> float:
    population = tally.unlabeled if scenario == "two_sample" else tally.unlabeled + tally.labeled
    return float(2.0 * prior * recall(tally, prior, scenario) - prior + population[1] / population.sum())


def area(tally: Tally, prior: float, scenario: str) -> float:
    below = tally.unlabeled.sum() - np.cumsum(tally.unlabeled) + 0.5 * tally.unlabeled
    raw = np.sum(tally.labeled * below) / (float(tally.labeled.sum()) * float(tally.unlabeled.sum()))
    labeled = tally.labeled_share if scenario == "one_sample" else 0.0
    rho = max(0.0, (prior - labeled) / (1.0 - labeled))  # the share of positives among the unlabeled rows
    return float((raw - 0.5 * rho) / (1.0 - rho))


def average_precision(tally: Tally, prior: float, scenario: str) -> float:
    found, called = tally.rates(prior, scenario)
    steps = np.diff(found, prepend=0.0)
    used = steps > 0  # where a labeled row is, rows are called positive
    return float(np.sum(steps[used] * prior * found[used] / called[used]))


#: What can be estimated, by the names of the public functions, from counts by answer and by score.
OF_ANSWERS: dict[str, Callable[[Tally, float, str], float]] = {
    "proxy_accuracy": accuracy,
    "proxy_f1": f1,
    "proxy_precision": precision,
    "proxy_recall": recall,
}
OF_SCORES: dict[str, Callable[[Tally, float, str], float]] = {"proxy_auc": area, "proxy_average_precision": average_precision}
