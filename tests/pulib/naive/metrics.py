"""Scores from PU labels by their definitions."""


def recall_at_k(labeled, population, k):
    """Share of labeled rows among the population's first k; rows tied with the k-th count by the part that fits."""
    cut = sorted(population, reverse=True)[k - 1]
    part = (k - sum(population > cut)) / sum(population == cut)
    return sum(1.0 if s > cut else part if s == cut else 0.0 for s in labeled) / len(labeled)
