"""PU bagging: all labeled positives against draws of the unlabeled rows."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.tree import BaseDecisionTree, ExtraTreeClassifier
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from pulib._columns import named_columns
from pulib._early_stopping import as_with_rows
from pulib._equal_rows import rows_held_out_together
from pulib._folds import held_out_folds
from pulib._random import draw_seeds, seed_estimator
from pulib._routing import params_of_rows
from pulib._single import WIDE, SingleMixin, warn_of_single
from pulib._threshold import cross_fitted_scores
from pulib._typing import RandomState
from pulib._warnings import quiet
from pulib.reductions._base import HeldOutReduction, in_single_precision, positive_probability

# Seeds of scikit-learn's estimators are below 2**31 on every platform.
_SEED_SHIFT = np.uint64(33)
# Bags per task when predicting: fixed, so that sums are added in the same order for any n_jobs.
_CHUNK = 8


class PUBaggingClassifier(SingleMixin, HeldOutReduction):
    """Bagging for PU data: each member is trained on all labeled positives against a bootstrap draw of the unlabeled rows.

    A hidden positive misleads only the members that drew it, and the others outvote them.  The weight of an unlabeled row sets
    its chance of being drawn; the weights of labeled rows, relative to their mean, apply in every bag.

    Parameters
    ----------
    estimator : classifier or None, default=None
        None means a fully grown extra tree that tries ``sqrt(n_features)`` features per split, as in the PU Extra Trees paper
        (PUBaggingET).
    n_estimators : int, default=100
        Number of bags.
    max_samples : int, float or "n_positive", default="n_positive"
        Unlabeled rows drawn per bag, with replacement: a number, a share of their count, or as many as there are labeled
        positives (Mordelet and Vert's choice; PUBaggingET uses 1.0).
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows (NaN for missing labels) if ``y`` also contains known negatives: 0 for labels 1, 0 and
        -1.  ``classes_`` is then [negative, positive].  None: there are no known negatives.
    prior : float in (0, 1), "estimate" or None, default=None
        Class prior π.  It sets the threshold so that a share π of the population is predicted positive, with probability one
        half at the threshold.  "estimate" estimates π from held-out scores.  None keeps the threshold that separates labeled
        from unlabeled rows; the ranking is the same, but if positives are rare and bags are balanced, far too many rows are
        predicted positive.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.  Used with
        ``prior``.
    oob_score : bool, default=False
        Whether to score the training rows with models that have not seen them.

    Attributes
    ----------
    estimators_ : list of classifiers
    classes_ : array of shape (2,)
    n_features_in_ : int
    prior_, threshold_, slope_ : float
        π, the threshold (subtracted from the base's scores), and the slope of the log-odds above it; with ``prior`` only.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    oob_decision_function_ : array of shape (n_samples,)
        With ``oob_score``: ``decision_function`` of each unlabeled row by the members that did not draw it, and of each labeled
        row by extra bags that leave out a fifth of the labeled rows.  With ``groups``, repeated rows or unequal weights of
        unlabeled rows, all rows are scored by five-fold cross-fitting instead.  NaN if every member drew the row, or if its
        weight is 0.
    feature_importances_ : array of shape (n_features,)
        Mean over the members; only if the base has importances.

    References
    ----------
    Mordelet and Vert, A bagging SVM to learn from positive and unlabeled examples (Pattern Recognition Letters, 2014),
    algorithm 1; Wilton et al. (NeurIPS 2022), section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import roc_auc_score
    >>> from pulib import PUBaggingClassifier
    >>> X, truth = load_breast_cancer(return_X_y=True)
    >>> y = truth.copy()
    >>> y[::2] = 0  # half of the rows lose their label
    >>> model = PUBaggingClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> print(f"AUC on unlabeled rows {roc_auc_score(truth[::2], model.decision_function(X[::2])):.2f}")
    AUC on unlabeled rows 0.98
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **HeldOutReduction._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"n_positive"}),
        ],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    _chooses_rows = True

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        max_samples: float | int | str = "n_positive",
        n_jobs: int | None = None,
        random_state: RandomState = None,
        pos_label: Any = None,
        prior: float | str | None = None,
        scenario: str = "two_sample",
        oob_score: bool = False,
        unlabeled_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.prior = prior
        self.scenario = scenario
        self.oob_score = oob_score

    @staticmethod
    def _default_estimator() -> Any:
        return ExtraTreeClassifier(max_features="sqrt")

    def _fit(self, X: Any, positive: np.ndarray, weights: np.ndarray | None) -> None:
        rows = self._rows_to_draw(X, reset=True)
        negative = np.zeros_like(positive) if self._negative is None else self._negative  # part of every bag
        bags = self._bags(positive, negative, np.arange(len(positive)), weights)
        n_of_bag = len(bags.labeled) + len(bags.negatives) + bags.n_drawn
        base = as_with_rows(self._base(), n_of_bag)
        # Rows that are drawn more often are out of fewer bags, so that their out-of-bag means spread more.
        alike = self._groups is None and (weights is None or np.ptp(weights[~positive]) == 0)
        equal = rows_held_out_together(X, positive, self.prior) if self._groups is None else None
        alike = alike and self._holds_out() and equal is None
        folds = held_out_folds(positive) if alike else []
        n_extra = -(-self.n_estimators // len(folds)) if folds else 0
        seeds = draw_seeds(self.random_state, self.n_estimators + n_extra * len(folds))
        bag_seeds, extra = seeds[: self.n_estimators], seeds[self.n_estimators :]
        self.estimators_ = self._fit_bags(base, rows, bags, bag_seeds)
        if not isinstance(base, BaseDecisionTree):
            self._take_features(self.estimators_[0])
        scores = None
        if folds:
            scores = np.full(len(positive), np.nan)
            scores[bags.unlabeled] = self._out_of_bag(rows, bags, bag_seeds)
            known = positive | negative if self.scenario == "one_sample" else positive
            for number, (train, rest) in enumerate(folds):
                part = extra[number * n_extra : (number + 1) * n_extra]
                members = self._fit_bags(base, rows, self._bags(positive, negative, train, weights), part)
                left_out = rest[known[rest]]
                scores[left_out] = _sum_probabilities(members, _safe_indexing(rows, left_out)) / len(members) - 0.5
        elif self._holds_out():  # every bag contains the siblings and copies of labeled rows, so out-of-bag scores would leak
            marked = self._negative
            plain = clone(self).set_params(prior=None, pos_label=None, oob_score=False)
            plain.set_params(unlabeled_label=None if marked is None else 0)
            plain.set_params(estimator=as_with_rows(plain.estimator, n_of_bag))
            if not isinstance(self.random_state, Integral):
                plain.set_params(random_state=int(seeds[0] >> _SEED_SHIFT))
            consumes = isinstance(get_routing_for_object(plain.estimator), MetadataRequest)
            if consumes and self._base_params and get_config()["enable_metadata_routing"]:
                plain.estimator.set_fit_request(**dict.fromkeys(self._base_params, True))  # they have the base's own names
            given = self._base_params if weights is None else {"sample_weight": weights, **self._base_params}
            scores = cross_fitted_scores(
                plain,
                X,
                positive,
                lambda fitted, some: fitted.decision_function(some),
                fit_params=lambda some: params_of_rows(X, given, some),
                negative=marked,
                always=self._unsampled_negatives(self.scenario),
                groups=self._groups,
                equal=equal,
            )
        self._keep_held_out(X, positive, weights, scores)

    def _rows_to_draw(self, X: Any, *, reset: bool) -> Any:
        """Return rows that the base takes and that can be indexed; for trees, convert to single precision only once."""
        if not isinstance(self._base(), BaseDecisionTree):
            if reset and in_single_precision(self._base()):
                warn_of_single(X, self, type(self._base()).__name__)
            return indexable(X)[0]
        tags = get_tags(self._base()).input_tags
        params: dict[str, Any] = {
            "accept_sparse": "csr" if tags.sparse else False,
            "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
        }
        if not reset:
            return self._validate_single(X, **params)
        return self._fit_single(named_columns(validate_data, self, X, dtype=WIDE, **params), **params)

    def _bags(self, positive: np.ndarray, negative: np.ndarray, known: np.ndarray, weights: np.ndarray | None) -> _Bags:
        """Return bags of all unlabeled rows, and of the labeled rows and negatives among the ``known`` rows."""
        labeled, negatives = known[positive[known]], known[negative[known]]
        unlabeled = np.flatnonzero(~positive & ~negative)
        n_drawn = self.max_samples
        if n_drawn == "n_positive":
            n_drawn = len(labeled)
        elif not isinstance(n_drawn, Integral):
            n_drawn = max(1, round(float(n_drawn) * len(unlabeled)))
        return _Bags(labeled, unlabeled, int(n_drawn), weights, negatives, self._base_params)

    def _fit_bags(self, base: Any, X: Any, bags: _Bags, seeds: np.ndarray) -> list[Any]:
        tasks = (delayed(_fit_further_bag if number else _fit_bag)(base, X, bags, seed) for number, seed in enumerate(seeds))
        return named_columns(lambda *_: Parallel(n_jobs=self.n_jobs, prefer="threads")(tasks), self, X)

    def _out_of_bag(self, X: Any, bags: _Bags, seeds: np.ndarray) -> np.ndarray:
        """Mean scores of the unlabeled rows over the members that did not draw them."""
        n = len(bags.unlabeled)
        total, times = np.zeros(n), np.zeros(n)
        for member, seed in zip(self.estimators_, seeds, strict=True):
            out = np.setdiff1d(np.arange(n), bags.draw(seed))
            if len(out):
                total[out] += positive_probability(member, _safe_indexing(X, bags.unlabeled[out]))
                times[out] += 1
        return np.divide(total, times, out=np.full(n, np.nan), where=times > 0) - 0.5

    def _probability_of_label(self, X: Any) -> np.ndarray:
        """Mean probability over members (share of votes if the base has no probabilities)."""
        X = self._rows_to_draw(X, reset=False)
        members = self.estimators_
        chunks = [members[i : i + _CHUNK] for i in range(0, len(members), _CHUNK)]
        sums = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(_sum_probabilities)(chunk, X) for chunk in chunks)
        return np.sum(sums, axis=0) / len(members)

    def _scores(self, X: Any) -> np.ndarray:
        return self._probability_of_label(X) - 0.5

    @property
    def feature_importances_(self) -> np.ndarray:
        return np.mean([member.feature_importances_ for member in self.estimators_], axis=0)


