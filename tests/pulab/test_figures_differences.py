"""Heat maps of differences: where their cells stand, and which are told from zero."""

import pandas as pd
from matplotlib.colors import to_hex

from pulab.figures.differences import draw_differences, scale_end
from pulab.figures.panels import make_page
from pulab.figures.style import INK
from pulib.plots import style


def test_cells_have_their_means_in_bold_unless_they_may_be_zero():
    repeats = {("a", 1.0): [4.0, 5.0, 6.0], ("a", 2.0): [-3.0, 1.0, 5.0], ("b", 1.0): [-20.0, -20.1, -19.9]}
    repeats["b", 2.0] = [-60.0, 1.0, 1.0]
    frame = pd.DataFrame(
        [(*place, value) for place, own in repeats.items() for value in own], columns=["row", "column", "value"]
    )
    with style():
        page = make_page(["one"])
        draw_differences(page.axes[0], frame, {"b": "B", "a": "A"}, [1.0, 2.0], scale_end(frame))
    found = {t.get_position(): (t.get_text(), t.get_weight(), to_hex(t.get_color())) for t in page.axes[0].texts}
    assert found[0.5, 0.5] == ("−20", "bold", "#ffffff")
    assert found[1.5, 0.5] == ("−19", "normal", "#ffffff")
    assert found[0.5, 1.5] == ("+5", "bold", INK)
    assert found[1.5, 1.5] == ("+1", "normal", INK)
    assert len(found) == 4
    assert [label.get_text() for label in page.axes[0].get_yticklabels()] == ["B", "A"]
