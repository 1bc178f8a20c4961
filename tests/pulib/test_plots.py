"""Plots of estimators, the style of figures, and critical-difference diagrams."""

import re

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.stats import binned_statistic

from pulib.plots import (
    MARKERS,
    PALETTE,
    critical_difference_diagram,
    plot_calibration,
    plot_prior_estimate,
    plot_prior_sensitivity,
    save_figure,
    style,
)
from pulib.priors import PriorEstimate
from pulib.statistics import friedman_nemenyi


@pytest.fixture
def ax():
    return Figure().add_subplot()


def drawn(n=40_000, shift=0.0):
    rng = np.random.default_rng(0)
    probability = rng.uniform(size=n)
    truth = rng.uniform(size=n) < np.clip(probability + shift, 0, 1)
    return truth.astype(int), probability, rng


class TestCalibration:
    def test_error_agrees_with_its_definition(self, ax):
        rng = np.random.default_rng(1)
        p, y = rng.choice([0, 0.03, 0.55, 0.71, 1], 200), rng.integers(0, 2, 200)
        errors = binned_statistic(p, y - p, "sum", bins=7, range=(0, 1)).statistic
        assert plot_calibration(y, p, ax, n_bins=7) == pytest.approx(np.abs(errors).sum() / 200)

    def test_calibrated_probabilities_lie_on_the_diagonal(self, ax):
        y, p, _ = drawn()
        assert plot_calibration(y, p, ax, label="forest") < 0.01
        line = ax.get_lines()[1]
        np.testing.assert_allclose(line.get_xdata(), line.get_ydata(), atol=0.03)
        assert line.get_label().startswith("forest, ECE 0.00")

    def test_pu_labels_with_the_prior_agree_with_true_labels(self, ax):
        truth, p, rng = drawn(shift=0.2)
        labeled = rng.choice(np.flatnonzero(truth), 8000)
        y = np.repeat([1, 0], [8000, len(p)])
        from_pu = plot_calibration(y, np.append(p[labeled], p), ax, prior=truth.mean())
        assert from_pu == pytest.approx(plot_calibration(truth, p, ax), abs=0.02)


class TestPriorSensitivity:
    def test_priors_are_sorted(self, ax):
        plot_prior_sensitivity([0.4, 0.2], [[0.8, 0.6], [0.6, 0.6]], ax, prior=0.3, interval=(0.25, 0.35), label="forest")
        np.testing.assert_allclose(ax.get_lines()[0].get_xydata(), [[0.2, 0.6], [0.4, 0.7]])
        assert ax.texts[0].get_text() == "π = 0.3"
        assert ax.get_legend() is not None


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda ax: plot_calibration([-1, 1], [0.1, 0.2], ax), r"y: expected 0 and 1, found \[-1\]"),
        (lambda ax: plot_calibration([0, 1], [0.1, 1.2], ax), "probabilities: expected one value in"),
        (lambda ax: plot_calibration([0, 1], [0.1, np.nan], ax), "probabilities: expected one value in"),
        (lambda ax: plot_calibration([0, 1], np.eye(2), ax), "probabilities: expected one value in"),
        (lambda ax: plot_calibration([], [], ax), "y: expected 0 and 1"),
        (lambda ax: plot_calibration([0, 1], [0.1, 0.2], ax, n_bins=0), "'n_bins' parameter"),
        (lambda ax: plot_calibration([0, 1], [0.1, 0.2], ax, prior=50), "'prior' parameter"),
        (lambda ax: plot_calibration([0, 0], [0.1, 0.2], ax, prior=0.5), "y contains one class only"),
        (lambda ax: plot_calibration([0, 1], [0.1], ax), "inconsistent numbers of samples"),
        (lambda ax: plot_prior_sensitivity([0.1, 0.2], [1, 2, 3], ax), r"shape \(1, 3\) for priors of shape \(2,\)"),
        (lambda ax: plot_prior_sensitivity([0.1, 0.2], [1, 2], ax, prior=30), "'prior' parameter"),
    ],
)
def test_bad_input_raises_an_error(ax, draw, message):
    with pytest.raises(ValueError, match=message):
        draw(ax)


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

    def test_other_methods_have_no_curve(self, ax):
        plot_prior_estimate(PriorEstimate(0.4, 0.3, 0.5, 0.95, "tice", "two_sample", 20, 80), ax)
        assert len(ax.get_lines()) == 1


