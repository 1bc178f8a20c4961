"""
How good is a classifier, without negatives?
============================================

Precision and recall can be estimated from labeled and unlabeled test rows, given the class prior π or an estimate of it. The
band shows how uncertain the estimate is.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve, precision_score, recall_score

from pulib import ElkanNotoClassifier
from pulib.metrics import PUPrecisionRecallDisplay, proxy_precision, proxy_recall

# %%
# Two clouds; 30% of the population is positive. Labeled rows are drawn separately from the unlabeled ones.
rng = np.random.default_rng(0)


def draw(n_labeled, n_unlabeled):
    truth = np.r_[np.ones(n_labeled, bool), rng.random(n_unlabeled) < 0.3]
    X = rng.normal(size=(len(truth), 4)) + np.where(truth, 0.5, -0.5)[:, None]
    return X, np.repeat([1, 0], [n_labeled, n_unlabeled]), truth


X, y, _ = draw(500, 3000)
X_test, y_test, truth = draw(500, 3000)
model = ElkanNotoClassifier(LogisticRegression(), random_state=0).fit(X, y)

# %%
# The estimate uses only ``y_test``; π is known here. If you do not know it, pass ``prior=prior_interval(X, y)``, and the band
# becomes wider. The dashed curve is from true labels.
fig, ax = plt.subplots(figsize=(5, 4.8), layout="constrained")
PUPrecisionRecallDisplay.from_estimator(model, X_test, y_test, prior=0.3, name="from positive and unlabeled rows", ax=ax)
rest = y_test == 0
precision, recall, _ = precision_recall_curve(truth[rest], model.decision_function(X_test[rest]))
ax.plot(recall, precision, color="0.4", ls="--", drawstyle="steps-post", label="from true labels")
ax.legend(loc="lower left")
plt.show()

# %%
# Estimates and truth for the predicted labels:
predicted = model.predict(X_test)
true = {"precision": precision_score(truth[rest], predicted[rest]), "recall": recall_score(truth[rest], predicted[rest])}
for name, estimate in (("precision", proxy_precision), ("recall", proxy_recall)):
    options = {"prior": 0.3} if name == "precision" else {}
    print(f"{name}: estimated {estimate(y_test, predicted, **options):.2f}, true {true[name]:.2f}")
