# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The one family of exceptions. Each carries the reason word that ends the label of a failure."""


class GuardError(Exception):
    """Base of all errors of the guard. The text is one line that names what, where and why.

    ``word`` is the reason word of the label, for example ``x86_64/amd/zen4->guard-error``.
    """

    word = "guard-error"


class ArchdetectFailed(GuardError):
    """The node's targets are unknown: a bad setting, or no usable answer of eessi_archdetect.sh."""

    word = "archdetect-failed"


class NoSoftwareDir(GuardError):
    """No candidate has a software directory, or it cannot be told whether one has."""

    word = "no-software-dir"


class CannotRead(GuardError):
    """A file or directory gave no usable answer: the text names the path and the error."""
