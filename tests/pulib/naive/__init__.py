"""Slow, obvious twins of the kernels, one module per kernel module; each fast function is tested against its twin."""
