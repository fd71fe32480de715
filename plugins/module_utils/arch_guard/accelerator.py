# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Answer of accelpath -> the accelerator target of the node."""

from .text import clean

OK = "ok"
NONE = "none"
ARCHDETECT_FAILED = "archdetect-failed"
DIGITS = frozenset("0123456789")
HEXADECIMAL = frozenset("0123456789abcdefABCDEF")

# Exit statuses of eessi_archdetect.sh 1.2.0.
NO_GPU = {2: "nvidia-smi was not found", 3: "nvidia-smi failed"}
# With these nothing of accelpath is left in /tmp: what lies there is that of another one, still at work.
LEAVE_NO_FILE = (0, 2)


class AcceleratorTarget(object):
    """The accelerator side of a detection.

    ``status``: OK, NONE or ARCHDETECT_FAILED; ``reason``: one line or ""; ``target``: str, "" for none;
    ``archdetect_status``: int, exit status of accelpath as a shell counts it (128 + signal), or None.
    """

    def __init__(self, status, reason="", target="", archdetect_status=None):
        self.status = status
        self.reason = reason
        self.target = target
        self.archdetect_status = archdetect_status


def is_target(value):
    """Tell whether ``value`` (str) has the form accel/nvidia/cc<digits> or accel/amd/gfx<hexadecimal digits>."""
    for prefix, allowed in (("accel/nvidia/cc", DIGITS), ("accel/amd/gfx", HEXADECIMAL)):
        if value.startswith(prefix):
            rest = value[len(prefix):]
            return bool(rest) and allowed.issuperset(rest)
    return False


def from_answer(status, stdout, detail=""):
    """Return the AcceleratorTarget for an accelpath that ended with ``status`` (int) and wrote ``stdout`` (bytes).

    ``detail`` (str) is what nvidia-smi said, where that is known.
    """
    if status != 0:
        reason = NO_GPU.get(status, "accelpath ended with status %d" % status)
        if detail:
            reason += ": " + clean(detail)
        return AcceleratorTarget(NONE, reason, "", status)
    answer = stdout[:-1] if stdout.endswith(b"\n") else stdout
    if not answer:
        return AcceleratorTarget(NONE, "accelpath printed nothing", "", status)
    text = answer.decode("ascii", "backslashreplace")
    if is_target(text):
        return AcceleratorTarget(OK, "", text, status)
    return AcceleratorTarget(ARCHDETECT_FAILED, "accelpath printed '%s'" % clean(answer), "", status)


def directories(software, cpu_target, target):
    """Return (name, path) of the accelerator module directories that EESSI's module tries, best first.

    EESSI/software-layer-scripts init/modules/EESSI/2023.06.lua: the target itself, then the same with its last
    character replaced by 0 (cc86 -> cc80).
    """
    names = [target]
    fallback = target[:-1] + "0"
    if fallback != target:
        names.append(fallback)
    return [(name, "%s/%s/%s/modules/all" % (software, cpu_target, name)) for name in names]
