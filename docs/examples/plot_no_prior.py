"""
Without π: a network that finds it
==================================

VPU trains a network without the class prior. Its loss is least if the network's output Φ is a multiple of the probability that
a row is positive. If some rows are surely positive, Φ divided by its maximum is that probability, and its mean is π. nnPU needs
π; what does it lose if π is wrong?
"""

import matplotlib.pyplot as plt
import numpy as np

from pulib import NeuralPUClassifier, VariationalPUClassifier
from pulib.plots import PALETTE

# %%
# Two overlapping classes; 40% of the population is positive, and 200 positives are labeled.
rng = np.random.default_rng(0)
prior = 0.4
truth = np.r_[np.ones(200, bool), rng.random(800) < prior]
X = rng.normal(size=(1000, 2)) + np.where(truth, 1.2, -1.2)[:, None]
y = np.repeat([1, 0], [200, 800])

vpu = VariationalPUClassifier(random_state=0).fit(X, y)
given = [0.25, 0.4, 0.55]
networks = [NeuralPUClassifier(prior=pi, epochs=20, random_state=0).fit(X, y) for pi in given]
accuracy = [np.mean((network.predict(X[200:]) == 1) == truth[200:]) for network in networks]
of_vpu = np.mean((vpu.predict(X[200:]) == 1) == truth[200:])
print(f"VPU: accuracy {of_vpu:.3f}, implied π {vpu.prior_:.2f} (true: {truth[200:].mean():.2f})")

# %%
# VPU's probabilities on the plane, and its accuracy on the unlabeled rows compared with that of nnPU for several π.
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
grid = np.linspace(-5, 5, 80)
plane = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
surface = left.pcolormesh(grid, grid, vpu.predict_proba(plane)[:, 1].reshape(80, 80), cmap="viridis", vmin=0, vmax=1)
left.scatter(*X[:200].T, s=5, color="white", label="labeled")
left.set(xlabel="first feature", ylabel="second feature", title="VPU's probabilities", aspect="equal")
left.legend()
fig.colorbar(surface, ax=left, label="probability of a positive")
right.plot(given, accuracy, color=PALETTE[0], marker="o", label="nnPU")
right.axhline(of_vpu, color=PALETTE[1], ls="--", label="VPU, without π")
right.axvline(prior, color="0.4", ls=":", label="true π")
right.set(xlabel="π given to nnPU", ylabel="accuracy on unlabeled rows", title="nnPU depends on π")
right.legend()
plt.show()
