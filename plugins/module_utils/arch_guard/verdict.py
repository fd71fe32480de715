# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Detection and loaded targets -> match, reload, failure or skipped, and the label of it."""

from . import accelerator, target
from .text import clean

MATCH = "match"
RELOAD = "reload"
FAILURE = "failure"
SKIPPED = "skipped"


class Verdict(object):
    """What has to be done about the loaded modules.

    ``kind``: MATCH, RELOAD, FAILURE or SKIPPED; ``loaded`` and ``node``: the two sides in words, one line each;
    ``word``: the reason word of a failure, else ""; ``reason``: one line, why it is a failure or was skipped.
    """

    def __init__(self, kind, loaded="", node="", word="", reason=""):
        self.kind = kind
        self.loaded = loaded
        self.node = node
        self.word = word
        self.reason = reason

    @property
    def label(self):
        """``<loaded>-><node>``, or ``<loaded>-><reason word>`` of a failure; "" where nothing has to be done."""
        return "%s->%s" % (self.loaded, self.word or self.node) if self.kind in (RELOAD, FAILURE) else ""

    def failed(self, word, reason):
        """Return this verdict turned into a failure. An empty ``word`` leaves the label as that of the reload."""
        return Verdict(FAILURE, self.loaded, self.node, word, reason)


def decide(detection, loaded_cpu, loaded_accelerator):
    """Return the Verdict for ``detection`` and the values of EESSI_SOFTWARE_SUBDIR and EESSI_ACCEL_SUBDIR.

    The accelerator is compared where the detection has one.
    """
    loaded = clean(loaded_cpu)
    cpu = detection.cpu
    if cpu.status != target.OK:
        return Verdict(FAILURE, loaded, "", cpu.status, cpu.reason)
    found = detection.accelerator
    if found is not None and found.status == accelerator.ARCHDETECT_FAILED:
        return Verdict(FAILURE, loaded, "", accelerator.ARCHDETECT_FAILED, found.reason)
    if found is not None and found.target != loaded_accelerator:
        return Verdict(RELOAD, side(loaded, loaded_accelerator), side(cpu.target, found.target))
    if cpu.target != loaded_cpu:
        return Verdict(RELOAD, loaded, cpu.target)
    return Verdict(MATCH, loaded, cpu.target)


def side(cpu, accelerator_target):
    """Return one side of a label of which the accelerator is part."""
    return "%s %s" % (cpu, clean(accelerator_target) or "no accel")
