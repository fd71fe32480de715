# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""python tests/fuzz SECONDS [TARGET...]: fuzz each target for its share of the seconds.

Guided by coverage where atheris can be imported, else by hypothesis. What breaks a target is written below
.cache/fuzz/; moved to tests/fuzz/corpus/TARGET/ it is a test from then on. Status 1 where something broke.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
FOUND = ROOT / ".cache" / "fuzz"
LONGEST = 4096


def main(arguments):
    """Fuzz; returns the exit status."""
    seconds, names = int(arguments[0]), arguments[1:]
    from fuzz.targets import TARGETS

    chosen = names or list(TARGETS)
    share = max(1, seconds // len(chosen))
    guided = importlib.util.find_spec("atheris") is not None
    print(f"{share} s a target, " + ("guided by coverage (atheris)" if guided else "by hypothesis"), flush=True)
    broken = [name for name in chosen if (by_atheris(name, share) if guided else by_hypothesis(name, share))]
    print(f"{len(chosen)} targets, broken: {', '.join(broken) or 'none'}", flush=True)
    return 1 if broken else 0


def by_atheris(name, seconds):
    """Fuzz in a process of its own, which atheris ends; tell whether the target broke."""
    corpus = FOUND / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable, str(Path(__file__).with_name("guided.py")), name, f"-max_total_time={seconds}",
        f"-max_len={LONGEST}", f"-artifact_prefix={FOUND}/{name}-", "-verbosity=0", "-print_final_stats=0", str(corpus),
    ]
    if (CORPUS / name).is_dir():
        command.append(str(CORPUS / name))
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )
    print(f"{name}: {'broken' if done.returncode else 'holds'}", flush=True)
    if done.returncode:
        print(done.stdout, flush=True)
    return done.returncode != 0


def by_hypothesis(name, seconds):
    """Fuzz for some seconds with random bytes; tell whether the target broke."""
    from fuzz.targets import TARGETS
    from fuzz.unguided import try_for

    tried, broke = try_for(TARGETS[name], seconds, FOUND / f"{name}-broke")
    print(f"{name}: {tried} tried{', broken: ' + broke if broke else ''}", flush=True)
    return bool(broke)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / ".collections")]
    sys.exit(main(sys.argv[1:]))
