"""
Tuning without negatives
========================

If the class prior is known, accuracy can be estimated from positive and unlabeled rows, well enough to choose a parameter by
cross-validation.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from pulib import PUExtraTreesClassifier, PUGridSearchCV
from pulib.metrics import PUScorer

# %%
# Even digits are positive, and a third of them are labeled.
X, digit = load_digits(return_X_y=True)
truth = digit % 2 == 0
X, X_test, truth, truth_test = train_test_split(X, truth, test_size=0.4, random_state=0)
y = truth & (np.random.default_rng(0).random(len(truth)) < 1 / 3)

# %%
# The search sees only ``y``. The test rows are shown for comparison.
leaves = [1, 2, 5, 10, 20, 50]
forest = PUExtraTreesClassifier(100, prior=0.5, scenario="one_sample", random_state=0)
search = PUGridSearchCV(forest, {"min_samples_leaf": leaves}, scoring=PUScorer("proxy_accuracy"), cv=5)
search.fit(X, y)
estimated = search.cv_results_["mean_test_score"]
actual = [np.mean((forest.set_params(min_samples_leaf=n).fit(X, y).predict(X_test) == 1) == truth_test) for n in leaves]

for n, guess, true in zip(leaves, estimated, actual, strict=True):
    print(f"min_samples_leaf={n}: estimated accuracy {guess:.3f}, true {true:.3f}")
print(f"chosen: {search.best_params_['min_samples_leaf']}")

# %%
fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
ax.plot(leaves, estimated, "o-", label="estimated from positive and unlabeled rows")
ax.plot(leaves, actual, "s--", color="0.4", label="true, on test rows")
ax.axvline(search.best_params_["min_samples_leaf"], color="C0", ls=":", label="chosen")
ax.set(xscale="log", xlabel="min_samples_leaf", ylabel="accuracy")
ax.set_xticks(leaves, leaves)
ax.legend()
plt.show()