def test_svg_is_reproducible_and_keeps_texts_as_text(tmp_path):
    with style():
        fig = Figure()
        ax = fig.add_subplot()
        ax.plot(np.random.default_rng(0).random(50))
        ax.set_title("between 0.123456 and 2 < 3")
        for name in ("a", "b"):
            save_figure(fig, tmp_path / f"{name}.svg", tmp_path / f"{name}.png")
    for suffix in ("svg", "png"):
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes(), "regardless of the time"
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert ">between 0.123456 and 2 &lt; 3</text>" in svg
    assert "<title>between 0.123456 and 2 &lt; 3</title>" in svg
    assert svg.count("font-family: 'DejaVu Sans', Verdana, sans-serif") == svg.count("font-family") == 1
    named = set(re.findall(r'id="([^"]*)"', svg))
    assert {name for pair in re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', svg) for name in pair if name} <= named
    tags = "".join(re.findall(r"<[^>]+>", svg))
    assert re.search(r"\d\.\d\d\b", tags)
    assert not re.search(r"\.\d{3}", tags), "hundredths of a point are enough"


def test_style_is_temporary_and_ignores_user_settings():
    before = dict(mpl.rcParams)
    with mpl.rc_context({"lines.linewidth": 9.0, "figure.facecolor": "black"}), style():
        assert mpl.rcParams["lines.linewidth"] == 1.6
        assert mpl.rcParams["figure.facecolor"] == "white"
    with style(axes__grid=False):
        assert mpl.rcParams["axes.grid"] is False
    assert dict(mpl.rcParams) == before


def test_colors_and_markers_are_distinct():
    assert len(set(PALETTE)) == len(PALETTE) == len(set(MARKERS)) == len(MARKERS) == 8


class TestCriticalDifference:
    SCORES = pd.DataFrame(
        np.random.default_rng(1).normal([0.0, 0.2, 2.0, 2.2], size=(10, 4)), columns=["worst", "bad", "good", 2026]
    )

    @pytest.fixture(scope="class")
    def drawn(self):
        result = friedman_nemenyi(self.SCORES)
        with style():
            fig = Figure(figsize=(5, 2))
            ax = fig.add_subplot()
            critical_difference_diagram(result, ax, colors=dict.fromkeys(result.average_ranks.index, "#0072B2"))
            fig.draw_without_rendering()
        return result, ax

    def test_ranks_are_shown_and_the_bar_has_its_length(self, drawn):
        result, ax = drawn
        texts = [text.get_text() for text in ax.texts]
        for name, rank in result.average_ranks.items():
            assert any(str(name) in text and f"({rank:.2f})" in text for text in texts)
        assert f"CD = {result.critical_difference:.2f}" in texts
        lengths = [np.ptp(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"]
        assert np.allclose(lengths, [result.critical_difference])

    def test_bars_join_the_methods_that_do_not_differ(self, drawn):
        result, ax = drawn
        ranks, pvalues = result.average_ranks, result.pvalues
        pairs = [(a, b) for a in ranks.index for b in ranks.index if ranks[a] < ranks[b]]
        bars = [line.get_xdata() for line in ax.lines if line.get_linewidth() == 3.0]
        joined = [pair for pair in pairs if any(min(x) <= ranks[pair[0]] and ranks[pair[1]] <= max(x) for x in bars)]
        assert joined == [(a, b) for a, b in pairs if pvalues.loc[a, b] > result.alpha]

    def test_texts_do_not_overlap(self, drawn):
        _, ax = drawn
        boxes = [text.get_window_extent() for text in ax.texts]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
