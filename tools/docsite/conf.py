# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of Sphinx for the site that `make docs` builds."""

project = "eessi.arch_guard"
copyright = "eessi.arch_guard contributors"
title = html_short_title = "eessi.arch_guard"

extensions = ["myst_parser", "sphinx_antsibull_ext"]
# GitHub makes anchors of headings, and the pages link to them.
myst_heading_anchors = 3

html_theme = "sphinx_ansible_theme"
html_show_sphinx = False
html_use_modindex = False
html_use_index = False
html_copy_source = False
pygments_style = "ansible"
highlight_language = "YAML+Jinja"
default_role = "any"
# References of Ansible's own documentation, which is not part of this site.
suppress_warnings = ["ref.ref", "ref.any"]
