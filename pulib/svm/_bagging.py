"""Bagging SVM (Mordelet and Vert): all positives and resamples of the unlabeled rows (section 2.2.2)."""

from __future__ import annotations

from typing import Any, ClassVar

from pulib._typing import RandomState
from pulib.svm._ensemble import ENSEMBLE_CONSTRAINTS, SIZE, SVCEnsemble
from pulib.svm._search import Plan


class BaggingSVC(SVCEnsemble):
    """Ensemble of support vector machines, each trained on all positives and a bootstrap resample of the unlabeled rows.

    Section 2.2.2; the penalties are tied by ``|P| C_P = n_U C_U`` (eq. 2.2), and decision values are those of eq. 2.5.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of SVMs.
    C : float > 0, default=1.0
        C_U, the penalty on the slack of unlabeled rows.
    n_unlabeled : int or None, default=None
        n_U, rows drawn (with replacement) from the unlabeled ones; None for as many as there are positives.
    kernel : {"linear", "rbf"} or callable, default="rbf"
        A callable maps arrays of shapes (n, d) and (m, d) to kernel values of shape (n, m), such as those of
        :mod:`sklearn.metrics.pairwise`.
    gamma : {"scale", "auto"} or float > 0, default="scale"
        γ of the rbf kernel, as in scikit-learn's SVC.
    tol : float > 0, default=1e-3
        Largest violation of optimality at which a fit stops, as in LIBSVM.
    max_iter : int, default=-1
        Limit on the iterations of one fit; -1 for LIBSVM's limit.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it.
    random_state : int, RandomState or None, default=None
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.
    prior : float in (0, 1), "estimate" or None, default=None
        π, the share of positives in the population.  If given, the threshold is set on cross-fitted scores of the training
        rows, so that this share of the population is predicted positive.  "estimate" estimates π from the same scores.  None
        keeps the learner's own threshold.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.  Used with
        ``prior``.

    Attributes
    ----------
    classes_ : array of shape (2,)
    support_ : int array of shape (n_support,)
        Rows that are a support vector of at least one member.
    support_vectors_ : array of shape (n_support, n_features)
    dual_coef_ : array of shape (n_estimators, n_support)
        y α by member and support vector, summed over the copies of a row.
    intercept_ : array of shape (n_estimators,)
    coef_ : array of shape (n_estimators, n_features)
        Weights; linear kernel only.
    estimators_samples_ : list of int arrays
        Rows that each member was trained on.
    C_positive_, C_unlabeled_ : float
        The penalties.
    n_iter_ : int array of shape (n_estimators,)
    n_features_in_ : int
    prior_, threshold_, slope_ : float
        π, the threshold, and the slope of the log-odds above it; only with ``prior``.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.

    References
    ----------
    Mordelet and Vert, A bagging SVM to learn from positive and unlabeled examples, Pattern Recognition Letters 37
    (2014); Claesen et al. (2015).

    Examples
    --------
    >>> from pulib import BaggingSVC, make_circle_noise
    >>> X, y = make_circle_noise(50, 100, random_state=0)
    >>> ensemble = BaggingSVC(C=1, n_unlabeled=50, gamma=0.5, random_state=0).fit(X, y)
    >>> print(f"{(ensemble.predict(X) == y).mean():.0%} of the training labels predicted")
    96% of the training labels predicted
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**ENSEMBLE_CONSTRAINTS, "n_unlabeled": SIZE}

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        C: float = 1.0,
        n_unlabeled: int | None = None,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        tol: float = 1e-3,
        max_iter: int = -1,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        pos_label: Any = None,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        unlabeled_label: Any = None,
    ):
        super().__init__(
            n_estimators, C=C, kernel=kernel, gamma=gamma, tol=tol, max_iter=max_iter,
            n_jobs=n_jobs, random_state=random_state,
        )  # fmt: skip
        self.n_unlabeled = n_unlabeled
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.prior = prior
        self.scenario = scenario

    def _plan(self, n_positive: int, n_unlabeled: int) -> Plan:
        size = self.n_unlabeled or n_positive
        return Plan(None, size, float(self.C) * size / n_positive, float(self.C))
