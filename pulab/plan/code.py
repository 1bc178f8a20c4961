"""The part of a module's source that can change a number: its code, without comments and docstrings."""

from __future__ import annotations

import re

#: Strings are matched as a whole, so that no part of one is taken for a comment or a docstring.
_LONG = r'"{3}(?:\\.|[^\\])*?"{3}'
_STRING = rf"{_LONG}|'{{3}}(?:\\.|[^\\])*?'{{3}}|" + r'"(?:\\.|[^"\\])*"' + r"|'(?:\\.|[^'\\])*'"
_COMMENT = re.compile(rf"({_STRING})|#[^\n]*", re.DOTALL)
_DOCSTRING = re.compile(rf"((?:\A|:[ ]*\n)\s*)[rR]?{_LONG}|({_STRING})", re.DOTALL)
_EMPTY = re.compile(rf"({_STRING})|\s+(?=\n)", re.DOTALL)


def code_of(source: str) -> str:
    """Return Python source without comments, docstrings and empty lines.

    >>> code_of("x = 1  # one\\n\\n\\ny = '# two'\\n")
    "x = 1\\ny = '# two'"
    """
    code = _DOCSTRING.sub(r"\1\2", _COMMENT.sub(r"\1", source))
    return _EMPTY.sub(r"\1", code).strip()
