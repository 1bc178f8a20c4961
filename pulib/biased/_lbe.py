"""LBE: the EM of SAR-EM with two networks, which take a few gradient steps per round."""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.neural_network._stochastic_optimizers import AdamOptimizer
from sklearn.preprocessing import StandardScaler
from sklearn.utils import assert_all_finite, check_array, check_random_state, indexable
from sklearn.utils._param_validation import Interval

from pulib._columns import check_finite_sizes, named_columns
from pulib._typing import RandomState
from pulib._weights import ones_for_none
from pulib.biased._em import expectation_maximization
from pulib.biased._sar_em import BiasedPUClassifier, half_each
from pulib.linear._base import canonical_csr
from pulib.reductions._base import BaseReduction

#: Steps of each network before the first round, so that the rounds start from fitted models.
_FIRST_STEPS = 200


class _Network:
    """Network for a probability, on standardized features, trained by full-batch Adam steps from its current weights.

    Sparse rows stay sparse: the first layer subtracts the means, in its products.
    """

    classes_ = np.array([0, 1])

    def __init__(
        self,
        X: Any,
        sample_weight: np.ndarray | None,
        hidden: tuple[int, ...],
        learning_rate: float,
        alpha: float,
        rng: np.random.RandomState,
    ) -> None:
        scaler = StandardScaler(with_mean=not sparse.issparse(X)).set_output(transform="default")  # arrays, never frames
        self.scaler = scaler.fit(X, sample_weight=sample_weight)
        self.center = scaler.mean_ / scaler.scale_
        sizes = [X.shape[1], *hidden, 1]
        self.weights = [rng.normal(scale=np.sqrt(2.0 / a), size=(a, b)) for a, b in pairwise(sizes)]
        self.weights[-1][:] = 0.0  # the same probability for all rows at first
        self.offsets = [np.zeros(b) for b in sizes[1:]]
        self.adam = AdamOptimizer([*self.weights, *self.offsets], learning_rate)
        self.alpha = alpha

    def _layers(self, X: Any) -> list[Any]:
        """Inputs of the layers for scaled rows, and the log-odds."""
        layers = [X]
        for weights, offsets in zip(self.weights, self.offsets, strict=True):
            shift = self.center @ weights if sparse.issparse(layers[-1]) else 0.0
            layers.append(layers[-1] @ weights + (offsets - shift))
            if len(layers) <= len(self.weights):
                np.maximum(layers[-1], 0.0, out=layers[-1])
        return layers

    def scaled(self, X: Any) -> Any:
        scaled = copy(self.scaler).set_params(with_mean=not sparse.issparse(X)).transform(X)
        assert_all_finite(scaled, input_name="X")  # the scaler accepts NaN
        return scaled

    def of_scaled(self, X: Any) -> np.ndarray:
        return expit(self._layers(X)[-1][:, 0])

    def step(self, X: Any, target: np.ndarray, weights: np.ndarray, n_steps: int) -> np.ndarray:
        """Take steps toward the ``target`` probabilities of scaled rows; return the probabilities after them."""
        weights = weights / weights.sum()
        for _ in range(n_steps):
            layers = self._layers(X)
            delta = (weights * (expit(layers[-1][:, 0]) - target))[:, None]
            of_weights: list[Any] = []
            of_offsets: list[Any] = []
            for k in reversed(range(len(self.weights))):
                of_offsets.insert(0, delta.sum(axis=0))
                shift = np.outer(self.center, of_offsets[0]) if sparse.issparse(layers[k]) else 0.0
                of_weights.insert(0, layers[k].T @ delta - shift + self.alpha * self.weights[k])
                delta = (delta @ self.weights[k].T) * (layers[k] > 0) if k else delta
            self.adam.update_params([*self.weights, *self.offsets], [*of_weights, *of_offsets])
        return self.of_scaled(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        p = self.of_scaled(self.scaled(X))
        return np.column_stack([1.0 - p, p])


class LabelingBiasPUClassifier(BiasedPUClassifier):
    """LBE: labels that depend on the features, by two networks in one EM (Gong et al., 2021).

    Like :class:`BiasedPUClassifier`, it learns f(x) = Pr(y = 1 | x) together with the propensity e(x), the probability that a
    positive is labeled, from expected labels f (1 - e) / (1 - f e) of the unlabeled rows.  However, its models are logistic
    models or small networks, and each round updates them by a few gradient steps instead of refitting them.  Rounds are cheap,
    and stopping after ``max_iter`` of them regularizes.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int, default=()
        Hidden layers of both networks; () means logistic models.
    propensity_features : list of columns, or None, default=None
        Numbers or names of the columns that labeling depends on; an empty list means one propensity for all rows (selected
        completely at random).  None means all columns, as in the paper; the labels then identify only the product f e, except
        through the shape of the models, so name the columns if you know them.
    learning_rate : float, default=0.05
        Learning rate of Adam.
    n_steps : int, default=5
        Steps of each network per round, on all rows.
    max_iter : int, default=100
        Number of rounds.
    alpha : float, default=1e-4
        Weight of the squared norm of the networks' weights, divided by the number of rows (the sum of their weights).
    random_state : int, RandomState instance or None, default=None
        Determines the initial weights of the networks.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.

    Attributes
    ----------
    classes_ : array of shape (2,)
    estimator_, propensity_estimator_ : objects with ``predict_proba``
        The fitted models of f and of e.
    prior_ : float
        Mean of f over the training rows, labeled ones included (the data are one sample).
    label_frequency_ : float
        Mean propensity over the expected positives.
    log_likelihoods_ : array of shape (n_iter_ + 1,)
        Mean log-likelihood of the labels, at the start and after each round.
    n_iter_ : int
    n_features_in_ : int

    Warns
    -----
    PUWarning
        If ``propensity_features`` is None, the estimated π is near 0 or 1, or there are fewer than 30 labels.

    Notes
    -----
    Features are standardized.  The first model of f treats unlabeled rows as negatives, and labeled and unlabeled rows have
    half of the weight each, as in SAR-EM; the paper does not specify the start.

    References
    ----------
    Gong, Wang, Liu, Han, You, Yang and Tao, Instance-dependent positive and unlabeled learning with labeling bias estimation
    (IEEE TPAMI 2021).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import LabelingBiasPUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.5
    >>> X = np.c_[rng.normal(size=2000) + np.where(truth, 1.5, -1.5), rng.normal(size=2000)]
    >>> propensity = 1 / (1 + np.exp(-2 * X[:, 1]))  # labels depend on the second feature
    >>> y = (truth & (rng.random(2000) < propensity)).astype(int)
    >>> model = LabelingBiasPUClassifier(propensity_features=[1], random_state=0).fit(X, y)
    >>> print(f"accuracy {np.mean(model.predict(X) == truth):.2f}")
    accuracy 0.93
    >>> print(f"correlation with the true propensity {np.corrcoef(model.predict_propensity(X), propensity)[0, 1]:.2f}")
    correlation with the true propensity 1.00
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "hidden_layer_sizes": ["array-like"],
        "propensity_features": ["array-like", None],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "pos_label": BaseReduction._parameter_constraints["pos_label"],
        "unlabeled_label": BaseReduction._parameter_constraints["unlabeled_label"],
    }

    def __init__(
        self,
        hidden_layer_sizes: Any = (),
        *,
        propensity_features: Any = None,
        learning_rate: float = 0.05,
        n_steps: int = 5,
        max_iter: int = 100,
        alpha: float = 1e-4,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.propensity_features = propensity_features
        self.learning_rate = learning_rate
        self.n_steps = n_steps
        self.max_iter = max_iter
        self.alpha = alpha
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    def _base(self) -> Any:
        return self._default_estimator()

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        (X,) = indexable(X)
        check_finite_sizes(X, self)
        self._warn_of_both_seeing_all()
        hidden = tuple(self.hidden_layer_sizes)
        if not all(isinstance(size, int | np.integer) and size > 0 for size in hidden):
            raise ValueError(f"hidden_layer_sizes={hidden}; expected positive integers, one per layer.")
        labels, w, n = positive.astype(float), ones_for_none(weights, len(positive)), len(positive)
        rng = check_random_state(self.random_state)
        options = (weights, hidden, self.learning_rate, self.alpha / w.sum(), rng)
        f_model = named_columns(lambda _, rows: _Network(self._numbers(rows), *options), self, X)
        self._take_features(f_model.scaler)
        e_model = _Network(self._numbers(self._propensity_columns(X)), *options)
        self.estimator_, self.propensity_estimator_ = f_model, e_model
        rows = named_columns(lambda _, rows: f_model.scaled(rows), self, X)
        seen = e_model.scaled(self._propensity_columns(X))
        steps_of_e = iter([_FIRST_STEPS])

        def update_f(weights: np.ndarray) -> np.ndarray:
            both = weights[:n] + weights[n:]
            return f_model.step(rows, weights[:n] / both, both, self.n_steps)

        def update_e(weights: np.ndarray) -> np.ndarray:
            return e_model.step(seen, labels, weights, next(steps_of_e, self.n_steps))

        start = f_model.step(rows, labels, w * half_each(positive, weights), _FIRST_STEPS)
        found = expectation_maximization(start, update_f, update_e, positive, w, self.max_iter, 0.0)
        self._take_estimates(found, positive, weights)

    def _numbers(self, X: Any) -> Any:
        if hasattr(X, "iloc"):
            return X
        return canonical_csr(check_array(X, accept_sparse="csr", estimator=self, input_name="X"))  # StandardScaler needs this
