"""Names beside points: where they stand, and what leads from them to their points."""

from pulab.figures.panels import make_page
from pulib.plots import style
from studies.levelfield.points import label_points


def test_names_cover_no_other_point_and_a_line_leads_to_them_where_they_are_far_off():
    with style():
        page = make_page(["one"])
        ax = page.axes[0]
        ax.set(xlim=(0, 10), ylim=(0, 10))
        close = [(5 + 0.25 * i, 5 + 0.4 * j) for i in range(-3, 4) for j in range(-2, 3) if (i, j) != (0, 0)]
        label_points(ax, [(5, 5, "among others"), (1, 9, "alone")], others=close)
    among, line, alone = ax.texts
    assert (among.get_text(), line.get_text(), alone.get_text()) == ("among others", "", "alone")
    box = among.get_window_extent()
    assert not any(box.contains(*place) for place in ax.transData.transform(close))
    assert line.arrow_patch is not None
    assert line.xyann == among.xyann
