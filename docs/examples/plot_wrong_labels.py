"""
When some labels are wrong
==========================

Some labeled rows may be negatives. RESVM resamples the labeled rows as well as the unlabeled ones, so few of its members see
many wrong labels. A single weighted SVM sees all of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import average_precision_score

from pulib import BaggingSVC, ClassWeightedSVC, RobustEnsembleSVC, make_circle_noise

# %%
# The synthetic set of the RESVM chapter: a blob within a noisy circle. A growing share of the labeled rows is negative.
rng = np.random.default_rng(0)
pool, truth = make_circle_noise(3000, 3000, random_state=0)
positives, negatives = np.arange(3000), np.arange(3000, 6000)
test = np.r_[positives[-1500:], negatives[-1500:]]


def draw(wrong):
    n_wrong = round(100 * wrong)
    labeled = np.r_[
        rng.choice(positives[:1000], 100 - n_wrong, replace=False), rng.choice(negatives[:1000], n_wrong, replace=False)
    ]
    unlabeled = np.r_[rng.choice(positives[:1000], 60, replace=False), rng.choice(negatives[:1000], 140, replace=False)]
    return pool[np.r_[labeled, unlabeled]], np.r_[np.ones(100), np.zeros(200)]


models = {
    "class-weighted SVM": ClassWeightedSVC(C_positive=1.0, C_unlabeled=0.5),
    "bagging SVM": BaggingSVC(50, random_state=0),
    "RESVM": RobustEnsembleSVC(50, n_positive=20, n_unlabeled=40, w_positive=2.0, random_state=0),
}
shares = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
areas = {label: [] for label in models}
for wrong in shares:
    draws = [draw(wrong) for _ in range(5)]
    for label, model in models.items():
        scores = [average_precision_score(truth[test], model.fit(*data).decision_function(pool[test])) for data in draws]
        areas[label].append((np.mean(scores), np.std(scores)))

    print(f"{wrong:.0%} wrong labels: " + ", ".join(f"{label} {areas[label][-1][0]:.2f}" for label in models))

# %%
fig, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for (label, values), color, marker in zip(areas.items(), ("#0072B2", "#E69F00", "#009E73"), "ov^", strict=True):
    mean, spread = np.array(values).T
    ax.errorbar(shares, mean, spread, color=color, marker=marker, capsize=3, label=label)
ax.set(xlabel="share of wrong labels among the labeled rows", ylabel="area under the PR curve")
ax.legend(loc="lower left")
plt.show()
