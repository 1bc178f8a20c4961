"""Self-PU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state

from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib.neural._base import BaseNeuralPUClassifier
from pulib.neural._schedule import Schedule, schedule_of
from pulib.neural._torch import flush_subnormals, require_torch, resolve_device, torch_threads


class SelfPUClassifier(BaseNeuralPUClassifier):
    """Self-PU without self-calibration: nnPU with self-paced selection, mutual distillation and mean teachers.

    Two students train with nnPU (β = 0, γ = 1).  From epoch ``pace[0]`` to ``pace[1]`` of the ``schedule``, every ``pace[2]``
    epochs, each student selects the unlabeled rows with its highest and lowest scores: it trusts its own labels for them, and
    removes them from its U.  From ``teacher_start`` on, each student has a teacher, the running mean of its weights, and is
    pulled toward the teacher's probabilities, and toward the other student's if the two are close.  Teachers score batches in
    training mode, so that their batch norms have their own statistics.  The decision function is the mean of the teachers'
    scores.

    Training uses only ``X`` and ``y``, and keeps the last epoch.  The published code differs: its full method feeds test rows
    to the calibration step, and it keeps the network and epoch with the best test accuracy.

    Parameters
    ----------
    body : {"linear", "mlp", "cnn"}, torch module, or callable
        The network of each student, as for :class:`NeuralPUClassifier`.
    prior : float in (0, 1) or None
        π; None estimates it from the data.
    scenario : {"two_sample", "one_sample"}
    epochs : int
        Number of epochs, over which the learning rate falls to 0 along a cosine.
    batch_size : int
    learning_rate, weight_decay : float
    schedule : dict or None, default=None
        Changes to the published schedule, which suits about 200 epochs; with fewer epochs, move the stages forward.

        - ``pace=(10, 50, 10)``: first epoch (from 0), end (exclusive) and step of the selections.
        - ``pace_length=100``: a student trusts min(epoch/pace_length, 1)·share·(1 − π)·|U| rows.
        - ``shares=(0.4, 0.6)``: the share for each student.
        - ``teacher_start=50``: first epoch (from 0) of the teachers.
        - ``teacher_decay=0.999``: decay of the running mean, which takes one step per epoch.
        - ``consistency=0.3``: final weight of the squared distance to the teacher's probabilities.
        - ``consistency_length=400``: epochs over which that weight grows.
        - ``distillation=0.1``: the squared distance to the other student counts only if it is below this multiple of the PU
          loss.
    body_params, input_scaling, device, n_threads, callback, random_state : optional
        As for :class:`NeuralPUClassifier`.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows, needed with ``pos_label`` unless it is missing.

    Attributes
    ----------
    classes_ : array of shape (2,)
    prior_ : float
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    students_, teachers_ : torch ModuleList
        ``teachers_`` is empty if training ended before ``teacher_start``; the students' mean score is then used.
    history_ : dict of str to float array of shape (epochs,)
        ``risk``, ``n_trusted`` (sum over both students), and ``eval_accuracy`` with ``eval_set``.
    n_features_in_ : int

    References
    ----------
    Chen, Chen, Chen, Yuan, Gong, Chen, Wang: Self-PU: Self Boosted and Calibrated Positive-Unlabeled Training, ICML 2020.

    Examples
    --------
    >>> import pytest; _ = pytest.importorskip("torch")
    >>> import numpy as np
    >>> from pulib.neural import SelfPUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(400) < 0.5
    >>> X = rng.normal(size=(400, 2)) + np.where(truth, 2, -2)[:, None]
    >>> y = (truth & (rng.random(400) < 0.3)).astype(int)
    >>> schedule = {"pace": (4, 12, 4), "pace_length": 20, "teacher_start": 12}
    >>> small = {"epochs": 20, "learning_rate": 0.01, "body_params": {"width": 20}}
    >>> clf = SelfPUClassifier(prior=0.41, schedule=schedule, random_state=0, **small).fit(X, y)
    >>> bool(np.mean(clf.predict(X) == truth) > 0.95), int(clf.history_["n_trusted"][-1])
    (True, 76)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseNeuralPUClassifier._parameter_constraints,
        "schedule": [Mapping, None],
    }

    def __init__(
        self,
        body: Any = "mlp",
        *,
        prior: float | None = None,
        scenario: str = "two_sample",
        epochs: int = 200,
        batch_size: int = 256,
        learning_rate: float = 5e-4,
        weight_decay: float = 0.005,
        schedule: Mapping[str, Any] | None = None,
        body_params: Mapping[str, Any] | None = None,
        input_scaling: Any = "auto",
        device: Any = "auto",
        n_threads: int | None = None,
        callback: Any = None,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.body = body
        self.prior = prior
        self.scenario = scenario
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.body_params = body_params
        self.input_scaling = input_scaling
        self.device = device
        self.n_threads = n_threads
        self.callback = callback
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike, eval_set: Any = None) -> SelfPUClassifier:
        """Train both students and their teachers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says.
        eval_set : (X, y) or None
            Test rows and their true classes, with the labels of ``y``; used only for ``history_["eval_accuracy"]``.

        Returns
        -------
        self
        """
        torch = require_torch(type(self).__name__)
        X, positive = self._check_rows(X, y)
        schedule = schedule_of(self.schedule)
        self._resolve_prior(X, positive)
        from pulib.neural._device_rows import DeviceRows
        from pulib.neural._networks import build_network
        from pulib.neural._self_paced import SelfPUTraining

        device = resolve_device(self.device)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=2).tolist()
        self.scaling_ = self._fit_scaling(X)
        networks = [build_network(self.body, X.shape[1], self.body_params, seed) for seed in seeds]
        evaluation = self._evaluation(eval_set, device)
        history: dict[str, list[float]] = {"risk": [], "n_trusted": []}
        with torch_threads(self.n_threads), torch.random.fork_rng():
            torch.manual_seed(seeds[0])
            rows, sampled = DeviceRows(X, self.scaling_, device), self._sampled_from(positive)
            training = SelfPUTraining(
                networks, rows, *sampled, np.flatnonzero(~positive), self._settings(schedule, device), seeds
            )
            for epoch in range(self.epochs):
                with flush_subnormals():
                    history["risk"].append(training.run_epoch(epoch))
                history["n_trusted"].append(sum(len(student.trusted) for student in training.students))
                self._after_epoch(training, epoch, evaluation, history)
        for network in [*self.students_, *self.teachers_]:
            network.eval()
        self._check_networks()
        self.history_ = {name: np.asarray(values) for name, values in history.items()}
        return self

    def _settings(self, schedule: Schedule, device: Any) -> Any:
        from pulib.neural._self_paced import SelfPUSettings

        same = ("epochs", "batch_size", "learning_rate", "weight_decay")
        own = {name: getattr(self, name) for name in same}
        return SelfPUSettings(prior=self.prior_, device=device, **vars(schedule), **own)

    def _after_epoch(self, training: Any, epoch: int, evaluation: Any, history: dict[str, list[float]]) -> None:
        """Store the networks, score the test set with those in use, and run the callback."""
        from torch.nn import ModuleList

        self.students_ = ModuleList([student.network for student in training.students])
        self.teachers_ = ModuleList([student.teacher for student in training.students if student.teacher is not None])
        if evaluation is None and self.callback is None:
            return
        networks = [network.eval() for network in self._networks_in_use()]
        if evaluation is not None:
            rows, truth = evaluation
            scores = np.mean([rows.scores(network) for network in networks], axis=0)
            history.setdefault("eval_accuracy", []).append(float(np.mean((scores > 0) == truth)))
        if self.callback is not None:
            self.callback(epoch + 1, self)

    def _networks_in_use(self) -> list[Any]:
        return list(self.teachers_ if len(self.teachers_) else self.students_)
