# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Suites that pytest runs."""

import os
import secrets

from . import junit, process
from .cores import CORES, controller_for
from .interpreters import VERSIONS
from .outcome import Outcome
from .paths import LOGS

SOAK_EXAMPLES = 10_000
SEEDS = 1_000_000
# Seconds, on a slow machine.
SOAK_LIMIT_PER_EXAMPLE = 10
# Tests at once.
FAULTS_PER_CORE = 2


def unit(context, log):
    return run_pytest(context.main_venv(), ["tests/unit"], log, "unit", context.env)


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
        outcome.add(run_pytest(bin_dir, tests, log, name, context.env, label=f"Python {version}"))
    return outcome


def integration(context, log):
    """Tests with real Ansible; a core that no Python here can run counts as one skipped test."""
    matrix = context.write_matrix()
    env = dict(context.env, ARCH_GUARD_TEST_MATRIX=str(matrix))
    outcome = run_pytest(context.main_venv(), ["tests/integration"], log, "integration", env)
    for core in CORES:
        if controller_for(core, context.pythons) is None:
            wanted = f"Python {core.controllers[0]} to {core.controllers[-1]}"
            outcome.skips.append(f"ansible-core {core.name}: none of {wanted} on this machine")
    return outcome


def docs(context, log):
    """The pages do what they say: each command of them is run, and what mirrors code is compared."""
    workers = str(os.cpu_count() or 1)
    return run_pytest(context.main_venv(), ["-n", workers, "tests/docs"], log, "docs", context.env)


def property_test(context, log):
    """The property test of the reload, with the same examples each time."""
    return _property(context, log, "property", context.env, process.DEFAULT_LIMIT_SECONDS)


def soak(context, log):
    """The same with other examples each time: EXAMPLES of them from SEED, which is printed so that they can come again."""
    examples = int(context.env.get("EXAMPLES") or SOAK_EXAMPLES)
    seed = int(context.env.get("SEED") or secrets.randbelow(SEEDS))
    print(f"{examples} examples; again with: make soak EXAMPLES={examples} SEED={seed}", flush=True)
    env = dict(context.env, ARCH_GUARD_PROPERTY_EXAMPLES=str(examples), ARCH_GUARD_PROPERTY_SEED=str(seed))
    return _property(context, log, "soak", env, process.DEFAULT_LIMIT_SECONDS + SOAK_LIMIT_PER_EXAMPLE * examples)


def slurm(context, log):
    """Jobs of a user on a cluster of four nodes, all of it on this machine."""
    return run_pytest(context.main_venv(), ["tests/slurm"], log, "slurm", context.env)


def faults(context, log):
    """Everything that can be wrong with a node, tried on the guard and on the module. Most of it is waiting."""
    workers = str(FAULTS_PER_CORE * (os.cpu_count() or 1))
    return run_pytest(context.main_venv(), ["-n", workers, "tests/faults"], log, "faults", context.env)


def _property(context, log, name, env, limit):
    arguments = ["-n", str(os.cpu_count() or 1), "-rP", "tests/property"]
    return run_pytest(context.main_venv(), arguments, log, name, env, limit=limit)


def run_pytest(bin_dir, arguments, log, name, env, label="", limit=process.DEFAULT_LIMIT_SECONDS):
    """The Outcome of pytest, of the environment `bin_dir`, with these arguments."""
    report = LOGS / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = [bin_dir / "python", "-m", "pytest", "-q", "--tb=short", f"--junit-xml={report}", *arguments]
    status = process.run(command, log, env=env, limit=limit)
    return junit.read(report, status, label)
