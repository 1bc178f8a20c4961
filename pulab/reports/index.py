"""The first page of what is published: every table and figure of every study, linked, for those who browse the repository."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader


def index_page(studies: Mapping[str, Mapping[str, Any]], preset: str) -> str:
    """Markdown with a section per study.

    Parameters
    ----------
    studies : mapping
        By name: ``title``, and ``tables`` and ``figures``, from a name to its title.
    preset : str
        Whose results are published.
    """
    environment = Environment(loader=PackageLoader("pulab.reports"), trim_blocks=True, lstrip_blocks=True, autoescape=False)
    return environment.get_template("index.md").render(studies=studies, preset=preset)
