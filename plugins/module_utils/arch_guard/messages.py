# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""What the guard says to the user of a job, in one line each."""

from .text import clean

PREFIX = "eessi-arch-guard: "
UNCHANGED = "environment left as it was"
ABOUT_NODE = {
    "archdetect-failed": "what this node is could not be detected",
    "no-software-dir": "EESSI has no software for this node",
    "guard-error": "the guard itself failed",
}


def reloaded(verdict):
    """Return the message of a reload that was done."""
    return "%sreloaded modules for %s (loaded for %s)" % (PREFIX, verdict.node, verdict.loaded)


def still_old(verdict, names):
    """Return the message about variables (list of str) that lead into the old target's tree after a reload."""
    return "%sstill pointing into the tree of %s: %s" % (PREFIX, verdict.loaded, clean(", ".join(names), 1000))


def failed(verdict):
    """Return the message of a failure, which ends with the state that things are in."""
    about_node = ABOUT_NODE.get(verdict.word, "this node is %s" % verdict.node)
    return "%s%s, the modules were loaded for %s; %s; %s" % (
        PREFIX, about_node, verdict.loaded, verdict.reason, UNCHANGED
    )


def not_available(names):
    """Return the reason of a failure for lack of modules, ``names`` in the order in which they were loaded."""
    return "not available for this target: %s" % clean(", ".join(names), 3000)
