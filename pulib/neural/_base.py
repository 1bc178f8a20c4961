"""Base of the neural classifiers: validation, input scaling, and scoring."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from pulib._base import PRIOR_CONSTRAINT, PUClassifierMixin
from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT
from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._single import warn_of_single
from pulib._typing import ArrayLike, MatrixLike
from pulib.neural._scaling import KEPT_TYPES, Scaling, fit_scaling, warn_of_scale
from pulib.neural._torch import require_torch, torch_threads


class BaseNeuralPUClassifier(PUClassifierMixin, BaseEstimator):
    """Base of the neural PU classifiers.

    A subclass trains networks and returns them from ``_networks_in_use``; their mean score is the decision function.
    """

    # parameters and attributes of the subclasses
    body: Any
    body_params: Any
    input_scaling: Any
    learning_rate: float
    n_threads: int | None
    scenario: str
    scaling_: Scaling | None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "body": [StrOptions({"linear", "mlp", "cnn"}), callable],
        "prior": PRIOR_CONSTRAINT,
        "pos_label": POS_LABEL_CONSTRAINT,
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
        "scenario": [StrOptions({"two_sample", "one_sample"})],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "body_params": [dict, None],
        "input_scaling": [StrOptions({"auto", "standardize", "minmax"}), Interval(Real, 0, None, closed="neither"), None],
        "device": [str],
        "n_threads": [Interval(Integral, 1, None, closed="left"), None],
        "callback": [callable, None],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _networks_in_use(self) -> list[Any]:
        """Return the trained networks whose mean score is the decision function."""

    def _check_networks(self) -> None:
        """Raise an error if training diverged; scores would be NaN, and every prediction negative."""
        if not all(part.isfinite().all() for network in self._networks_in_use() for part in network.parameters()):
            raise ValueError(
                f"{type(self).__name__}: training diverged, and weights of the network are not finite. Lower "
                f"learning_rate={self.learning_rate:g}, or scale the features before a network of your own."
            )

    def _check_rows(self, X: Any, y: ArrayLike, *, negatives_removed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Return validated ``X`` and a mask of labeled positives."""
        standardized = self._how_to_scale() == "standardize"
        if not standardized:
            warn_of_single(X, self, "the network")
        return self._validate_fit(X, y, negatives_removed=negatives_removed, dtype=self._types(X, standardized))

    @staticmethod
    def _types(X: Any, standardized: bool) -> Any:
        """Accepted dtypes; values to be standardized keep theirs, because float32 may lose differences between large values."""
        if getattr(X, "dtype", None) == np.uint8:
            return np.uint8
        return KEPT_TYPES if standardized else np.float32

    def _how_to_scale(self) -> Any:
        """Resolve ``input_scaling="auto"``: standardize for the named bodies, do nothing for a user's network."""
        if isinstance(self.input_scaling, str) and self.input_scaling == "auto":
            return "standardize" if isinstance(self.body, str) else None
        return self.input_scaling

    def _fit_scaling(self, X: np.ndarray, weights: np.ndarray | None = None) -> Scaling | None:
        """Fit the scaling of features on all rows given to ``fit``."""
        how, colors = self._how_to_scale(), None
        if how is None and self.input_scaling is not None:
            warn_of_scale(X, weights, self)
        if how == "standardize" and self.input_scaling == "auto" and self.body == "cnn":
            from pulib.neural._networks import as_image_shape

            colors = as_image_shape(X.shape[1], (self.body_params or {}).get("image_shape"))[0]
        return fit_scaling(X, how, weights, colors)

    def _scored_rows(self, X: Any) -> np.ndarray:
        """Validate rows to score."""
        exact = self.scaling_ is not None and self.scaling_.exact
        return self._validate_predict(X, dtype=self._types(X, exact))

    def _sampled_from(self, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the row numbers of P and U; in the one-sample scenario, U includes P."""
        everything = np.arange(len(positive))
        return everything[positive], everything if self.scenario == "one_sample" else everything[~positive]

    def _evaluation(self, eval_set: Any, device: Any) -> Any:
        """Convert a test set to rows on the device and a mask of positives."""
        if eval_set is None:
            return None
        from pulib.neural._device_rows import DeviceRows

        if not isinstance(eval_set, tuple | list) or len(eval_set) != 2:
            raise ValueError("eval_set: expected a pair (X, y); weights of rows are sample_weight=.")
        X, y = eval_set
        check_consistent_length(X, y)
        y = np.asarray(y)
        unknown = np.setdiff1d(y, self.classes_).tolist()
        if unknown:
            raise ValueError(f"eval_set contains the label {unknown[0]!r}; fit was given {self.classes_.tolist()}")
        X = self._scored_rows(X)
        return DeviceRows(X, self.scaling_, device), y == self.classes_[1]

    def _apply(self, X: np.ndarray, parts: Callable[[Any], Any]) -> np.ndarray:
        """Apply ``parts(network)`` to validated rows, and average over the networks in use."""
        from pulib.neural._device_rows import DeviceRows
        from pulib.neural._networks import is_fully_connected

        networks = [network.eval() for network in self._networks_in_use()]
        device = next(networks[0].parameters()).device
        if device.type == "cpu" and all(is_fully_connected(network) for network in networks):
            # In double precision, a row's score barely depends on the other rows of its batch.
            doubled = [parts(copy.deepcopy(network).double()) for network in networks]
            functions = [lambda x, f=function: f(x.double()) for function in doubled]
        else:
            functions = [parts(network) for network in networks]
        rows = DeviceRows(X, self.scaling_, device)
        with torch_threads(self.n_threads):
            return np.mean([rows.apply(function) for function in functions], axis=0)

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Mean score of the networks; scores above 0 predict the positive class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : float64 array of shape (n_samples,)
        """
        check_is_fitted(self)
        require_torch(type(self).__name__)
        return self._outputs(self._scored_rows(X))

    def _outputs(self, X: np.ndarray) -> np.ndarray:
        """Scores of validated rows, before any threshold."""
        from pulib.neural._networks import scores_of

        return self._apply(X, lambda network: lambda x: scores_of(network, x)).astype(np.float64)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with networks on the CPU, so that it can be loaded on machines without a GPU."""
        state = dict(super().__getstate__())
        for name, value in state.items():
            if name.endswith("_") and hasattr(value, "state_dict"):
                state[name] = copy.deepcopy(value).cpu()
        return state
