"""Loss h(g) = ℓ(−g) of an unlabeled row, for the three losses with the linear-odd property ℓ(z) − ℓ(−z) = −z.

Because of that property, the PU risk needs no other form of the loss: labeled rows cost −π g, unlabeled rows h(g) (OPU paper,
section 3, equation 4).

Bounded by arithmetic: a few operations per score, ``exp`` for the logistic loss.
"""

from __future__ import annotations

import numpy as np

from pulib._compiled import inlined, kernel

#: Codes of the losses in kernels.
LOSS_CODES = {"double_hinge": 0, "square": 1, "logistic": 2}

#: Upper bounds of h''. The double hinge has kinks instead. Between scores of −1 and 1, its slope rises as much as that of the
#: square loss, so it has the same bound.
CURVATURES = {"double_hinge": 0.5, "square": 0.5, "logistic": 0.25}

DOUBLE_HINGE = 0
SQUARE = 1


@inlined
def unlabeled_loss(g, loss):
    """Return h(g) = ℓ(−g)."""
    if loss == DOUBLE_HINGE:
        return max(g, max(0.0, 0.5 + 0.5 * g))
    if loss == SQUARE:
        return 0.25 * (g + 1.0) * (g + 1.0) - 0.25
    # ln(1 + e^g) without overflow
    return max(g, 0.0) + np.log1p(np.exp(-abs(g)))


@inlined
def unlabeled_slope(g, loss):
    """Return h'(g), and the right-hand slope at the double hinge's kinks −1 and 1."""
    if loss == DOUBLE_HINGE:
        if g < -1.0:
            return 0.0
        return 0.5 if g < 1.0 else 1.0
    if loss == SQUARE:
        return 0.5 * (g + 1.0)
    if g >= 0.0:
        return 1.0 / (1.0 + np.exp(-g))
    e = np.exp(g)
    return e / (1.0 + e)


@kernel
def sum_unlabeled_loss(scores, weights, loss):
    """Return Σ weights·h(scores)."""
    total = 0.0
    for i in range(scores.shape[0]):
        total += weights[i] * unlabeled_loss(scores[i], loss)
    return total


@kernel
def unlabeled_slopes(scores, loss, out):
    """Write h' of every score to ``out``."""
    for i in range(scores.shape[0]):
        out[i] = unlabeled_slope(scores[i], loss)
