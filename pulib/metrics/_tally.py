"""Counts of labeled and unlabeled rows by score, the sufficient statistics of metrics from PU labels, given π."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pulib._warnings import compatible
from pulib._weights import effective_count


@dataclass(frozen=True, eq=False)
class Tally:
    """Numbers (or total weights) of labeled and of unlabeled rows for each distinct score, the greatest first.

    For predicted labels, the first entry counts positive predictions, and the second one negative predictions.
    """

    values: np.ndarray
    labeled: np.ndarray
    unlabeled: np.ndarray

    @property
    def labeled_share(self) -> float:
        return float(self.labeled.sum() / (self.labeled.sum() + self.unlabeled.sum()))

    def population(self, scenario: str) -> np.ndarray:
        """Counts of the rows that represent the population: the unlabeled rows, or all."""
        return self.unlabeled if scenario == "two_sample" else self.unlabeled + self.labeled

    def raw_rates(self, scenario: str) -> tuple[np.ndarray, np.ndarray]:
        """Recall, and share of the population predicted positive, with each distinct score as the threshold."""
        population = self.population(scenario)
        return np.cumsum(self.labeled) / self.labeled.sum(), np.cumsum(population) / population.sum()

    def rates(self, prior: float, scenario: str) -> tuple[np.ndarray, np.ndarray]:
        """Return :meth:`raw_rates`, with the share predicted positive raised to that of the true positives if it is lower."""
        recall, called = self.raw_rates(scenario)
        return recall, np.maximum(called, prior * recall)


@dataclass(frozen=True, eq=False)
class Sample:
    """Scored rows, with their tally and its resamples.

    ``place`` is the index of each row's score among the distinct ``values``, the greatest first.
    """

    values: np.ndarray
    place: np.ndarray
    positive: np.ndarray
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None

    def _count(self, times: np.ndarray | None) -> Tally:
        sides = (self.positive, ~self.positive)
        counts = (
            np.bincount(self.place[rows], None if times is None else times[rows], minlength=len(self.values)) for rows in sides
        )
        return Tally(self.values, *counts)

    @cached_property
    def tally(self) -> Tally:
        return self._count(self.weights)

    @property
    def effective_counts(self) -> tuple[float, float]:
        """Effective sample sizes of labeled and unlabeled rows, given their weights."""
        sides = (self.positive, ~self.positive)
        if self.weights is None:
            return float(sides[0].sum()), float(sides[1].sum())
        return effective_count(self.weights[sides[0]]), effective_count(self.weights[sides[1]])

    @cached_property
    def _strata(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Sampling unit (row or group) of each row, and the units of each stratum.

        Strata of groups are those with labeled rows only, with unlabeled rows only, and with both.
        """
        if self.groups is None:
            unit = np.arange(len(self.positive))
            kinds = self.positive.astype(int)
        else:
            unit = np.unique(self.groups, return_inverse=True)[1].ravel()
            holds = [np.bincount(unit[rows], minlength=unit.max() + 1) > 0 for rows in (self.positive, ~self.positive)]
            kinds = holds[0] + 2 * holds[1]
        return unit, [np.flatnonzero(kinds == kind) for kind in np.unique(kinds)]

    def resampled(self, rng: np.random.Generator, scenario: str = "two_sample") -> Tally:
        """Draw rows or groups with replacement: in each stratum or, with one sample, in all, so that their numbers vary."""
        joint = scenario == "one_sample"
        if self.weights is None and self.groups is None:
            sides = (self.tally.labeled, self.tally.unlabeled)
            n, n_labeled = len(self.positive), int(self.tally.labeled.sum())
            if joint:
                n_labeled = int(np.clip(rng.binomial(n, n_labeled / n), 1, n - 1))
            sizes = (n_labeled, n - n_labeled)
            return Tally(
                self.values, *(rng.multinomial(size, side / side.sum()) for size, side in zip(sizes, sides, strict=True))
            )
        unit, strata = self._strata
        strata = [np.concatenate(strata)] if joint else strata
        while True:
            times = np.zeros(unit.max() + 1)
            for units in strata:
                times[units] = rng.multinomial(len(units), np.full(len(units), 1.0 / len(units)))
            drawn = self._count(times[unit] if self.weights is None else times[unit] * self.weights)
            if drawn.labeled.any() and drawn.unlabeled.any():
                return drawn

    def resampled_ends(self, rng: np.random.Generator, scenario: str) -> tuple[Tally, Tally]:
        """Draw two tallies, with the positives scored as low and as high as the labeled rows allow.

        The n labeled rows, ordered by score, divide the positives into n + 1 parts, whose shares have a flat Dirichlet
        distribution.  The positives of a part get the score of its lower or of its upper end; beyond the outermost labeled
        rows, this is the least or the greatest score of all.  Quantiles of a share above a threshold are then Clopper and
        Pearson's bounds, and quantiles of a mean are Gaffke's (2005).  Unlabeled rows, and the number of labeled ones, are
        drawn as in :meth:`resampled`.
        """
        drawn = self.resampled(rng, scenario)
        if self.weights is None and self.groups is None:
            parts, beyond = rng.standard_gamma(self.tally.labeled), 1.0
        else:
            unit = self._strata[0][self.positive]
            weights = np.ones(len(unit)) if self.weights is None else self.weights[self.positive]
            of_unit = np.bincount(unit, weights)
            parts = np.bincount(
                self.place[self.positive], weights * rng.standard_exponential(len(of_unit))[unit], minlength=len(self.values)
            )
            beyond = float(of_unit @ of_unit / of_unit.sum())
        beyond *= rng.standard_exponential()
        n, ends = drawn.labeled.sum() if scenario == "one_sample" else self.tally.labeled.sum(), []
        for place in (-1, 0):
            labeled = parts.copy()
            labeled[place] += beyond
            ends.append(Tally(self.values, labeled * (n / labeled.sum()), drawn.unlabeled))
        return ends[0], ends[1]


def check_prior(prior: float, sample: Sample, scenario: str) -> None:
    """Raise an error if, with one sample, π is further below the share of labeled rows than chance explains."""
    labeled, n = sample.tally.labeled_share, sum(sample.effective_counts)
    if scenario == "one_sample" and prior < labeled and not compatible(labeled, prior, n):
        raise ValueError(
            f"prior={prior} is below the share of labeled rows, {labeled:.6g}; with scenario='one_sample' the labeled "
            "rows are part of the population, so that its share of positives cannot be less. Pass a larger prior, or "
            "scenario='two_sample' if the unlabeled rows are a sample of the whole population."
        )


def hidden_share(tally: Tally, prior: float, scenario: str) -> float:
    """ρ, the share of positives among the unlabeled rows, given that in the population."""
    labeled = tally.labeled_share if scenario == "one_sample" else 0.0
    return max(0.0, (prior - labeled) / (1.0 - labeled))
