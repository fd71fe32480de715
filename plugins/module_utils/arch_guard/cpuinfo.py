# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Text of /proc/cpuinfo -> the flags that all logical CPUs have."""

LIMIT = 16 * 1024 * 1024


class CpuInfo(object):
    """What a cpuinfo file says.

    ``flags``: frozenset of str, those that each flags line has; ``flags_lines``: how many such lines were read;
    ``logical_cpus``: int, 0 where the file does not tell; ``uniform``: whether all flags lines name the same
    flags, None where there is none; ``cut``: whether the file went on beyond the limit;
    ``problem``: one line, why the file could not be read, or "".
    """

    def __init__(self, flags=frozenset(), flags_lines=0, logical_cpus=0, uniform=None, cut=False, problem=""):
        self.flags = flags
        self.flags_lines = flags_lines
        self.logical_cpus = logical_cpus
        self.uniform = uniform
        self.cut = cut
        self.problem = problem


def parse(data, cut=False):
    """Return the CpuInfo of ``data`` (bytes, in the form of /proc/cpuinfo or of lscpu).

    ``cut``: the data stopped at the read limit; its last line may be half a line and is then no evidence of
    a missing flag, so it is left out.
    """
    lines = data.split(b"\n")
    if cut:
        lines.pop()
    common = None
    uniform = None
    flags_lines = processors = listed = 0
    previous = None
    for line in lines:
        key, colon, value = line.partition(b":")
        if not colon:
            continue
        # The key is the whole name at the start of the line ("vmx flags" is another key), in any letter case,
        # as eessi_archdetect.sh 1.2.0 reads it.
        key = key.rstrip().lower()
        if key == b"flags":
            flags_lines += 1
            if value == previous:
                continue
            previous = value
            flags = frozenset(value.split())
            if common is None:
                common, uniform = flags, True
            elif flags != common:
                common, uniform = common & flags, False
        elif key == b"processor":
            processors += 1
        elif key == b"cpu(s)" and value.strip().isdigit():
            listed = int(value.strip()[:9])
    flags = frozenset(flag.decode("ascii", "backslashreplace") for flag in common or ())
    return CpuInfo(flags, flags_lines, processors or listed, uniform, cut)
