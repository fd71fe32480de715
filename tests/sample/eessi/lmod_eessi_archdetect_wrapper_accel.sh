# shellcheck shell=bash
# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sample for tests: sourced by the EESSI module, sets EESSI_ACCEL_SUBDIR: empty on a node without accelerator.
# The script's status is lost in export, and must be: Lmod takes one that is not 0 for a broken wrapper.
# shellcheck disable=SC2155
export EESSI_ACCEL_SUBDIR=$("$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/eessi_archdetect.sh" accelpath)
