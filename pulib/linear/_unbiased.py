"""Batch unbiased PU learning (uPU): minimize the convex risk over all rows, with a certificate."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from pulib._base import PRIOR_CONSTRAINT, TRAINING_PRIOR_CONSTRAINT
from pulib._feature_scales import warn_of_scales
from pulib._known_negatives import UNLABELED_LABEL_CONSTRAINT, mix_of_samples, negatives_that_count, split_known_negatives
from pulib._labels import POS_LABEL_CONSTRAINT
from pulib._sizes import check_sizes
from pulib._training_prior import hinge_weights
from pulib._typing import ArrayLike, MatrixLike, RandomState
from pulib._warnings import issue_warning
from pulib._weights import ones_for_none, weighted_rows
from pulib.linear._base import ACCEPTED_ROWS, LinearPUClassifierMixin, canonical_csr
from pulib.linear._basis import draw_centers, gaussian_features, resolve_gamma
from pulib.linear._convex import minimize_pu_risk
from pulib.linear._losses import LOSS_CODES
from pulib.linear._problem import Problem
from pulib.linear._scale import fitting_penalty


class UnbiasedPUClassifier(LinearPUClassifierMixin, BaseEstimator):
    """Convex unbiased PU learning with a model that is linear in its parameters.

    Minimizes J(w) = −π mean_P g(x) + mean_U ℓ(−g(x)) + λ/2 |w|² with g(x) = w·φ(x), for a loss with ℓ(z) − ℓ(−z) = −z
    (OPU paper, equation 5): in closed form for the square loss, by Newton steps for the logistic loss, by dual coordinate
    ascent for the double hinge.

    With a ``training_prior`` π' other than π (balanced risk of Su, Chen and Xu, 2021, section 3) and k = (1 − π')/(1 − π), the
    same property of the loss gives J(w) = −π' mean_P g(x) + (π' − kπ) mean_P ℓ(−g(x)) + k mean_U ℓ(−g(x)) + λ/2 |w|².

    Parameters
    ----------
    prior : float in (0, 1) or None
        π; None estimates it from the data.
    training_prior : float in (0, 1), "auto" or None, default="auto"
        π' of the balanced PU risk (Su, Chen and Xu, 2021) that ranks rows.  None uses π, as in the paper; if positives are
        rare, nearly every row is then predicted negative.  "auto" is 1/5 if π < 1/8 and the loss is the double hinge, and π
        otherwise.  If π' is not π, the threshold is set on held-out scores of the training rows (five more fits), so that a
        share π of the population is predicted positive, and becomes part of ``intercept_``.  With the Gaussian basis, "auto" is
        π; if π < 1/8 and the loss is the double hinge, the threshold is still set this way.
    scenario : {"two_sample", "one_sample"}, default="two_sample"
        Whether the unlabeled rows represent the population, or the labeled and unlabeled rows together do.  In the latter case,
        labeled rows also count as unlabeled ones.
    loss : {"double_hinge", "square", "logistic"}
        ℓ(z) = max(−z, max(0, ½ − ½z)), ¼(z − 1)² − ¼, or ln(1 + e^−z).
    alpha : float > 0 or "auto", default="auto"
        λ.  "auto" adapts it to the number of rows of each kind and to the scale of the features: a tenth of the rows' mean
        squared norm (constant feature included) times π'/√n_P + 1/(2√n_U).  Weighted rows count as their effective number,
        (Σs)²/Σs².
    basis : {"linear", "gaussian"}
        φ(x) = x, or Gaussians exp(−γ|x − c|²) around rows c of ``X`` drawn at random.
    n_basis : int >= 1
        Number of Gaussians (at most one per row).
    gamma : {"scale", "auto"} or float > 0
        γ of the Gaussians; "scale" is 1/(d·variance of X), "auto" 1/d.
    fit_intercept : bool
        Append a constant feature 1 (penalized like any other).
    tol : float > 0
        ``dual_gap_`` to reach, relative to max(1, |J|).
    max_iter : int >= 1
        Newton steps, or sweeps over the dual.
    random_state : int, RandomState instance or None
        Determines the centers and the order of the sweeps.
    pos_label : number, str, bool or None, default=None
        The label of labeled positives; needed unless labels are 1/0, 1/-1, True/False, or 1 and missing values.
    unlabeled_label : number, str, bool or None, default=None
        The label of unlabeled rows (NaN for missing labels) if ``y`` also contains known negatives: 0 for labels 1, 0 and
        -1.  ``classes_`` is then [negative, positive].  None: there are no known negatives.

    Attributes
    ----------
    classes_ : array of shape (2,)
    coef_ : float64 array of shape (1, n_features) or (1, n_basis)
    intercept_ : float64 array of shape (1,)
    prior_, training_prior_, alpha_ : float
        π, π' and λ in use.
    prior_estimate_ : PriorEstimate
        π with its interval, if ``fit`` estimated it.
    threshold_ : float
        Threshold subtracted from the intercept, if ``training_prior`` sets one.
    objective_ : float
        J at the solution.
    dual_gap_ : float
        Upper bound of ``objective_`` minus the minimum of J: the duality gap for the double hinge, otherwise |∇J|²/(2λ).
    n_iter_ : int
    centers_ : array or CSR matrix of shape (n_basis, n_features)
        Centers of the Gaussians.
    gamma_ : float
    n_features_in_ : int

    Warns
    -----
    ConvergenceWarning
        If ``dual_gap_`` stays above the tolerance.

    References
    ----------
    du Plessis, Niu, Sugiyama: Convex Formulation for Learning from Positive and Unlabeled Data, ICML 2015.
    Zhang, Gong, Liu, Lu, Wang, Yang: Online Positive and Unlabeled Learning, IJCAI 2020 (there UPU).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.linear import UnbiasedPUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.5
    >>> X = rng.normal(size=(2000, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    >>> y = (truth & (rng.random(2000) < 0.5)).astype(int)
    >>> clf = UnbiasedPUClassifier(prior=1 / 3).fit(X, y)
    >>> bool(np.mean(clf.predict(X) == truth) > 0.95), bool(clf.dual_gap_ <= 1e-6)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "prior": PRIOR_CONSTRAINT,
        "training_prior": TRAINING_PRIOR_CONSTRAINT,
        "pos_label": POS_LABEL_CONSTRAINT,
        "unlabeled_label": UNLABELED_LABEL_CONSTRAINT,
        "scenario": [StrOptions({"two_sample", "one_sample"})],
        "loss": [StrOptions(set(LOSS_CODES))],
        "alpha": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "basis": [StrOptions({"linear", "gaussian"})],
        "n_basis": [Interval(Integral, 1, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        prior: float | None = None,
        training_prior: float | str | None = "auto",
        scenario: str = "two_sample",
        loss: str = "double_hinge",
        alpha: float | str = "auto",
        basis: str = "linear",
        n_basis: int = 200,
        gamma: float | str = "scale",
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        random_state: RandomState = None,
        pos_label: Any = None,
        unlabeled_label: Any = None,
    ) -> None:
        self.prior = prior
        self.training_prior = training_prior
        self.scenario = scenario
        self.loss = loss
        self.alpha = alpha
        self.basis = basis
        self.n_basis = n_basis
        self.gamma = gamma
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> UnbiasedPUClassifier:
        """Minimize the PU risk over the rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            PU labels: 1 for labeled positives and 0 for unlabeled rows, or as ``pos_label`` says, and the label of known
            negatives if ``unlabeled_label`` is given.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows in mean_P, mean_U and an estimate of π; rows of weight 0 are left out.  The Gaussians' centers
            and γ otherwise ignore the weights.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If ``y`` does not have two values, ``X`` contains NaN, infinity, or values whose squares are too large for a float,
            a weight is negative or not finite, or all rows of a kind have weight 0.
        """
        y, negatives = split_known_negatives(y, self.unlabeled_label, self.pos_label)
        X, positive = self._validate_fit(X, y, negatives_removed=negatives is not None, **ACCEPTED_ROWS)
        if negatives is not None:
            self.classes_ = negatives.classes
        X, positive, weights = weighted_rows(sample_weight, canonical_csr(X), positive)
        negative = negatives_that_count(negatives, sample_weight)
        prior = self._resolve_population_prior(X, positive, negative, weights)
        training_prior = self._resolve_training_prior(prior, known_negatives=negative is not None)
        rng = check_random_state(self.random_state)
        if self.basis == "gaussian":
            check_sizes(X, self, X.dtype)
            self.gamma_ = resolve_gamma(self.gamma, X)
            self.centers_ = draw_centers(X, self.n_basis, rng)
        else:
            warn_of_scales(X, self)
            for name in ("gamma_", "centers_"):
                self.__dict__.pop(name, None)  # of an earlier fit with another basis
        features = self._features(X)
        bias = float(self.fit_intercept)
        two_sample = self.scenario == "two_sample"
        if weights is None:
            mean = np.asarray(features[positive].mean(axis=0, dtype=np.float64)).ravel()
        else:
            mean = features[positive].T @ (weights[positive] / weights[positive].sum())
        if training_prior != prior:
            unlabeled, shares = features, _balanced_shares(prior, training_prior, positive, two_sample, weights)
        else:
            unlabeled = features[~positive] if two_sample and negative is None else features
            shares = np.ones(unlabeled.shape[0]) if weights is None else weights[~positive] if two_sample else weights
            shares = shares if weights is None else shares / shares.mean()
        if negative is not None:
            shares = len(positive) * mix_of_samples(positive, negative, prior, self.scenario, weights).weights
        pull = training_prior * np.append(mean, bias)
        auto = self.alpha == "auto"
        self.alpha_ = fitting_penalty(features, positive, training_prior, weights=weights) if auto else float(self.alpha)
        problem = Problem(X=unlabeled, pull=pull, alpha=self.alpha_, loss=self.loss, bias=bias, weights=shares)
        solution = minimize_pu_risk(problem, tol=self.tol, max_iter=self.max_iter, seed=int(rng.randint(2**31)))
        self.coef_ = solution.w[None, :-1]
        self.intercept_ = solution.w[-1:] * bias
        self.objective_ = solution.objective
        self.dual_gap_ = solution.gap
        self.n_iter_ = solution.n_iter
        if self.dual_gap_ > self.tol * max(1.0, abs(self.objective_)):
            stopped = self.loss != "square" and self.n_iter_ >= self.max_iter
            advice = "raise max_iter or alpha, or scale" if stopped else "raise alpha or scale"
            issue_warning(
                f"stopped at dual_gap_={self.dual_gap_:.3g} above tol={self.tol:g} after {self.n_iter_} iterations; "
                f"{advice} the features",
                category=ConvergenceWarning,
            )
        self._set_threshold_at_prior(X, positive, weights, UnbiasedPUClassifier._scores_before_threshold)
        if hasattr(self, "threshold_"):
            self.intercept_ -= self.threshold_
        return self

    def _features(self, X: Any) -> Any:
        """Evaluate the basis functions."""
        return X if self.basis == "linear" else gaussian_features(X, self.centers_, self.gamma_)


def _balanced_shares(
    prior: float, training_prior: float, positive: np.ndarray, two_sample: bool, weights: np.ndarray | None
) -> np.ndarray:
    """Weights of ℓ(−g) in the balanced risk, with mean 1, of shape (n_samples,)."""
    weights = ones_for_none(weights, len(positive))
    on_labeled, on_unlabeled = hinge_weights(prior, training_prior)
    population = ~positive if two_sample else np.ones_like(positive)
    shares = np.zeros(len(positive))
    shares[positive] += on_labeled * weights[positive] / weights[positive].sum()
    shares[population] += on_unlabeled * weights[population] / weights[population].sum()
    return shares * len(positive)
