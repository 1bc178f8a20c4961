"""
Which rows are positive, and which features show it?
====================================================

Half of the malignant tumors have a label. Which unlabeled rows should a doctor look at next, and which features matter? A
forest that minimizes the PU risk answers both questions.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier

from pulib import PUExtraTreesClassifier

# %%
# In practice, ``y`` is all that you have; here, the truth shows how good the ranking is.
data = load_breast_cancer()
X, truth = data.data, data.target == 0  # malignant
rng = np.random.default_rng(0)
y = truth & (rng.random(len(truth)) < 0.5)
unlabeled = np.flatnonzero(~y)
print(f"{y.sum()} labeled, {len(unlabeled)} unlabeled rows, of which {truth[unlabeled].sum()} are malignant")

# %%
# Labeled and unlabeled rows come from one sample. The share of positives is estimated.
forest = PUExtraTreesClassifier(200, scenario="one_sample", random_state=0).fit(X, y)
print(f"share of positives: estimated {forest.prior_:.2f}, true {truth.mean():.2f}")
scores = forest.decision_function(X[unlabeled])
order = unlabeled[np.argsort(-scores)]

# %%
# How many hidden positives are found among the first k rows?
found = np.cumsum(truth[order])
by_chance = truth[order].mean()
for n in (50, 100):
    print(f"of the first {n} rows, {found[n - 1]} are malignant; by chance {n * by_chance:.0f} would be")
fig, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
k = np.arange(1, len(order) + 1)
ax.plot(k, found, color="#0072B2", label="PU extra trees")
ax.plot(k, np.minimum(k, found[-1]), ls="--", color="0.4", label="a perfect ranking")
ax.plot(k, k * found[-1] / len(k), ls=":", color="0.4", label="chance")
ax.set(xlabel="unlabeled rows looked at", ylabel="hidden positives found")
ax.legend()
plt.show()

# %%
# The forest also records how much each feature lowers the risk. These importances come close to those of a forest that knows
# all labels. Bars are means over three draws of the labels, lines one standard deviation.
shares = []
for seed in range(3):
    y = truth & (np.random.default_rng(seed).random(len(truth)) < 0.5)
    importances = PUExtraTreesClassifier(100, scenario="one_sample", random_state=seed).fit(X, y).feature_importances_
    shares.append(importances / importances.sum())
full = ExtraTreesClassifier(100, random_state=0).fit(X, truth).feature_importances_
mean = np.mean(shares, axis=0)
print(f"correlation of the importances: {np.corrcoef(mean, full)[0, 1]:.2f}")
print(f"most important from PU data: {', '.join(data.feature_names[np.argsort(-mean)[:3]])}")

fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, layout="constrained")
bars = [
    ("from positive and unlabeled rows", mean, np.std(shares, axis=0, ddof=1), "#0072B2"),
    ("from all labels", full, np.zeros_like(full), "0.6"),
]
for ax, (title, shown, spread, color) in zip(axes, bars, strict=True):
    top = np.argsort(shown)[-10:]
    ax.barh(data.feature_names[top], shown[top], xerr=spread[top], color=color)
    ax.set(title=title, xlabel="share of the importance")
plt.show()
