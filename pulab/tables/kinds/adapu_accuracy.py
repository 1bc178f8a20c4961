"""Table 2 of the Ada-PU paper: accuracy of every method on every data set, the published values next to ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulab.tables import read_published, write_study_table
from pulab.tables.adapu import accuracy_cells
from pulab.tables.inputs import Inputs


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    published = read_published(inputs.published, spec["published"])
    write_study_table(spec, accuracy_cells(inputs.results, published, spec), paths)