def _takes_weights(estimator: Any) -> bool:
    """Whether weights may represent a bag, as in scikit-learn's forests, which saves copying its rows.

    Trees with balanced classes count rows of weight 0 too, so they get copies.
    """
    return isinstance(estimator, BaseDecisionTree) and getattr(estimator, "class_weight", None) != "balanced"


@dataclass(frozen=True)
class _Bags:
    """Bags of all labeled rows, all known negatives, and ``n_drawn`` unlabeled rows."""

    labeled: np.ndarray
    unlabeled: np.ndarray
    n_drawn: int
    weights: np.ndarray | None
    negatives: np.ndarray
    #: Parameters of a member's ``fit`` for all rows; weights are replaced by those of the bag.
    params: dict[str, Any]

    def draw(self, seed: np.uint64) -> np.ndarray:
        """Indices of a bag's unlabeled rows, with repetitions."""
        random, n = np.random.RandomState(np.uint32(seed & np.uint64(0xFFFFFFFF))), len(self.unlabeled)
        chances = None if self.weights is None else self.weights[self.unlabeled]
        if chances is None or np.ptp(chances) == 0:
            return random.randint(n, size=self.n_drawn)
        return random.choice(n, size=self.n_drawn, p=chances / chances.sum())

    def of_known(self, rows: np.ndarray) -> np.ndarray:
        """Weights of the labeled rows or of the known negatives, with mean 1 (the weight of a drawn row)."""
        if self.weights is None or not len(rows):
            return np.ones(len(rows))
        return self.weights[rows] / self.weights[rows].mean()


