"""What a user of an estimator draws."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from pulib.plots import plot_calibration, plot_importances, plot_prior_estimate, plot_prior_sensitivity
from pulib.priors import PriorEstimate


@pytest.fixture
def ax():
    return Figure().add_subplot()


def drawn(n=40_000, shift=0.0):
    rng = np.random.default_rng(0)
    probability = rng.uniform(size=n)
    truth = rng.uniform(size=n) < np.clip(probability + shift, 0, 1)
    return truth.astype(int), probability, rng


def naive_error(y, p, n_bins):
    total = 0.0
    for k in range(n_bins):
        rows = [i for i in range(len(p)) if k / n_bins <= p[i] < (k + 1) / n_bins or (k == n_bins - 1 and p[i] == 1)]
        if rows:
            total += len(rows) / len(p) * abs(np.mean(y[rows]) - np.mean(p[rows]))
    return total


class TestCalibration:
    def test_the_error_is_that_of_its_definition(self, ax):
        rng = np.random.default_rng(1)
        p, y = rng.choice([0, 0.03, 0.55, 0.71, 1], 200), rng.integers(0, 2, 200)
        assert plot_calibration(y, p, ax, n_bins=7) == pytest.approx(naive_error(y, p, 7))

    def test_calibrated_probabilities_lie_on_the_diagonal(self, ax):
        y, p, _ = drawn()
        assert plot_calibration(y, p, ax, label="forest") < 0.01
        line = ax.get_lines()[1]
        np.testing.assert_allclose(line.get_xdata(), line.get_ydata(), atol=0.03)
        assert line.get_label().startswith("forest, ECE 0.00")

    @pytest.mark.parametrize("shift", [0.0, 0.2])
    def test_pu_labels_and_the_prior_tell_what_true_labels_do(self, ax, shift):
        truth, p, rng = drawn(shift=shift)
        labeled = rng.choice(np.flatnonzero(truth), 8000)
        y = np.repeat([1, 0], [8000, len(p)])
        from_pu = plot_calibration(y, np.append(p[labeled], p), ax, prior=truth.mean())
        assert from_pu == pytest.approx(plot_calibration(truth, p, ax), abs=0.02)

    def test_bad_input_is_named(self, ax):
        with pytest.raises(ValueError, match=r"y: expected 0 and 1, found \[-1, 1\]"):
            plot_calibration([-1, 1], [0.1, 0.2], ax)
        with pytest.raises(ValueError, match="probabilities: expected values in"):
            plot_calibration([0, 1], [0.1, 1.2], ax)
        with pytest.raises(ValueError, match="probabilities: expected values in"):
            plot_calibration([0, 1], [0.1, np.nan], ax)
        with pytest.raises(ValueError, match="prior: expected a number in"):
            plot_calibration([0, 1], [0.1, 0.2], ax, prior=50)
        with pytest.raises(ValueError, match="y contains one class only"):
            plot_calibration([0, 0], [0.1, 0.2], ax, prior=0.5)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            plot_calibration([0, 1], [0.1], ax)


class TestImportances:
    def test_bars_are_in_order_and_named(self, ax):
        plot_importances([[0.1, 0.4, 0.2], [0.1, 0.6, 0.2]], ax, names=["a", "b", "c"], show=2)
        assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "c"]
        np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [0.5, 0.2])

    def test_spread_does_not_go_below_zero_where_no_importance_does(self, ax):
        plot_importances([[0.0], [1.0]], ax)
        np.testing.assert_allclose(ax.collections[0].get_segments()[0][:, 0], [0, 0.5 + np.sqrt(0.5)])

    def test_bad_names(self, ax):
        with pytest.raises(ValueError, match="2 names for 3 features"):
            plot_importances([1, 2, 3], ax, names=["a", "b"])


class TestPriorSensitivity:
    def test_priors_are_put_in_order(self, ax):
        plot_prior_sensitivity([0.4, 0.2], [[0.8, 0.6], [0.6, 0.6]], ax, prior=0.3, interval=(0.25, 0.35), label="forest")
        np.testing.assert_allclose(ax.get_lines()[0].get_xydata(), [[0.2, 0.6], [0.4, 0.7]])
        assert ax.texts[0].get_text() == "π = 0.3"
        assert ax.get_legend() is not None

    def test_bad_shape(self, ax):
        with pytest.raises(ValueError, match="3 columns for 2 priors"):
            plot_prior_sensitivity([0.1, 0.2], [1, 2, 3], ax)


class TestPriorEstimate:
    def test_curve_in_either_scenario(self):
        curve = ((0.2, 1.0), (0.4, 1.0))
        ends = {}
        for scenario in ("two_sample", "one_sample"):
            ax = Figure().add_subplot()
            plot_prior_estimate(PriorEstimate(0.4, 0.3, 0.5, 0.9, "best_bin", scenario, 20, 80, tail_curve=curve), ax)
            line, prior = ax.get_lines()
            ends[scenario] = line.get_ydata().tolist()
            assert prior.get_ydata()[0] == 0.4
            assert [text.get_text() for text in ax.get_legend().get_texts()] == ["upper bounds of π", "90% interval", "π = 0.4"]
        assert ends == {"two_sample": [0.4, 1.0], "one_sample": [0.52, 1.0]}

    def test_other_methods_have_no_curve(self):
        ax = Figure().add_subplot()
        plot_prior_estimate(PriorEstimate(0.4, 0.3, 0.5, 0.95, "tice", "two_sample", 20, 80), ax)
        assert len(ax.get_lines()) == 1
