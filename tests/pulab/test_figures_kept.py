"""Every kept picture by the rules for figures: nothing empty, nothing small, nothing cut off, a title of its own, and words."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from pulab.figures.panels import NOT_RUN
from pulab.reports.site import PIXELS
from pulib.plots import save_figure, style

ROOT = Path(__file__).parents[2]
FIGURES = sorted((ROOT / "figures").rglob("*.svg"))
NAMES = [str(file.relative_to(ROOT / "figures")) for file in FIGURES]
SVG = "{http://www.w3.org/2000/svg}"
#: In points.  Exponents are smaller than what they belong to.
SMALLEST, SMALLEST_EXPONENT = 6.0, 4.0
#: Points by which a text may stand out where another font is a little wider.
TOLERANCE = 2.0
GRID, WHITE = "#e4e4e4", "#ffffff"
NUMBER = r"-?\d+(?:\.\d+)?"
NOTHING_GAINED = re.compile(r"(?<![\d.,])1(?:\.0)? times\b|gains? [−-]|gains? 0\.0\b")


class Text:
    """A text of a picture: its words, size, weight, and the corners of its box."""

    def __init__(self, element):
        css = element.get("style", "")
        self.words = element.text or ""
        self.bold = "font-weight: 700" in css
        self.size = float(re.search(r"font-size: ([\d.]+)px", css)[1])
        font = FontProperties(family="DejaVu Sans", size=self.size, weight="bold" if self.bold else "normal")
        width = TextToPath().get_text_width_height_descent(self.words, font, ismath=False)[0]
        anchor = (re.search(r"text-anchor: (\w+)", css) or [None, "start"])[1]
        left = {"start": 0.0, "middle": -width / 2, "end": -width}[anchor]
        corners = np.array([(x, y) for x in (left, left + width) for y in (0.0, -0.75 * self.size)])
        shift, angle = np.array([float(element.get("x", 0)), float(element.get("y", 0))]), 0.0
        for name, arguments in re.findall(r"(\w+)\(([^)]*)\)", element.get("transform", "")):
            numbers = [float(number) for number in re.findall(NUMBER, arguments)]
            if name == "translate":
                shift = shift + numbers
            else:
                angle = np.radians(numbers[0])
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        self.corners = shift + corners @ turn.T


class Picture:
    def __init__(self, file):
        self.root = ET.parse(file).getroot()
        self.size = np.array(self.root.get("viewBox").split()[2:], dtype=float)
        self.texts = [Text(element) for element in self.root.iter(f"{SVG}text") if "font-size" in element.get("style", "")]
        self.exponents = [
            float(re.search(r"font-size: ([\d.]+)px", part.get("style"))[1]) for part in self.root.iter(f"{SVG}tspan")
        ]

    def words(self):
        """Whole texts, whatever parts they have."""
        return [" ".join("".join(part.itertext()).split()) for tag in ("text", "title") for part in self.root.iter(SVG + tag)]

    def cut_off(self):
        outside = lambda text: (text.corners < -TOLERANCE).any() or (text.corners > self.size + TOLERANCE).any()  # noqa: E731
        return [text.words for text in self.texts if outside(text)]

    def title(self):
        """The bold text at the top, with what follows below it in the same size."""
        bold = sorted((text for text in self.texts if text.bold), key=lambda text: text.corners[:, 1].min())
        return " ".join(text.words for text in bold if text.corners[:, 1].min() < 40 and text.size == bold[0].size)

    def empty_axes(self):
        """How many panels have neither a line, a mark nor an image inside."""
        definitions = set(self.root.iter(f"{SVG}defs"))
        hidden = {id(part) for definition in definitions for part in definition.iter()}
        panels, drawn = [], []
        for part in self.root.iter():
            css = part.get("style", "")
            if id(part) in hidden:
                continue
            if part.tag == f"{SVG}path":
                corners = np.array(re.findall(NUMBER, part.get("d")), dtype=float)
                corners = corners[: len(corners) // 2 * 2].reshape(-1, 2)
                if f"fill: {WHITE}" in css and len(corners) == 4 and "stroke" not in css:
                    panels.append((corners.min(axis=0), corners.max(axis=0)))
                elif GRID not in css and css not in ("fill: none", f"fill: {WHITE}"):
                    drawn.append(corners)
            elif part.tag in (f"{SVG}use", f"{SVG}image"):
                # an image is upside down: its top is at -y
                at, wide = (np.array([abs(float(part.get(k, 0))) for k in keys]) for keys in ("xy", ("width", "height")))
                moved = re.search(rf"^translate\(({NUMBER})[ ,]+({NUMBER})\)", part.get("transform", ""))
                drawn.append((at + wide / 2 + (np.array([moved[1], moved[2]], dtype=float) if moved else 0))[None])
        panels = [(low, high) for low, high in panels if (high - low < self.size - 1).any()]
        inside = lambda low, high, points: ((points > low + 0.5) & (points < high - 0.5)).all(axis=1).any()  # noqa: E731
        crosses = lambda low, high, points: (points.max(axis=0) > low + 0.5).all() and (points.min(axis=0) < high - 0.5).all()  # noqa: E731
        # images may start outside, filled areas may have all of their corners outside
        filled = [any(inside(*panel, p) or (len(p) > 1 and np.ptp(p, axis=0).all() and crosses(*panel, p)) for p in drawn)
                  for panel in panels]  # fmt: skip
        return len(panels) - sum(filled)


@pytest.fixture(scope="module")
def pictures():
    return {name: Picture(file) for name, file in zip(NAMES, FIGURES, strict=True)}


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_follows_the_rules(name, pictures):
    picture = pictures[name]
    assert picture.texts
    assert min(text.size for text in picture.texts) >= SMALLEST
    assert PIXELS * SMALLEST >= 9, "at the width at which the report shows it"
    assert min(picture.exponents, default=SMALLEST_EXPONENT) >= SMALLEST_EXPONENT
    assert picture.cut_off() == []
    assert picture.empty_axes() == 0
    assert len(picture.title()) > 20
    said = picture.root.findtext(f"{SVG}title")
    assert said, "what a screen reader says is the finding"
    assert picture.title().startswith(said)
    assert not any(text.words == NOT_RUN for text in picture.texts)
    # nor does it say "1 times", or that something gains what rounds to nothing
    assert [words for words in picture.words() if NOTHING_GAINED.search(words)] == []


def test_no_two_pictures_have_one_title(pictures):
    counts = Counter(picture.title() for picture in pictures.values())
    assert [title for title, n in counts.items() if n > 1] == []


def test_violations_of_the_figure_rules_are_found(tmp_path):
    with style():
        fig = Figure(figsize=(4, 3))
        full, empty = fig.subplots(1, 2)
        full.plot([0, 1], [1, 2])
        fig.suptitle("a title that is much too long for a page of four inches and has no line break", fontsize=12)
        empty.text(0.5, 0.5, "small", fontsize=4)
        save_figure(fig, tmp_path / "bad.svg", tmp_path / "bad.png")
    picture = Picture(tmp_path / "bad.svg")
    assert picture.empty_axes() == 1
    assert [words[:7] for words in picture.cut_off()] == ["a title"]
    assert min(text.size for text in picture.texts) == 4


def test_every_embedded_picture_says_what_it_shows():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "studies").rglob("*.md")]
    embedded = [
        found for page in pages for found in re.findall(r"!\[([^\]]*)\]\(([^)]*\.svg)\)", page.read_text(encoding="utf-8"))
    ]
    assert embedded
    assert [file for words, file in embedded if len(words) < 15] == []
