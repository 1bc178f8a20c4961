"""SGBDota with parameters for what the paper's text leaves open: line 11 of its table 1, and the residuals of eq. 6 and 7."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from pulib import expansion

_MAX_HALVINGS = 12
#: Upper bound of a line search: if the learners order their rows perfectly, the loss falls forever.
_LONGEST = 10.0


class SGBDotaClassifier(expansion.SGBDotaClassifier):
    """pulib's SGBDota with three more parameters; their defaults give the same scores.

    Parameters
    ----------
    step : {"newton", "printed", "damped", "search", "initial"}, default="newton"
        How base learners are weighted (line 11).  ``"newton"``: one Newton step from (1, λ), eq. 9.  ``"printed"``: the step of
        eq. 10 as published, in the opposite direction.  ``"damped"``: the Newton step, halved until it does not raise the loss,
        which is not convex.  ``"search"``: a line search along (1, λ), which is stable by construction.
        ``"initial"``: no step, weights (1, λ).
    residual_scale : {"per_row", "gradient"}, default="per_row"
        The factor behind the proportionality signs of eq. 6 to 8: the gradients times the number of a target's rows, or the
        gradients themselves.  The Newton step depends on it.
    sums : {"auto", "exact", "fast"}, default="auto"
        How to compute sums over pairs: pair by pair, in O(n²), or by interpolation, in O(n) after a sort; the two agree to 1e-8
        or better.
    """

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        step: str = "newton",
        residual_scale: str = "per_row",
        sums: str = "auto",
        **params: Any,
    ) -> None:
        super().__init__(n_estimators, **params)
        self.sums = sums
        self.step = step
        self.residual_scale = residual_scale

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*expansion.SGBDotaClassifier._get_param_names(), "step", "residual_scale", "sums"])

    def _how_to_sum(self) -> str:
        return self.sums

    def _residual_factor(self, n_rows: int) -> float:
        return super()._residual_factor(n_rows) if self.residual_scale == "per_row" else 1.0

    def _weigh_learners(self, guess: Any) -> np.ndarray:
        start = guess.weights
        if self.step == "newton":
            return super()._weigh_learners(guess)
        if self.step == "initial":
            return start
        if self.step == "printed":
            return start - guess.newton_step()
        if self.step == "search":
            direction = guess.moved(np.zeros(len(guess.scores)), start)
            loss = lambda length: guess.loss(guess.scores + length * direction)  # noqa: E731
            found = minimize_scalar(loss, bounds=(0.0, _LONGEST), method="bounded", options={"xatol": 1e-2})
            return float(found.x) * start
        delta = guess.newton_step()
        reference = guess.loss(guess.moved(guess.scores, start))
        for _ in range(_MAX_HALVINGS):
            if guess.loss(guess.moved(guess.scores, start + delta)) <= reference:
                return start + delta
            delta = 0.5 * delta
        return start
