# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench-fleet: what asking a node costs beside a ping of Ansible, and what a report on many nodes costs."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# This folder goes: its modules are imported as bench. The collection has the name Ansible gives it.
sys.path[:1] = [str(ROOT / name) for name in ("tools", "tests", ".collections")]

from audit import virtualenv  # noqa: E402 - found by the path above
from sample.fleet import fleet, lines  # noqa: E402
from sample.tree import build_repository  # noqa: E402

# What is promised. Seconds are those of the CPU, which others on the machine change less than those of the clock.
MOST_RATIO = 1.3
MOST_SECONDS = 5
MOST_MIB = 400
# How much more than ten times the time ten times the nodes may take.
MOST_GROWTH = 1.3
SIZES = (100, 1000, 10000)
REPORT = """\
import resource, sys, time
from ansible_collections.eessi.arch_guard.plugins.plugin_utils.report import build, files, from_lines, shape
imported, begin = time.process_time(), time.perf_counter()
with open(sys.argv[1], "rb") as file:
    read = from_lines.read([(sys.argv[1], file)], shape.Checker())
report = build.build(
    read.answers, "2026-01-02T03:04:05Z", build.source_of_files(sys.argv[1:2], read), ["login*"],
    "".join("NodeName=%s AvailableFeatures=zen2\\n" % answer.node for answer in read.answers),
)
files.write(sys.argv[2], files.render(report))
end = time.process_time()
print(end, end - imported, time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def main():
    """Print what was measured; return 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(prog="make bench-fleet")
    parser.add_argument("--hosts", type=int, default=200, help="local hosts that are asked (default: 200)")
    parser.add_argument("--forks", type=int, default=5, help="hosts at once (default: 5, as Ansible)")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds (default: 3)")
    given = parser.parse_args()
    python = virtualenv.ensure(ROOT / ".cache" / "audit-venv", print)
    with tempfile.TemporaryDirectory(prefix="eessi-bench-") as folder:
        kept = [_report(python, Path(folder), given.rounds), _ask(python, Path(folder), given)]
    return 0 if all(kept) else 1


def _ask(python, folder, given):
    """Print the time per host of ping and of the module, and tell whether their ratio is as promised."""
    repository = build_repository(folder / "eessi")
    inventory = folder / "hosts.json"
    local = {
        "ansible_connection": "local", "ansible_python_interpreter": sys.executable,
        "ansible_remote_tmp": str(folder / "remote-tmp"),
    }
    hosts = {f"node{number:05d}": {} for number in range(given.hosts)}
    inventory.write_text(json.dumps({"all": {"hosts": hosts, "vars": local}}), encoding="utf-8")
    tasks = {"ping": "", "eessi_arch_guard": f"prefix={repository.prefix}"}
    seconds = {name: [] for name in tasks}
    for _round in range(given.rounds):
        for name, arguments in tasks.items():
            seconds[name].append(_ansible(python, inventory, given.forks, name, arguments))
    per_host = {name: 1000 * statistics.median(found) / given.hosts for name, found in seconds.items()}
    # Of each round by itself: a machine that others use is quicker in one than in the next.
    ratio = statistics.median(own / ping for own, ping in zip(seconds["eessi_arch_guard"], seconds["ping"], strict=True))
    print(f"\n{given.hosts} local hosts, {given.forks} forks, medians of {given.rounds} interleaved rounds:")
    for name, milliseconds in per_host.items():
        print(f"  ansible all -m {name:<17} {milliseconds:7.1f} ms a host")
    return _promise(f"ratio, median of those of the rounds {ratio:.2f}", ratio, MOST_RATIO)


def _ansible(python, inventory, forks, name, arguments):
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("ANSIBLE_", "EESSI_"))}
    environ.update(ANSIBLE_CONFIG=str(ROOT / "ansible.cfg"), EESSI_STUB_NVIDIA_SMI="none", LC_ALL="C.UTF-8")
    command = [python, "-m", "ansible", "adhoc", "all", "-i", inventory, "-f", str(forks), "-m", name, "-a", arguments]
    begin = time.monotonic()
    subprocess.run(command, check=True, cwd=ROOT, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def _report(python, folder, rounds):
    """Print what reports on more and more nodes take, and tell whether that is as promised."""
    print(f"Report from facts, medians of {rounds} rounds:")
    took = {}
    for size in SIZES:
        facts = folder / f"{size}.jsonl"
        facts.write_text(lines(fleet(size)), encoding="utf-8")
        runs = [_report_once(python, facts, folder / "report") for _round in range(rounds)]
        whole, working, waited, kib = (statistics.median(column) for column in zip(*runs, strict=True))
        took[size] = working
        print(
            f"  {size:6} nodes {whole:6.2f} s of CPU ({waited:.2f} s by the clock) {kib / 1024:6.0f} MiB"
            f" {1000 * working / size:6.2f} ms a node"
        )
    growth = took[SIZES[-1]] / took[SIZES[-2]] / (SIZES[-1] / SIZES[-2])
    return all([
        _promise(f"seconds of CPU for {SIZES[-1]} nodes {whole:.2f}", whole, MOST_SECONDS),
        _promise(f"MiB for {SIZES[-1]} nodes {kib / 1024:.0f}", kib / 1024, MOST_MIB),
        _promise(f"growth from {SIZES[-2]} to {SIZES[-1]} nodes, beside that of the nodes {growth:.2f}", growth, MOST_GROWTH),
    ])


def _report_once(python, facts, folder):
    done = subprocess.run(
        [python, "-c", REPORT, facts, folder], check=True, capture_output=True, text=True,
        env={"PYTHONPATH": str(ROOT / ".collections")},
    )
    return [float(word) for word in done.stdout.split()]


def _promise(what, found, most):
    kept = found <= most
    print(f"  {what}: {'as promised' if kept else 'NOT as promised'}, at most {most}", flush=True)
    return kept


if __name__ == "__main__":
    sys.exit(main())
