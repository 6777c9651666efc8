"""The documentation site: ``make docs``."""

from __future__ import annotations

import inspect
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.domains.python import PyObject

import firth

project = "Firth"
author = "The Firth developers"
copyright = author  # noqa: A001
version = release = firth.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["results/*.md", "_templates"]
templates_path = ["_templates"]

nb_execution_mode = "force"  # each time that a page is built; an error fails the build
nb_execution_raise_on_error = True
nb_execution_timeout = 3600  # of a cell that hangs
nb_execution_show_tb = True
nb_merge_streams = True
myst_enable_extensions = ["colon_fence", "attrs_block", "attrs_inline"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
strip_signature_backslash = True  # so that the underscore of `classes_` is shown

suppress_warnings = [
    "ref.python"
]  # words in the types of parameters, such as "documents", are not references

html_theme = "pydata_sphinx_theme"
html_title = "Firth"
html_static_path = ["_static"]
html_css_files = ["firth.css"]
html_favicon = "_static/firth.svg"
html_context = {"default_mode": "auto"}
html_search_scorer = str(Path(__file__).with_name("search.js"))
html_copy_source = False
html_show_sourcelink = False
html_theme_options: dict[str, Any] = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if tags.has("versions"):  # type: ignore[name-defined]  # noqa: F821  # one of several: make versions
    html_theme_options |= {
        "switcher": {"json_url": "../versions.json", "version_match": version},
        "check_switcher": False,  # it is written afterwards
        "show_version_warning_banner": True,
        "navbar_start": ["navbar-logo", "version-switcher"],
    }
html_sidebars: dict[str, list[str]] = {"index": [], "start": []}  # no pages below them
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


HIDDEN = {"check", "estimator", "load", "owner", "parameters", "save"}
"""Members that the parameters and the parts of a model share; they are called by Firth alone."""


def skip(_app: Any, kind: str, name: str, found: Any, skipped: bool, _options: Any) -> bool:
    """Leave out what every estimator inherits from scikit-learn, and what declares parameters."""
    if skipped or kind != "class":
        return skipped
    made = inspect.unwrap(getattr(found, "fget", None) or getattr(found, "__func__", found))
    module = getattr(made, "__module__", None) or ""
    foreign = callable(made) and not module.startswith("firth")
    return foreign or name in HIDDEN or module in {"firth.parameters", "firth.estimator"}


LONG_TABLE = 10
"""Rows of a table of the benchmarks, below the first section, from which on it is folded."""


def fold(app: Any, page: nodes.document) -> None:
    """Fold the long tables of the benchmarks, as those of the results are."""
    if app.env.docname != "benchmarks":
        return
    for section in list(page.findall(nodes.section))[1:]:
        for table in [child for child in section.children if isinstance(child, nodes.table)]:
            rows = sum(len(body.children) for body in table.findall(nodes.tbody))
            if rows < LONG_TABLE:
                continue
            names = ", ".join(entry.astext() for entry in next(table.findall(nodes.row)).children)
            opening = f"<details><summary>Table of {rows} rows: {escape(names)}</summary>"
            place = section.index(table)
            section.insert(place + 1, nodes.raw("", "</details>", format="html"))
            section.insert(place, nodes.raw("", opening, format="html"))


def unlink(_app: Any, page: nodes.document) -> None:
    """Words in the types of parameters, such as "shape" and "documents", do not link to attributes of that name."""
    for link in list(page.findall(addnodes.pending_xref)):
        name = link.get("reftarget", "")
        if link.get("reftype") == "class" and name.islower() and "." not in name:
            link.replace_self(link.children)


def setup(app: Any) -> None:
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    app.connect("autodoc-skip-member", skip)
    app.connect("doctree-read", fold)
    app.connect("doctree-read", unlink)
