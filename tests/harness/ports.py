# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of this machine."""

import socket
from contextlib import ExitStack


def free_ports(count, host=""):
    """Return that many ports of the address `host` (all addresses where it is empty) on which nobody listens now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server((host, 0))) for _number in range(count)]
        return [each.getsockname()[1] for each in sockets]
