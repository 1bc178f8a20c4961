"""Online PU learning (OPU): a linear classifier that learns from a stream of labeled positives and unlabeled rows."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from pulib._base import PRIOR_CONSTRAINT, encode_pu_labels
from pulib._compiled import frozen, frozen_csr
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.linear._base import ACCEPTED_ROWS, LinearPUClassifierMixin, canonical_csr
from pulib.linear._batches import batches_csr, batches_dense
from pulib.linear._losses import CURVATURES, LOSS_CODES
from pulib.linear._stream import fold_scale, stream_csr, stream_dense


class OnlinePUClassifier(LinearPUClassifierMixin, BaseEstimator):
    """Online positive and unlabeled learning (OPU), basic and extended.

    Minimizes, over a stream of rows, the convex PU risk with an L2 penalty: a labeled row costs −π g(x), an unlabeled one
    ℓ(−g(x)), for a loss with ℓ(z) − ℓ(−z) = −z (equations 6 and 7).  The t-th step takes the gradient of one row
    (``batch_size=1``, algorithm 1) or of a batch (section 4.2) with the step length 1/(λt), and projects on a ball.

    Parameters
    ----------
    prior : float in (0, 1) or None
        π.  None has it estimated, by ``fit`` from its rows, by ``partial_fit`` from those of its first call; set to
        None between calls it stays what it was.
    loss : {"double_hinge", "square", "logistic"}
        ℓ(z) = max(−z, max(0, ½ − ½z)), ¼(z − 1)² − ¼, or ln(1 + e^−z).
    alpha : float > 0
        λ.
    batch_size : int >= 1 or float in (0, 1)
        Rows per step.  A float is the share of the rows given to ``fit`` (0.05 in the paper); ``partial_fit`` then takes each
        call as one batch.
    inner_steps : int >= 1
        Gradient steps on a batch's sub-problem (equation 10).  With one step the conservative term has no effect.
    conservatism : float >= 0 or None
        γ in γ_t = γ + λt; None is λ/√b, as the last line of theorem 2's proof takes it.  No effect unless ``inner_steps > 1``.
    projection : {"ball"}, float > 0, or None
        Radius of the ball around 0 that the weights are projected on after each step; "ball" is 1/√λ, None does not project.
    stream_weighting : {"paper", "unbiased"}
        "paper" takes equation 6 as it stands, which weighs labeled against unlabeled rows by how often each arrives.
        "unbiased" divides each row's loss by the share of its kind in the stream so far, so that the mean over the stream is
        the risk of equation 5, whatever that share.  Either takes unlabeled rows to stand for the population; of a single
        sample whose labels are censored, pass labeled rows a second time, as unlabeled ones.
    fit_intercept : bool
        Append a constant feature 1 (penalized like any other).
    n_passes : int >= 1
        Times that ``fit`` goes through the rows, each time in a new random order.
    random_state : int, RandomState instance or None
        For the order of the rows in ``fit``.

    Attributes
    ----------
    classes_ : array of shape (2,)
    coef_ : float64 array of shape (1, n_features)
    intercept_ : float64 array of shape (1,)
    prior_ : float
        The π in use.
    t_ : int
        Steps so far.
    n_features_in_ : int

    Notes
    -----
    The estimator is its own saved state: pickled in mid-stream and loaded again it goes on to the same weights to the last
    bit.  With ``batch_size=1`` it makes no difference to a bit how dense rows (or CSR rows) are cut into calls of
    ``partial_fit``.  Weights are float64 whatever the type of ``X``.

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
    >>> clf = OnlinePUClassifier(prior=1 / 3, stream_weighting="unbiased", random_state=0).fit(X, y)
    >>> bool(np.mean(clf.predict(X) == truth) > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "prior": PRIOR_CONSTRAINT,
        "loss": [StrOptions(set(LOSS_CODES))],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "batch_size": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither")],
        "inner_steps": [Interval(Integral, 1, None, closed="left")],
        "conservatism": [Interval(Real, 0, None, closed="left"), None],
        "projection": [StrOptions({"ball"}), Interval(Real, 0, None, closed="neither"), None],
        "stream_weighting": [StrOptions({"paper", "unbiased"})],
        "fit_intercept": ["boolean"],
        "n_passes": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        prior: float | None = None,
        loss: str = "double_hinge",
        alpha: float = 1e-2,
        batch_size: int = 1,
        inner_steps: int = 1,
        conservatism: float | None = None,
        projection: str = "ball",
        stream_weighting: str = "paper",
        fit_intercept: bool = True,
        n_passes: int = 1,
        random_state: RandomState = None,
    ) -> None:
        self.prior = prior
        self.loss = loss
        self.alpha = alpha
        self.batch_size = batch_size
        self.inner_steps = inner_steps
        self.conservatism = conservatism
        self.projection = projection
        self.stream_weighting = stream_weighting
        self.fit_intercept = fit_intercept
        self.n_passes = n_passes
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> OnlinePUClassifier:
        """Learn from the rows in random order, as one stream; forgets what was learned before.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The greater of its two values marks labeled positives, the other unlabeled rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If ``y`` has not two values, or ``X`` holds NaN or infinity.
        """
        X, positive = self._validate_fit(X, y, **ACCEPTED_ROWS)
        X = canonical_csr(X)
        self._resolve_prior(X, positive)
        self._start(X.shape[1])
        rng = check_random_state(self.random_state)
        n = X.shape[0]
        batch_size = self.batch_size if isinstance(self.batch_size, Integral) else max(1, round(self.batch_size * n))
        for _ in range(self.n_passes):
            self._learn(X, positive, rng.permutation(n).astype(np.int64, copy=False), int(batch_size))
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None) -> OnlinePUClassifier:
        """Learn from more rows, in the order given.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Any number of rows from one.
        y : array-like of shape (n_samples,)
            Labels among ``classes``; later calls may hold one kind only.
        classes : array-like of shape (2,), optional
            The two labels that ``y`` may hold, the greater for labeled positives.  Needed in the first call unless ``y``
            holds both.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the classes are not known at the first call, are changed later, or ``y`` holds another label; or if ``prior`` is
            None and the first call does not hold both kinds of rows to estimate it from.
        """
        first = not self.__sklearn_is_fitted__()
        X, y = validate_data(self, X, y, reset=first, **ACCEPTED_ROWS)
        X = canonical_csr(X)
        if first:
            positive, known = encode_pu_labels(y if classes is None else column_or_1d(classes))
            if classes is not None:
                positive = _encode_known(y, known)
            if self.prior is None and (positive.all() or not positive.any()):
                raise ValueError(
                    "prior=None: the first call of partial_fit has to hold labeled and unlabeled rows, to estimate the class "
                    "prior from; it holds one kind only. Give prior a value, or a larger first call."
                )
            self._resolve_prior(X, positive)
            self._start(X.shape[1])
            self.classes_ = known
        else:
            if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
                raise ValueError(f"classes={classes!r} is not what the first call of partial_fit was given: {self.classes_!r}")
            positive = _encode_known(y, self.classes_)
            if self.prior is not None:  # may have been set anew, as any other parameter
                self.prior_ = float(self.prior)
        batch_size = self.batch_size if isinstance(self.batch_size, Integral) else X.shape[0]
        self._learn(X, positive, np.arange(X.shape[0], dtype=np.int64), int(batch_size))
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_weights" in vars(self)

    def _start(self, n_features: int) -> None:
        """The state before the first row: weights 0 (the constant feature's last), s = 1 and |v|² = 0, nothing counted."""
        self._weights = np.zeros(n_features + 1)
        self._scale = np.array([1.0, 0.0])
        self._counts = np.zeros(3, dtype=np.int64)

    def _learn(self, X: Any, positive: np.ndarray, order: np.ndarray, batch_size: int) -> None:
        """Run the compiled loop over the rows ``order``."""
        alpha = float(self.alpha)
        radius = {"ball": alpha**-0.5, None: np.inf}.get(self.projection, self.projection)
        unbiased, bias = self.stream_weighting == "unbiased", float(self.fit_intercept)
        objective = (LOSS_CODES[self.loss], self.prior_, alpha, float(radius), unbiased, bias)
        learn: Any
        single = batch_size == 1 and self.inner_steps == 1
        gamma = alpha / np.sqrt(batch_size) if self.conservatism is None else float(self.conservatism)
        batching = () if single else (batch_size, int(self.inner_steps), float(gamma), CURVATURES[self.loss])
        if sparse.issparse(X):
            learn = stream_csr if single else batches_csr
            state = (self._weights, self._scale, self._counts)
            learn(*frozen_csr(X), positive, order, *state, *objective, *batching)
        else:
            if self._scale[0] != 1.0:
                fold_scale(self._weights, self._scale)
            learn = stream_dense if single else batches_dense
            learn(frozen(X), positive, order, self._weights, self._counts, *objective, *batching)
            self._scale[1] = self._weights @ self._weights

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features, of shape (1, n_features)."""
        check_is_fitted(self)
        return (self._scale[0] * self._weights[:-1])[None, :]

    @property
    def intercept_(self) -> np.ndarray:
        """Weight of the constant feature, of shape (1,)."""
        check_is_fitted(self)
        return self._scale[0] * self._weights[-1:]

    @property
    def t_(self) -> int:
        """Steps so far."""
        check_is_fitted(self)
        return int(self._counts[0])


def _encode_known(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Which rows are labeled positive, where the two classes are known already."""
    positive = y == classes[1]
    strange = ~positive & (y != classes[0])
    if strange.any():
        found, low, high = (value.item() if hasattr(value, "item") else value for value in (y[strange][0], *classes))
        raise ValueError(f"y holds the label {found!r}; the classes are {low!r} and {high!r}")
    return positive
