"""Estimates of the class prior for use within `fit`; `pulib.priors` has the public functions."""
