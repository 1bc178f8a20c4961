"""The pages of OPU and PCES quote what crossing the published readings gives."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
TIDY = ROOT / "figures" / "paper" / "tidy"


@pytest.fixture(scope="module")
def crossing():
    spec = importlib.util.spec_from_file_location("crossing", ROOT / "docs" / "studies" / "crossing.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(values, sd=1.0):
    index = pd.MultiIndex.from_tuples([(f"set {k // 3}", f"row {k}", "a") for k in range(len(values))])
    index.names = ["dataset", "row", "column"]
    return pd.DataFrame({"mean": np.asarray(values, dtype=float), "sd": sd}, index=index)


def reading(paper, shift):
    return pd.DataFrame({"mean": paper["mean"] + shift, "std": 0.5, "count": 20})


def test_a_reading_that_is_the_paper_s_is_chosen_and_agrees_everywhere(crossing):
    paper = table([60, 70, 80, 65, 75, 85])
    found = crossing.crossing({"main": reading(paper, 8.0), "true": reading(paper, 0.2)}, paper, "main", 5)
    assert found["agree, main reading"] == 0
    assert found["agree, closest reading"] == found["agree in some reading"] == 6
    assert found["distance out of sample, chosen reading"] == pytest.approx(0.2)
    assert found["distance out of sample, main reading"] == pytest.approx(8.0)
    assert found["gain of the choice, cells"] == 6


def test_published_values_stay_within_their_data_set_when_they_are_permuted(crossing):
    paper = table([60, 70, 80, 65, 75, 85])
    other = crossing.permuted(paper, np.random.default_rng(0))
    assert (other.groupby("dataset")["mean"].apply(sorted) == paper.groupby("dataset")["mean"].apply(sorted)).all()
    assert not other.equals(paper)


#: What the section of each page quotes, and how.
QUOTED = {
    "readings": "{:.0f} readings",
    "agree, main reading": "{:.0f}",
    "agree, closest reading": "{:.0f}",
    "agree in some reading": "{:.0f}",
    "gain under placebo, mean": "{:.1f}",
    "gain under placebo, sd": "{:.1f}",
    "distance out of sample, chosen reading": "{:.1f}",
    "distance out of sample, main reading": "{:.1f}",
    "cells that agree, file order": "{:.0f}",
    "cells that agree, no bias": "{:.0f}",
    "Mushroom, distance, file order": "{:.1f}",
    "Mushroom, distance, no bias": "{:.1f}",
    "Phishing, distance, file order": "{:.1f}",
    "Phishing, distance, no bias": "{:.1f}",
    "Mushroom, lead in nats": "{:.0f}",
    "Mushroom, lead under placebo, mean": "{:.0f}",
    "Mushroom, lead under placebo, sd": "{:.0f}",
}


@pytest.mark.slow
@pytest.mark.skipif(not TIDY.is_dir(), reason="no published results beside the tests")
def test_the_pages_quote_what_the_script_prints(crossing):
    for study, numbers in crossing.measured(TIDY).items():
        page = (ROOT / "studies" / study / "page.md").read_text(encoding="utf-8")
        section = re.search(r"^### (?:Mushroom follows|What choosing among readings shows).*?(?=^## )", page, re.M | re.S)[0]
        for name in QUOTED.keys() & numbers.keys():
            shown = QUOTED[name].format(numbers[name])
            words = f"loses {shown[1:]}" if shown.startswith("-") else shown
            assert re.search(rf"(?<![\d.]){words}(?![\d.]\d)", section), f"{study}: {name}"
