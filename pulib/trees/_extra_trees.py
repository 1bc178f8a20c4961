"""PU Extra Trees: a forest of randomized PU decision trees."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_samples

from pulib._calibration import CALIBRATIONS, fit_share
from pulib._equal_rows import equal_rows, rows_held_out_together
from pulib._known_negatives import population_rows
from pulib._random import draw_seeds
from pulib._threshold import cross_fitted_scores
from pulib._training_prior import can_hold_out
from pulib._trees._data import Data
from pulib._trees._grow import Rule
from pulib._trees._growing import grow_many
from pulib._trees._out_of_bag import votes_out_of_bag
from pulib._trees._rows import Rows
from pulib._trees._tree import Tree
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib._weights import of_rows
from pulib.trees._base import BasePUTrees
from pulib.trees._decision_tree import PUDecisionTreeClassifier
from pulib.trees._forest_votes import ForestVotes, in_threads
from pulib.trees._shares import whole_shares

_SHARED = tuple(PUDecisionTreeClassifier._get_param_names())


class PUExtraTreesClassifier(ForestVotes):
    """PU Extra Trees: randomized trees that minimize a PU estimate of the risk (algorithm 3 of Wilton et al., 2022).

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    prior : float in (0, 1) or None, default=None
        π, the share of positives in the population that the unlabeled rows represent; None estimates it from the data.  Not
        used with ``risk="pn"``.
    training_prior : float in (0, 1), "auto" or None, default="auto"
        How rows are ranked if positives are rare.  None uses π, as in the paper: leaves vote for the majority at π, which is
        nearly always negative if π is small.  With a float, or with "auto" and π < 1/8, scores are the leaves' smoothed shares
        of labeled rows.  The threshold is then set on out-of-bag scores with ``bootstrap``, and on cross-fitted ones (five more
        forests on four fifths of the rows) without.  With a float, splits minimize the balanced PU risk (Su, Chen and Xu, 2021)
        at that share of positives; with "auto", they use π, which ranked best.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        ``two_sample``: the unlabeled rows are a sample of the whole population (case-control; the paper's setting).
        ``one_sample``: labeled and unlabeled rows together are that sample, so labeled rows also count as unlabeled.
    risk : {"nnpu", "upu", "pn"}, default="nnpu"
        Risk estimator: non-negative, unbiased, or the ordinary one for fully labeled data (labels are then positive and
        negative).
    loss : {"quadratic", "logistic", "savage", "sigmoid"}, default="quadratic"
        With ``risk="pn"``, quadratic is the Gini impurity and logistic the entropy, times the node's weight (theorem 1).
    splitter : {"random", "best"}, default="random"
        ``n_thresholds`` random thresholds per feature, or all thresholds.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Number of non-constant features to try at a node (F in the paper): the square root or logarithm of the number of
        features, rounded up; a number; a share of the features; or all.
    n_thresholds : int, default=1
        Thresholds per feature (T in the paper) with ``splitter="random"``, uniform over the feature's range at the node.
    max_depth : int or None, default=None
    min_samples_leaf : int, default=1
        Nodes with at most this many rows are not split.
    bootstrap : bool, default=False
        Whether to grow each tree on a bootstrap sample, drawn from the labeled and the unlabeled rows separately.
    oob_score : bool, default=False
        Whether to score each training row with the trees that did not draw it; needs ``bootstrap=True``.
    calibration : {"isotonic", "sigmoid"} or None, default=None
        How to turn votes into probabilities, given π and held-out scores of the training rows: out-of-bag scores with
        ``bootstrap``, and cross-fitted ones (five more forests on four fifths of the rows) without.  No negatives are needed.
        With fewer than a few hundred labels, use "sigmoid".
    warm_start : bool, default=False
        Whether to keep the trees of the last ``fit`` and to add trees up to ``n_estimators``.  Pass the same rows, labels,
        weights and groups in the same order, because out-of-bag rows are identified by position; ``fit`` checks only the
        numbers of rows and labels.  Other parameters may change; they apply to the new trees.
    n_jobs : int or None, default=None
        Number of threads; it does not change the forest.
    random_state : int, RandomState instance or None, default=None
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows (NaN for missing labels) if ``y`` also contains known negatives: 0 for labels 1, 0 and
        -1.  ``classes_`` is then [negative, positive].  None: there are no known negatives.

    Attributes
    ----------
    classes_ : array of shape (2,)
    prior_ : float
        The prior in use (absent with ``risk="pn"``).
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    training_prior_ : float
        The prior at which splits were chosen (absent with ``risk="pn"``).
    estimators_ : list of PUDecisionTreeClassifier
        The trees; ``estimators_[i].tree_`` has the arrays.
    n_features_in_ : int
    feature_importances_ : array of shape (n_features,)
        Risk reduction per feature, averaged over the trees (not scaled to sum to one).
    oob_decision_function_ : array of shape (n_samples,)
        With ``oob_score``: ``decision_function`` of each training row from the trees that did not draw it; NaN if every tree
        drew it.  Use it to rank the unlabeled rows.
    threshold_ : float
        With ``calibration``: the mean leaf value above which the probability exceeds one half.  Otherwise, if scores are shares
        of labeled rows: the score that a share π of the population exceeds.

    Notes
    -----
    While growing, the forest needs one transposed copy of ``X`` (for columns with few values, two copies of 1, 8 or 16 bits per
    value instead), and less than 300 bytes per row and thread.  A C- or Fortran-ordered memory map of type uint8, float32 or
    float64 is read in place, without a copy; large nodes are then slower in C order.

    References
    ----------
    Wilton, Koay, Ko, Xu, Ye: Positive-unlabeled learning using random forests via recursive greedy risk minimization.
    NeurIPS 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import PUExtraTreesClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(400) < 0.5
    >>> X = rng.normal(size=(400, 2)) + 2.0 * truth[:, None]
    >>> labeled = truth & (rng.random(400) < 0.3)
    >>> forest = PUExtraTreesClassifier(50, prior=0.4, random_state=0).fit(X, labeled.astype(int))
    >>> print(f"accuracy {np.mean(forest.predict(X) == truth):.2f}")
    accuracy 0.93
    """

    estimators_: list[PUDecisionTreeClassifier]
    #: Each tree's seed, and whether it was grown on a bootstrap sample.
    _seeds: np.ndarray
    _drew_bags: np.ndarray

    _parameter_constraints: ClassVar[dict] = {
        **BasePUTrees._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean"],
        "calibration": [StrOptions(set(CALIBRATIONS)), None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        prior: float | None = None,
        training_prior: float | str | None = "auto",
        scenario: str = "two_sample",
        risk: str = "nnpu",
        loss: str = "quadratic",
        splitter: str = "random",
        max_features: Any = "sqrt",
        n_thresholds: int = 1,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        bootstrap: bool = False,
        oob_score: bool = False,
        calibration: str | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ):
        self.n_estimators = n_estimators
        self.prior = prior
        self.training_prior = training_prior
        self.scenario = scenario
        self.risk = risk
        self.loss = loss
        self.splitter = splitter
        self.max_features = max_features
        self.n_thresholds = n_thresholds
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.calibration = calibration
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> PUExtraTreesClassifier:
        """Grow the forest.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Integers 0..255, and columns of floats with few distinct values, are stored as codes of 1, 8 or 16 bits, which does
            not change the trees.  NaN is a missing value: at each split, rows without a value go to the side with the lower
            risk.
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says, and the label of known
            negatives if ``unlabeled_label`` is given; true labels with ``risk="pn"``.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts: equal weights, or whole numbers, whose common factor has no effect.  A row of weight 3
            takes the memory of three rows.  With ``bootstrap``, any numbers are allowed: rows are drawn in proportion to them,
            and each sample has as many rows of each kind as have a weight above 0.  Weights also affect an estimate of π.
        groups : array-like of shape (n_samples,), optional
            Which rows belong together, such as those of one patient.  With ``bootstrap``, groups are drawn first, and then rows
            from these groups, so that a row's held-out score comes from trees that have seen no row of its group.  Folds, for
            the calibration without ``bootstrap`` and for an estimate of π, keep groups together.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a weight is negative or, without ``bootstrap``, not a whole number, or if all rows of a kind have weight 0; if
            all rows belong to one group; or if the number of rows or labels changes between warm starts.
        """
        if self.oob_score and not self.bootstrap:
            raise ValueError("oob_score=True: without bootstrap=True every tree sees every row, and none is out of bag.")
        if self.calibration is not None and self.risk == "pn":
            raise ValueError(
                "calibration uses π; for fully labeled rows (risk='pn'), use scikit-learn's CalibratedClassifierCV."
            )
        grown = list(self.estimators_) if self.warm_start and hasattr(self, "estimators_") else []
        if len(grown) > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {len(grown)} trees already fitted; with warm_start=True "
                "it can only grow. Clone the estimator to start over."
            )
        data, rule, drawn_from = self._prepare_fit(X, y, sample_weight, groups, reset=not grown)
        seeds = draw_seeds(self.random_state, self.n_estimators)[len(grown) :]
        self._keep_trees(self._grow(data, rule, drawn_from, seeds), seeds, more=bool(grown))
        self._judge_held_out(X, drawn_from)
        return self

    def _grow(self, data: Data, rule: Rule, drawn_from: Rows, seeds: np.ndarray) -> list[Tree]:
        """Grow one tree per seed, in threads."""
        chunks = np.array_split(seeds, min(len(seeds), 4 * effective_n_jobs(self.n_jobs))) if len(seeds) else []
        free: list = []
        tasks = [(data, rule, drawn_from, chunk, self.bootstrap, free) for chunk in chunks]
        return [tree for part in in_threads(self.n_jobs, grow_many, tasks) for tree in part]

    def _keep_trees(self, trees: list[Tree], seeds: np.ndarray, *, more: bool = False) -> None:
        """Set or add trees and the seeds that reproduce their bootstrap samples."""
        members = [self._wrap(tree, seed) for tree, seed in zip(trees, seeds, strict=True)]
        drew = np.full(len(trees), self.bootstrap)
        if more:
            members = self.estimators_ + members
            seeds, drew = np.concatenate([self._seeds, seeds]), np.concatenate([self._drew_bags, drew])
        self.estimators_, self._seeds, self._drew_bags = members, seeds, drew
        self._packed = {}

    def _judge_held_out(self, X: MatrixLike, drawn_from: Rows) -> None:
        """Set out-of-bag scores, the threshold and the calibration from held-out votes."""
        for name in ("oob_decision_function_", "threshold_", "_map"):
            self.__dict__.pop(name, None)  # of an earlier fit
        sets_threshold = self._sets_threshold and (self._separate_ranking or self.calibration is not None)
        if not self.oob_score and not sets_threshold:
            return
        weights = drawn_from.weights
        negative = drawn_from.negative
        positive = np.zeros(_num_samples(X), bool)
        positive[drawn_from.labeled] = True
        self._warn_of_repeats(X, positive, drawn_from.groups)
        if self.bootstrap:
            rows, missing = self._prepare_rows(X)
            rows = rows.tocsc() if sparse.issparse(rows) else np.ascontiguousarray(rows)  # each tree reads them
            trees = [member.tree_ for member in self.estimators_]
            values = whole_shares(trees, len(trees)) if self._separate_ranking else None
            equal = equal_rows(X) if drawn_from.groups is None else None
            judges = np.flatnonzero(self._drew_bags)  # trees from a fit without bootstrap have no out-of-bag rows
            chunks = np.array_split(judges, max(1, min(len(judges), effective_n_jobs(self.n_jobs))))
            of_chunk = [None if values is None else [values[i] for i in chunk] for chunk in chunks]
            tasks = [
                ([trees[i] for i in chunk], self._seeds[chunk], drawn_from, rows, missing, some, equal)
                for chunk, some in zip(chunks, of_chunk, strict=True)
            ]
            parts = in_threads(self.n_jobs, votes_out_of_bag, tasks)
            total, times = (np.sum(part, axis=0) for part in zip(*parts, strict=True))
            unseen = times[1] > 0  # each sample may contain a copy of a frequent row
            total, times = np.where(unseen, total[1], total[0]), np.where(unseen, times[1], times[0])
            scores = np.divide(total, times * self._unit, out=np.full(len(total), np.nan), where=times > 0)
        elif self.calibration is None and not can_hold_out(positive, weights):
            scores = self._mean_votes(X)
        else:
            more = {} if self._separate_ranking else {"training_prior": None}
            plain = self._without_threshold(calibration=None, unlabeled_label=None if negative is None else 0, **more)
            score = PUExtraTreesClassifier.decision_function
            groups = drawn_from.groups
            equal = rows_held_out_together(X, positive, self.prior) if groups is None else None
            scores = cross_fitted_scores(
                plain, X, positive, score, weights=weights, negative=negative, groups=groups, equal=equal
            )
        if sets_threshold:
            fit_map = fit_share if self.calibration is None else CALIBRATIONS[self.calibration]
            judged = self._judged(X, positive, scores, weights) if self.bootstrap else scores
            counted = slice(None) if negative is None else population_rows(negative, self.scenario)
            self._set_map(fit_map, judged[counted], positive[counted], None if weights is None else weights[counted])
        if self._separate_ranking and sets_threshold:
            for member in self.estimators_:
                member._map, member.threshold_ = self._map, self.threshold_
        if self.oob_score:
            self.oob_decision_function_ = scores - getattr(self, "threshold_", 0.0)

    def _judged(self, X: Any, positive: np.ndarray, scores: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """Return out-of-bag scores if both kinds have some; otherwise, without calibration, scores from all trees."""
        if can_hold_out(positive[np.isfinite(scores)], of_rows(weights, np.isfinite(scores))):
            return scores
        if self.calibration is None:
            return self._mean_votes(X)
        n = int(np.count_nonzero(positive & np.isfinite(scores)))
        raise ValueError(
            f"calibration={self.calibration!r} needs two labeled and two unlabeled rows that some trees have not seen: of "
            f"{int(positive.sum())} labeled rows {n} are out of bag. Label more rows, grow more trees, or set calibration=None."
        )

    def _wrap(self, tree: Any, seed: Any) -> PUDecisionTreeClassifier:
        """Wrap a tree of the forest as an estimator."""
        member = PUDecisionTreeClassifier(**{name: getattr(self, name) for name in _SHARED if name != "random_state"})
        member.random_state = int(seed % np.uint64(2**32))
        member.tree_ = tree
        for name in ("classes_", "prior_", "training_prior_", "_separate_ranking", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(member, name, getattr(self, name))
        return member
