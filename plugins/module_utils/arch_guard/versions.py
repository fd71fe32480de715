# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The EESSI versions that a repository holds."""

from .errors import ArchdetectFailed, CannotRead

REPOSITORY = "/cvmfs/software.eessi.io"


def newest_prefix(node, deadline, repository=REPOSITORY):
    """Return the directory of the newest EESSI version in ``repository``; raise ArchdetectFailed where there is none.

    ``node``: node.Node; ``deadline``: time.monotonic, seconds.
    """
    versions = repository + "/versions"
    try:
        names = node.entries(versions, deadline)
    except CannotRead as error:
        raise ArchdetectFailed("no EESSI on this node: %s" % error) from error
    newest = newest_of(names)
    if newest is None:
        raise ArchdetectFailed("no EESSI on this node: %s holds no version" % versions)
    return "%s/%s" % (versions, newest)


def newest_of(names):
    """Return the newest version of ``names`` (str), or None where none is a version such as 2023.06."""
    ordered = sorted((numbers, name) for numbers, name in ((_numbers(name), name) for name in names) if numbers)
    return ordered[-1][1] if ordered else None


def _numbers(name):
    """Return [year, month] of a version's name, None for any other name."""
    year, dot, month = name.partition(".")
    if len(year) == 4 and len(month) == 2 and dot and (year + month).isdecimal():
        return [int(year), int(month)]
    return None
