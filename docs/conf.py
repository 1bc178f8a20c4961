"""Sphinx: ``pip install -e '.[all,docs]' && sphinx-build -W docs docs/_build/html``."""

import json
import re
from importlib.metadata import metadata
from pathlib import Path

from docutils.nodes import SkipNode, literal, reference
from latex2mathml.converter import convert
from sphinx.addnodes import pending_xref
from sphinx_gallery.sorting import ExplicitOrder

import pulib

project = "pulib"
author = "The pulib developers"
copyright = author
release = pulib.__version__
version = release.partition("+")[0]
urls = dict(line.split(", ", 1) for line in metadata("positive-unlabeled").get_all("Project-URL") or [])
repository = urls.get("Repository", "")
versions = json.loads(Path(__file__).with_name("_static").joinpath("switcher.json").read_text(encoding="utf-8"))
released = "dev" not in release and "unknown" not in release
this_version = {entry["version"]: entry["name"] for entry in versions}[version if released else "dev"]

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = f"pulib {version}"
html_theme_options = {
    "logo": {"text": "pulib"},
    "icon_links": [{"name": "Repository", "url": repository, "icon": "fa-brands fa-github"}] if repository else [],
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    "footer_start": ["copyright"],
    "footer_end": ["licenses-link"],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
}
html_static_path = ["_static"]
html_extra_path = ["../LICENSE"]
html_context = {"versions": versions, "this_version": this_version}
html_css_files = ["pages.css"]
html_show_sourcelink = False
html_math_renderer = "mathml"  # browsers set it themselves: no script, no network

# Pages of other projects are not looked up: the build needs no network.
nitpick_ignore_regex = [
    (r"py:.*", r"(sklearn|numpy|np|scipy|pandas|pd|matplotlib|joblib|numba|torch|pathlib|collections|typing)\b.*")
]

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc tells the types in words
autodoc_default_options = {"members": True, "inherited-members": False}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"  # prompts and output stay behind

ORDER = [
    "which",
    "no_prior",
    "reliable",
    "prior",
    "tuning",
    "scores",
    "calibration",
    "wrong_labels",
    "biased",
    "stream",
    "expansion",
]
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": "/plot_",
    "within_subsection_order": ExplicitOrder([f"plot_{name}.py" for name in ORDER]),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 60,
    "doc_module": ("pulib",),
    "backreferences_dir": "generated/backreferences",
    "copyfile_regex": "",
}


def display_math(self, node):
    self.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise SkipNode


def inline_math(self, node):
    self.body.append(convert(node.astext()))
    raise SkipNode


def escape_signs(app, what, name, obj, options, lines):
    """Docstrings are read in terminals first, where ``|U|`` is a size and ``prior_`` a name: not so in reStructuredText."""
    for i, line in enumerate(lines):
        line = re.sub(r"(?<![`\\|])\|([^|`\s]+(?: [−+·/*] [^|`\s]+)*)\|", r"\\|\1\\|", line)
        lines[i] = re.sub(r"(?<![`*\w\\.:])(\w*[a-z])_(?=[\s,.;)]|$)", r"\1\\_", line)


def skip_routing(app, what, name, obj, skip, options):
    """scikit-learn writes ``set_fit_request`` and its like; their text refers to pages of scikit-learn's own."""
    return True if re.fullmatch(r"set_\w+_request|get_metadata_routing", name) else None


def link_names(app, doctree):
    """Names of public classes and functions in running text lead to the reference."""
    for name in list(doctree.findall(literal)):
        called = name.astext().partition("(")[0].removeprefix("pulib.")
        if called in pulib.__all__ and not isinstance(name.parent, (pending_xref, reference)):
            link = pending_xref("", refdomain="py", reftype="obj", reftarget=f"pulib.{called}", refdoc=app.env.docname)
            name.replace_self(link)
            link += name


def setup(app):
    app.add_html_math_renderer("mathml", (inline_math, None), (display_math, None))
    app.connect("doctree-read", link_names)
    app.connect("autodoc-skip-member", skip_routing)
    app.connect("autodoc-process-docstring", escape_signs, priority=900)  # after numpydoc
