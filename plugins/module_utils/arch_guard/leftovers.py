# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The file that a failing accelpath leaves in /tmp."""

import os
import stat

DIRECTORY = "/tmp"
# eessi_archdetect.sh 1.2.0: mktemp -p /tmp nvidia_smi_out.XXXXX, removed only when nvidia-smi succeeds.
PREFIX = "nvidia_smi_out."
# What accelpath asks nvidia-smi for is four values a GPU.
COMMAS = 3
SHOWN = 512


def remove(since, directory=DIRECTORY):
    """Remove the file that the accelpath started at ``since`` (time.time, seconds) left; return its first line (bytes).

    Only where there is no doubt: one file of that name, ours, made since then, with a complaint in it. Another accelpath
    of the same user may run at that moment, and has to find its own file; that is empty, or holds GPUs.
    """
    left = []
    try:
        names = os.listdir(directory)
    except OSError:
        # No /tmp to be read is no /tmp that the script could have written to.
        return b""
    for name in names:
        if name.startswith(PREFIX):
            path = "%s/%s" % (directory, name)
            try:
                status = os.lstat(path)
            except OSError:
                # Gone meanwhile: it was another's.
                continue
            if _is_ours(status, since):
                left.append(path)
    if len(left) != 1:
        return b""
    try:
        descriptor = os.open(left[0], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            # Looked at again: everybody can put something else under that name.
            if not _is_ours(os.fstat(descriptor), since):
                return b""
            said = os.read(descriptor, SHOWN).strip().partition(b"\n")[0]
        finally:
            os.close(descriptor)
        if not said or said.count(b",") >= COMMAS:
            return b""
        os.unlink(left[0])
    except OSError:
        return b""
    return said


def _is_ours(status, since):
    """Tell whether the script made the file. One with a second name could be any file of ours, linked to by another."""
    return (stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and status.st_nlink == 1
            and status.st_ctime >= since - 0.01)
