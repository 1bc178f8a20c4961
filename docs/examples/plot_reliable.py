"""
Which unlabeled rows are surely negative?
=========================================

Two steps need no π: the first finds reliable negatives among the unlabeled rows, the second is any classifier of labeled rows
against these. Which first step still works if most unlabeled rows are positive?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from pulib import TwoStepPUClassifier
from pulib.plots import PALETTE

# %%
# Two overlapping classes with 200 labeled positives; from 10% to 80% of the 2,000 unlabeled rows are positive.
priors = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
models = {
    "spies": TwoStepPUClassifier(LogisticRegression(), random_state=0),
    "the lowest half": TwoStepPUClassifier(LogisticRegression(), reliable="quantile", random_state=0),
    "no first step": LogisticRegression(class_weight="balanced"),
}
taken = {"spies": [], "the lowest half": []}
accuracy = {name: [] for name in models}
for prior in priors:
    rng = np.random.default_rng(0)
    truth = np.r_[np.ones(200, bool), rng.random(2000) < prior]
    X = rng.normal(size=(2200, 2)) + np.where(truth, 1.2, -1.2)[:, None]
    y = np.repeat([1, 0], [200, 2000])
    for name, model in models.items():
        model.fit(X, y)
        accuracy[name].append(np.mean((model.predict(X[200:]) == 1) == truth[200:]))
        if name in taken:
            taken[name].append(model.n_reliable_ / 2000)

# %%
# Spies are labeled rows hidden among the unlabeled ones: what scores below nearly all of them is reliable. They take fewer rows
# the fewer negatives there are. A fixed share takes positives as soon as it exceeds 1 − π.
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.plot(priors, 1 - np.array(priors), color="0.4", ls="--", label="negatives there are")
for (name, shares), color, marker in zip(taken.items(), PALETTE, "os", strict=False):
    left.plot(priors, shares, color=color, marker=marker, label=name)
left.set(xlabel="share of unlabeled rows that is positive, π", ylabel="share taken as reliable negatives", ylim=(0, 1))
left.legend()
for (name, values), color, marker in zip(accuracy.items(), PALETTE, "osv", strict=False):
    right.plot(priors, values, color=color, marker=marker, label=name)
right.set(xlabel="share of unlabeled rows that is positive, π", ylabel="accuracy on unlabeled rows")
right.legend()
plt.show()
for name, values in accuracy.items():
    print(f"{name}: " + ", ".join(f"{value:.2f}" for value in values))
