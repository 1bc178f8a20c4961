"""Simple reference estimators of the class prior."""

import numpy as np
from scipy import stats


def naive_best_bin(positive_scores, unlabeled_scores, gamma=0.01, delta=0.1):
    n_p, n_u = len(positive_scores), len(unlabeled_scores)
    width = np.sqrt(np.log(4 / delta) / (2 * n_u)) + np.sqrt(np.log(4 / delta) / (2 * n_p))
    best_bound, best_ratio = np.inf, None
    for c in sorted(set(positive_scores)):
        q_p = sum(1 for s in positive_scores if s >= c) / n_p
        q_u = sum(1 for s in unlabeled_scores if s >= c) / n_u
        bound = q_u / q_p + (1 + gamma) * width / q_p
        if bound < best_bound - 1e-12:
            best_bound, best_ratio = bound, q_u / q_p
    return best_ratio


def naive_best_split(codes, positive, bepp):
    """Return the greatest max-bepp over all features and thresholds."""
    best = -1.0
    for j in range(codes.shape[1]):
        for threshold in range(int(codes[:, j].max())):
            left = codes[:, j] <= threshold
            if left.all() or not left.any():
                continue
            for side in (left, ~left):
                best = max(best, positive[side].sum() / (side.sum() + bepp))
    return best


def naive_binomial_bin(positive_scores, unlabeled_scores, gamma=0.01, delta=0.1):
    """Best bin, unless its ratio is below the additive width: then the tail with the smallest binomial bound."""
    n_p, n_u = len(positive_scores), len(unlabeled_scores)
    width = (1 + gamma) * (np.sqrt(np.log(4 / delta) / (2 * n_u)) + np.sqrt(np.log(4 / delta) / (2 * n_p)))
    plain = naive_best_bin(positive_scores, unlabeled_scores, gamma, delta)
    if plain >= width:
        return plain
    tails = []
    for share in [0.02, 0.05, *(k / 10 for k in range(1, 11))]:
        share = max(share, min(5 / n_p, 1.0))
        c = max(c for c in positive_scores if sum(s >= c for s in positive_scores) >= share * n_p * (1 - 1e-9))
        tails.append((sum(s >= c for s in positive_scores), sum(s >= c for s in unlabeled_scores)))
    tails = sorted(set(tails), reverse=True)
    error = 0.05 / len(tails)
    bounds = []
    for k_p, k_u in tails:
        least = stats.beta.ppf(error / 2, k_p, n_p - k_p + 1)
        greatest = stats.beta.ppf(1 - error / 2, k_u + 1, n_u - k_u) if k_u < n_u else 1.0
        bounds.append(greatest / least)
    k_p, k_u = tails[int(np.argmin(bounds))]
    return (k_u / n_u) / (k_p / n_p)


def naive_two_normals(positive_scores, unlabeled_scores):
    """Least squares over a grid of distances and all shares; a point's variance is that of its two shares at π = 1/2."""
    n_p, n_u = len(positive_scores), len(unlabeled_scores)
    points = []
    for k in range(1, 10):
        c = max(c for c in positive_scores if sum(s >= c for s in positive_scores) >= 0.1 * k * n_p * (1 - 1e-9))
        points.append([sum(s >= c for s in scores) / len(scores) for scores in (positive_scores, unlabeled_scores)])
    fits = []
    for distance in np.linspace(0.2, 6.0, 30):
        terms = []
        for q_p, q_u in points:
            q_n = stats.norm.cdf(stats.norm.ppf(min(max(q_p, 1e-3), 1 - 0.5 / n_p)) - distance)
            variance = q_u * (1 - q_u) / n_u + 0.5**2 * q_p * (1 - q_p) / n_p + 1e-5
            terms.append((q_p - q_n, q_u - q_n, variance))
        share = sum(g * a / v for g, a, v in terms) / sum(g * g / v for g, _, v in terms)
        share = min(max(share, 0.0), 1.0)
        fits.append((sum((a - share * g) ** 2 / v for g, a, v in terms), share))
    return min(fits)[1]
