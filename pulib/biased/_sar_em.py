"""SAR-EM: a classifier and a model of the labeling, fitted jointly by expectation maximization."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted

from pulib._columns import check_finite_sizes, named_columns
from pulib._typing import MatrixLike
from pulib._warnings import issue_warning, prior_warning
from pulib._weights import fit_weights, ones_for_none, weighted_counts
from pulib.biased._em import Found, expectation_maximization
from pulib.linear._base import canonical_csr
from pulib.reductions._base import BaseReduction, positive_probability


class BiasedPUClassifier(BaseReduction):
    """SAR-EM: learning from labels that are selected at random given some of the features (Bekker et al., 2019).

    A positive row is labeled with a probability that depends on its features, its propensity e(x).  The classifier f(x) = Pr(y
    = 1 | x) and the model of e are fitted alternately: an unlabeled row counts as a positive with weight f (1 - e) / (1 - f e),
    and as a negative with the rest (section 5).  Most learners of this library assume one propensity for all positives.

    Parameters
    ----------
    estimator : classifier with ``predict_proba`` whose ``fit`` takes ``sample_weight``, or a pipeline that ends in one, or None
        Model of f.  None is logistic regression on standardized features.  A model that memorizes its rows (a deep tree) only
        confirms its own expectations; give it large leaves.
    propensity_estimator : same as ``estimator``
        Model of e.
    propensity_features : list of columns, or None, default=None
        Numbers or names of the columns that labeling depends on; the model of e only uses these.  None means all columns; an
        empty list means one propensity for all rows.  If f and e use the same features, the labels identify only the product
        f e, except through the shape of the models, so name the columns if you know them.
    max_iter : int, default=500
    tol : float, default=1e-4
        Iterations end when no unlabeled row's posterior changes by more than this.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.

    Attributes
    ----------
    classes_ : array of shape (2,)
    estimator_, propensity_estimator_ : classifiers
        The fitted models of f and of e.
    prior_ : float
        Mean of f over the training rows, labeled ones included (the data are one sample).
    label_frequency_ : float
        Mean propensity over the expected positives.
    log_likelihoods_ : array of shape (n_iter_ + 1,)
        Mean log-likelihood of the labels, at the start and after each iteration.
    n_iter_ : int
    n_features_in_ : int

    Warns
    -----
    ConvergenceWarning
        If ``max_iter`` iterations do not suffice.
    PUWarning
        If ``propensity_features`` is None, the estimated π is near 0 or 1, or there are fewer than 30 labels.

    Notes
    -----
    As in the authors' program, the first model of f treats unlabeled rows as negatives, and labeled and unlabeled rows have
    half of the weight each.  The likelihood is that of the labels, p(s | x).  It never falls if both models maximize their
    weighted likelihoods (with penalties, it may fall slightly), and may have several maxima.  The data must be one sample:
    labeled rows are part of the population.

    References
    ----------
    Bekker, Robberechts, Davis: Beyond the selected completely at random assumption for learning from positive and unlabeled
    data.  ECML PKDD 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import BiasedPUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.5
    >>> X = np.c_[rng.normal(size=2000) + np.where(truth, 1.5, -1.5), rng.normal(size=2000)]
    >>> propensity = 1 / (1 + np.exp(-2 * X[:, 1]))  # labels depend on the second feature
    >>> y = (truth & (rng.random(2000) < propensity)).astype(int)
    >>> model = BiasedPUClassifier(propensity_features=[1]).fit(X, y)
    >>> print(f"accuracy {np.mean(model.predict(X) == truth):.2f}, π {model.prior_:.2f}")
    accuracy 0.94, π 0.49
    >>> print(f"correlation with the true propensity {np.corrcoef(model.predict_propensity(X), propensity)[0, 1]:.2f}")
    correlation with the true propensity 1.00
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseReduction._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "propensity_estimator": [HasMethods(["fit", "predict_proba"]), None],
        "propensity_features": ["array-like", None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        propensity_estimator: Any = None,
        propensity_features: Any = None,
        max_iter: int = 500,
        tol: float = 1e-4,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.propensity_estimator = propensity_estimator
        self.propensity_features = propensity_features
        self.max_iter = max_iter
        self.tol = tol
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    _routes_to_base = False

    @staticmethod
    def _default_estimator() -> Any:
        return LogisticRegression()  # provides the tags; see _fit_weighted

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        (X,) = indexable(X)
        if self.estimator is None:  # the scaler squares the values, and cannot scale a column whose squares are infinite
            check_finite_sizes(X, self)
        self._warn_of_both_seeing_all()
        labels, w = positive.astype(np.intp), ones_for_none(weights, len(positive))
        self.estimator_ = named_columns(
            lambda _, rows: _fit_weighted(self.estimator, rows, labels, w * half_each(positive, weights), weights), self, X
        )
        self._take_features(self.estimator_)
        twice, both = stack(X), np.repeat([1, 0], len(positive))
        of_twice = None if weights is None else np.tile(weights, 2)
        seen = self._propensity_columns(X)

        def update_f(of_rows: np.ndarray) -> np.ndarray:
            self.estimator_ = _fit_weighted(self.estimator, twice, both, of_rows, of_twice)
            return positive_probability(self.estimator_, X)

        def update_e(of_rows: np.ndarray) -> np.ndarray:
            self.propensity_estimator_ = _fit_weighted(self._propensity_base(), seen, labels, of_rows, weights)
            return positive_probability(self.propensity_estimator_, seen)

        start = positive_probability(self.estimator_, X)
        found = expectation_maximization(start, update_f, update_e, positive, w, self.max_iter, self.tol)
        if found.moved > self.tol:
            issue_warning(
                f"BiasedPUClassifier: after max_iter={self.max_iter} iterations a posterior still moves by {found.moved:.2g}, "
                f"more than tol={self.tol:g}. Raise max_iter or tol, or name fewer propensity_features.",
                category=ConvergenceWarning,
            )
        self._take_estimates(found, positive, weights)

    def _warn_of_both_seeing_all(self) -> None:
        if self.propensity_features is None:
            issue_warning(
                f"{type(self).__name__}: labels identify only the product of both models, and without propensity_features both "
                "see all features, so they may be exchanged. Name the features that labeling depends on, or use "
                "another learner."
            )

    def _take_estimates(self, found: Found, positive: np.ndarray, weights: np.ndarray | None) -> None:
        w = ones_for_none(weights, len(positive))
        self.n_iter_, self.log_likelihoods_ = len(found.likelihoods) - 1, found.likelihoods
        self.prior_ = float(np.average(found.f, weights=w))
        self.label_frequency_ = float(np.average(found.e, weights=w * found.f))
        issue_warning(prior_warning(self.prior_, positive, "one_sample", estimated=True, weights=weights))

    def _propensity_base(self) -> Any:
        if self.propensity_features is not None and len(self.propensity_features) == 0:
            return DummyClassifier(strategy="prior")
        return self.propensity_estimator

    def _propensity_columns(self, X: Any) -> Any:
        """Columns for the model of the labeling."""
        if self.propensity_features is None:
            return X
        if len(self.propensity_features) == 0:
            return np.zeros((X.shape[0] if hasattr(X, "shape") else len(X), 1))
        columns = X if hasattr(X, "shape") else np.asarray(X)
        try:
            return _safe_indexing(columns, list(self.propensity_features), axis=1)
        except (ValueError, IndexError, KeyError) as error:
            raise ValueError(
                f"propensity_features={self.propensity_features!r} are not columns of X, which has {columns.shape[1]}: {error}"
            ) from error

    def _scores(self, X: Any) -> np.ndarray:
        return self._probability(X) - 0.5

    def predict_propensity(self, X: MatrixLike) -> np.ndarray:
        """Propensity e(x) = Pr(labeled | x, positive): the probability that a row would be labeled if it were positive.

        Parameters
        ----------
        X : rows of any type that the models accept

        Returns
        -------
        propensity : array of shape (n_samples,)
        """
        check_is_fitted(self)
        return positive_probability(self.propensity_estimator_, self._propensity_columns(X))


def _fit_weighted(base: Any, X: Any, y: np.ndarray, weights: np.ndarray, of_user: np.ndarray | None) -> Any:
    """Fit a clone of ``base``, or logistic regression on features that are standardized by the user's weights."""
    if base is None:
        X = canonical_csr(X)
        centered = not sparse.issparse(X)  # centering only changes the intercept
        model = make_pipeline(StandardScaler(with_mean=centered), LogisticRegression())
        params = {"standardscaler__sample_weight": of_user}
    else:
        model, params = clone(base), {}
    with config_context(enable_metadata_routing=False):  # these weights are not the user's, and every model needs them
        return model.fit(X, y, **fit_weights(model, weights), **params)


def half_each(positive: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Factors that give labeled and unlabeled rows half of the total weight each."""
    share = weighted_counts(positive, weights)[0] / len(positive)
    return np.where(positive, 1 - share, share)


def stack(X: Any) -> Any:
    """Repeat the rows: once as positives, once as negatives."""
    if sparse.issparse(X):
        return sparse.vstack([X, X]).tocsr()
    return _safe_indexing(X, np.tile(np.arange(X.shape[0] if hasattr(X, "shape") else len(X)), 2))
