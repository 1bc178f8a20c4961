"""The data dictionary describes the archived files: names, types, and values of all columns."""

import json
import re
import runpy
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
ARCHIVE = ROOT / "figures" / "paper"
PACKAGE = json.loads((ARCHIVE / "datapackage.json").read_text(encoding="utf-8"))
FILES = {
    path: resource["schema"]["fields"]
    for resource in PACKAGE["resources"]
    for path in ([resource["path"]] if isinstance(resource["path"], str) else resource["path"])
}
TYPES = {"number": pd.api.types.is_numeric_dtype, "integer": pd.api.types.is_integer_dtype}


def read(path):
    file = ARCHIVE / path
    texts = {field["name"]: str for field in FILES[path] if field["type"] == "string"}
    return pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_csv(file, dtype=texts, low_memory=False)


def test_dictionary_covers_the_scoreboard_and_every_tidy_file():
    there = {file.relative_to(ARCHIVE).as_posix() for file in (ARCHIVE / "tidy").glob("*.parquet")}
    assert set(FILES) == there | {"scoreboard.csv"}


@pytest.mark.parametrize("path", FILES)
def test_columns_match_the_dictionary(path):
    frame, fields = read(path), FILES[path]
    assert list(frame.columns) == [field["name"] for field in fields]
    for field in fields:
        column, name = frame[field["name"]].drop_duplicates(), field["name"]
        assert len(field["description"]) > 4
        if field["type"] in TYPES:
            assert TYPES[field["type"]](column.dtype), name
        else:
            assert not pd.api.types.is_numeric_dtype(column.dropna().infer_objects().dtype) or column.isna().all(), name
        if known := field.get("constraints", {}).get("enum"):
            assert set(column.dropna().astype(str)) - {""} <= set(known), name


def test_example_recomputes_the_headline_in_twenty_lines(capsys):
    script = ROOT / "docs" / "headline.py"
    lines = [line for line in script.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= 20
    runpy.run_path(str(script), run_name="__main__")
    n, size, ratio, expected, gap = re.findall(r"[\d.]+", capsys.readouterr().out)
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"We reproduce {n} of {size} published performances" in front
    assert f"would reproduce about {expected} (ratio {ratio}%" in front
    assert float(gap) < 1e-3
