"""
Are the probabilities right?
============================

Probabilities are calibrated if, for example, seven in ten of the rows with a probability of 0.7 are positive. A
classifier that treats unlabeled rows as negatives estimates the probability of having a label, which is much lower.
``PUCalibratedClassifier`` corrects them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from pulib import NaivePUClassifier, PUCalibratedClassifier
from pulib.plots import PALETTE, plot_calibration

# %%
# Two clouds of rows, of which 40% are positive. The 600 labeled rows are a separate sample.
rng = np.random.default_rng(0)


def cloud(truth):
    return rng.normal(size=(len(truth), 3)) + np.where(truth, 0.6, -0.6)[:, None]


labeled, hidden = np.ones(600, bool), rng.random(2000) < 0.4
X, y = cloud(np.r_[labeled, hidden]), np.r_[np.ones(600), np.zeros(2000)]
truth_test = rng.random(5000) < 0.4
X_test = cloud(truth_test)

# %%
# The expected calibration error (ECE) is the mean distance from the diagonal.
models = {
    "unlabeled rows as negatives": NaivePUClassifier(LogisticRegression()),
    "calibrated, π = 0.4": PUCalibratedClassifier(LogisticRegression(), prior=0.4, method="sigmoid"),
}
fig, ax = plt.subplots(figsize=(5, 4.8), layout="constrained")
for (label, model), color, marker in zip(models.items(), (PALETTE[5], PALETTE[2]), "P^", strict=True):
    probability = model.fit(X, y).predict_proba(X_test)[:, 1]
    print(f"{label}: mean probability {probability.mean():.2f}, true share of positives {truth_test.mean():.2f}")
    plot_calibration(truth_test, probability, ax, label=label, color=color, marker=marker)
ax.legend(loc="lower right")
ax.set_aspect("equal")
plt.show()

# %%
# Without true labels, ``plot_calibration(y, probability, ax, prior=0.4)`` draws the same diagram from PU labels and π.
