# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Environment -> checked settings of one EESSI version."""

from .errors import ArchdetectFailed
from .text import clean

SEGMENT_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-")
DEFAULT_CPUINFO = "/proc/cpuinfo"

# A user who sets one of these has chosen the CPU target: EESSI's module obeys them, and so does the guard.
CPU_PINS = ("EESSI_SOFTWARE_SUBDIR_OVERRIDE", "EESSI_ARCHDETECT_OPTIONS_OVERRIDE")
ACCELERATOR_PIN = "EESSI_ACCELERATOR_TARGET_OVERRIDE"


class Settings(object):
    """Where EESSI lies on this node. All values are checked str.

    ``prefix``: ``<repository>/versions/<version>``; ``init_prefix``: directory of eessi_archdetect.sh;
    ``os_type``: for example ``linux``; ``cpuinfo``: path of the file with the CPU flags;
    ``compare_accelerator``: False where the user chose the accelerator target.
    """

    def __init__(self, prefix, init_prefix, os_type, cpuinfo=DEFAULT_CPUINFO, compare_accelerator=True):
        self.prefix = absolute_path("EESSI_PREFIX", prefix)
        self.init_prefix = absolute_path("EESSI_INIT_PREFIX", init_prefix)
        self.os_type = relative_subdirectory("EESSI_OS_TYPE", os_type)
        self.cpuinfo = cpuinfo
        self.compare_accelerator = compare_accelerator

    @property
    def script(self):
        """Path of eessi_archdetect.sh."""
        return self.init_prefix + "/eessi_archdetect.sh"

    @property
    def software(self):
        """Directory that holds one directory per CPU target."""
        return "%s/software/%s" % (self.prefix, self.os_type)

    def software_directory(self, candidate):
        """Directory whose existence makes ``candidate`` an installed CPU target."""
        return "%s/%s/software" % (self.software, candidate)


def read(environ):
    """Return the Settings that ``environ`` (a mapping of str) holds; raise ArchdetectFailed for a bad value."""
    return Settings(
        environ.get("EESSI_PREFIX", ""),
        environ.get("EESSI_INIT_PREFIX", ""),
        environ.get("EESSI_OS_TYPE", ""),
        environ.get("EESSI_PROC_CPUINFO") or DEFAULT_CPUINFO,
        not environ.get(ACCELERATOR_PIN),
    )


def chosen_by_user(environ):
    """Return the name of the variable by which the user chose the CPU target, or None."""
    for name in CPU_PINS:
        if environ.get(name):
            return name
    return None


def repository_of(prefix):
    """Return the repository that ``prefix`` is a version of: ``/cvmfs/x`` for ``/cvmfs/x/versions/2023.06``."""
    head, found, tail = prefix.rstrip("/").rpartition("/versions/")
    return head if found and tail and "/" not in tail else prefix


def is_absolute_path(value):
    """Tell whether ``value`` is an absolute path with no .. segment and no CR, LF or NUL."""
    return value.startswith("/") and ".." not in value.split("/") and not any(char in value for char in "\r\n\0")


def is_relative_subdirectory(value):
    """Tell whether ``value`` is a relative path of plain segments: no empty one, no . or .., [A-Za-z0-9_.+-] only."""
    return all(
        segment not in ("", ".", "..") and SEGMENT_CHARACTERS.issuperset(segment) for segment in value.split("/")
    )


def absolute_path(name, value):
    """Return ``value`` where it is an absolute path as above; raise ArchdetectFailed that names the setting."""
    if not is_absolute_path(value):
        raise ArchdetectFailed(
            "%s is '%s', but it has to be an absolute path without a .. segment, CR, LF or NUL" % (name, clean(value))
            if value else "%s is not set" % name
        )
    return value


def relative_subdirectory(name, value):
    """Return ``value`` where it is a relative subdirectory as above; raise ArchdetectFailed that names the setting."""
    if not is_relative_subdirectory(value):
        raise ArchdetectFailed(
            "%s is '%s', but it has to be a relative subdirectory of segments from A-Z a-z 0-9 _ . + -, "
            "none of them empty, . or .." % (name, clean(value))
            if value else "%s is not set" % name
        )
    return value
