"""Tables and figures of studies: each that a study lists has a function, and each function is of one that it lists."""

import inspect
from importlib import import_module
from typing import get_args

import pytest

from pulab.plan import Shown
from pulab.plan.load import folder_of, load_study, study_names
from pulab.plan.study import Reading
from pulab.tables.verdict import KINDS

STUDIES = {name: load_study(name) for name in study_names()}
SHOWN = [(name, section) for name in STUDIES for section in ("tables", "figures")]


@pytest.mark.parametrize(("name", "section"), SHOWN)
def test_each_table_and_figure_has_a_function_of_results_and_the_paper(name, section):
    module = import_module(f"{STUDIES[name].module}.{section}")
    shown = getattr(STUDIES[name], section)
    assert shown
    for own in shown:
        inspect.signature(getattr(module, own)).bind("results", "paper")


@pytest.mark.parametrize(("name", "section"), SHOWN)
def test_no_function_is_there_for_nothing(name, section):
    """A public function that is called like a table or a figure is shown."""
    module = import_module(f"{STUDIES[name].module}.{section}")
    kind = section.removesuffix("s")
    found = {own for own, value in vars(module).items() if own.startswith(kind) and own != kind and inspect.isfunction(value)}
    own = {word for word in found if vars(module)[word].__module__.startswith(STUDIES[name].module)}
    assert own <= getattr(STUDIES[name], section).keys()


@pytest.mark.parametrize("name", STUDIES)
def test_what_is_shown_says_it_in_known_words(name):
    study = STUDIES[name]
    for shown in (*study.tables.values(), *study.figures.values()):
        assert isinstance(shown, Shown)
        assert shown.title
        assert shown.cells in ("", *KINDS)
        assert shown.reading in get_args(Reading)
        assert shown.first_repeats is None or shown.first_repeats >= 1
        assert not shown.published or (folder_of(study) / "published.csv").is_file()
    assert not study.tables.keys() & study.figures.keys(), "a file has the name of one of them"
    assert all(shown.caption for shown in study.figures.values())
    assert len({shown.title for shown in study.figures.values()}) == len(study.figures)
