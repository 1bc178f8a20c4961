"""Which data sets a figure has panels for, and what its note says of the others."""

import pandas as pd

from pulab.figures.panels import missing_note, panel_sets
from pulab.plan import Method, Preset
from pulab.tables import Results
from tests.pulab.toy import study_of

#: Data sets of a figure, its own titles, and what the registry and the methods are called.
SETS, TITLES = ["a", "b", "c", "d"], {"d": "D, 82k rows"}


def results_of(stand_ins=None, **titles):
    methods = [Method(name=name, label=name.upper(), estimator="p.M") for name in ("x", "y", "z")]
    study = study_of(methods=methods, presets={"quick": Preset(experiments=[], stand_ins=stand_ins or {})})
    return Results(study, "quick", study.methods_of("quick"), {"a": "A", "b": "B", "c": "C", **titles}, "", "")


def rows(*entries):
    return pd.DataFrame(entries, columns=["dataset", "method", "status", "message"])


def test_the_note_says_what_is_missing_and_why():
    tidy = rows(
        ("a", "x", "ok", ""),
        ("a", "y", "unavailable", "needs a GPU"),
        ("b", "x", "unavailable", "b.bz2 could not be downloaded (https://host/b.bz2)"),
        ("b", "y", "unavailable", "b.bz2 could not be downloaded (https://host/b.bz2)"),
        ("d", "x", "ok", ""),
        ("d", "y", "ok", ""),
        ("d", "z", "unavailable", "of another figure"),
    )
    note = missing_note(results_of(), tidy, SETS, ["x", "y"], TITLES)
    assert note == "Not shown: Y on A (needs a GPU); B (could not be downloaded); C (not part of this run)."
    assert missing_note(results_of(), tidy, ["d"], ["x", "y"]) == ""
    # what another set stands in for is named in its panel's title
    assert missing_note(results_of({"b": "a"}), tidy, ["b"], ["x", "y"]) == ""


def test_sets_of_panels():
    assert panel_sets(results_of({"b": "digits", "c": "digits"}), SETS, ["a", "digits"]) == {
        "a": "A",
        "digits": "digits (stand-in)",
    }
    # a set that both stands in and is wanted for itself is no stand-in
    assert panel_sets(results_of({"b": "a"}), ["b", "a"], ["a"]) == {"a": "A"}
    assert panel_sets(results_of(), SETS, ["d"], TITLES) == {"d": "D, 82k rows"}
