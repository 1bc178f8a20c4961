"""Online PU learning (OPU): a linear classifier for streams of labeled positives and unlabeled rows."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from pulib._base import PRIOR_CONSTRAINT, TRAINING_PRIOR_CONSTRAINT
from pulib._columns import named_columns
from pulib._compiled import WORK, frozen, frozen_csr
from pulib._feature_scales import warn_of_scales
from pulib._frames import ordered_categories, with_ranks
from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT
from pulib._labels import (
    POS_LABEL_CONSTRAINT,
    check_named,
    complete_labels,
    encode_pu_labels,
    marked_missing,
    missing_as_unlabeled,
)
from pulib._sizes import check_sizes
from pulib._training_prior import hinge_weights
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib._warnings import issue_warning
from pulib.linear._base import ACCEPTED_ROWS, LinearPUClassifierMixin, canonical_csr
from pulib.linear._batches import Batching, batches_csr, batches_dense, number_of_batches
from pulib.linear._losses import CURVATURES, LOSS_CODES
from pulib.linear._scale import fitting_penalty
from pulib.linear._stream import CsrRows, Objective, ScaledWeights, fold_scale, stream_csr, stream_dense

#: Expected number of rows of each kind in a stream, and the least number of rows whose feature scales are checked.
_EXPECTED_STREAM_ROWS = 1000
_ROWS_TO_JUDGE_SCALES = 100


class OnlinePUClassifier(LinearPUClassifierMixin, BaseEstimator):
    """Online positive and unlabeled learning (OPU), basic and extended.

    Minimizes the convex PU risk with an L2 penalty over a stream of rows.  A labeled row costs −π g(x), an unlabeled one
    ℓ(−g(x)), for a loss with ℓ(z) − ℓ(−z) = −z (equations 6 and 7).  Each cost is divided by the share of its kind in the
    stream so far, so that the mean over the stream is the risk of equation 5, regardless of that share.  Step t follows the
    gradient of one row (``batch_size=1``, algorithm 1) with length 1/(λt), or solves a batch's sub-problem (section 4.2), and
    projects onto the ball of radius 1/√λ around 0.

    Parameters
    ----------
    prior : float in (0, 1) or None
        π.  None estimates it from the rows given to ``fit`` or to the first ``partial_fit``.  Setting it to None between calls
        keeps the former value.
    training_prior : float in (0, 1), "auto" or None, default="auto"
        π' of the balanced PU risk (Su, Chen and Xu, 2021) that ranks rows.  None uses π, as in the paper; if positives are
        rare, nearly every row is then predicted negative.  "auto" is 1/5 if π < 1/8 and the loss is the double hinge, and π
        otherwise.  If π' is not π, the threshold is set on held-out scores of the training rows (five more fits), so that a
        share π of the population is predicted positive, and becomes part of ``intercept_``.  A stream that begins with
        ``partial_fit`` uses π, because no rows can be held out for a threshold; one that begins with ``fit`` keeps its training
        prior and its threshold.
    scenario : {"two_sample", "one_sample"}
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.  In the latter case,
        labeled rows also count as unlabeled ones.
    loss : {"double_hinge", "square", "logistic"}
        ℓ(z) = max(−z, max(0, ½ − ½z)), ¼(z − 1)² − ¼, or ln(1 + e^−z).
    alpha : float > 0 or "auto", default="auto"
        λ.  "auto" adapts it to the number of rows of each kind and to the scale of the features: a tenth of the rows' mean
        squared norm (constant feature included) times π'/√n_P + 1/(2√n_U).  ``partial_fit`` computes it in its first call, for
        a stream of at least 1,000 rows of each kind.
    batch_size : int >= 1 or float in (0, 1)
        Rows per step.  The rows of a call are divided into parts of at most this size, whose sizes differ by at most one row.
        A float is the share of the rows given to ``fit`` (0.05 in the paper, that is, twenty parts); ``partial_fit`` then takes
        each call as one batch.
    inner_steps : int >= 1
        Gradient steps on a batch's sub-problem (equation 10).  A single step has length 1/(λt), and the conservative term
        γ_t = γ + λt has no effect on it.  Several have length 1/(λ + γ_t + L), which fits the sub-problem's curvature, with
        γ = λ/√b as in the last line of theorem 2's proof.
    fit_intercept : bool
        Append a constant feature 1 (penalized like any other).
    n_passes : int >= 1
        Passes of ``fit`` over the rows, each in a new random order.
    random_state : int, RandomState instance or None
        Determines the order of the rows in ``fit``.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.

    Attributes
    ----------
    classes_ : array of shape (2,)
    coef_ : float64 array of shape (1, n_features)
    intercept_ : float64 array of shape (1,)
    prior_, training_prior_, alpha_ : float
        π, π' and λ in use.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    threshold_ : float
        Threshold subtracted from the intercept, if ``training_prior`` sets one.
    t_ : int
        Steps so far.
    n_features_in_ : int

    Notes
    -----
    A pickled estimator is a checkpoint: loaded mid-stream, it reaches the same weights, bit for bit.  With ``batch_size=1``,
    the result does not depend on how dense rows (or CSR rows) are divided into calls of ``partial_fit``, except for what the
    first call determines: ``prior=None`` and ``alpha="auto"``.  Weights are float64 for any type of ``X``.

    References
    ----------
    Zhang, Gong, Liu, Lu, Wang, Yang: Online Positive and Unlabeled Learning, IJCAI 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.linear import OnlinePUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.5
    >>> X = rng.normal(size=(2000, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    >>> y = (truth & (rng.random(2000) < 0.5)).astype(int)
    >>> clf = OnlinePUClassifier(prior=1 / 3, random_state=0).fit(X, y)
    >>> print(f"accuracy {np.mean(clf.predict(X) == truth):.2f} after {clf.t_} rows")
    accuracy 0.98 after 2000 rows
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "prior": PRIOR_CONSTRAINT,
        "training_prior": TRAINING_PRIOR_CONSTRAINT,
        "scenario": [StrOptions({"two_sample", "one_sample"})],
        "pos_label": POS_LABEL_CONSTRAINT,
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
        "loss": [StrOptions(set(LOSS_CODES))],
        "alpha": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "batch_size": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither")],
        "inner_steps": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
        "n_passes": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        prior: float | None = None,
        training_prior: float | str | None = "auto",
        scenario: str = "two_sample",
        loss: str = "double_hinge",
        alpha: float | str = "auto",
        batch_size: int = 1,
        inner_steps: int = 1,
        fit_intercept: bool = True,
        n_passes: int = 1,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.prior = prior
        self.training_prior = training_prior
        self.scenario = scenario
        self.loss = loss
        self.alpha = alpha
        self.batch_size = batch_size
        self.inner_steps = inner_steps
        self.fit_intercept = fit_intercept
        self.n_passes = n_passes
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> OnlinePUClassifier:
        """Start over, and learn from the rows in random order, as one stream.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If ``y`` does not have two values, or ``X`` contains NaN, infinity, or values whose squares are too large for a
            float.
        """
        X, positive = self._validate_fit(X, y, **ACCEPTED_ROWS)
        X = canonical_csr(X)
        training_prior = self._resolve_training_prior(self._resolve_prior(X, positive))
        warn_of_scales(X, self)
        self.alpha_ = fitting_penalty(X, positive, training_prior) if self.alpha == "auto" else float(self.alpha)
        self._start(X.shape[1])
        rng = check_random_state(self.random_state)
        n = X.shape[0]
        n_batches = number_of_batches(self.batch_size, n)
        for _ in range(self.n_passes):
            self._learn(X, positive, rng.permutation(n).astype(np.int64, copy=False), n_batches)
        self._set_threshold_at_prior(X, positive, None, OnlinePUClassifier._scores_before_threshold)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None) -> OnlinePUClassifier:
        """Learn from more rows, in the order given.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            One or more rows.
        y : array-like of shape (n_samples,)
            Labels among ``classes``; later calls may contain only one kind.
        classes : array-like of shape (2,), optional
            The two labels that ``y`` may contain, interpreted like ``y`` itself.  Needed in the first call unless ``y``
            contains both.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the classes are not known at the first call, are changed later, or ``y`` contains another label; or if ``prior``
            is None and the first call does not contain both kinds of rows, from which to estimate it.
        """
        first = not self.__sklearn_is_fitted__()
        if first:
            check_named(y, self.pos_label, self.unlabeled_label)
            if classes is not None:
                check_named(classes, self.pos_label, self.unlabeled_label)
        labels = missing_as_unlabeled(y, self.pos_label, none_labeled=not first or classes is not None)
        if first:
            self._categories = ordered_categories(X)
        X = with_ranks(X, getattr(self, "_categories", {}))
        known_y = y if labels is None else labels[0]
        X, y = named_columns(validate_data, self, X, known_y, reset=first, **ACCEPTED_ROWS)
        X = canonical_csr(X)
        check_sizes(X, self)
        if first:
            if classes is not None:
                _, known = encode_pu_labels(column_or_1d(classes), self.pos_label)
                positive = _encode_known(y, known) if labels is None else labels[0]
            else:
                positive, known = complete_labels(y, self.pos_label) if labels is None else labels
            if self.prior is None and (positive.all() or not positive.any()):
                raise ValueError(
                    "prior=None: to estimate the class prior, the first call of partial_fit needs labeled and unlabeled rows; "
                    "it contains only one kind. Pass prior=, or more rows in the first call."
                )
            self.training_prior_ = self._resolve_prior(X, positive)
            if isinstance(self.training_prior, Real):
                issue_warning(
                    f"training_prior={self.training_prior:g} has no effect on a stream that begins with partial_fit, which "
                    "learns at π: no rows can be held out to set the threshold. Begin with fit, and continue with partial_fit."
                )
            if X.shape[0] >= _ROWS_TO_JUDGE_SCALES:
                warn_of_scales(X, self)
            if self.alpha == "auto":
                self.alpha_ = fitting_penalty(X, positive, self.prior_, at_least=_EXPECTED_STREAM_ROWS)
            self._start(X.shape[1])
            self.classes_ = known
        else:
            if classes is not None and marked_missing(classes):
                _, classes = encode_pu_labels(column_or_1d(classes), self.pos_label)
            if classes is not None and not np.array_equal(np.unique(classes), np.sort(self.classes_)):
                raise ValueError(
                    f"classes={classes!r} differs from the classes of the first call of partial_fit: {self.classes_!r}"
                )
            positive = _encode_known(y, self.classes_) if labels is None else labels[0]
            if self.prior is not None:  # may have changed between calls, like any parameter
                at_prior = self.training_prior_ == self.prior_
                self.prior_ = float(self.prior)
                self.training_prior_ = self.prior_ if at_prior else self.training_prior_
        if self.alpha != "auto":
            self.alpha_ = float(self.alpha)
        n = X.shape[0]
        n_batches = number_of_batches(self.batch_size, n) if isinstance(self.batch_size, Integral) else 1
        self._learn(X, positive, np.arange(n, dtype=np.int64), n_batches)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_weights" in vars(self)

    def _start(self, n_features: int) -> None:
        """Set the state before the first row: zero weights (the constant feature's last), s = 1, |v|² = 0, zero counts."""
        self._weights = np.zeros(n_features + 1)
        self._scale = np.array([1.0, 0.0])
        self._counts = np.zeros(3, dtype=np.int64)

    def _objective(self) -> Objective:
        """Objective of every step, and radius of the ball that it projects onto.

        A subclass may replace ``radius`` (infinity: no projection) and ``unbiased`` (False: losses are not divided by the share
        of their kind, as in equation 6).
        """
        alpha = self.alpha_
        on_labeled, on_unlabeled = hinge_weights(self.prior_, self.training_prior_)
        return Objective(
            loss=LOSS_CODES[self.loss],
            prior=self.training_prior_,
            alpha=alpha,
            radius=alpha**-0.5,
            unbiased=True,
            joined=self.scenario == "one_sample",
            bias=float(self.fit_intercept),
            on_labeled=on_labeled,
            on_unlabeled=on_unlabeled,
        )

    def _learn(self, X: Any, positive: np.ndarray, order: np.ndarray, n_batches: int) -> None:
        """Run the compiled loop over the rows ``order``, in ``n_batches`` parts whose sizes differ by at most one row.

        A small remainder would have the weight of a whole batch, and would come last.
        """
        objective = self._objective()
        single = n_batches == len(order) and self.inner_steps == 1
        learn: Any
        rows: Any
        if sparse.issparse(X):
            learn = stream_csr if single else batches_csr
            rows, weights = CsrRows(*frozen_csr(X)), ScaledWeights(self._weights, self._scale)
        else:
            if self._scale[0] != 1.0:
                fold_scale(self._weights, self._scale)
            learn = stream_dense if single else batches_dense
            rows, weights = frozen(X), self._weights
        size, larger = divmod(len(order), n_batches)
        for all_of_it, length in ((order[: larger * (size + 1)], size + 1), (order[larger * (size + 1) :], size)):
            batches = max(1, WORK // max(1, length * X.shape[1] * self.inner_steps)) * max(1, length)  # whole batches
            for start in range(0, len(all_of_it), batches):
                part = all_of_it[start : start + batches]
                learn(rows, positive, part, weights, self._counts, objective, *(() if single else (self._batching(length),)))
        if not sparse.issparse(X):
            self._scale[1] = self._weights @ self._weights

    def _batching(self, size: int) -> Batching:
        return Batching(size, int(self.inner_steps), float(self.alpha_ / np.sqrt(size)), CURVATURES[self.loss])

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, of shape (1, n_features)."""
        check_is_fitted(self)
        return (self._scale[0] * self._weights[:-1])[None, :]

    @property
    def intercept_(self) -> np.ndarray:
        """Weight of the constant feature, minus ``threshold_`` if there is one; of shape (1,)."""
        check_is_fitted(self)
        return self._scale[0] * self._weights[-1:] - getattr(self, "threshold_", 0.0)

    @property
    def t_(self) -> int:
        """Steps so far."""
        check_is_fitted(self)
        return int(self._counts[0])


def _encode_known(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Mask of labeled positives, given the two classes."""
    positive = y == classes[1]
    strange = ~positive & (y != classes[0])
    if strange.any():
        label, low, high = (value.item() if hasattr(value, "item") else value for value in (y[strange][0], *classes))
        raise ValueError(f"y contains the label {label!r}; the classes are {low!r} and {high!r}")
    return positive
