# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare the table of -march flags with a gcc, or rewrite it from one.

    python3 tools/march_flags.py --check [--gcc gcc-12]
    python3 tools/march_flags.py --write [--gcc gcc-12]

--check lists each difference and leaves with status 1 if there is one. --write keeps the data of a march that
this gcc does not know, and says so. Where the table names a known difference of this version of GCC, both
account for it: the table is that of the newest GCC, whichever gcc is at hand. Status 2: gcc cannot be used.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

DATA_FILE = Path(__file__).resolve().parent.parent / "plugins/module_utils/arch_guard/march_flags.py"
BASELINE = "x86-64"
GCC_TIME_LIMIT = 60  # seconds
LINE_LIMIT = 116

# Options that follow from the tuning that -march implies; they enable no instruction.
TUNING_OPTIONS = frozenset((
    "-maccumulate-outgoing-args",
    "-mavx256-split-unaligned-load",
    "-mavx256-split-unaligned-store",
))


class GccError(Exception):
    """gcc is missing, is not for x86, or failed otherwise than by not knowing a march."""


def load_data(path=DATA_FILE):
    """Return the module of the data file, loaded from ``path``; it imports nothing."""
    spec = importlib.util.spec_from_file_location("march_flags_data", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_gcc(gcc, *arguments):
    """Run gcc in the C locale; return the CompletedProcess. Raises GccError where it cannot be run."""
    try:
        return subprocess.run(
            [gcc, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=GCC_TIME_LIMIT,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GccError(f"{gcc} cannot be run: {error}") from error


def major_version(gcc):
    """Return the major version of gcc (int). Raises GccError where that is no number."""
    text = run_gcc(gcc, "-dumpversion").stdout.strip()
    major = text.partition(".")[0]
    if not major.isdigit():
        raise GccError(f"{gcc} -dumpversion printed no version: {text!r}")
    return int(major)


def parse_help(text):
    """Return the enabled options (frozenset of str) in what `gcc -Q --help=target` printed."""
    rows = (line.split() for line in text.splitlines())
    return frozenset(row[0] for row in rows if row[1:] == ["[enabled]"])


def enabled_options(gcc, march):
    """Return the options that gcc prints as enabled for ``march``, or None where gcc does not know it."""
    done = run_gcc(gcc, f"-march={march}", "-Q", "--help=target")
    if done.returncode == 0:
        return parse_help(done.stdout)
    if re.search(rf"bad value \W*{re.escape(march)}\W", done.stderr):
        return None
    raise GccError(f"{gcc} -march={march} ended with status {done.returncode}: {done.stderr.strip()}")


class Survey:
    """What one gcc prints for each march of the table."""

    def __init__(self, data, gcc, options=enabled_options, version=major_version):
        """Ask gcc for each march of ``data``. Raises GccError."""
        self.major = version(gcc)
        self.flags = {}  # march -> frozenset of kernel flags; marches that gcc does not know are left out
        self.unmapped = {}  # march -> options that the table neither maps nor lists as without a flag
        baseline = options(gcc, BASELINE)
        if baseline is None:
            raise GccError(f"{gcc} does not know -march={BASELINE}")
        # What is on for every x86-64 CPU and no instruction set concerns code generation.
        ignored = TUNING_OPTIONS | (baseline - set(data.OPTION_FLAGS)) | set(data.OPTIONS_WITHOUT_FLAG)
        for march in data.MARCH_FLAGS:
            enabled = options(gcc, march)
            if enabled is None:
                continue
            mapped = enabled & set(data.OPTION_FLAGS)
            self.flags[march] = frozenset(data.OPTION_FLAGS[option] for option in mapped)
            unmapped = enabled - mapped - ignored
            if unmapped:
                self.unmapped[march] = sorted(unmapped)


def known_difference(data, major, march):
    """Return (more, fewer), two sets of flags, of this version of GCC against the table."""
    entry = data.KNOWN_DIFFERENCES.get(major, {}).get(march, {"more": (), "fewer": ()})
    return set(entry["more"]), set(entry["fewer"])


def differences(data, survey):
    """Return one line for each way in which gcc and the table differ; empty where they agree."""
    lines = []
    for march, printed in survey.flags.items():
        more, fewer = known_difference(data, survey.major, march)
        expected = (set(data.MARCH_FLAGS[march]) | more) - fewer
        if printed - expected:
            lines.append(f"{march}: only gcc has {' '.join(sorted(printed - expected))}")
        if expected - printed:
            lines.append(f"{march}: only the table has {' '.join(sorted(expected - printed))}")
    for march, options in survey.unmapped.items():
        lines.append(f"{march}: the table does not know the options {' '.join(options)}")
    return lines


def updated_flags(data, survey):
    """Return march -> sorted list of flags: those that gcc prints, else those of the table."""
    table = {}
    for march, flags in data.MARCH_FLAGS.items():
        if march in survey.flags:
            more, fewer = known_difference(data, survey.major, march)
            flags = (survey.flags[march] - more) | fewer
        table[march] = sorted(flags)
    return table


def render(table):
    """Return the source text of the MARCH_FLAGS dict. Long strings: nodes compile it each time they are asked."""
    lines = ["MARCH_FLAGS = {"]
    for march, flags in table.items():
        lines.append(f'    "{march}": (')
        rows = textwrap.wrap(" ".join(flags), LINE_LIMIT - 12, drop_whitespace=False, break_on_hyphens=False)
        lines += [f'        "{row}"' for row in rows or [""]]
        lines.append("    ).split(),")
    return "\n".join([*lines, "}", ""])


def replace_table(source, table):
    """Return ``source`` with the generated block replaced. Raises ValueError where its marks are not there once."""
    begin, end = "# generated: begin\n", "# generated: end\n"
    if source.count(begin) != 1 or source.count(end) != 1:
        raise ValueError("the marks of the generated block are not in the file exactly once")
    head, _mark, rest = source.partition(begin)
    return head + begin + render(table) + end + rest.partition(end)[2]


def main(arguments=None):
    """Do what the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="Compare the table of -march flags with a gcc, or rewrite it.")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="compare, list the differences")
    action.add_argument("--write", action="store_true", help="rewrite the table from gcc")
    parser.add_argument("--gcc", default="gcc", help="the compiler to ask (default: gcc)")
    options = parser.parse_args(arguments)

    data = load_data()
    try:
        survey = Survey(data, options.gcc)
    except GccError as error:
        print(error, file=sys.stderr)
        return 2

    not_known = [march for march in data.MARCH_FLAGS if march not in survey.flags]
    if options.write:
        source = DATA_FILE.read_text(encoding="utf-8")
        DATA_FILE.write_text(replace_table(source, updated_flags(data, survey)), encoding="utf-8")
        print(f"{DATA_FILE.name}: {len(survey.flags)} marches written from GCC {survey.major}")
        print(f"kept, not known to this gcc: {' '.join(not_known) or 'none'}")
        data = load_data()
    found = differences(data, survey)
    print(f"GCC {survey.major}: {len(survey.flags)} marches compared, {len(found)} differences")
    print(f"not compared, not known to this gcc: {' '.join(not_known) or 'none'}")
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
