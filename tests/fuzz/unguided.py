# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fuzz with hypothesis: bytes of any kind, and such as the formats are made of."""

import time

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

# What the formats have in common, so that random bytes come past the first check.
WORDS = (
    b":", b"=", b"\n", b"\0", b"/", b" ", b"\t", b"\r", b"\\", b"#", b'"', b"\x1b[31m", b"\xff", b"..", b"a", b"1",
    b"x86_64/amd/zen2", b"accel/nvidia/cc", b"accel/amd/gfx", b"80", b"flags", b"vmx flags", b"waitpkg", b"processor",
    b"export ", b"unset ", b"print ", b"HOME", b"BASH_FUNC_a%%=() {", b"TaskProlog", b"Include ", b"ClusterName", b"%c",
    b"# BEGIN eessi_arch_guard", b"# END eessi_arch_guard", b"#eessi_arch_guard# ", b"Lmod has detected the following error:",
    b"While processing", "\u2028".encode(), "\u202e".encode(), b"eessi-arch-guard ", b"999999999999",
)
DATA = st.one_of(
    st.binary(max_size=400),
    st.lists(st.one_of(st.sampled_from(WORDS), st.binary(max_size=6)), max_size=60).map(b"".join),
)


def try_for(target, seconds, artifact):
    """Try a target for some seconds; return (how many inputs, what it raised or ""). What broke it is in the file."""
    deadline = time.monotonic() + seconds
    tried = 0
    broke = ""

    def run(data):
        nonlocal tried, broke
        tried += 1
        try:
            target(data)
        except Exception as error:
            broke = f"{type(error).__name__}: {error}"[:300]
            artifact.parent.mkdir(parents=True, exist_ok=True)
            artifact.write_bytes(data)
            raise

    seed = 0
    while time.monotonic() < deadline and not broke:
        seed += 1
        try:
            _one_batch(run, seed)
        except Exception as error:  # noqa: BLE001 - whatever the target raises is what is looked for
            broke = broke or f"{type(error).__name__}: {error}"[:300]
    return tried, broke


def _one_batch(run, seed):
    from hypothesis import seed as seeded

    checked = settings(max_examples=300, deadline=None, database=None, derandomize=False, suppress_health_check=list(HealthCheck))
    seeded(seed)(checked(given(DATA)(run)))()
