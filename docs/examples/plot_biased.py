"""
When labels are not given at random
===================================

Most PU learners assume that labels are given to positives at random. If labels depend on a known feature,
``BiasedPUClassifier`` models which positives get one. If labels favor clear cases, the ranking stays right and PUSB sets the
threshold.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from pulib import (
    BiasedPUClassifier,
    DEDPULClassifier,
    ElkanNotoClassifier,
    PUThresholdClassifier,
    TwoStepPUClassifier,
    UnbiasedPUClassifier,
)
from pulib.plots import PALETTE

# %%
# Labels that depend on a feature
# -------------------------------
# The first feature separates the classes; the second one is the severity of a case. Severe cases are labeled more often.
rng = np.random.default_rng(0)
truth = rng.random(4000) < 0.5
severity = rng.normal(size=4000)
X = np.c_[rng.normal(size=4000) + np.where(truth, 1.5, -1.5), severity]
propensity = 1 / (1 + np.exp(-2 * severity))
y = (truth & (rng.random(4000) < propensity)).astype(int)

models = {
    "Elkan and Noto": ElkanNotoClassifier(LogisticRegression(), scenario="one_sample", random_state=0),
    "SAR-EM": BiasedPUClassifier(propensity_features=[1]),
}

# %%
# What share of the mild and of the severe positives does each classifier find?
mild, severe = truth & (severity < -1), truth & (severity > 1)
for name, model in models.items():
    found = model.fit(X, y).predict(X) == 1
    print(f"{name}: accuracy {np.mean(found == truth):.2f}; finds {found[mild].mean():.0%} of the mild positives, "
          f"{found[severe].mean():.0%} of the severe ones")  # fmt: skip

# %%
# Left: the share of positives that are found, in ten groups by severity. Right: the model of the labeling.
order = np.argsort(severity)
groups = [rows[truth[rows]] for rows in np.array_split(order, 10)]
middle = [severity[rows].mean() for rows in groups]
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for (name, model), color, marker in zip(models.items(), ("#AAAA50", PALETTE[7]), "*<", strict=True):
    found = model.predict(X) == 1
    left.plot(middle, [found[rows].mean() for rows in groups], color=color, marker=marker, label=name)
left.set(xlabel="severity", ylabel="share of the positives that is found", ylim=(0, 1.02))
left.legend(loc="lower right")
right.plot(severity[order], propensity[order], color="0.4", ls="--", label="true")
right.plot(severity[order], model.predict_propensity(X)[order], color=PALETTE[7], label="estimated by SAR-EM")
right.set(xlabel="severity", ylabel="probability that a positive is labeled", ylim=(0, 1.02))
right.legend()
plt.show()

# %%
# Labels that favor clear cases
# -----------------------------
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
# If labels favor clear cases, all but PUSB lose: its ranking stays right, and it calls a share π positive. You must know π,
# because every estimate assumes labels at random.
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
