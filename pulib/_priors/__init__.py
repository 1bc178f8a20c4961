"""Estimates of the class prior for whoever needs one within `fit`; `pulib.priors` has the public functions."""
