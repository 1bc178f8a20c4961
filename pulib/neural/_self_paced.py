"""The training of Self-PU: two students that select trusted rows, learn from each other, and have mean teachers.

Bounded by arithmetic, like :mod:`pulib.neural._train`; from the teachers' first epoch on, each step scores its batch with three
networks.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from pulib.neural._batches import BatchSampler, batch_weights, even_cuts
from pulib.neural._device_rows import DeviceRows
from pulib.neural._losses import pu_objective, pu_risks
from pulib.neural._networks import scores_of
from pulib.neural._schedule import Schedule
from pulib.neural._train import make_optimizer


@dataclass(frozen=True, kw_only=True)
class SelfPUSettings(Schedule):
    """Settings, as for :class:`pulib.neural.SelfPUClassifier`; β and γ are those of nnPU."""

    prior: float
    beta: float = 0.0
    gamma: float = 1.0
    epochs: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    device: Any


@dataclass
class Student:
    """One student, its teacher, and its trusted rows."""

    network: torch.nn.Module
    share: float
    rng: np.random.Generator
    optimizer: torch.optim.Optimizer
    teacher: Any = None
    sampler: Any = None
    trusted: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    pseudo: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.float32))


def select_trusted(scores: np.ndarray, candidates: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the row numbers and pseudo-labels of the ``count`` candidates with the most extreme scores.

    Half have the lowest scores (pseudo-label 0), and half the highest (pseudo-label 1).
    """
    half = count // 2
    order = np.argsort(scores, kind="stable")
    rows = np.concatenate([candidates[order[:half]], candidates[order[len(order) - half :]]])
    return rows, np.repeat(np.array([0, 1], dtype=np.float32), half)


def trusted_count(epoch: int, share: float, settings: SelfPUSettings, n_candidates: int) -> int:
    """Number of rows that a student trusts after ``epoch``: min(epoch/length, 1)·share·(1 − π)·|U|."""
    return int(min(epoch / settings.pace_length, 1.0) * share * (1.0 - settings.prior) * n_candidates)


