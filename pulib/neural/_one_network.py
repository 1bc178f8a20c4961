"""Base classes of the classifiers that train one network: nnPU, VPU and CVIR."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from pulib._held_out import hold_out
from pulib._typing import MatrixLike
from pulib._weights import of_rows
from pulib.neural._base import BaseNeuralPUClassifier
from pulib.neural._torch import resolve_device, torch_threads

if TYPE_CHECKING:
    from pulib.neural._train import Training


class OneNetworkPUClassifier(BaseNeuralPUClassifier):
    """Base of the classifiers that train one network: their ``fit`` calls ``_begin`` and ``_train``."""

    # parameters of the subclasses
    epochs: int
    batch_size: int
    weight_decay: float
    device: Any
    random_state: Any

    def _begin(
        self,
        X: np.ndarray,
        positive: np.ndarray,
        weights: np.ndarray | None,
        objective: Callable[[np.random.Generator], Any],
        *,
        mixing: str = "proportional",
        fraction: float | None = None,
        judge: Callable[[Any, np.ndarray], Any] | None = None,
        groups: np.ndarray | None = None,
        population: np.ndarray | None = None,
    ) -> tuple[Training, np.ndarray]:
        """Hold out rows, build the network, and return the training and the numbers of its rows.

        ``objective(rng)`` returns the objective, and ``judge(held_out_rows, their_numbers)`` the stopping rule.  ``fraction``
        is the share of rows to hold out, in whole groups; None holds none out.  ``population`` has the rows' weights as part of
        U, if they differ from ``weights``.
        """
        from pulib.neural._batches import BatchSampler
        from pulib.neural._device_rows import DeviceRows
        from pulib.neural._networks import build_network
        from pulib.neural._train import Training

        device = resolve_device(self.device)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.scaling_ = self._fit_scaling(X, weights)
        rows, held_out, trained = None, None, np.arange(len(positive))
        if fraction is not None:
            held = hold_out(positive, fraction, seed, groups)
            if held.any():
                rows = trained = np.flatnonzero(~held)
                if judge is not None:
                    numbers = np.flatnonzero(held)
                    held_out = judge(DeviceRows(X, self.scaling_, device, numbers), numbers)
                positive, weights, population = positive[rows], of_rows(weights, rows), of_rows(population, rows)
        self.module_ = build_network(self.body, X.shape[1], self.body_params, seed)
        rng = np.random.default_rng(seed)
        training = Training(
            module=self.module_,
            rows=DeviceRows(X, self.scaling_, device, rows),
            sampler=BatchSampler(*self._sampled_from(positive), self.batch_size, mixing, rng),
            objective=objective(rng),
            seed=seed,
            weights=weights,
            population=population,
            held_out=held_out,
        )
        return training, trained

    def _train(self, training: Training, **options: Any) -> None:
        """Run the training loop with ``options`` as further settings, and set ``history_`` and ``n_iter_``."""
        from pulib.neural._train import Settings, train

        settings = Settings(
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            device=resolve_device(self.device),
            **{"optimizer": "adam", "weight_decay": self.weight_decay, **options},
        )
        with torch_threads(self.n_threads):
            train(training, settings)
        self.module_.eval()
        self._check_networks()
        self.history_ = {name: np.asarray(values) for name, values in training.history.items()}
        self.n_iter_ = int(self.epochs) if training.held_out is None else training.held_out.best

    def _networks_in_use(self) -> list[Any]:
        return [self.module_]


class ThresholdedPUClassifier(OneNetworkPUClassifier):
    """Base of the classifiers that set a threshold on the network's output."""

    threshold_: float

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """The network's output minus ``threshold_``; scores above 0 predict the positive class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : float64 array of shape (n_samples,)
        """
        return super().decision_function(X) - self.threshold_
