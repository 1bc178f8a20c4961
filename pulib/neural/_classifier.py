"""uPU and nnPU networks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from pulib._known_negatives import mix_of_samples, negatives_that_count, split_known_negatives
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib._weights import of_rows, weighted_rows
from pulib.neural._one_network import OneNetworkPUClassifier
from pulib.neural._torch import require_torch, resolve_device

#: Below this π, the weight decay is proportional to π.
_LEAST_PRIOR = 0.05


def _scores_are_logits(estimator: Any) -> bool:
    if estimator.loss != "logistic":
        raise AttributeError(f"predict_proba needs loss='logistic': loss={estimator.loss!r} gives only a sign")
    return True


class NeuralPUClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OneNetworkPUClassifier):
    """A neural network that minimizes the unbiased (uPU) or the non-negative (nnPU) PU risk.

    uPU descends R_p + R_n with R_p = π mean_P ℓ(g) and R_n = mean_U ℓ(−g) − π mean_P ℓ(−g).  R_n estimates a non-negative
    quantity, but a flexible network drives it below 0 and overfits.  If a batch has R_n < −β, nnPU therefore steps along
    +γ ∇R_n (Kiryo et al. 2017, algorithm 1).

    Parameters
    ----------
    body : {"linear", "mlp", "cnn"}, torch module, or callable
        The network g.  "mlp" is d-100-100-1 with ReLU (see ``body_params``), and "cnn" the all-convolutional network for
        CIFAR-10.  A module maps (n, n_features) to n scores; training starts from its weights.  A callable receives
        ``n_features`` and ``body_params``, and returns a module.
    prior : float in (0, 1) or None
        π; None estimates it from the data.
    risk : {"nnpu", "upu"}
    loss : {"logistic", "sigmoid", "double_hinge"}
        ℓ(z) = ln(1 + e^−z), 1/(1 + e^z) (the paper's), or max(−z, max(0, ½ − ½z)).
    scenario : {"two_sample", "one_sample"}
        "two_sample": U is a sample of the population; "one_sample": P and U together are, and P is added to U.
    beta, gamma : float >= 0
        β and γ of nnPU.
    epochs : int
    batch_size : int
        Rows of P and U in a batch, plus or minus one; more if U has fewer rows than there are batches.
    mixing : {"proportional", "random"}
        Whether each batch has P and U in their overall proportion, at least one of each, or is cut from a shuffle of all rows.
    learning_rate : float
    weight_decay : float
        Multiplied by each parameter and added to its gradient.  Below π = 0.05, it shrinks in proportion to π, as the gradient
        of the labeled rows does; at full strength, the network would ignore the labels.
    optimizer : {"adam", "adagrad"}
    body_params : dict or None
        "mlp": hidden_layers=2, width=100, activation="relu" or "softsign", batch_norm=False.  "cnn": image_shape=None,
        channels=96, head=1000.
    input_scaling : {"auto", "standardize", "minmax"}, float or None
        "standardize" scales each feature to mean 0 and standard deviation 1 over the rows given to ``fit``, with their weights;
        constant features have no effect.  "auto" does so for the named bodies (for "cnn", by color instead of by pixel), and
        leaves the input of your own network unchanged.  "minmax" scales each feature to [0, 1], a number divides all features
        (255 for pixels), and None leaves them unchanged.
    device : str
        "auto" uses a GPU if there is one.
    n_threads : int or None
        PyTorch's threads on the CPU; None keeps PyTorch's setting.  The last digits of results may depend on it.
    n_iter_no_change : int or None
        Stop after this many epochs without a lower PU risk on held-out rows, and keep the best weights; None trains for all
        ``epochs``.  This risk is always the non-negative one with the sigmoid loss.
    validation_fraction : float in (0, 1)
        Share of the labeled and of the unlabeled rows to hold out; no effect if ``n_iter_no_change`` is None.
    callback : callable or None
        Called as ``callback(epoch, estimator)`` after each epoch (from 1); the estimator can already predict.
    random_state : int, RandomState instance or None
        Controls the initial weights and the batches.  On the CPU, the same seed and ``n_threads`` give bit-identical results.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows (NaN for missing labels) if ``y`` also contains known negatives: 0 for labels 1, 0 and
        -1.  ``classes_`` is then [negative, positive].  None: there are no known negatives.

    Attributes
    ----------
    classes_ : array of shape (2,)
    prior_ : float
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    module_ : torch module
        The trained network.
    history_ : dict of str to float array, a value for each epoch
        ``risk`` (mean over the batches), ``corrected_share`` (share of steps along +γ ∇R_n), ``eval_accuracy`` with
        ``eval_set``, and ``held_out_risk`` with ``n_iter_no_change``.
    n_iter_ : int
        Number of epochs up to the weights in use.
    n_features_in_ : int

    References
    ----------
    Kiryo, Niu, du Plessis, Sugiyama: Positive-Unlabeled Learning with Non-Negative Risk Estimator, NIPS 2017.

    Examples
    --------
    >>> import pytest; _ = pytest.importorskip("torch")
    >>> import numpy as np
    >>> from pulib.neural import NeuralPUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(600) < 0.5
    >>> X = rng.normal(size=(600, 2)) + np.where(truth, 2, -2)[:, None]
    >>> y = (truth & (rng.random(600) < 0.3)).astype(int)
    >>> clf = NeuralPUClassifier(prior=0.41, epochs=20, batch_size=100, body_params={"width": 20}, random_state=0).fit(X, y)
    >>> bool(np.mean(clf.predict(X) == truth) > 0.95), clf.transform(X).shape
    (True, (600, 20))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneNetworkPUClassifier._parameter_constraints,
        "risk": [StrOptions({"upu", "nnpu"})],
        "loss": [StrOptions({"sigmoid", "logistic", "double_hinge"})],
        "beta": [Interval(Real, 0, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "mixing": [StrOptions({"proportional", "random"})],
        "optimizer": [StrOptions({"adam", "adagrad"})],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        body: Any = "mlp",
        *,
        prior: float | None = None,
        risk: str = "nnpu",
        loss: str = "logistic",
        scenario: str = "two_sample",
        beta: float = 0.0,
        gamma: float = 1.0,
        epochs: int = 100,
        batch_size: int = 250,
        mixing: str = "proportional",
        learning_rate: float = 1e-3,
        weight_decay: float = 0.05,
        optimizer: Any = "adam",
        body_params: Mapping[str, Any] | None = None,
        input_scaling: Any = "auto",
        device: Any = "auto",
        n_threads: int | None = None,
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        callback: Any = None,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.body = body
        self.prior = prior
        self.risk = risk
        self.loss = loss
        self.scenario = scenario
        self.beta = beta
        self.gamma = gamma
        self.epochs = epochs
        self.batch_size = batch_size
        self.mixing = mixing
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.optimizer = optimizer
        self.body_params = body_params
        self.input_scaling = input_scaling
        self.device = device
        self.n_threads = n_threads
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.callback = callback
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, eval_set: Any = None, sample_weight: ArrayLike | None = None
    ) -> NeuralPUClassifier:
        """Train the network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of type uint8 stay 8-bit in memory until a batch is used; other types become float32 after scaling.
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says, and the label of known
            negatives if ``unlabeled_label`` is given.
        eval_set : (X, y) or None
            Test rows and their true classes, with the labels of ``y``; used only for ``history_["eval_accuracy"]``.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of rows in a batch's means over labeled and over unlabeled rows; rows of weight 0 are left out.  Weights
            also affect an estimate of π.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a weight is negative or not finite, all rows of a kind have weight 0, or training diverges.
        """
        require_torch(type(self).__name__)
        from pulib.neural._objectives import PURisk

        y, negatives = split_known_negatives(y, self.unlabeled_label, self.pos_label)
        X, positive = self._check_rows(X, y, negatives_removed=negatives is not None)
        if negatives is not None:
            self.classes_ = negatives.classes
        X, positive, weights = weighted_rows(sample_weight, X, positive)
        negative = negatives_that_count(negatives, sample_weight)
        self._resolve_population_prior(X, positive, negative, weights)
        mix = None if negative is None else mix_of_samples(positive, negative, self.prior_, self.scenario, weights)
        eta = 0.0 if mix is None else mix.eta
        risk = PURisk(self.prior_, self.risk, self.loss, self.beta, self.gamma, eta)

        def judge(rows: Any, held: np.ndarray) -> Any:
            from pulib.neural._held_out import HeldOut

            known = {} if mix is None else {"population_weights": mix.unlabeled[held], "eta": mix.eta}
            patience = int(self.n_iter_no_change or 0)
            return HeldOut(rows, positive[held], of_rows(weights, held), self.prior_, self.scenario, patience, **known)

        training, _ = self._begin(
            X,
            positive,
            weights,
            lambda _: risk,
            mixing=self.mixing,
            fraction=None if self.n_iter_no_change is None else self.validation_fraction,
            judge=judge,
            population=None if mix is None else mix.unlabeled,
        )
        training.evaluation = self._evaluation(eval_set, resolve_device(self.device))
        if self.callback is not None:
            training.after_epoch = lambda epoch: self.callback(epoch, self)
        decay = self.weight_decay * min(1.0, self.prior_ / _LEAST_PRIOR)
        self._train(training, optimizer=self.optimizer, weight_decay=decay)
        return self

    @available_if(_scores_are_logits)
    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Class probabilities of a network trained with the logistic loss.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : array of shape (n_samples, 2)
        """
        positive = expit(self.decision_function(X))
        return np.column_stack([1.0 - positive, positive])

    def transform(self, X: MatrixLike) -> np.ndarray:
        """Features of the last hidden layer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        features : float32 array of shape (n_samples, n_hidden)

        Raises
        ------
        TypeError
            If your own network has no attribute ``body`` (which maps rows to features).
        """
        check_is_fitted(self)
        if not hasattr(self.module_, "body"):
            raise TypeError(f"transform needs a network with an attribute 'body'; {type(self.module_).__name__} has none")
        return self._apply(self._scored_rows(X), lambda network: network.body).astype(np.float32)

    @property
    def _n_features_out(self) -> int:
        """Number of columns of ``transform``, for the names that ``set_output`` gives them."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about missing feature names
            row = self._scored_rows(np.zeros((1, self.n_features_in_), np.float32))
            return int(self._apply(row, lambda network: network.body).shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags
