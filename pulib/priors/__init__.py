"""Estimates of the class prior from positive and unlabeled data."""

from pulib.priors._estimate import PriorInterval, estimate_prior, prior_interval

__all__ = ["PriorInterval", "estimate_prior", "prior_interval"]
