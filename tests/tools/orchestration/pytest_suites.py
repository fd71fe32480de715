# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suites that pytest runs."""

from . import junit, process
from .cores import CORES, controller_for
from .interpreters import VERSIONS
from .outcome import Outcome
from .paths import LOGS


def unit(context, log):
    return _pytest(context.main_venv(), ["tests/unit"], log, "unit", context.env)


def unit_pythons(context, log):
    """The pure tests on every other Python; a version that is not here counts as one skipped test."""
    outcome = Outcome()
    for version in VERSIONS:
        if version == context.main_version:
            continue
        if version not in context.pythons:
            outcome.skips.append(f"no Python {version} on this machine")
            continue
        bin_dir = context.python_venv(version)
        print(f"  Python {version}", flush=True)
        name = f"unit-python-{version}"
        tests = ["tests/unit/plugins/module_utils"]
        outcome.add(_pytest(bin_dir, tests, log, name, context.env, label=f"Python {version}"))
    return outcome


def integration(context, log):
    """Tests with real Ansible; a core that no Python here can run counts as one skipped test."""
    matrix = context.write_matrix()
    env = dict(context.env, ARCH_GUARD_TEST_MATRIX=str(matrix))
    outcome = _pytest(context.main_venv(), ["tests/integration"], log, "integration", env)
    for core in CORES:
        if controller_for(core, context.pythons) is None:
            wanted = f"Python {core.controllers[0]} to {core.controllers[-1]}"
            outcome.skips.append(f"ansible-core {core.name}: none of {wanted} on this machine")
    return outcome


def _pytest(bin_dir, arguments, log, name, env, label=""):
    report = LOGS / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = [bin_dir / "python", "-m", "pytest", "-q", "--tb=short", f"--junit-xml={report}", *arguments]
    status = process.run(command, log, env=env)
    return junit.read(report, status, label)
