"""What of a module's source counts as its code, against Python's own tokens."""

import io
import shutil
import tokenize
from pathlib import Path

import pytest

from pulab.plan import identity
from pulab.plan.code import code_of
from tests.pulab.toy import FOREST

ROOT = Path(__file__).resolve().parents[2]
IGNORED = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def statements(source):
    """The tokens of each statement, without comments, and without statements that are only a string, as docstrings are."""
    found, statement = [], []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NEWLINE:
            found += [] if [part.type for part in statement] == [tokenize.STRING] else [[part.string for part in statement]]
            statement = []
        elif token.type not in IGNORED:
            statement.append(token)
    return found


@pytest.mark.parametrize("room", ["pulib", "pulab", "studies"])
def test_comments_and_docstrings_are_left_out_and_nothing_else(room):
    for file in sorted((ROOT / room).rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        assert statements(code_of(source)) == statements(source), file


@pytest.mark.parametrize(
    "code",
    [
        's = "# no comment"',
        "s = '''\n\n# no comment\n\n'''",
        's = "a:\\n" + """no docstring"""',
        's = """\ndef f():\n    \'no docstring\'\n"""',
        's = "\\"# no comment"',
        'f(\n    """no docstring""",\n)',
        'd = {"a": """\n\nno docstring"""}',
    ],
)
def test_a_string_that_looks_like_a_comment_or_a_docstring_is_code(code):
    assert code_of(code) == code


@pytest.mark.parametrize(
    "text",
    [
        '"""Of the module."""\n\ndef f():\n    return 1\n',
        "# A comment.\ndef f():\n\n\n    return 1  # Another.",
        'def f():\n    r"""Of a function, in raw form: \\d."""\n    return 1\n',
        'def f():  # Of f.\n    # Twice.\n    """A docstring\n\n    in "three" lines.\n    """\n\n    return 1\n',
    ],
)
def test_other_words_are_the_same_code(text):
    assert code_of(text) == "def f():\n    return 1"


def test_the_label_of_a_trial_follows_the_code_of_its_classes_and_no_comment(tmp_path, monkeypatch):
    for place in ("pulib", "pulab/trials"):
        shutil.copytree(ROOT / place, tmp_path / place, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "own_study").mkdir()
    (tmp_path / "own_study" / "protocol.py").write_text("from .helper import fit\nfrom . import (\n    first,\n    last,\n)\n")
    for module in ("helper", "first", "last", "tables"):
        (tmp_path / "own_study" / f"{module}.py").write_text("import numpy\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(identity, "ROOT", tmp_path)

    def label_after(place, before, after):
        file = tmp_path / place
        text = file.read_text(encoding="utf-8")
        assert before in text
        file.write_text(text.replace(before, after, 1), encoding="utf-8")
        identity._code_in.cache_clear()
        return identity._source.__wrapped__(frozenset({FOREST}), "own_study")

    risks = "pulib/_trees/_risks.py"
    label = label_after(risks, "import", "import")
    assert label_after(risks, '"""', '"""Anew. ') == label
    assert label_after(risks, "\nfrom", "\n# a comment\nfrom") == label
    for place in ("pulib/svm/_smo.py", "own_study/tables.py"):
        assert label_after(place, "import", "import os\nimport") == label
    own = [f"own_study/{module}.py" for module in ("helper", "first", "last")]
    counted = (risks, *own, "pulab/trials/protocol.py")
    assert len({label_after(place, "import", "import os\nimport") for place in counted} - {label}) == 5
