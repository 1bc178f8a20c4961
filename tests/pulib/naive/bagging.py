"""PU bagging as in its paper: copy each bag's rows, fit, average."""

import numpy as np
from sklearn.base import clone


def naive_bagging(base, X, y, n_drawn, seeds, weights=None):
    """Return each row's mean probability over all members, and over the members that did not draw the row."""
    P, U = X[y == 1], X[y == 0]
    found, left_out = [], []
    for seed in seeds:
        rng = np.random.RandomState(int(seed) % 2**32)
        if weights is None:
            drawn, params = rng.randint(len(U), size=n_drawn), {}
        else:
            of_p, of_u = weights[y == 1], weights[y == 0]
            drawn = rng.choice(len(U), size=n_drawn, p=of_u / of_u.sum())
            params = {"sample_weight": np.r_[of_p * len(P) / of_p.sum(), np.ones(n_drawn)]}
        bag = U[drawn]
        member = clone(base)
        if "random_state" in member.get_params():
            member.set_params(random_state=int(seed) // 2**33)
        member.fit(np.vstack([P, bag]), np.r_[np.ones(len(P), int), np.zeros(n_drawn, int)], **params)
        found.append(member.predict_proba(X)[:, 1])
        left_out.append(~np.isin(np.arange(len(y)), np.flatnonzero(y == 0)[drawn]))
    return np.mean(found, axis=0), np.average(found, axis=0, weights=left_out)
