"""Grid and random search with scores from PU labels, on folds that several methods can share."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.utils._param_validation import Interval

from pulib._typing import RandomState
from pulib.model_selection._base import BasePUSearchCV


class PUGridSearchCV(BasePUSearchCV):
    """Exhaustive search over a grid, scored by cross-validation on positive and unlabeled data.

    Parameters
    ----------
    estimator : estimator
        Any PU classifier.
    param_grid : dict of str to list, or list of such dicts
        Values to try; several grids are searched in order.
    scoring : str or callable, default="pu_score"
        Name of a PU score that needs no options, or ``scoring(estimator, X, y) -> float``, such as
        :class:`pulib.metrics.PUScorer`, which accepts options; higher is better.  "pu_score" is recall² / Pr(ŷ = 1), with the
        recall of labeled positives (eq. 2.7), averaged over folds.
    cv : int, splitter, iterable of (train, test) or None, default=None
        An integer is the number of stratified, shuffled folds; None means 10.  Searches with the same ``cv``, ``random_state``
        and rows use the same folds.
    refit : bool, default=True
        Whether to fit the best candidate on all rows.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds; None means 0.

    Attributes
    ----------
    best_params_ : dict
        First candidate with the best mean score.
    best_score_ : float
    best_index_ : int
    best_estimator_ : estimator
        Only if ``refit``.
    cv_results_ : dict
        As in scikit-learn, without times: ``params``, ``param_*``, ``split*_test_score``, ``mean_test_score``,
        ``std_test_score``, ``rank_test_score``.
    on_edge_ : dict of str to bool
        For each numeric parameter with at least three values, whether the best one is the smallest or the largest.
    n_splits_ : int
    shares_kernel_ : bool
        Whether candidates were scored with shared kernel matrices and resamples, as ``pulib.svm`` does if possible.  Scores
        equal those of separate fits up to rounding.
    search_time_, refit_time_ : float
        Seconds.
    classes_ : array of shape (2,)
    n_features_in_ : int

    References
    ----------
    Claesen et al., A robust ensemble approach to learn from positive and unlabeled data using SVM base models (2015),
    section 2.4.1.

    Examples
    --------
    >>> from pulib import PUGridSearchCV, RobustEnsembleSVC, make_circle_noise
    >>> X, y = make_circle_noise(50, 100, random_state=0)
    >>> ensemble = RobustEnsembleSVC(10, n_positive=10, gamma=0.5, random_state=0)
    >>> search = PUGridSearchCV(ensemble, {"C": [0.1, 1.0], "n_unlabeled": [20, 50]}, cv=5, random_state=0).fit(X, y)
    >>> sorted(search.best_params_)
    ['C', 'n_unlabeled']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BasePUSearchCV._parameter_constraints,
        "param_grid": [dict, list],
    }

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = "pu_score",
        cv: Any = None,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _candidates(self) -> list[dict[str, Any]]:
        return list(ParameterGrid(self.param_grid))

    def _space(self) -> Any:
        return self.param_grid


class PURandomizedSearchCV(BasePUSearchCV):
    """Search over randomly drawn candidates, scored by cross-validation on positive and unlabeled data.

    Parameters
    ----------
    estimator : estimator
        Any PU classifier.
    param_distributions : dict of str to list or distribution, or list of such dicts
        Distributions have a method ``rvs``, as those of scipy.stats do.
    n_iter : int, default=100
        Number of candidates (100 in section 2.5.6).
    scoring : str or callable, default="pu_score"
        Name of a PU score that needs no options, or ``scoring(estimator, X, y) -> float``, such as
        :class:`pulib.metrics.PUScorer`, which accepts options; higher is better.  "pu_score" is recall² / Pr(ŷ = 1), with the
        recall of labeled positives (eq. 2.7), averaged over folds.
    cv : int, splitter, iterable of (train, test) or None, default=None
        An integer is the number of stratified, shuffled folds; None means 10.  Searches with the same ``cv``, ``random_state``
        and rows use the same folds.
    refit : bool, default=True
        Whether to fit the best candidate on all rows.
    n_jobs : int or None, default=None
        Number of threads; results do not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds (None means 0) and of the candidates.

    Attributes
    ----------
    best_params_ : dict
        First candidate with the best mean score.
    best_score_ : float
    best_index_ : int
    best_estimator_ : estimator
        Only if ``refit``.
    cv_results_ : dict
        As in scikit-learn, without times: ``params``, ``param_*``, ``split*_test_score``, ``mean_test_score``,
        ``std_test_score``, ``rank_test_score``.
    on_edge_ : dict of str to bool
        For each numeric parameter with at least three values, whether the best one is the smallest or the largest; for a
        distribution, whether it is within 5% of an end of the range.
    n_splits_ : int
    shares_kernel_ : bool
        Whether candidates were scored with shared kernel matrices and resamples, as ``pulib.svm`` does if possible.  Scores
        equal those of separate fits up to rounding.
    search_time_, refit_time_ : float
        Seconds.
    classes_ : array of shape (2,)
    n_features_in_ : int

    References
    ----------
    Claesen et al., A robust ensemble approach to learn from positive and unlabeled data using SVM base models (2015),
    section 2.5.6; Bergstra and Bengio, Random search for hyper-parameter optimization (JMLR 2012).

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from pulib import ClassWeightedSVC, PURandomizedSearchCV, make_circle_noise
    >>> X, y = make_circle_noise(50, 100, random_state=0)
    >>> box = {"C_positive": loguniform(0.1, 100), "C_unlabeled": loguniform(0.01, 10)}
    >>> search = PURandomizedSearchCV(ClassWeightedSVC(gamma=0.5), box, n_iter=10, cv=5, random_state=0).fit(X, y)
    >>> len(search.cv_results_["params"])
    10
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BasePUSearchCV._parameter_constraints,
        "param_distributions": [dict, list],
        "n_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: int = 100,
        scoring: Any = "pu_score",
        cv: Any = None,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.param_distributions = param_distributions
        self.n_iter = n_iter
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _candidates(self) -> list[dict[str, Any]]:
        return list(ParameterSampler(self.param_distributions, self.n_iter, random_state=self.random_state))

    def _space(self) -> Any:
        return self.param_distributions