class SelfPUTraining:
    """One training run of two networks; ``candidates`` are the unlabeled rows, which may be trusted."""

    def __init__(
        self,
        networks: Any,
        rows: DeviceRows,
        positive: np.ndarray,
        unlabeled: np.ndarray,
        candidates: np.ndarray,
        settings: SelfPUSettings,
        seeds: Sequence[int],
    ):
        self.rows, self.settings = rows, settings
        self.positive, self.unlabeled, self.candidates = positive, unlabeled, candidates
        self.students = []
        for network, share, seed in zip(networks, settings.shares, seeds, strict=True):
            network.to(settings.device).train()
            optimizer = make_optimizer("adam", network.parameters(), settings.learning_rate, settings.weight_decay)
            self.students.append(Student(network, share, np.random.default_rng(seed), optimizer))
        for student in self.students:
            self._split_rows(student)
        self.schedules = [torch.optim.lr_scheduler.CosineAnnealingLR(s.optimizer, settings.epochs) for s in self.students]

    def run_epoch(self, epoch: int) -> float:
        """Train both students for one epoch (from 0), and return the mean PU risk of the batches."""
        teaching = epoch >= self.settings.teacher_start
        for student in self.students:
            if epoch == self.settings.teacher_start:
                student.teacher = copy.deepcopy(student.network).requires_grad_(False)
            student.network.train()
            if student.teacher is not None:  # batch norms need the teacher's own statistics
                student.teacher.train()
        for student in self.students:
            self._learn_trusted(student, epoch, teaching)
        risks = [self._learn_rest(k, epoch, teaching) for k in range(2)]
        for student, schedule in zip(self.students, self.schedules, strict=True):
            if teaching:
                self._update_teacher(student, epoch)
            schedule.step()
        start, stop, every = self.settings.pace
        if start <= epoch < stop and (epoch - start) % every == 0:
            for student in self.students:
                self._choose(student, epoch)
        return float(np.mean(risks))

    def _split_rows(self, student: Student) -> None:
        rest = np.setdiff1d(self.unlabeled, student.trusted)
        student.sampler = BatchSampler(self.positive, rest, self.settings.batch_size, "proportional", student.rng)

    def _choose(self, student: Student, epoch: int) -> None:
        judge = (student.teacher or student.network).eval()
        scores = self.rows.scores(judge)[self.candidates]
        count = trusted_count(epoch, student.share, self.settings, len(self.candidates))
        student.trusted, student.pseudo = select_trusted(scores, self.candidates, count)
        self._split_rows(student)

    def _consistency(self, student: Student, x: torch.Tensor, scores: torch.Tensor, epoch: int) -> torch.Tensor:
        """Squared distance to the teacher's probabilities, with a weight that grows like exp(−5(1 − t)²)."""
        t = min((epoch - self.settings.teacher_start) / max(self.settings.consistency_length, 1), 1.0)
        weight = self.settings.consistency * math.exp(-5.0 * (1.0 - t) ** 2)
        with torch.no_grad():
            target = torch.sigmoid(scores_of(student.teacher, x))
        return weight * F.mse_loss(torch.sigmoid(scores), target)

    def _step(self, student: Student, loss: torch.Tensor) -> None:
        student.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        student.optimizer.step()

    def _learn_trusted(self, student: Student, epoch: int, teaching: bool) -> None:
        """Minimize the cross-entropy with the pseudo-labels of trusted rows."""
        n = len(student.trusted)
        if n < 2:
            return
        order = student.rng.permutation(n)
        cuts = even_cuts(n, -(-n // max(self.settings.batch_size, 2)))
        for start, stop in pairwise(cuts):
            part = order[start:stop]
            x = self.rows.take(torch.from_numpy(student.trusted[part]).to(self.settings.device))
            target = torch.from_numpy(student.pseudo[part]).to(self.settings.device)
            scores = scores_of(student.network, x)
            loss = F.binary_cross_entropy_with_logits(scores, target)
            if teaching:
                loss = loss + self._consistency(student, x, scores, epoch)
            self._step(student, loss)

    def _learn_rest(self, k: int, epoch: int, teaching: bool) -> float:
        """Minimize nnPU's risk on P and the other rows, plus the distance to the other student if it is small."""
        student, peer = self.students[k], self.students[1 - k].network
        settings, batches = self.settings, self.students[k].sampler.epoch()
        rows = torch.from_numpy(batches.rows).to(settings.device)
        peer.eval()
        total = torch.zeros((), device=settings.device)
        for start, stop in batches.bounds:
            weights = batch_weights(batches.is_positive[start:stop], settings.prior)
            positive_weight, unlabeled_weight = (torch.from_numpy(w).to(settings.device) for w in weights)
            x = self.rows.take(rows[start:stop])
            scores = scores_of(student.network, x)
            # the view makes the gradients of the risk add up before those of the other terms
            parts = pu_risks(scores.view_as(scores), positive_weight, unlabeled_weight, "sigmoid")
            loss, reported, _ = pu_objective(*parts, "nnpu", settings.beta, settings.gamma)
            if teaching:
                with torch.no_grad():
                    other = torch.sigmoid(scores_of(peer, x))
                distance = F.mse_loss(torch.sigmoid(scores), other)
                near = distance.detach() < settings.distillation * loss.detach()
                loss = loss + torch.where(near, distance, 0.0) + self._consistency(student, x, scores, epoch)
            self._step(student, loss)
            total += reported
        peer.train()
        return float(total) / len(batches.bounds)

    @torch.no_grad()
    def _update_teacher(self, student: Student, epoch: int) -> None:
        """Set θ' = a·θ' + (1 − a)·θ with a = min(1 − 1/(k + 1), decay) at update k (from 0): a plain mean at first."""
        keep = min(1.0 - 1.0 / (epoch - self.settings.teacher_start + 1), self.settings.teacher_decay)
        for own, new in zip(student.teacher.parameters(), student.network.parameters(), strict=True):
            own.mul_(keep).add_(new, alpha=1.0 - keep)
