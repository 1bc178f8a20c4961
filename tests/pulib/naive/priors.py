"""The class prior's estimators, slow and obvious."""

import numpy as np


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
    """The greatest max-bepp over all features and thresholds."""
    best = -1.0
    for j in range(codes.shape[1]):
        for threshold in range(int(codes[:, j].max())):
            left = codes[:, j] <= threshold
            if left.all() or not left.any():
                continue
            for side in (left, ~left):
                best = max(best, positive[side].sum() / (side.sum() + bepp))
    return best
