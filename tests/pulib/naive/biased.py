"""SAR-EM as in its paper, with logistic regression for both models."""

import numpy as np
from sklearn.linear_model import LogisticRegression


def naive_sar_em(X, labeled, propensity_features, n_iter):
    """Return f and e of every row after ``n_iter`` iterations."""
    n, labeled, part = len(X), labeled.astype(bool), X[:, propensity_features]

    def fit(inputs, targets, weights):
        return LogisticRegression().fit(inputs, targets, sample_weight=weights)

    classifier = fit(X, labeled, np.where(labeled, 1 - labeled.mean(), labeled.mean()))
    expected = np.where(labeled, 1.0, classifier.predict_proba(X)[:, 1])
    propensity = fit(part, labeled, expected)
    for _ in range(n_iter):
        f, e = classifier.predict_proba(X)[:, 1], propensity.predict_proba(part)[:, 1]
        unlabeled_positive, negative = f * (1 - e), 1 - f
        expected = np.where(labeled, 1.0, unlabeled_positive / (unlabeled_positive + negative))
        classifier = fit(np.concatenate([X, X]), np.repeat([1, 0], n), np.concatenate([expected, 1 - expected]))
        propensity = fit(part, labeled, expected)
    return classifier.predict_proba(X)[:, 1], propensity.predict_proba(part)[:, 1]
