"""Sphinx configuration: MyST pages, docstrings in NumPy style, furo theme."""

import tomllib
from pathlib import Path

_FACADE = Path(__file__).parent.parent / "packages" / "unshape" / "pyproject.toml"

project = "unshape"
author = "The unshape developers"
copyright = "2026, The unshape developers"
release = tomllib.loads(_FACADE.read_text(encoding="utf-8"))["project"]["version"]
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"unshape {release}"

autodoc_member_order = "bysource"
autodoc_typehints = "description"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
napoleon_google_docstring = False
