"""What holds for the configuration files, whatever they say."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_line_is_longer_than_a_reader_s_window():
    files = sorted((ROOT / "config").rglob("*.yaml"))
    assert len(files) > 10
    lines = [(file, number, line) for file in files for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)]
    assert not [f"{file.relative_to(ROOT)}:{number}" for file, number, line in lines if len(line) > 160]
