"""Gallery examples, block by block as the gallery runs them: complete figures, printed values, no stray output."""

import ast
import re
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "docs" / "examples").glob("plot_*.py"))


def blocks(path):
    """Return the code blocks of an example; the gallery shows the value of a block's last expression."""
    return re.split(r"^# ?%%.*$|^#{20,}$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_block_shows_a_value_by_accident(path):
    for code in blocks(path):
        body = ast.parse(code).body
        if not body or not isinstance(body[-1], ast.Expr):
            continue
        shown = ast.unparse(body[-1])
        assert shown.startswith(("print(", "plt.show(", "'")), f"{path.name} publishes the value of: {shown}"


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_figures_are_complete_and_values_are_printed(path, capsys):
    """The gallery saves figures at the end of each block: anything drawn later is missing."""
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
    assert any(character.isdigit() for character in printed), "an example prints its results"
    assert " at 0x" not in printed
