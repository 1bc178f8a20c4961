"""SGBDota: boosting with two targets, the AUC and the user's preferences (table 1 of the paper)."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.expansion._boost import Round, target_seeds
from pulib.expansion._preferences import NAMES, Preference, resolve_preference
from pulib.expansion._rank_boosting import BaseRankBoosting

#: The values that ``drop_fraction="auto"`` tries (section 5.1).
DROP_FRACTIONS = (1.0, 0.95, 0.9, 0.6, 0.3, 0.0)


class SGBDotaClassifier(BaseRankBoosting):
    """Stochastic gradient boosting with double target, for a positive class that expands.

    The training labels are a snapshot: some negatives will turn positive later.  The scores rank rows by how early they do.
    Boosting has two targets: to rank positives above negatives (a smooth AUC, eq. 4), and to rank rows that the user expects to
    turn positive earlier above others (a smooth ranking loss on pairs, eq. 5).  Each round fits one base learner to the
    residuals of each target, and weights the two by one Newton step (table 1).

    Parameters
    ----------
    n_estimators : int, default=50
        Number of rounds T.
    preference : str, callable, array, sparse matrix or None, default="density"
        Which rows are expected to turn positive earlier.  ``"density"``: rows in areas dense in positives;
        ``"density_difference"``: the same minus the density of negatives (both :func:`density_preference`); ``"neighborhood"``:
        rows that the label reaches early (:func:`neighborhood_preference`); ``"neighborhood_unit"``: the same on features
        within [0, 1].  A score vector of shape (n_samples,): higher is earlier, NaN means no preference.  A matrix of pairs of
        shape (n_samples, n_samples), sparse or not: a positive entry (a, b), or a negative one at (b, a), prefers row a to row
        b; contradictory entries cancel.  A callable receives ``(X, y)``, where y is 1 for positives, 0 for negatives and NaN
        for unknown labels, and returns a vector or matrix.  None: no preferences.
    preference_weight : float, default=1.0
        λ, the weight of the preferences relative to the AUC; 0 ignores them.
    drop_fraction : float in [0, 1] or "auto", default="auto"
        p, the share of the negatives that the AUC target ignores, most preferred first; 1 keeps only the least preferred ones.
        ``"auto"`` tries 1, .95, .9, .6, .3 and 0, and keeps the one whose model fits the preferences best (eq. 5) on the
        training rows.
    estimator : regressor or None, default=None
        Base learner h; None is a least-squares regression tree with at least two rows per leaf.
    learning_rate : float, default=0.01
        Shrinkage ν.
    subsample : float in (0, 1], default=0.5
        Share of a target's rows that each base learner is fitted to, drawn without replacement.
    random_state : int, RandomState instance or None, default=None
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
    estimators_ : list of tuples of regressors, one per round
        The learner of the AUC target, then that of the preferences, if there are any.
    estimator_weights_ : array of shape (n_estimators, 1 or 2)
        νβ of each round.
    drop_fraction_ : float
        p in use.
    preference_loss_ : float
        Final loss (eq. 5) on the training rows; NaN without preferences.
    preference_losses_ : dict of float to float
        ``preference_loss_`` for each p that was tried.
    offset_ : float
        Threshold subtracted from the scores: the one with the best balanced accuracy on the training labels or, if none is
        better than chance, one above the scores of all training rows.
    classes_ : array of shape (2,)
    n_features_in_ : int
    prior_, threshold_, slope_ : float
        π, the threshold, and the slope of the log-odds above it; only with ``prior``.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.

    References
    ----------
    Yu and Zhou, A framework for modeling positive class expansion with single snapshot, Knowledge and Information Systems
    (2010), section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import SGBDotaClassifier
    >>> X = np.arange(30.0)[:, None]
    >>> y = np.arange(30) > 24  # those below will follow, the greater ones first
    >>> model = SGBDotaClassifier(preference=X[:, 0], random_state=0).fit(X, y)
    >>> scores = model.decision_function(X)
    >>> print(f"next to turn positive: rows {np.argsort(-scores[:25], kind='stable')[:3]}")
    next to turn positive: rows [24 23 22]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseRankBoosting._parameter_constraints,
        "preference": [StrOptions(NAMES), callable, "array-like", "sparse matrix", None],
        "preference_weight": [Interval(Real, 0, None, closed="left")],
        "drop_fraction": [Interval(Real, 0, 1, closed="both"), StrOptions({"auto"})],
    }

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        preference: Any = "density",
        preference_weight: float = 1.0,
        drop_fraction: float | str = "auto",
        estimator: Any = None,
        learning_rate: float = 0.01,
        subsample: float = 0.5,
        random_state: RandomState = None,
        pos_label: Any = None,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        unlabeled_label: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.preference = preference
        self.preference_weight = preference_weight
        self.drop_fraction = drop_fraction
        self.estimator = estimator
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.prior = prior
        self.scenario = scenario

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike, preference: Any = None) -> SGBDotaClassifier:
        """Boost both targets, for each p to try.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels at training time: 1 for positives and 0 for others, or as ``pos_label`` says, and NaN for unknown labels,
            whose rows count only in the preferences.  If all other labels are 1, NaN marks unlabeled rows.
        preference : callable, array, sparse matrix or None, default=None
            Overrides the constructor's ``preference``, in the same forms.
        """
        X, positive, known = self._validate(X, y)
        rng = check_random_state(self.random_state)
        seeds = target_seeds(rng, self.n_estimators)
        preferences = self._resolve(preference, X, positive, known, rng)
        fractions: tuple[float, ...] = (0.0,)
        if preferences is not None:
            fractions = DROP_FRACTIONS if self.drop_fraction == "auto" else (float(self.drop_fraction),)
        best: tuple[list[Round], np.ndarray] = [], np.empty(0)
        self.preference_loss_ = np.nan
        self.preference_losses_: dict[float, float] = {}
        for fraction in fractions:
            targets, joint = self._make_targets(positive, known, preferences, self.preference_weight, fraction, seeds)
            rounds, f = self._run(X, targets, joint)
            loss = np.nan if preferences is None else targets[1].loss.value(f[targets[1].rows])
            self.preference_losses_[fraction] = float(loss)
            first_number = np.isnan(self.preference_loss_) and not np.isnan(loss)
            if not best[0] or first_number or loss < self.preference_loss_:
                best = rounds, f
                self.drop_fraction_, self.preference_loss_ = fraction, float(loss)
        self._store(*best, positive, known)
        chosen = self.preference if preference is None else preference
        places = np.flatnonzero(known)
        self._set_threshold(X[known], positive[known], fit_params=lambda rows: {"preference": _of_rows(chosen, places[rows])})
        return self

    def _resolve(
        self, preference: Any, X: Any, positive: np.ndarray, known: np.ndarray, rng: np.random.RandomState
    ) -> Preference | None:
        """Preferences in use, or None if λ = 0 or no row has one."""
        if self.preference_weight == 0:
            return None
        chosen = self.preference if preference is None else preference
        labels = np.where(known, positive.astype(np.float64), np.nan)
        resolved = resolve_preference(chosen, self._in_place(X).astype(np.float64), labels, rng)
        return resolved if resolved is not None and resolved.available.any() else None


def _of_rows(preference: Any, rows: np.ndarray) -> Any:
    """Restrict a preference to some rows: entries of a vector, pairs of a matrix; names and callables are unchanged."""
    if preference is None or isinstance(preference, str) or callable(preference):
        return preference
    preference = sparse.csr_array(preference) if sparse.issparse(preference) else np.asarray(preference)
    return preference[rows] if preference.ndim == 1 else preference[rows][:, rows]
