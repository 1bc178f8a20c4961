"""Minimum partial risks in closed form: the impurity of a node, for each risk estimator and loss.

A node with ``n_p`` labeled positives and ``n_u`` unlabeled rows has the weights ``W_p = n_p w_p`` and ``W_n = n_u w_u - W_p``
(section 3.2 of Wilton et al., 2022), or ``n_p / n`` and ``n_n / n`` if all rows are labeled.  Predicting a constant ``v`` there
costs ``W_p l(v, +1) + W_n l(v, -1)``, with the second term clipped at zero for the non-negative estimator.  The infimum over v
is

========== =========================== ================================ ===================
loss       W_n >= 0 (all estimators)   W_n < 0, unbiased                W_n < 0, non-negative
========== =========================== ================================ ===================
quadratic  4 W_p W_n / (W_p + W_n)     the same; -inf if W_p + W_n = 0  0
logistic   (W_p + W_n) H(v*)           -inf                             0
savage     4 W_p W_n / (W_p + W_n)     4 W_n                            0
sigmoid    min(W_p, W_n)               W_n                              0
========== =========================== ================================ ===================

with ``v* = W_p / (W_p + W_n)`` and H the entropy in nats (propositions 1 to 3 and 5).  Proposition 3 (savage and quadratic
agree) is about fully labeled data; it extends to ``W_n >= 0``, but not to ``W_n < 0`` with the unbiased estimator: the savage
loss is bounded, so its risk stays finite.  The sigmoid form for the non-negative estimator is not in the paper:
``W_p s(-v) + max(0, W_n s(v))`` falls to 0 as v grows if W_n <= 0, and is the unbiased risk otherwise.

Bounded by arithmetic: one division, or two logarithms, per candidate split.
"""

import math

from pulib._compiled import helper, kernel

RISKS = ("pn", "upu", "nnpu")
LOSSES = ("quadratic", "logistic", "savage", "sigmoid")

PN, UPU, NNPU = range(3)
QUADRATIC, LOGISTIC, SAVAGE, SIGMOID = range(4)


@kernel
def minimum_risk(risk, loss, w_p, w_n):
    """Infimum over v of the partial risk at a node.

    Parameters
    ----------
    risk, loss : int
        Positions in ``RISKS`` and ``LOSSES``.
    w_p, w_n : float
        ``W_p >= 0`` and ``W_n >= -W_p``.
    """
    if w_p <= 0.0:
        return 0.0
    if w_n <= 0.0:
        if risk != UPU or w_n == 0.0:
            return 0.0
        if loss == LOGISTIC or (loss == QUADRATIC and w_p + w_n <= 0.0):
            return -math.inf
        if loss == SAVAGE:
            return 4.0 * w_n
        if loss == SIGMOID:
            return w_n
    if loss == SIGMOID:
        return w_p if w_p < w_n else w_n
    w = w_p + w_n
    if loss == LOGISTIC:
        return -(w_p * math.log(w_p / w) + w_n * math.log(w_n / w))
    return 4.0 * w_p * (w_n / w)


@helper
def node_risk(rule, n_p, n_u):
    """Minimum partial risk of a node from its counts, in units of one unlabeled row (see :class:`pulib._trees._grow.Rule`)."""
    w_p = rule.weight_positive * n_p
    w_n = n_u + rule.weight_joined * n_p - w_p
    return minimum_risk(rule.risk, rule.loss, w_p, w_n)
