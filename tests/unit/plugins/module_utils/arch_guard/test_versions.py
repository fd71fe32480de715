# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""The newest EESSI version."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard.versions import newest_of


@pytest.mark.parametrize("names, newest", [
    ([], None),
    (["2023.06", "2025.06"], "2025.06"),
    (["2025.06", "2023.06"], "2025.06"),
    (["2025.11", "2025.06", "2024.12"], "2025.11"),
    (["latest", "2023.06", ".cvmfscatalog", "20240402", "202.06", "2023.6", "2023.06-001", "2099.ab", "²023.06"], "2023.06"),
    (["latest"], None),
])
def test_newest(names, newest):
    assert newest_of(names) == newest
