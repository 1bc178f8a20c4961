"""SAR-EM: a classifier and a model of the labeling, found together by expectation maximization."""

from __future__ import annotations

import warnings
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
from pulib._doubts import doubt_of_prior, warn_of
from pulib._typing import MatrixLike
from pulib._weights import fit_weights, ones_for_none, weighted_counts
from pulib.exceptions import PUWarning
from pulib.reductions._base import BaseReduction, positive_probability

#: Probabilities are kept so far from 0 and 1, so that logarithms and quotients exist.
_SMALLEST_PROPENSITY = 1e-9


def posterior_of_positive(f: np.ndarray, e: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Pr(y = 1 | x, s): 1 for labeled rows, f (1 - e) / (1 - f e) for the others.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.biased._sar_em import posterior_of_positive
    >>> posterior_of_positive(np.array([0.5, 0.5]), np.array([0.5, 0.5]), np.array([True, False])).round(3).tolist()
    [1.0, 0.333]
    """
    return np.where(positive, 1.0, f * (1.0 - e) / (1.0 - f * e))


def log_likelihood(f: np.ndarray, e: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> float:
    """Mean log-likelihood of the labels: a row is labeled with probability f e."""
    return float(np.average(np.where(positive, np.log(f * e), np.log1p(-f * e)), weights=weights))


class BiasedPUClassifier(BaseReduction):
    """SAR-EM: learning from labels that are selected at random given some of the features (Bekker et al., 2019).

    A positive row is labeled with a probability that depends on its features, its propensity e(x).  The classifier f(x) = Pr(y
    = 1 | x) and the model of e are fitted in turn: an unlabeled row counts as a positive with weight f (1 - e) / (1 - f e), and
    as a negative with the rest (section 5).  Other learners of this library assume one propensity for all positives.

    Parameters
    ----------
    estimator : classifier with ``predict_proba`` whose ``fit`` takes ``sample_weight``, or a pipeline that ends in one, or None
        The model of f.  None means logistic regression on standardized features.  A model that memorizes its rows (a deep tree)
        only confirms its own expectations; give it large leaves.
    propensity_estimator : the like, or None
        The model of e.
    propensity_features : list of columns, or None, default=None
        Numbers or names of the columns that labeling depends on; the model of e sees only these.  None means all columns; an
        empty list means one propensity for all rows.  If f and e see the same features, the labels identify only f e and not
        its two factors, except through the shape of the models, so name the features whenever you know them.
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
        Without ``propensity_features``, and if the estimated share of positives is 0 or 1.

    Notes
    -----
    As in the authors' program, the first models treat unlabeled rows as negatives, and each kind has half of the weight.  The
    likelihood is that of the labels, p(s | x); it never falls if both models maximize their weighted likelihoods (with
    penalties, it may fall slightly).  There may be several maxima.  The data must be one sample: labeled rows are part of the
    population.

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
    >>> bool(np.mean(model.predict(X) == truth) > 0.9), bool(abs(model.prior_ - 0.5) < 0.05)
    (True, True)
    >>> bool(np.corrcoef(model.predict_propensity(X), propensity)[0, 1] > 0.95)
    True
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
        return make_pipeline(StandardScaler(), LogisticRegression())

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        (X,) = indexable(X)
        if self.estimator is None:  # the scaler squares the values, and makes nothing of a column whose squares are infinite
            check_finite_sizes(X, self)
        if self.propensity_features is None:
            warnings.warn(
                "BiasedPUClassifier: labels identify only the product of both models, and without propensity_features both see "
                "all features, so that one may stand in for the other. Name the features that labeling depends on, or use "
                "another learner.",
                PUWarning,
                stacklevel=4,
            )
        labels = positive.astype(np.intp)
        share = weighted_counts(positive, weights)[0] / len(positive)
        w = ones_for_none(weights, len(positive))
        self.estimator_ = named_columns(
            lambda _, rows: _fit_weighted(clone(self._base()), rows, labels, w * np.where(positive, 1 - share, share)), self, X
        )
        self._take_features(self.estimator_)
        twice = _stack(X)
        both = np.repeat([1, 0], len(positive))
        f = _inside(positive_probability(self.estimator_, X))
        q = np.where(positive, 1.0, f)
        seen = self._propensity_columns(X)
        self.propensity_estimator_ = _fit_weighted(self._propensity_base(), seen, labels, w * q)
        e = _inside(positive_probability(self.propensity_estimator_, seen))
        likelihoods = [log_likelihood(f, e, positive, w)]
        q = posterior_of_positive(f, e, positive)
        for _ in range(self.max_iter):
            self.estimator_ = _fit_weighted(clone(self._base()), twice, both, np.concatenate([w * q, w * (1.0 - q)]))
            self.propensity_estimator_ = _fit_weighted(self._propensity_base(), seen, labels, w * q)
            f = _inside(positive_probability(self.estimator_, X))
            e = _inside(positive_probability(self.propensity_estimator_, seen))
            likelihoods.append(log_likelihood(f, e, positive, w))
            before, q = q, posterior_of_positive(f, e, positive)
            moved = float(np.max(np.abs(q - before)))
            if moved <= self.tol:
                break
        else:
            warnings.warn(
                f"BiasedPUClassifier: after max_iter={self.max_iter} iterations a posterior still moves by {moved:.2g}, more "
                f"than tol={self.tol:g}. Raise max_iter or tol, or name fewer propensity_features.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.n_iter_ = len(likelihoods) - 1
        self.log_likelihoods_ = np.array(likelihoods)
        self.prior_ = float(np.average(f, weights=w))
        self.label_frequency_ = float(np.average(e, weights=w * f))
        warn_of(doubt_of_prior(self.prior_, positive, "one_sample", estimated=True, weights=weights), stacklevel=4)

    def _propensity_base(self) -> Any:
        if self.propensity_features is not None and len(self.propensity_features) == 0:
            return DummyClassifier(strategy="prior")
        return self._default_estimator() if self.propensity_estimator is None else clone(self.propensity_estimator)

    def _propensity_columns(self, X: Any) -> Any:
        """What the model of the labeling sees."""
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
        """e(x) = Pr(labeled | x, positive): the probability that each row would be labeled if it were positive.

        Parameters
        ----------
        X : rows of any kind that the models take

        Returns
        -------
        propensity : array of shape (n_samples,)
        """
        check_is_fitted(self)
        return positive_probability(self.propensity_estimator_, self._propensity_columns(X))


def _fit_weighted(model: Any, X: Any, y: np.ndarray, weights: np.ndarray) -> Any:
    with config_context(enable_metadata_routing=False):  # these weights are not the user's, and every model gets them
        return model.fit(X, y, **fit_weights(model, weights))


def _inside(p: np.ndarray) -> np.ndarray:
    return np.clip(p, _SMALLEST_PROPENSITY, 1.0 - _SMALLEST_PROPENSITY)


def _stack(X: Any) -> Any:
    """The rows twice: once as positives, once as negatives."""
    if sparse.issparse(X):
        return sparse.vstack([X, X]).tocsr()
    return _safe_indexing(X, np.tile(np.arange(X.shape[0] if hasattr(X, "shape") else len(X)), 2))
