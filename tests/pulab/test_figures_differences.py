"""Heat maps of differences: where their cells stand, and which are told from zero."""

import pandas as pd
from matplotlib.colors import to_hex

from pulab.figures.differences import draw_differences, scale_end
from pulab.figures.panels import make_page
from pulab.figures.style import INK
from pulib.plots import style


def test_cells_have_their_means_and_those_that_may_be_zero_are_gray():
    repeats = {("a", 1.0): [4.0, 5.0, 6.0], ("a", 2.0): [-3.0, 1.0, 5.0], ("b", 1.0): [-20.0, -20.1, -19.9]}
    frame = pd.DataFrame(
        [(*place, value) for place, own in repeats.items() for value in own], columns=["row", "column", "value"]
    )
    with style():
        page = make_page(["one"])
        draw_differences(page.axes[0], frame, {"b": "B", "a": "A"}, [1.0, 2.0], scale_end(frame))
    found = {text.get_position(): (text.get_text(), to_hex(text.get_color())) for text in page.axes[0].texts}
    assert found[0.5, 0.5] == ("−20", "#ffffff")
    assert found[0.5, 1.5] == ("+5", INK)
    assert found[1.5, 1.5][0] == "+1"
    assert found[1.5, 1.5][1] not in (INK, "#ffffff")
    assert len(found) == 3
    assert [label.get_text() for label in page.axes[0].get_yticklabels()] == ["B", "A"]
