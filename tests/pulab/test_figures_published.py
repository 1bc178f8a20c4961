"""Published performances beside ours: what is drawn, on which scale, and where."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection

from pulab.figures.published import MOST, differences, performances, published_against_ours
from pulab.tables import read_cells
from pulib.plots import style

SCOREBOARD = read_cells(Path(__file__).parents[2] / "figures" / "paper" / "scoreboard.csv")
STUDIES = {"puet": "PU ET", "adapu": "Ada-PU", "opu": "OPU", "pces": "PCES", "resvm": "RESVM"}


@pytest.fixture(scope="module")
def cells():
    return performances(SCOREBOARD)


def marks(ax):
    """Places of the verdicts' marks."""
    return np.concatenate([np.asarray(part.get_offsets()) for part in ax.collections if isinstance(part, PathCollection)])


def test_only_performances_are_drawn_each_once(cells):
    with style():
        fig = published_against_ours(SCOREBOARD, STUDIES)
    assert set(cells["kind"]) == {"performance"}
    drawn = sum(len(marks(ax)) for ax in fig.axes if ax.collections)
    assert drawn == len(cells) > 300


def test_panels_have_equal_axes_on_one_scale():
    with style():
        fig = published_against_ours(SCOREBOARD, STUDIES)
    panels = [ax for ax in fig.axes if ax.collections]
    assert len(panels) == len(STUDIES)
    assert {ax.get_xlim() for ax in panels} == {ax.get_ylim() for ax in panels}
    assert len({ax.get_xlim() for ax in panels}) == 1
    assert all(ax.get_aspect() == 1 for ax in panels)
    for ax in panels:
        assert marks(ax).min() >= 0
        assert marks(ax).max() <= 100


@pytest.mark.parametrize("study", STUDIES)
def test_a_forest_plot_has_every_difference_at_its_place(study, cells):
    with style():
        (ax,) = differences(cells, study, STUDIES[study]).axes
    own = cells[cells["study"] == study]
    drawn = np.sort(marks(ax)[:, 0])
    np.testing.assert_allclose(drawn, np.sort(own["difference"].clip(*ax.get_xlim())))
    rows = own.groupby("column", sort=False).size()
    assert [text.get_text() for text in ax.get_yticklabels()] == [f"{name} ({n})" for name, n in rows.items()]
    # what is beyond the edge stands there with its number
    told = [float(part.replace("−", "-")) for text in ax.texts for part in text.get_text().split(", ") if part]
    assert sorted(told) == sorted(own.loc[own["difference"].abs() > MOST, "difference"].round(0))
    assert np.abs(ax.get_xlim()).max() <= MOST


def test_a_study_without_performances_says_so(cells):
    empty = pd.DataFrame(columns=cells.columns)
    with style():
        for fig in (differences(empty, "puet"), published_against_ours(empty, STUDIES)):
            assert [text.get_text() for text in fig.axes[0].texts] == ["not part of this run"]
