"""
Rows that arrive one by one
===========================

``OnlinePUClassifier`` learns from a stream in one pass with constant memory. Here, the positives move halfway through, and the
classifier adapts. A small penalty means longer steps: the classifier adapts faster but is less accurate at the start.
"""

import matplotlib.pyplot as plt
import numpy as np

from pulib import OnlinePUClassifier

rng = np.random.default_rng(0)
PRIOR, BATCH, N_BATCHES = 0.4, 100, 200


def batch(moved):
    """Forty labeled rows and sixty unlabeled ones, and the truth behind them."""
    truth = np.r_[np.ones(40, bool), rng.random(BATCH - 40) < PRIOR]
    center = np.array([-1.0, 1.0, 0.0]) if moved else np.array([1.0, 0.0, 1.0])
    X = rng.normal(size=(BATCH, 3)) + np.where(truth[:, None], center, -center)
    return X, np.r_[np.ones(40), np.zeros(BATCH - 40)], truth


# %%
# The classifier first predicts each batch, then learns from it.
models = [OnlinePUClassifier(prior=PRIOR, alpha=a, random_state=0) for a in (1e-2, 1e-1)]
right = {"alpha=0.01": [], "alpha=0.1": []}
for step in range(N_BATCHES):
    X, y, truth = batch(moved=step >= N_BATCHES // 2)
    for seen, model in zip(right.values(), models, strict=True):
        if step:
            seen.append(np.mean((model.decision_function(X[40:]) > 0) == truth[40:]))
        model.partial_fit(X, y, classes=[0, 1])

half = N_BATCHES // 2
for label, seen in right.items():
    spans = {"before the move": seen[half - 20 : half], "just after": seen[half : half + 10], "at the end": seen[-20:]}
    print(f"{label}: accuracy " + ", ".join(f"{np.mean(part):.2f} {when}" for when, part in spans.items()))

# %%
fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for (label, seen), style in zip(right.items(), ("-", "--"), strict=True):
    ax.plot(np.arange(10, N_BATCHES), np.convolve(seen, np.ones(10) / 10, mode="valid"), style, color="#6E00E1", label=label)
ax.axvline(N_BATCHES // 2, color="0.4", ls=":", label="the positives move")
ax.set(xlabel="batch of 100 rows", ylabel="accuracy (mean of ten batches)")
ax.legend(loc="lower right")
plt.show()
