"""Kernels and arrays of PU trees, for `pulib.trees` and for estimates of π."""
