"""The balanced PU risk (Su, Chen and Xu, 2021), term by term."""

import numpy as np


def balanced_risk(prior, training_prior, labeled, population, as_positive, as_negative, weights=None):
    """π' E_P ℓ⁺ + (1 − π') / (1 − π) (E_U ℓ⁻ − π E_P ℓ⁻).

    ``labeled`` and ``population`` are masks of the rows of P and U; ``as_positive`` and ``as_negative`` are the rows' losses.
    """
    weights = np.ones(len(labeled)) if weights is None else weights

    def mean(rows, values):
        return sum(w * v for r, w, v in zip(rows, weights, values, strict=True) if r) / sum(weights[rows])

    negative_part = mean(population, as_negative) - prior * mean(labeled, as_negative)
    return training_prior * mean(labeled, as_positive) + (1 - training_prior) / (1 - prior) * negative_part
