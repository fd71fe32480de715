# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The command eessi-arch-guard. Without an argument it is Slurm's TaskProlog."""

import os

from . import __version__, process, verdict
from .node import Node, environment_of_this_process
from .prolog import Site, Step, answer, is_first_of_node

USAGE = """usage: eessi-arch-guard [facts | explain | --version | --help]

Without an argument it answers as Slurm's TaskProlog: nothing where EESSI is not loaded or is loaded for this node,
otherwise the lines that load the modules for this node, or the reason why not.

  facts      what this node is to EESSI, as one line of JSON
  explain    the same in words
  --version  the version of the guard
"""
# The start script keeps these from the interpreter, which must not load the libraries of a job.
KEPT = "EESSI_ARCH_GUARD_KEPT_"
BAD_USAGE = 2
# Tells the start script that the lines are those of a failure which the site wants to end the task.
ABORT = 3
# Seconds beyond the budget after which the process is ended, should anything in it hang that no deadline covers.
GRACE = 1.5


def main(arguments):
    """Run the command.

    ``arguments``: list of str: the four settings of the site (see Site), what the start script found out about the
    step (see Step), then the user's own. Nothing is left in a buffer: the start script ends the interpreter at once.
    """
    process.reserve_standard_descriptors()
    site = Site(float(arguments[0]), int(arguments[1]), arguments[2], arguments[3])
    node = Node(restored(environment_of_this_process()))
    asked = arguments[7:]
    if not asked:
        return _task_prolog(node, site, Step(*arguments[4:7]))
    if asked == ["--version"]:
        write(("eessi-arch-guard %s\n" % __version__).encode("ascii"))
        return 0
    if asked in (["facts"], ["explain"]):
        from . import report

        write(report.make(asked[0], node).encode("utf-8"))
        return 0
    if asked == ["--help"]:
        write(USAGE.encode("ascii"))
        return 0
    os.write(2, USAGE.encode("ascii"))
    return BAD_USAGE


def _task_prolog(node, site, step):
    process.end_within(site.budget + GRACE)
    given = answer(node, site, step)
    write(given.output(node.environ))
    if site.log == "syslog" and given.spoken and is_first_of_node(node.environ):
        from . import log

        log.send(log.line(given.verdict, node.environ))
    failed = given.spoken and given.verdict.kind == verdict.FAILURE
    return ABORT if failed and site.on_failure == "abort" else 0


def restored(environ):
    """Return ``environ`` with the variables that the start script set aside as they came in."""
    kept = {name[len(KEPT):]: environ[name] for name in environ if name.startswith(KEPT)}
    whole = {name: environ[name] for name in environ if not name.startswith(KEPT)}
    whole.pop("LC_ALL", None)
    whole.update(kept)
    return whole


def write(data):
    """Write all of ``data`` (bytes) to stdout."""
    while data:
        data = data[os.write(1, data):]
