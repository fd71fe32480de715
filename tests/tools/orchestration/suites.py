# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of suites. A new suite is one entry here."""

from collections.abc import Callable
from dataclasses import dataclass

from . import browser, docsite, fuzz, lint_suites, molecule_suite, pytest_suites, release, sanity, vm_suite


@dataclass(frozen=True)
class Suite:
    """`run(context, log)` returns an Outcome or raises Unavailable; `packages` are Debian packages it makes use of.

    on_request: it runs only when it is named.
    """

    name: str
    run: Callable
    packages: tuple = ()
    on_request: bool = False


SUITES = (
    Suite("ruff", lint_suites.ruff),
    Suite("yamllint", lint_suites.yamllint),
    Suite("shellcheck", lint_suites.shellcheck, ("shellcheck",)),
    Suite("reuse", lint_suites.reuse),
    Suite("changelog", lint_suites.changelog),
    Suite("unit", pytest_suites.unit, ("gcc", "libc6-dev")),
    Suite("unit-pythons", pytest_suites.unit_pythons),
    Suite("integration", pytest_suites.integration, ("gcc", "libc6-dev", "lmod")),
    Suite("docs", pytest_suites.docs, ("lmod",)),
    Suite("property", pytest_suites.property_test, ("lmod",)),
    Suite("soak", pytest_suites.soak, ("lmod",), on_request=True),
    Suite("faults", pytest_suites.faults, ("lmod",)),
    Suite("fuzz", fuzz.fuzz, on_request=True),
    Suite("docsite", docsite.docsite, on_request=True),
    Suite("release", release.release, on_request=True),
    Suite("slurm", pytest_suites.slurm, ("lmod", "gcc", "libc6-dev", "slurmctld", "slurmd", "slurm-client", "munge", "procps")),
    Suite("browser", browser.browser, browser.PACKAGES),
    Suite("molecule", molecule_suite.molecule),
    Suite(
        "vm",
        vm_suite.vm,
        ("debian-archive-keyring", "e2fsprogs", "mmdebstrap", "openssh-client", "qemu-system-x86"),
        on_request=True,
    ),
    Suite("ansible-lint", lint_suites.ansible_lint),
    Suite("sanity", sanity.sanity),
)


def choose(names):
    """The suites of these names in the table's order; without names all that do not wait to be named.

    Raises ValueError for an unknown name.
    """
    unknown = sorted(set(names) - {suite.name for suite in SUITES})
    if unknown:
        raise ValueError(f"no suite {', '.join(unknown)}; there are {', '.join(suite.name for suite in SUITES)}")
    return [suite for suite in SUITES if (suite.name in names if names else not suite.on_request)]
