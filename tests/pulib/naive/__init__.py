"""Slow, simple reference implementations of the kernels, one module per kernel module, to test the fast functions."""
