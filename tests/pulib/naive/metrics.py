"""Scores from PU labels as their definitions read."""


def recall_at_k(labeled, population, k):
    """How much of the labeled rows is among the first k of the population: of rows tied with the k-th, the part with room."""
    cut = sorted(population, reverse=True)[k - 1]
    part = (k - sum(population > cut)) / sum(population == cut)
    return sum(1.0 if s > cut else part if s == cut else 0.0 for s in labeled) / len(labeled)
