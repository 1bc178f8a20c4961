"""
How many positives are there?
=============================

The class prior π is the share of positives in the population. We estimate it from labeled and unlabeled rows, with an interval
by bootstrap. More labels make the interval narrower.
"""

import matplotlib.pyplot as plt
import numpy as np

from pulib import PUExtraTreesClassifier, prior_interval
from pulib.plots import plot_prior_estimate, plot_prior_sensitivity

# %%
# Two overlapping clouds; 30% of the population is positive. Labeled rows are drawn separately from the unlabeled ones.
rng = np.random.default_rng(0)
PRIOR = 0.3


def draw(n_labeled, n_unlabeled=1500):
    truth = np.r_[np.ones(n_labeled, bool), rng.random(n_unlabeled) < PRIOR]
    X = rng.normal(size=(len(truth), 4)) + np.where(truth, 1.0, -1.0)[:, None]
    return X, np.r_[np.ones(n_labeled), np.zeros(n_unlabeled)], truth


labels = [30, 100, 300, 1000]
intervals = [prior_interval(*draw(n)[:2], random_state=0) for n in labels]

for n, interval in zip(labels, intervals, strict=True):
    print(f"{n:4d} labels: π = {interval.prior:.2f}, 95% interval [{interval.low:.2f}, {interval.high:.2f}]")

# %%
fig, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for place, interval in enumerate(intervals):
    ax.plot([place, place], [interval.low, interval.high], color="C0", lw=2)
    ax.plot(place, interval.prior, "o", color="C0")
ax.axhline(PRIOR, ls="--", color="0.4", label="true share")
ax.set_xticks(range(len(labels)), labels)
ax.set(xlabel="labeled rows", ylabel="estimated π, with 95% interval", ylim=(0, 1))
ax.legend()
plt.show()

# %%
# What would a wrong π cost? We give a forest other values of π and measure its accuracy. The interval is shaded.
X, y, _ = draw(100)
X_test, _, truth_test = draw(0, 4000)
priors = [0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6]
accuracy = [
    [np.mean(PUExtraTreesClassifier(50, prior=p, random_state=seed).fit(X, y).predict(X_test) == truth_test) for p in priors]
    for seed in range(3)
]
interval = prior_interval(X, y, random_state=0)
for p, values in zip(priors, np.mean(accuracy, axis=0), strict=True):
    print(f"given π = {p:.2f}: accuracy {values:.2f}")
fig, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
plot_prior_sensitivity(priors, accuracy, ax, prior=interval.prior, interval=(interval.low, interval.high))
ax.set_ylabel("accuracy on test rows")
plt.show()

# %%
# The curve behind an estimate: the share of unlabeled rows above a threshold, divided by that of labeled rows. If it is still
# falling on the left, classes overlap, and the estimate may be too high.
fig, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
plot_prior_estimate(intervals[-1], ax)
plt.show()
