"""The loops and arrays of PU trees, without estimators: what `pulib.trees` grows, and estimates of π as well."""
