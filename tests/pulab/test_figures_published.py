"""Published performances beside ours: what archived pictures do not show."""

from pathlib import Path

import pandas as pd
import pytest

from pulab.figures.published import differences, published_against_ours
from pulab.tables import read_cells
from pulab.tables.record import judged_performances
from pulab.tables.verdict import MEANINGS
from pulib.plots import style
from pulib.statistics import mean_ci

SCOREBOARD = read_cells(Path(__file__).parents[2] / "figures" / "paper" / "scoreboard.csv")
STUDIES = {"puet": "PU ET", "adapu": "Ada-PU", "opu": "OPU", "pces": "PCES", "resvm": "RESVM"}


@pytest.fixture(scope="module")
def cells():
    return judged_performances(SCOREBOARD)


@pytest.mark.parametrize("marked", [True, False])
def test_what_a_forest_plot_cuts_off_has_an_arrow_with_its_value(marked, cells):
    """A mean beyond the axis, and a whisker that ends there."""
    own = cells[cells["study"] == "resvm"].head(4).assign(column=["far", "far", "far", "near"])
    own["difference"] = [-40.0, -16.0, -10.0, 1.0]
    with style():
        (ax,) = differences(own, "resvm", marks=marked).axes
    arrows = [line for line in ax.lines if line.get_marker() in ("<", ">")]
    assert [line.get_marker() for line in arrows] == ["<", ">", "<"]  # both ends of the bar, and the mean
    found = mean_ci(own["difference"].head(3).to_numpy())
    assert {text.get_text() for text in ax.texts if "." in text.get_text()} == {
        f"−{-found.low:.1f}", f"+{found.high:.1f}", f"mean −{-found.mean:.1f}"
    }  # fmt: skip
    squares = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "s"]
    assert squares == ([] if marked else [1.0]), "no square where the mean is not"


def test_a_note_explains_what_is_drawn_and_no_more(cells):
    """Two reproduced performances within the axis: no other verdict, no mean, no arrow and nothing at the edge."""
    few = cells[cells["verdict"] == "reproduced"].head(2).assign(study="puet", column="one", difference=[0.5, -0.5])
    with style():
        fig = differences(few, "puet")
    assert [text.get_text() for text in fig.subfigs[0].legends[0].get_texts()] == ["reproduced"]
    note = fig.subfigs[1].texts[0].get_text().replace("\n", " ")
    assert f"Reproduced: {MEANINGS['reproduced']}." in note
    assert not [word for word in ("Close:", "Different:", "Squares", "Arrows", "edge") if word in note]


def test_a_study_without_performances_says_so(cells):
    empty = pd.DataFrame(columns=cells.columns)
    with style():
        for fig in (differences(empty, "puet"), published_against_ours(empty, STUDIES)):
            assert [text.get_text() for text in fig.axes[0].texts] == ["not part of this run"]
