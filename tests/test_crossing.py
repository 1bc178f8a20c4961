"""The pages of OPU and PCES quote the numbers that docs/studies/crossing.py computes."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TIDY = ROOT / "figures" / "paper" / "tidy"

#: The format in which the pages quote each number.
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
def test_pages_quote_the_numbers_of_the_script():
    script = runpy.run_path(str(ROOT / "docs" / "studies" / "crossing.py"))
    for study, numbers in script["measured"](TIDY).items():
        page = (ROOT / "studies" / study / "page.md").read_text(encoding="utf-8")
        section = re.search(r"^### (?:Mushroom follows|What choosing among readings shows).*?(?=^## )", page, re.M | re.S)[0]
        for name in QUOTED.keys() & numbers.keys():
            shown = QUOTED[name].format(numbers[name])
            words = f"loses {shown[1:]}" if shown.startswith("-") else shown
            assert re.search(rf"(?<![\d.]){words}(?![\d.]\d)", section), f"{study}: {name}"
