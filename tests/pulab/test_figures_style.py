"""Methods have the same style in all figures, and anyone can distinguish the styles."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from pulab.figures.published import VERDICT_LOOKS
from pulab.figures.style import COLORS, METHOD_MARKERS, PUBLISHED_MARKER, styles
from pulab.plan.configuration import read_yaml
from pulab.tables.verdict import VERDICTS

ROOT = Path(__file__).parents[2]
METHODS = read_yaml(ROOT / "config" / "methods.yaml")
STYLES = {"styles": {name: method["style"] for name, method in METHODS.items() if "style" in method}}

# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB
VISIONS = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]


def linear(color):
    share = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(color, vision):
    """CIE L*a*b* of a color as a person of that vision sees it."""
    seen = np.clip(np.array(VISIONS[vision]) @ linear(color), 0, 1)
    ratio = np.array(TO_XYZ) @ seen / (np.array(TO_XYZ) @ np.ones(3))
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def drawn_together():
    """Every list of methods that a figure of a study draws in colors, by figure."""
    out = []
    for file in sorted((ROOT / "config" / "studies").glob("*.yaml")):
        for name, spec in read_yaml(file)["figures"].items():
            groups = [spec[key] for key in ("show_methods", "compare") if key in spec]
            groups += [list(spec[key].values()) for key in ("panels", "lines") if key in spec]
            groups += [list(lines.values()) for lines in spec.get("theorems", {}).values()]
            if "by_p" in spec:
                groups.append([*spec["by_p"].values(), *spec["levels"].values()])
            if spec["kind"] == "opu_stream":
                groups.append([method for row in spec["rows"].values() for method in row.values()])
            out += [pytest.param(group, id=f"{file.stem}-{name}") for group in groups if spec["kind"] != "pces_maps"]
    return out


@pytest.mark.parametrize("methods", drawn_together())
def test_methods_of_a_figure_can_be_told_apart(methods):
    assert set(methods) <= set(METHODS)
    for (one, first), (other, second) in combinations(styles(methods, STYLES).items(), 2):
        # in a gray print the marker alone tells
        assert first.marker != second.marker, (one, other)
        for vision in VISIONS:
            distance = np.linalg.norm(lab(first.color, vision) - lab(second.color, vision))
            assert distance >= 10, (one, other, vision, distance)


def test_a_method_has_one_look():
    alone = {method: styles([method], STYLES)[method] for method in sorted(METHODS)}
    for methods in drawn_together():
        for method, style in styles(methods.values[0], STYLES).items():
            assert style == alone[method], method
    assert PUBLISHED_MARKER not in METHOD_MARKERS
    assert PUBLISHED_MARKER not in {style.marker for style in alone.values()}


def test_every_color_of_a_method_can_be_told_from_the_others():
    for (one, first), (other, second) in combinations(COLORS.items(), 2):
        for vision in VISIONS:
            distance = np.linalg.norm(lab(first, vision) - lab(second, vision))
            assert distance >= 15, (one, other, vision, distance)


def test_methods_of_ones_own_get_looks_that_are_left():
    names = ["resvm_resvm", *(f"mine_{k}" for k in range(25))]
    assert len(set(styles(names, STYLES).values())) == 26


def test_verdicts_differ_for_everybody():
    colors = {verdict: fill for verdict, (_, fill) in VERDICT_LOOKS.items()}
    assert set(colors) == set(VERDICTS)
    for (one, first), (other, second) in combinations(colors.items(), 2):
        for vision in VISIONS:
            distance = np.linalg.norm(lab(first, vision) - lab(second, vision))
            assert distance >= 15, (one, other, vision, distance)
