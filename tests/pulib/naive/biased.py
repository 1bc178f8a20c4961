"""SAR-EM, slow and obvious: one row at a time, logistic regression for both models."""

import numpy as np
from sklearn.linear_model import LogisticRegression


def naive_sar_em(X, labeled, propensity_features, n_iter):
    """f and e of every row after some iterations."""
    rows, labeled = [list(row) for row in X], [bool(s) for s in labeled]
    part = [[row[j] for j in propensity_features] for row in rows]
    n = len(rows)
    share = sum(labeled) / n

    def fit(inputs, targets, weights):
        model = LogisticRegression().fit(inputs, targets, sample_weight=weights)
        return lambda row: float(model.predict_proba([row])[0, 1])

    classifier = fit(rows, labeled, [1 - share if s else share for s in labeled])
    expected = [1.0 if s else classifier(row) for row, s in zip(rows, labeled, strict=True)]
    propensity = fit(part, labeled, expected)
    for _ in range(n_iter):
        expected = []
        for row, some, s in zip(rows, part, labeled, strict=True):
            f, e = classifier(row), propensity(some)
            unlabeled_positive, negative = f * (1 - e), 1 - f
            expected.append(1.0 if s else unlabeled_positive / (unlabeled_positive + negative))
        inputs, targets, weights = [], [], []
        for row, q in zip(rows, expected, strict=True):
            inputs += [row, row]
            targets += [1, 0]
            weights += [q, 1 - q]
        classifier = fit(inputs, targets, weights)
        propensity = fit(part, labeled, expected)
    return np.array([classifier(row) for row in rows]), np.array([propensity(some) for some in part])
