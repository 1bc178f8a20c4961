"""
Which features matter?
======================

A forest that minimizes the PU risk records how much each feature lowers it. These importances come close to those of a forest
that knows all labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier

from pulib import PUExtraTreesClassifier
from pulib.plots import plot_importances

# %%
# 30% of the malignant tumors are labeled. Three draws of the labels show how much the importances depend on the draw.
data = load_breast_cancer()
X, truth = data.data, data.target == 0
importances = []
for seed in range(3):
    y = truth & (np.random.default_rng(seed).random(len(truth)) < 0.3)
    importances.append(PUExtraTreesClassifier(100, scenario="one_sample", random_state=seed).fit(X, y).feature_importances_)
full = ExtraTreesClassifier(100, random_state=0).fit(X, truth).feature_importances_

# %%
# How similar are the two?
rho = np.corrcoef(np.mean(importances, axis=0), full)[0, 1]
best = data.feature_names[np.argsort(np.mean(importances, axis=0))[::-1][:3]]
print(f"correlation of the importances: {rho:.2f}")
print(f"most important from PU data: {', '.join(best)}")

# %%
# The ten most important features of each; bars are means, lines one standard deviation.
names = list(data.feature_names)
shares = np.array(importances) / np.sum(importances, axis=1, keepdims=True)
fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, layout="constrained")
plot_importances(shares, axes[0], names=names, show=10)
plot_importances(full, axes[1], names=names, show=10, color="0.6")
for ax, title in zip(axes, ("from positive and unlabeled rows", "from all labels"), strict=True):
    ax.set(title=title, xlabel="share of the importance")
plt.show()
