"""The weights of Ada-PU: those of P counted as positive, and those of P and U counted as negative (eq. 7 and 12).

Bounded by arithmetic: a few operations per row and round, little compared with a pass over all features.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from pulib._compiled import kernel
from pulib._training_prior import class_factors
from pulib.boosting._binning import ROW_BLOCK, aligned_zeros, padded

#: Tolerance for the rounding of weights, as a share of the absolute weights: ε_nn counts as non-negative, and errors count as
#: equal, up to this.  Ties are then broken by order, and P cancels U.
SLACK = 1e-12

#: Fixed-point weights add up to at most 2 ** _BITS, which leaves room for sums of two such totals.
_BITS = 60


@kernel
def multiply_sides(row, cut, factor_low, factor_high, weights, n):
    """Multiply the weight of each of the first ``n`` rows by the factor of its side of the cut."""
    for i in range(n):
        weights[i] *= factor_high if row[i] > cut else factor_low


@kernel
def total_of(weights):
    """Sum in the order of the rows, which gives the same result on every machine."""
    total = 0.0
    for i in range(weights.shape[0]):
        total += weights[i]
    return total


@kernel
def to_fixed(weights, scale, out):
    """Write the weights in units of ``1 / scale``, rounded, to ``out``; return their sum."""
    total = np.int64(0)
    for i in range(weights.shape[0]):
        out[i] = np.int64(np.rint(weights[i] * scale))
        total += out[i]
    return total


@kernel
def rows_of_side(row, cut, high, n, out):
    """Write the ascending numbers of the rows on one side of the cut to ``out``; return their count."""
    count = 0
    for i in range(n):
        out[count] = i
        count += 1 if (row[i] > cut) == high else 0
    return count


@dataclass
class SampleWeights:
    """Signed weights of the training rows, labeled rows first, and the same in fixed point.

    P+ starts at π / n_p, P− at −π / n_p, and U− at 1 / n_u, except with ``sample_weight`` or a training prior
    (see :meth:`initial`).
    """

    as_positive: np.ndarray  # P+ of labeled rows, padded
    as_negative: np.ndarray  # P− of labeled rows and U− of the others, padded
    n_labeled: int
    n_rows: int
    fixed_positive: np.ndarray = field(init=False)  # in units of 1 / scale, like fixed_negative
    fixed_negative: np.ndarray = field(init=False)
    scale: float = field(init=False)  # a power of two
    fixed_totals: tuple[int, int] = field(init=False)  # the sums of both fixed-point arrays
    absolute: float = field(init=False)  # the sum of the absolute weights

    @classmethod
    def initial(
        cls,
        prior: float,
        n_labeled: int,
        n_rows: int,
        scenario: str,
        sample_weight: np.ndarray | None = None,
        training_prior: float | None = None,
    ) -> SampleWeights:
        """Weights of eq. 7; in the one-sample scenario, all rows, including labeled ones, represent the population.

        ``sample_weight`` of shape (n_rows,) are weights within P and within U.  With a ``training_prior`` π', the error ε is
        the balanced PU risk (Su, Chen and Xu, 2021, section 3) with the zero-one loss: P+ is multiplied by π'/π, and P− and U−
        by (1 − π')/(1 − π).
        """
        counts = np.ones(n_rows) if sample_weight is None else sample_weight
        positive = aligned_zeros((padded(n_labeled, ROW_BLOCK),), np.float64)
        negative = aligned_zeros((padded(n_rows, ROW_BLOCK),), np.float64)
        positive[:n_labeled] = counts[:n_labeled] * (prior / counts[:n_labeled].sum())
        population = slice(n_labeled if scenario == "two_sample" else 0, n_rows)
        negative[population] = counts[population] * (1.0 / counts[population].sum())
        negative[:n_labeled] -= positive[:n_labeled]
        if training_prior is not None and training_prior != prior:
            of_positive, of_negative = class_factors(prior, training_prior)
            positive *= of_positive
            negative *= of_negative
        return cls(positive, negative, n_labeled, n_rows)

    def __post_init__(self) -> None:
        self.fixed_positive = aligned_zeros(self.as_positive.shape, np.int64)
        self.fixed_negative = aligned_zeros(self.as_negative.shape, np.int64)
        self.fix()

    def total(self) -> float:
        """Signed total, the denominator of normalized errors."""
        return total_of(self.as_positive) + total_of(self.as_negative)

    def negative_share(self) -> float:
        """Share of negative weight in the sum of absolute weights."""
        return (self.absolute - self.total()) / (2 * self.absolute)

    @property
    def fixed_slack(self) -> int:
        """How far below 0 ε_nn may be, in fixed point."""
        return int(SLACK * self.absolute * self.scale)

    def fix(self) -> None:
        """Update the fixed-point copies."""
        self.absolute = total_of(np.abs(self.as_positive)) + total_of(np.abs(self.as_negative))
        self.scale = math.ldexp(1.0, _BITS - math.frexp(self.absolute)[1])
        positive = to_fixed(self.as_positive, self.scale, self.fixed_positive)
        self.fixed_totals = (positive, to_fixed(self.as_negative, self.scale, self.fixed_negative))

    def update(self, row: np.ndarray, cut: int, polarity: int, alpha: float, normalize: bool) -> SideFactors:
        """Apply eq. 12 for the stump ``polarity * (+1 if row > cut else -1)`` of weight ``alpha``; return the factors."""
        up, down = math.exp(alpha * polarity), math.exp(-alpha * polarity)
        multiply_sides(row, cut, up, down, self.as_positive, self.n_labeled)
        multiply_sides(row, cut, down, up, self.as_negative, self.n_rows)
        shrink = 1.0
        if normalize:
            shrink = 1.0 / self.total()
            self.as_positive *= shrink
            self.as_negative *= shrink
        self.fix()
        return SideFactors(positive=(up * shrink, down * shrink), negative=(down * shrink, up * shrink))


@dataclass(frozen=True)
class SideFactors:
    """Factors of the weights of (rows up to the cut, rows above it), for P+, and for P− and U−."""

    positive: tuple[float, float]
    negative: tuple[float, float]
