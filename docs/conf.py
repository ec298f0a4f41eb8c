"""The documentation as a site: ``make docs``. Sphinx, as MkDocs is no longer maintained and Sphinx documents Python."""  # noqa: INP001

project = "Discern"
author = "the Discern team"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "Discern"

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
# Links to files of the repository that are no pages of this site; `tests/test_documents.py` follows them.
suppress_warnings = ["myst.xref_missing"]

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# Models' libraries are large, and no signature needs them.
autodoc_mock_imports = ["torch", "transformers", "vllm"]
