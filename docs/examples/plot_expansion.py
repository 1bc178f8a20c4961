"""
A positive class that expands
=============================

SGBDota ranks rows by how early they will turn positive, from one snapshot of labels. In the
picture, the expansion starts at the right cluster and follows two paths.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

from pulib import AUCBoostingClassifier, SGBDotaClassifier, make_expanding_clusters

X, turns = make_expanding_clusters(800, random_state=0)
now, later = turns == 1, turns > 0

models = {
    "today's labels alone (AUC boosting)": AUCBoostingClassifier(50, random_state=0),
    "and a preference along neighborhoods (SGBDota)": SGBDotaClassifier(50, preference="neighborhood", random_state=0),
}

# %%
# Light regions rank first. Dots are positive today, crosses turn positive later.
grid = np.stack(np.meshgrid(np.linspace(0, 1, 80), np.linspace(0, 1, 80)), axis=-1)
fig, axes = plt.subplots(1, 2, figsize=(9, 4.4), sharey=True, layout="constrained")
for ax, (label, model) in zip(axes, models.items(), strict=True):
    model.fit(X, now.astype(int))
    values = model.decision_function(grid.reshape(-1, 2))
    ranks = values.argsort().argsort().reshape(80, 80)
    ax.pcolormesh(grid[..., 0], grid[..., 1], ranks, cmap="cividis", rasterized=True)
    ax.scatter(*X[now].T, s=8, color="white", edgecolor="black", lw=0.4)
    ax.scatter(*X[later & ~now].T, s=10, color="black", marker="x", lw=0.6)
    rest = ~now
    area = roc_auc_score(later[rest], model.decision_function(X[rest]))
    print(f"{label}: AUC {area:.3f} among today's negatives")
    ax.set_title(f"{label}\nAUC {area:.2f} for those who turn later", fontsize=10)
    ax.set_aspect("equal")
plt.show()
