# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible's markup in documentation (C(), V(), O(), E() ...) -> Markdown."""

import re

# O(name=value), RV(path) and the like may carry the name of another plugin: P(name#type).
MARK = re.compile(r"\b(?:C|V|O|RV|E|M|P|I|B)\(([^()]*)\)")


def markdown(text):
    """The Markdown of one text; what is marked becomes code."""
    return MARK.sub(lambda found: "`" + found[1].partition("#")[0] + "`", text)


def sentences(description):
    """The Markdown of a description, a text or a list of texts, in one line."""
    return markdown(" ".join([description] if isinstance(description, str) else description))
