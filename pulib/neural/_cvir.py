"""CVIR and (TED)^n: learn labeled rows against low-scoring unlabeled rows."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, logit
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from pulib._base import PRIOR_CONSTRAINT
from pulib._groups import grouped_rows
from pulib._priors._from_scores import BestBin
from pulib._priors._interval import hidden_share, prior_from_share
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib._warnings import issue_warning, prior_warning
from pulib._weights import of_rows, ones_for_none, weighted_counts
from pulib.neural._base import BaseNeuralPUClassifier
from pulib.neural._batches import lowest
from pulib.neural._one_network import ThresholdedPUClassifier
from pulib.neural._torch import require_torch

#: Smallest π for the threshold: with rarer positives, outputs are not confident enough to reach a higher one.
_LEAST_PRIOR = 0.1
#: Share of rows to hold out with "bbe".
_HELD_OUT = 0.2


class CVIRClassifier(ThresholdedPUClassifier):
    """CVIR: a network that learns labeled against unlabeled rows without the likely positives (Garg et al., 2021).

    After a warm-up on P against all of U, each epoch scores U, drops the share α with the highest scores, and learns P against
    the rest, with half of the total weight each.  α is the share of positives in U.  With ``prior="bbe"``, it is estimated
    again before each epoch, by best-bin estimation on held-out scores: (TED)^n.

    Parameters
    ----------
    body : {"linear", "mlp", "cnn"}, torch module, or callable
        As for :class:`NeuralPUClassifier`.
    prior : float in (0, 1), "bbe" or None, default=None
        π.  "bbe" alternates between estimating π, on a fifth of the rows, and training the network; None estimates π
        beforehand, with :func:`estimate_prior`.
    scenario : {"two_sample", "one_sample"}
        "two_sample": U is a sample of the population; "one_sample": P and U together are.
    warm_up : int, default=10
        Number of epochs before the first row is dropped.
    epochs : int
        Number of epochs, including the warm-up.
    batch_size : int
        Rows of P and U in a batch, plus or minus one.
    learning_rate : float
    weight_decay : float
        Multiplied by each parameter and added to its gradient.
    body_params, input_scaling, device, n_threads, random_state : optional
        As for :class:`NeuralPUClassifier`.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.

    Attributes
    ----------
    classes_ : array of shape (2,)
    prior_ : float
        π; with "bbe" the last estimate.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    threshold_ : float
        Threshold of the network's output, which is the log-odds for classes of equal size: log((1 - π)/π), with π at least 0.1.
    module_ : torch module
        The trained network.
    history_ : dict of str to float array of shape (epochs,)
        ``risk`` (the balanced logistic loss, mean over the batches) and ``share`` (α; 0 during the warm-up).
    n_iter_ : int
    n_features_in_ : int

    Warns
    -----
    PUWarning
        If the estimate of π is at its limit or rests on few labels, or if a given π contradicts the labels.

    Notes
    -----
    The default number of epochs is lower than the paper's.  The paper predicts the positive class if the output exceeds 0,
    which is right for π = ½; ``decision_function`` is the output minus ``threshold_``.

    References
    ----------
    Garg, Wu, Smola, Balakrishnan and Lipton, Mixture proportion estimation and PU learning: a modern approach (NeurIPS 2021),
    algorithms 1 (best bin), 2 (CVIR) and 3 ((TED)^n).

    Examples
    --------
    >>> import pytest; _ = pytest.importorskip("torch")
    >>> import numpy as np
    >>> from pulib import CVIRClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = np.r_[np.ones(400, bool), rng.random(1200) < 0.4]
    >>> X = rng.normal(size=(1600, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    >>> y = np.r_[np.ones(400), np.zeros(1200)]
    >>> model = CVIRClassifier(prior="bbe", random_state=0).fit(X, y)
    >>> bool(np.mean(model.predict(X[400:]) == truth[400:]) > 0.95), bool(abs(model.prior_ - 0.4) < 0.1)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: kind for name, kind in BaseNeuralPUClassifier._parameter_constraints.items() if name != "callback"},
        "prior": [*PRIOR_CONSTRAINT, StrOptions({"bbe"})],
        "warm_up": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        body: Any = "mlp",
        *,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        warm_up: int = 10,
        epochs: int = 60,
        batch_size: int = 250,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.01,
        body_params: Mapping[str, Any] | None = None,
        input_scaling: Any = "auto",
        device: Any = "auto",
        n_threads: int | None = None,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.body = body
        self.prior = prior
        self.scenario = scenario
        self.warm_up = warm_up
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.body_params = body_params
        self.input_scaling = input_scaling
        self.device = device
        self.n_threads = n_threads
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> CVIRClassifier:
        """Train the network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of rows in the mean loss of their kind, in α and in an estimate of π; rows of weight 0 are left out.
        groups : array-like of shape (n_samples,), optional
            Which rows belong together, such as those of one patient; whole groups are held out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a weight is negative or not finite, all rows of a kind have weight 0 or belong to one group, or training
            diverges.
        """
        require_torch(type(self).__name__)
        from pulib.neural._objectives import PURisk

        X, positive = self._check_rows(X, y)
        X, positive, weights, codes = grouped_rows(sample_weight, groups, X, positive)
        estimates = self.prior == "bbe"
        if estimates:
            self.__dict__.pop("prior_estimate_", None)  # of an earlier fit
        else:
            self._resolve_prior(X, positive, weights, codes)
        held: list[tuple[Any, np.ndarray]] = []
        training, trained = self._begin(
            X,
            positive,
            weights,
            lambda _: PURisk(0.5, "upu", "logistic", eta=1.0),
            fraction=_HELD_OUT if estimates else None,
            judge=lambda rows, numbers: held.append((rows, numbers)),  # returns None: no early stopping
            groups=codes,
        )
        judged, numbers = held[0] if held else (training.rows, trained)
        unlabeled, network = training.sampler.unlabeled, training.module
        of_trained, counts = of_rows(weights, trained), weighted_counts(positive, weights)

        def output(rows: Any) -> np.ndarray:
            return rows.scores(network).astype(np.float64)

        def estimate() -> float:
            """Estimate π by best-bin estimation."""
            scores, ones = output(judged), ones_for_none(of_rows(weights, numbers), len(numbers))
            share = BestBin(scores, positive[numbers], binomial=False).share(ones)
            return prior_from_share(share, *counts, self.scenario)

        def drop(epoch: int) -> None:
            share = 0.0
            if epoch >= self.warm_up:
                if estimates:
                    self.prior_ = estimate()
                share = hidden_share(self.prior_, *counts, self.scenario)
                training.sampler.unlabeled = lowest(output(training.rows), unlabeled, 1.0 - share, of_trained)
            training.history.setdefault("share", []).append(share)

        training.before_epoch = drop
        self._train(training)
        if estimates:
            self.prior_ = estimate()
            issue_warning(prior_warning(self.prior_, positive, self.scenario, estimated=True, weights=weights))
        self.threshold_ = -float(logit(max(self.prior_, _LEAST_PRIOR)))
        return self

    def _sampled_from(self, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the row numbers of P and U; U excludes P in both scenarios."""
        return np.flatnonzero(positive), np.flatnonzero(~positive)

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : array of shape (n_samples, 2)
        """
        positive = expit(self.decision_function(X))
        return np.column_stack([1.0 - positive, positive])
