"""The examples of the gallery, block by block as the gallery shows them: whole pictures, printed values, no leftovers."""

import ast
import re
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "docs" / "examples").glob("plot_*.py"))


def blocks(path):
    """The code between the texts of an example; what a block ends with is shown below it."""
    return re.split(r"^# ?%%.*$|^#{20,}$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_block_ends_with_a_value_that_is_shown_by_accident(path):
    for code in blocks(path):
        body = ast.parse(code).body
        if not body or not isinstance(body[-1], ast.Expr):
            continue
        shown = ast.unparse(body[-1])
        assert shown.startswith(("print(", "plt.show(", "'")), f"{path.name} publishes the value of: {shown}"


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_pictures_are_whole_and_values_are_printed(path, capsys):
    """A picture is taken at the end of each block: whatever is drawn later is missing in it."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    names = {"__name__": "__main__"}
    for code in blocks(path):
        exec(compile(code, path.name, "exec"), names)
        figures = [plt.figure(number) for number in plt.get_fignums()]
        empty = [ax for fig in figures for ax in fig.axes if not (ax.has_data() or ax.images or ax.collections)]
        assert not empty, f"{path.name} publishes {len(empty)} empty panels"
        plt.close("all")
    printed = capsys.readouterr().out
    assert any(character.isdigit() for character in printed), "an example prints what it found"
    assert " at 0x" not in printed
