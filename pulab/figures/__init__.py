"""Shared parts of figures: a page, lines with a band, heat maps, published values, and a style per method."""
