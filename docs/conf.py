"""How Sphinx makes the site of the pages in this folder; `python3 dev.py docs` runs it."""

import os
import sys
from pathlib import Path

import handful

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "_ext"))

# Examples draw into files.
os.environ["MPLBACKEND"] = "Agg"

project = "handful"
author = "handful developers"
copyright = "handful developers, BSD-3-Clause"  # noqa: A001
version = release = handful.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "repository_pages",
    "all_sentences",
    "own_members",
    "mathml",
    "no_mail",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_*"]
templates_path = ["_templates"]

# ------------------------------------------------------------------ pages

# Headings have the anchors that they have where the repository is shown.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
myst_links_external_new_tab = False
# Nothing is downloaded for a build, so names of other packages are known by this list only.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(sklearn|numpy|np|scipy|sp|pandas|matplotlib|torch|dask)\..*"),
]

# -------------------------------------------------------------- reference

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_use_plots = False

# ---------------------------------------------------------------- gallery

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "gallery_order.place_in_gallery",
    "parallel": 2,
    "capture_repr": ("_repr_html_",),
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 1e6,
    "write_computation_times": False,  # its page would load scripts from elsewhere
    "show_memory": False,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
}

# ------------------------------------------------------------------- html

html_theme = "pydata_sphinx_theme"
html_title = "handful"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
# A summary is fetched from each page found, which no browser does in a folder on disk.
html_show_search_summary = False
html_context = {"default_mode": "auto"}
# Pages without others below them need no list of those at their side.
ALONE = ("index", "coming-from", "errors", "glossary", "project/*", "source/**")
html_sidebars = {page: [] for page in ALONE}
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version", "theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
