"""Sphinx: ``pip install -e '.[docs]' && sphinx-build -W docs docs/_build/html``."""

import re

import pulib

project = "pulib"
author = "The pulib developers"
copyright = author
version = release = pulib.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
html_theme = "alabaster"
html_theme_options = {"description": "Learning from positive and unlabeled data", "page_width": "1080px"}
html_static_path: list[str] = []

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc tells the types in words
autodoc_default_options = {"members": True, "inherited-members": False}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
myst_heading_anchors = 3
# pages link to files of the repository that are no pages
suppress_warnings = ["myst.xref_missing"]


def escape_signs(app, what, name, obj, options, lines):
    """Docstrings are read in terminals first, where ``|U|`` is a size and ``prior_`` a name: not so in reStructuredText."""
    for i, line in enumerate(lines):
        line = re.sub(r"(?<![`\\|])\|([^|`\s]+(?: [−+·/*] [^|`\s]+)*)\|", r"\\|\1\\|", line)
        lines[i] = re.sub(r"(?<![`*\w\\.:])(\w*[a-z])_(?=[\s,.;)]|$)", r"\1\\_", line)


def skip_routing(app, what, name, obj, skip, options):
    """scikit-learn writes ``set_fit_request`` and its like; their text refers to pages of scikit-learn's own."""
    return True if re.fullmatch(r"set_\w+_request|get_metadata_routing", name) else None


def setup(app):
    app.connect("autodoc-skip-member", skip_routing)
    app.connect("autodoc-process-docstring", escape_signs, priority=900)  # after numpydoc
