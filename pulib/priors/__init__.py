"""Estimates of the class prior from positive and unlabeled data."""

from pulib.priors._estimate import estimate_prior

__all__ = ["estimate_prior"]
