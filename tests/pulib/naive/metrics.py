"""Scores from PU labels, row by row as their definitions read."""

from itertools import permutations


def recall_and_share(y, answers, scenario):
    """r over the labeled rows, and q over the population."""
    labeled = [a for label, a in zip(y, answers, strict=True) if label == 1]
    population = [a for label, a in zip(y, answers, strict=True) if scenario == "one_sample" or label == 0]
    return sum(labeled) / len(labeled), sum(population) / len(population)


def recall_at_k(y, scores, k, scenario):
    """How much of the labeled rows is among the first k of the population: of rows tied with the k-th, the part with room."""
    population = [s for label, s in zip(y, scores, strict=True) if scenario == "one_sample" or label == 0]
    cut = sorted(population, reverse=True)[k - 1]
    room = k - sum(s > cut for s in population)
    part = room / sum(s == cut for s in population)
    labeled = [s for label, s in zip(y, scores, strict=True) if label == 1]
    return sum(1.0 if s > cut else part if s == cut else 0.0 for s in labeled) / len(labeled)


def recall_at_k_over_orders(y, scores, k):
    """The same of one sample, as the mean over every order of the tied rows."""
    found = []
    for order in permutations(range(len(y))):
        first = sorted(range(len(y)), key=lambda row: (-scores[row], order[row]))[:k]
        found.append(sum(y[row] == 1 for row in first) / sum(label == 1 for label in y))
    return sum(found) / len(found)
