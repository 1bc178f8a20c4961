"""
When labels are not given at random
===================================

Severe cases are diagnosed more often than mild ones, so the labeled positives differ from the others. Most PU learners assume
that they do not. ``BiasedPUClassifier`` models which positives get a label as well as which rows are positive.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from pulib import BiasedPUClassifier, ElkanNotoClassifier
from pulib.plots import PALETTE

# %%
# The first feature separates the classes. The second one is the severity of a case, on which labeling depends.
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
# Left: the share of positives that are found, in ten groups by severity. Right: the model of the labeling, which is a result in
# itself.
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
