# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module whose program waits as GCC lets it for the target: on a processor without waitpkg it dies of SIGILL."""

import subprocess

from sample.modules import Software, install_directory, write_for_targets

SOFTWARE = Software("app", "1")
PROGRAM = "wait-for-it"
NEEDS_WAITPKG = ("-mwaitpkg",)
# For machines that QEMU emulates: it takes tpause for a fence, so that nothing dies of it there. This is the other
# instruction that came with Sapphire Rapids and that the emulated processor lacks.
NEEDS_WAITPKG_EMULATED = (*NEEDS_WAITPKG, "-mserialize")
SOURCE = """
#include <stdio.h>
#include <immintrin.h>
int main(void) {
#ifdef __WAITPKG__
    _tpause(0, 0);
#endif
#ifdef __SERIALIZE__
    _serialize();
#endif
    puts("it runs");
    return 0;
}
"""


def write_waiting_program(repository, target, options=()):
    """Write the module app/1 for one target of a sample repository; options: of gcc, such as NEEDS_WAITPKG."""
    write_for_targets(repository, [target], SOFTWARE)
    directory = install_directory(repository.target(target), SOFTWARE) / "bin"
    directory.mkdir(parents=True)
    source = directory / "wait.c"
    source.write_text(SOURCE, encoding="utf-8")
    subprocess.run(["gcc", *options, "-o", str(directory / PROGRAM), str(source)], check=True)
