"""
When labels are not given at random
===================================

Severe cases are diagnosed more often than mild ones, so that the labeled positives are not like the others. Most PU learners
assume that they are. ``BiasedPUClassifier`` models who gets a label, beside who is positive.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from pulib import BiasedPUClassifier, ElkanNotoClassifier

# %%
# The first feature tells the classes apart. The second one says how severe a case is, and a label depends on it.
rng = np.random.default_rng(0)
truth = rng.random(4000) < 0.5
severity = rng.normal(size=4000)
X = np.c_[rng.normal(size=4000) + np.where(truth, 1.5, -1.5), severity]
propensity = 1 / (1 + np.exp(-2 * severity))
y = (truth & (rng.random(4000) < propensity)).astype(int)

models = {
    "labels at random assumed": ElkanNotoClassifier(LogisticRegression(), scenario="one_sample", random_state=0),
    "labels by severity": BiasedPUClassifier(propensity_features=[1]),
}

# %%
# Which of the positives are found?
order = np.argsort(severity)
groups = [rows[truth[rows]] for rows in np.array_split(order, 10)]
middle = [severity[rows].mean() for rows in groups]
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for (label, model), marker in zip(models.items(), "so", strict=True):
    found = model.fit(X, y).predict(X) == 1
    left.plot(
        middle, [found[rows].mean() for rows in groups], marker=marker, label=f"{label}: {np.mean(found == truth):.2f} right"
    )
left.set(xlabel="severity", ylabel="share of the positives that is found", ylim=(0, 1.02))
left.legend(loc="lower right")

# %%
# The model of the labeling is an answer of its own.
right.plot(severity[order], propensity[order], color="0.4", ls="--", label="true")
right.plot(severity[order], model.predict_propensity(X)[order], color="C1", label="estimated")
right.set(xlabel="severity", ylabel="probability that a positive is labeled")
right.legend()
plt.show()
