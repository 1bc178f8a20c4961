"""OPU with parameters for what the paper's text leaves open."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulib import linear


class OnlinePUClassifier(linear.OnlinePUClassifier):
    """pulib's OPU with two more parameters; their defaults give the same weights.

    Parameters
    ----------
    stream_weighting : {"unbiased", "paper"}, default="unbiased"
        "unbiased" divides each row's loss by the share of its kind in the stream so far.  "paper" uses equation 6 as published,
        which weights labeled against unlabeled rows by how often each arrives.
    projection : {"ball"}, float > 0, or None, default="ball"
        Radius of the ball onto which the weights are projected after each step; "ball" is 1/√λ, and None does not project.
    """

    def __init__(self, *, stream_weighting: str = "unbiased", projection: str | float | None = "ball", **params: Any) -> None:
        super().__init__(**params)
        self.stream_weighting = stream_weighting
        self.projection = projection

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*linear.OnlinePUClassifier._get_param_names(), "stream_weighting", "projection"])

    def _objective(self) -> Any:
        objective = super()._objective()
        radius: Any = np.inf if self.projection is None else self.projection
        radius = objective.radius if radius == "ball" else float(radius)
        return objective._replace(radius=radius, unbiased=self.stream_weighting == "unbiased")