def _fit_bag(base: Any, X: Any, bags: _Bags, seed: np.uint64) -> Any:
    drawn = bags.unlabeled[bags.draw(seed)]
    member = clone(base)
    seed_estimator(member, int(seed >> _SEED_SHIFT))
    if _takes_weights(base):
        weight = np.bincount(drawn, minlength=X.shape[0]).astype(np.float64)
        for known in (bags.labeled, bags.negatives):
            weight[known] = bags.of_known(known)
        y = np.zeros(X.shape[0], dtype=np.intp)
        y[bags.labeled] = 1
        return member.fit(X, y, **{**bags.params, "sample_weight": weight})
    rows = np.concatenate([bags.labeled, bags.negatives, drawn])
    y = np.zeros(len(rows), dtype=np.intp)
    y[: len(bags.labeled)] = 1
    params = params_of_rows(X, bags.params, rows)
    of_bag = np.concatenate([bags.of_known(bags.labeled), bags.of_known(bags.negatives), np.ones(len(drawn))])
    params |= {name: of_bag for name in params if name.endswith("sample_weight")}
    return member.fit(_safe_indexing(X, rows), y, **params)


def _fit_further_bag(*args: Any) -> Any:
    """Fit a bag whose warnings would be those of the first one."""
    with quiet():
        return _fit_bag(*args)


def _sum_probabilities(members: list[Any], X: Any) -> np.ndarray:
    total = positive_probability(members[0], X)
    for member in members[1:]:
        total = total + positive_probability(member, X)
    return total
