"""The figures' style, the bytes of their files, and critical-difference diagrams."""

import os
import re
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pulib.plots import MARKERS, PALETTE, critical_difference_diagram, save_figure, style
from pulib.statistics import friedman_nemenyi

DRAW = """
import sys
import numpy as np, pandas as pd
from matplotlib.figure import Figure
from pulib.plots import critical_difference_diagram, save_figure, style
from pulib.statistics import friedman_nemenyi
scores = np.random.default_rng(0).normal(size=(12, 6)) + np.arange(6) * 0.4
result = friedman_nemenyi(pd.DataFrame(scores, columns=[f"method {c}" for c in "ABCDEF"]))
with style():
    fig = Figure(figsize=(5, 2.5))
    critical_difference_diagram(result, fig.add_subplot())
    save_figure(fig, sys.argv[1] + ".svg", sys.argv[1] + ".png")
"""


@pytest.mark.slow
def test_same_figure_same_bytes_in_another_process(tmp_path, monkeypatch):
    env = {**os.environ, "PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": "1000000"}
    subprocess.run([sys.executable, "-c", DRAW, str(tmp_path / "0")], check=True, env=env)
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "1")])
    exec(DRAW, {})  # with another hash seed, at another time
    for suffix in (".svg", ".png"):
        one, two = ((tmp_path / f"{i}{suffix}").read_bytes() for i in (0, 1))
        assert one == two, suffix
        assert len(one) > 1000


def test_texts_of_an_svg_stay_texts_and_keep_their_digits(tmp_path):
    with style():
        fig = Figure()
        ax = fig.add_subplot()
        ax.plot(np.random.default_rng(0).random(50))
        ax.set_title("between 0.123456 and 2 < 3")
        save_figure(fig, tmp_path / "a.svg", tmp_path / "a.png")
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert ">between 0.123456 and 2 &lt; 3</text>" in svg
    assert "<title>between 0.123456 and 2 &lt; 3</title>" in svg
    assert svg.count("font-family: 'DejaVu Sans', Verdana, sans-serif") == svg.count("font-family") == 1
    named = set(re.findall(r'id="([^"]*)"', svg))
    assert {name for pair in re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', svg) for name in pair if name} <= named
    tags = "".join(re.findall(r"<[^>]+>", svg))
    assert re.search(r"\d\.\d\d\b", tags)
    assert not re.search(r"\.\d{3}", tags), "hundredths of a point are enough"


def test_style_is_undone_and_ignores_the_users_own():
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
        np.random.default_rng(1).normal([0.0, 0.2, 2.0, 2.2], size=(10, 4)), columns=["worst", "bad", "good", "best"]
    )

    @pytest.fixture
    def drawn(self):
        result = friedman_nemenyi(self.SCORES)
        with style():
            fig = Figure(figsize=(5, 2))
            ax = fig.add_subplot()
            critical_difference_diagram(result, ax)
            fig.draw_without_rendering()
        return result, ax

    def test_every_method_is_labeled_with_its_rank(self, drawn):
        result, ax = drawn
        texts = " ".join(text.get_text() for text in ax.texts)
        for name, rank in result.average_ranks.items():
            assert name in texts
            assert f"({rank:.2f})" in texts

    def test_the_bar_is_as_long_as_the_critical_difference(self, drawn):
        result, ax = drawn
        assert any(text.get_text() == f"CD = {result.critical_difference:.2f}" for text in ax.texts)
        lengths = [np.ptp(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"]
        assert np.allclose(lengths, [result.critical_difference])

    def test_joined_methods_are_those_that_do_not_differ(self, drawn):
        result, ax = drawn
        bars = [line.get_xdata() for line in ax.lines if line.get_linewidth() == 3.0]
        joined = {(a, b) for x in bars for a in result.average_ranks for b in result.average_ranks if min(x) <= a < b <= max(x)}
        expected = {
            (result.average_ranks[a], result.average_ranks[b])
            for a in result.pvalues
            for b in result.pvalues
            if result.average_ranks[a] < result.average_ranks[b] and result.pvalues.loc[a, b] > result.alpha
        }
        assert joined == expected

    def test_texts_do_not_overlap(self, drawn):
        _, ax = drawn
        boxes = [text.get_window_extent() for text in ax.texts]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
