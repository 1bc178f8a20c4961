"""The docs' table of network defaults matches the measured fits and marks the default."""

import runpy
from pathlib import Path

from pulib.neural import NeuralPUClassifier

DOCS = Path(__file__).parents[1] / "docs"


def test_table_matches_the_fits_and_marks_the_default():
    script = runpy.run_path(str(DOCS / "network_defaults.py"))
    assert any(script["table"]() in page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    chosen = {**script["BASE"], **script["GRID"][script["CHOSEN"]]} | {"n_threads": None}
    assert {name: value for name, value in NeuralPUClassifier().get_params().items() if name in chosen} == chosen
