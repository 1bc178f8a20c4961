"""Precision-recall and ROC curves from PU labels and the class prior, with bands, like scikit-learn's displays."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils._param_validation import Interval, validate_parameter_constraints

from pulib._optional import needed_by
from pulib._typing import ArrayLike, MatrixLike
from pulib.metrics._intervals import check_interval, possible_priors
from pulib.metrics._measure import sample_of
from pulib.metrics._registry import call
from pulib.metrics._scorer import own_attribute, positive_scores
from pulib.metrics._tally import Tally

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pulib.priors import PriorEstimate

#: Positions on the horizontal axis at which a band is computed.
_GRID = np.linspace(0.0, 1.0, 101)
_OF_BAND = {
    "confidence": [Interval(Real, 0, 1, closed="neither"), None],
    "n_bootstrap": [Interval(Integral, 1, None, closed="left")],
}


class _PUCurveDisplay:
    """Base class of both curves: two arrays, a band and an area, and how to draw them."""

    _metric: ClassVar[str]
    _area_name: ClassVar[str]
    _axes: ClassVar[tuple[str, str]]
    _drawstyle: ClassVar[str] = "default"
    _legend: ClassVar[Any] = "lower right"

    def __init__(
        self,
        x: np.ndarray,
        y: np.ndarray,
        *,
        band: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
        area: float | None = None,
        name: str | None = None,
    ):
        self.x = x
        self.y = y
        self.band = band
        self.area = area
        self.name = name

    @staticmethod
    def _curve(tally: Tally, prior: float, scenario: str) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    @staticmethod
    def _on_grid(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        y: ArrayLike,
        *,
        prior: float | PriorEstimate | None = None,
        scenario: str | None = None,
        confidence: float | None = 0.95,
        n_bootstrap: int = 200,
        random_state: int = 0,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Any:
        """Draw the curve of a fitted estimator.

        Parameters
        ----------
        estimator : classifier
            With ``decision_function`` or ``predict_proba``.
        X : array-like of shape (n_samples, n_features)
            The estimator must not have been fitted on these rows.
        y : array-like of shape (n_samples,)
            PU labels.
        prior : float in (0, 1), PriorEstimate or None, default=None
            Class prior π.  None uses the estimator's ``prior_estimate_``, which has an interval, or else its ``prior_``.
        scenario : {"two_sample", "one_sample"} or None, default=None
            None uses the estimator's, or "two_sample" if it has none.
        confidence, n_bootstrap, random_state, sample_weight, groups, pos_label, name, ax, **kwargs
            As in :meth:`from_predictions`.  The default ``name`` is the estimator's class.

        Returns
        -------
        display
        """
        if prior is None:
            prior = own_attribute(estimator, "prior_estimate_", None) or own_attribute(estimator, "prior_", None)
        if prior is None:
            raise ValueError(
                f"{cls.__name__} needs a prior: {type(estimator).__name__} has no prior_. Pass prior=..., for instance from "
                "pulib.prior_interval."
            )
        pos_label = own_attribute(estimator, "pos_label", None) if pos_label is None else pos_label
        return cls.from_predictions(
            y,
            positive_scores(estimator, X, pos_label),
            prior=prior,
            scenario=scenario or own_attribute(estimator, "scenario", None) or "two_sample",
            confidence=confidence,
            n_bootstrap=n_bootstrap,
            random_state=random_state,
            sample_weight=sample_weight,
            groups=groups,
            pos_label=pos_label,
            name=name or type(estimator[-1] if isinstance(estimator, Pipeline) else estimator).__name__,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        scores: ArrayLike,
        *,
        prior: float | PriorEstimate,
        scenario: str = "two_sample",
        confidence: float | None = 0.95,
        n_bootstrap: int = 200,
        random_state: int = 0,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Any:
        """Draw the curve of given scores.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            PU labels.
        scores : array-like of shape (n_samples,)
            Higher means more likely positive.
        prior : float in (0, 1) or PriorEstimate
            Class prior π, or its estimate from :func:`pulib.prior_interval`: the band then includes the uncertainty of π.
        scenario : {"two_sample", "one_sample"}, default="two_sample"
        confidence : float in (0, 1) or None, default=0.95
            Confidence level of the band at each position of the horizontal axis; None draws no band.
        n_bootstrap : int, default=200
        random_state : int, default=0
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Row weights.
        groups : array-like of shape (n_samples,) or None, default=None
            Group of each row.  The bootstrap for the band draws whole groups.
        pos_label : number, str, bool or None, default=None
            Label of labeled positives, if it cannot be inferred from ``y``.
        name : str, optional
            Name in the legend, before the area.
        ax : Axes, optional
            None creates new axes.
        **kwargs
            Passed to Matplotlib's ``plot``.

        Returns
        -------
        display
        """
        value = check_interval(prior)
        options = {"confidence": confidence, "n_bootstrap": n_bootstrap}
        validate_parameter_constraints(_OF_BAND, options, caller_name=f"{cls.__name__}.from_predictions")
        arguments = {"prior": value, "scenario": scenario, "sample_weight": sample_weight, "pos_label": pos_label}
        area = call(cls._metric, y, scores, **arguments)
        sample = sample_of(y, scores, "scores", pos_label, sample_weight, groups)
        band = None
        if confidence is not None:
            rng = np.random.default_rng(random_state)
            draws = possible_priors(prior, n_bootstrap, rng, sample, scenario)
            curves = [cls._on_grid(*cls._curve(sample.resampled(rng, scenario), drawn, scenario)) for drawn in draws]
            low, high = np.quantile(curves, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence], axis=0)
            band = _GRID, low, high
        return cls(*cls._curve(sample.tally, value, scenario), band=band, area=area, name=name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Any:
        """Draw the curve, and its band if it has one.

        Parameters
        ----------
        ax : Axes, optional
            None creates new axes.
        name : str, optional
            Name in the legend; None uses the display's ``name``.
        **kwargs
            Passed to Matplotlib's ``plot``.

        Returns
        -------
        self
        """
        if ax is None:
            with needed_by(type(self).__name__, extra="plots"):
                from matplotlib import pyplot as plt
            ax = plt.subplots()[1]
        name = name or self.name
        area = None if self.area is None else f"{self._area_name} = {self.area:.2f}"
        label = f"{name} ({area})" if name and area else name or area
        (self.line_,) = ax.plot(self.x, self.y, **{"label": label, "drawstyle": self._drawstyle, **kwargs})
        if self.band is not None:
            self.band_ = ax.fill_between(*self.band, color=self.line_.get_color(), alpha=0.18, linewidth=0)
        ax.set(xlabel=self._axes[0], ylabel=self._axes[1], xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        if label or "label" in kwargs:
            ax.legend(loc=self._legend)
        self.ax_, self.figure_ = ax, ax.figure
        return self


class PUPrecisionRecallDisplay(_PUCurveDisplay):
    """Precision-recall curve on the population, estimated from PU labels and the class prior, with a band.

    Create it with ``from_estimator`` or ``from_predictions``.  Precision and recall at each threshold are those of
    :func:`pulib.proxy_precision` and :func:`pulib.proxy_recall`; the area is that of :func:`pulib.proxy_average_precision`.

    Parameters
    ----------
    x : array of shape (n_thresholds,)
        Recall.
    y : array of shape (n_thresholds,)
        Precision.
    band : tuple of three arrays, optional
        Recall, and the bounds of precision there.
    area : float, optional
        Average precision.
    name : str, optional

    Attributes
    ----------
    line_, band_, ax_, figure_ : artists of Matplotlib

    See Also
    --------
    sklearn.metrics.PrecisionRecallDisplay : The curve from true labels.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from pulib.metrics import PUPrecisionRecallDisplay
    >>> rng = np.random.default_rng(0)
    >>> truth = np.r_[np.ones(200, bool), rng.random(1000) < 0.3]
    >>> scores = rng.normal(2.0 * truth)
    >>> y = np.repeat([1, 0], [200, 1000])
    >>> ax = Figure().add_subplot()
    >>> display = PUPrecisionRecallDisplay.from_predictions(y, scores, prior=0.3, ax=ax)
    >>> print(ax.get_legend().get_texts()[0].get_text())
    AP = 0.90
    """

    _metric = "proxy_average_precision"
    _area_name = "AP"
    _axes = "recall", "precision"
    _drawstyle = "steps-post"
    _legend = "lower left"

    @staticmethod
    def _curve(tally: Tally, prior: float, scenario: str) -> tuple[np.ndarray, np.ndarray]:
        recall, called = tally.rates(prior, scenario)
        reached = called > 0
        recall, precision = recall[reached], prior * recall[reached] / called[reached]
        # from the right, as in scikit-learn: the precision at a recall holds down to the next lower recall
        return np.append(recall[::-1], 0.0), np.append(precision[::-1], 1.0)

    @staticmethod
    def _on_grid(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        recall, precision = x[-2::-1], y[-2::-1]
        return precision[np.minimum(np.searchsorted(recall, _GRID - 1e-12), len(recall) - 1)]


class PURocCurveDisplay(_PUCurveDisplay):
    """ROC curve on the population, estimated from PU labels and the class prior, with a band.

    Create it with ``from_estimator`` or ``from_predictions``.  The false positive rate is ``(Pr(predicted positive) − π recall)
    / (1 − π)``, clipped at zero and made to increase as the threshold falls.  The area is that of :func:`pulib.proxy_auc`.

    Parameters
    ----------
    x : array of shape (n_thresholds + 1,)
        False positive rate.
    y : array of shape (n_thresholds + 1,)
        Recall, the true positive rate.
    band : tuple of three arrays, optional
        False positive rate, and the bounds of recall there.
    area : float, optional
    name : str, optional

    Attributes
    ----------
    line_, band_, ax_, figure_ : artists of Matplotlib

    See Also
    --------
    sklearn.metrics.RocCurveDisplay : The curve from true labels.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from pulib.metrics import PURocCurveDisplay
    >>> rng = np.random.default_rng(0)
    >>> truth = np.r_[np.ones(200, bool), rng.random(1000) < 0.3]
    >>> scores = rng.normal(2.0 * truth)
    >>> y = np.repeat([1, 0], [200, 1000])
    >>> ax = Figure().add_subplot()
    >>> display = PURocCurveDisplay.from_predictions(y, scores, prior=0.3, name="a score", ax=ax)
    >>> print(ax.get_legend().get_texts()[0].get_text())
    a score (AUC = 0.95)
    """

    _metric = "proxy_auc"
    _area_name = "AUC"
    _axes = "false positive rate", "recall"

    @staticmethod
    def _curve(tally: Tally, prior: float, scenario: str) -> tuple[np.ndarray, np.ndarray]:
        recall, called = tally.rates(prior, scenario)
        false = np.clip((called - prior * recall) / (1.0 - prior), 0.0, 1.0)
        return np.append(0.0, np.maximum.accumulate(false)), np.append(0.0, recall)

    @staticmethod
    def _on_grid(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return y[np.searchsorted(x, _GRID + 1e-12, side="right") - 1]
