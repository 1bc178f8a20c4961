"""Estimates of the class prior from positive and unlabeled data, and a check of the assumption behind them."""

from pulib._priors._prior_estimate import PriorEstimate
from pulib.priors._estimate import estimate_prior, prior_interval
from pulib.priors._scar import SCARCheck, check_scar

__all__ = ["PriorEstimate", "SCARCheck", "check_scar", "estimate_prior", "prior_interval"]
