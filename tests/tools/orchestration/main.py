# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way through: arguments, packages, interpreters, suites, summary."""

import argparse
import importlib.util
import os
import shutil
import sys
import time
import traceback

from . import allowed_skips, apt, environment, interpreters, suites, summary
from .context import Context
from .outcome import Outcome, Unavailable
from .paths import LOGS


def main(arguments):
    """Run suites; returns 0 if nothing failed, 1 if something did, 2 for wrong arguments or a bare machine."""
    options = _parse(arguments)
    try:
        chosen = suites.choose(options.suites)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    env = environment.clean(os.environ)
    LOGS.mkdir(parents=True, exist_ok=True)
    apt.install_missing(_packages(chosen), env)
    lacking = _lacking_basics()
    if lacking:
        print(f"Needed to run any test: {lacking}", file=sys.stderr)
        return 2
    context = Context(interpreters.discover(os.environ), env)
    print("Pythons here: " + ", ".join(f"{version} ({path})" for version, path in context.pythons.items()), flush=True)
    rows = [_run(suite, context, options.no_skips) for suite in chosen]
    print("\n".join(summary.render(rows)), flush=True)
    return 1 if any(row.outcome.word == "failed" for row in rows) else 0


def _parse(arguments):
    parser = argparse.ArgumentParser(prog="run_suites.py", description="Run the test suites.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="run only these; default: all")
    parser.add_argument(
        "--no-skips",
        action="store_true",
        default=os.environ.get("CI") == "true",
        help="a skip that is not on the list of allowed ones is a failure (the default with CI=true)",
    )
    return parser.parse_args(arguments)


def _packages(chosen):
    packages = {name for suite in chosen for name in suite.packages}
    if importlib.util.find_spec("ensurepip") is None:
        packages.add(f"python{sys.version_info[0]}.{sys.version_info[1]}-venv")
    return packages


def _lacking_basics():
    importlib.invalidate_caches()
    lacking = []
    if importlib.util.find_spec("ensurepip") is None:
        lacking.append(f"the venv package of {sys.executable}")
    if shutil.which("git") is None:
        lacking.append("git")
    return ", ".join(lacking)


def _run(suite, context, no_skips):
    print(f"\n== {suite.name}", flush=True)
    log = context.log(suite.name)
    log.unlink(missing_ok=True)
    start = time.monotonic()
    try:
        outcome = suite.run(context, log)
    except Unavailable as reason:
        outcome = Outcome(skips=[str(reason)])
    except Exception as error:  # noqa: BLE001 - a suite that breaks has failed, and the others still run
        traceback.print_exc(file=sys.stdout)
        outcome = Outcome(failed=1, problems=[f"{type(error).__name__}: {error}"])
    if no_skips:
        for reason in allowed_skips.unexpected(suite.name, outcome.skips):
            outcome.skips.remove(reason)
            outcome.fail(f"skipped, which this run does not allow: {reason}")
    elif outcome.word == "failed" and not outcome.failed:
        outcome.fail("nothing ran")
    return summary.Row(suite.name, outcome, time.monotonic() - start)
