"""
Without π, and with labels that favor clear cases
=================================================

Three questions that a table of positive and unlabeled rows raises, each with a learner that answers it: what if π is unknown,
what if labels go to the clearest positives first, and which unlabeled rows are surely negative?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from pulib import DEDPULClassifier, ElkanNotoClassifier, PUThresholdClassifier, TwoStepPUClassifier, UnbiasedPUClassifier
from pulib.plots import PALETTE

# %%
# Two classes overlap; 30% of the population is positive. The chance of a label is the same for all positives, or it grows with
# a power of the probability of being positive: with 20, as in the PUSB paper, only the clearest ones are labeled.
rng = np.random.default_rng(0)
prior = 0.3
truth = rng.random(6000) < prior
X = rng.normal(size=(6000, 2)) + np.where(truth, 0.9, -0.9)[:, None]
posterior = 1 / (1 + np.exp(-1.8 * X.sum(axis=1)) * (1 - prior) / prior)
candidates, unlabeled = np.flatnonzero(truth[:3000]), np.arange(3000, 6000)

models = {
    "DEDPUL, π estimated": DEDPULClassifier(LogisticRegression()),
    "two steps, no π": TwoStepPUClassifier(LogisticRegression(), random_state=0),
    "Elkan and Noto, π given": ElkanNotoClassifier(LogisticRegression(), prior=prior),
    "PUSB, π given": PUThresholdClassifier(UnbiasedPUClassifier(prior=prior, loss="logistic"), prior=prior),
}
powers = [0, 1, 3, 10, 20]
accuracy = {name: [] for name in models}
for power in powers:
    chances = posterior[candidates] ** power
    labeled = rng.choice(candidates, 300, replace=False, p=chances / chances.sum())
    rows, y = X[np.r_[labeled, unlabeled]], np.arange(3300) < 300
    for name, model in models.items():
        accuracy[name].append(np.mean(model.fit(rows, y).predict(X[unlabeled]) == truth[unlabeled]))

# %%
# With labels at random, DEDPUL finds π and two steps need none. As labels favor clear cases, all but PUSB lose: its ranking
# stays right, and it calls a share π positive. It needs π from elsewhere, for every estimate assumes labels at random.
fig, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for (name, values), color, marker in zip(accuracy.items(), PALETTE, "osv^", strict=False):
    ax.plot(powers, values, color=color, marker=marker, label=name)
best = np.mean((posterior[unlabeled] > 0.5) == truth[unlabeled])
ax.axhline(best, color="0.4", ls="--", label="best possible")
ax.set(xlabel="labeling grows with this power of the posterior (0: at random)", ylabel="accuracy on unlabeled rows")
ax.legend()
plt.show()
for name, values in accuracy.items():
    print(f"{name}: " + ", ".join(f"{value:.3f}" for value in values))
