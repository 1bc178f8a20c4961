"""Methods have the same style in all figures, and anyone can distinguish the styles."""

from importlib import import_module
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import pulab.figures.style
from pulab.figures.panels import NOT_RUN
from pulab.figures.published import VERDICT_MARKERS
from pulab.figures.style import COLORS, METHOD_MARKERS, PUBLISHED_MARKER, spread_styles
from pulab.plan.load import load_study, study_names
from pulab.tables.verdict import VERDICTS
from pulab.trials.results import COLUMNS
from tests.studies.shown import paper_of, results_of

PAPERS = [study for study in map(load_study, study_names()) if any(shown.published for shown in study.tables.values())]
#: Every style that a method has in a study.
LOOKS = [
    (method.name, method.style)
    for study in map(load_study, study_names())
    for preset in study.presets
    for method in study.methods_of(preset).values()
]
STYLES = {name: look for name, look in LOOKS if look}

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


@pytest.fixture(scope="module")
def drawn_together(tmp_path_factory):
    """Every list of methods that a paper's figures draw in colors, by study and figure, as the figures ask for their styles.

    Nothing was run, and each figure says so.
    """
    folder, found, asked = tmp_path_factory.mktemp("figures"), {}, []

    def noted(methods, given):
        asked.append(list(dict.fromkeys(methods)))
        return spread_styles(asked[-1], given)

    nothing = pd.DataFrame(columns=COLUMNS)
    figures = {study.name: import_module(f"{study.module}.figures") for study in PAPERS}  # before anything is patched
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pulab.figures.style, "spread_styles", noted)
        for study in PAPERS:
            own = results_of(study.name, nothing, folder)
            for name, shown in study.figures.items():
                asked.clear()
                fig = getattr(figures[study.name], name)(own.shows(name, shown), paper_of())
                words = [text.get_text() for ax in fig.axes for text in ax.texts]
                # resamples are no results of trials
                assert (study.name, name) == ("resvm", "figure2_1") or any(NOT_RUN in text for text in words), name
                found[study.name, name] = [methods for methods in asked if methods]
    return found


@pytest.mark.parametrize("study", PAPERS, ids=lambda study: study.name)
def test_methods_of_a_figure_have_distinct_styles(study, drawn_together):
    """By colors, which differ for everybody (below), and in a gray print by the marker alone."""
    own = {name: groups for (of, name), groups in drawn_together.items() if of == study.name and groups}
    for name, groups in own.items():
        for methods in groups:
            assert set(methods) <= set(study.methods_of("paper")), name
            for (one, first), (other, second) in combinations(spread_styles(methods, STYLES).items(), 2):
                assert first.marker != second.marker, (name, one, other)
                assert first.color != second.color, (name, one, other)


def test_a_method_has_one_look_in_all_figures_of_all_studies(drawn_together):
    assert len({study for (study, _), groups in drawn_together.items() if groups}) >= 3
    alone = {method: spread_styles([method], STYLES)[method] for method in STYLES}
    for groups in drawn_together.values():
        for methods in groups:
            for method, style in spread_styles(methods, STYLES).items():
                assert style == alone[method], method
    assert PUBLISHED_MARKER not in METHOD_MARKERS
    assert PUBLISHED_MARKER not in {style.marker for style in alone.values()}
    assert {name for name, look in LOOKS if look and look != STYLES[name]} == set()


def test_a_users_methods_get_the_remaining_styles():
    names = ["resvm_resvm", *(f"mine_{k}" for k in range(25))]
    assert len(set(spread_styles(names, STYLES).values())) == 26


@pytest.mark.parametrize("vision", VISIONS)
def test_colors_of_methods_and_verdicts_differ_for_all_kinds_of_color_vision(vision):
    verdicts = {verdict: fill for verdict, (_, fill) in VERDICT_MARKERS.items()}
    assert set(verdicts) == set(VERDICTS)
    for colors in (COLORS, verdicts):
        for (one, first), (other, second) in combinations(colors.items(), 2):
            assert np.linalg.norm(lab(first, vision) - lab(second, vision)) >= 15, (one, other)
