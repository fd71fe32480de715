#!/usr/bin/env bash
# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# with_guard.sh PROGRAM [ARGUMENT ...]: run a program in the environment that the guard makes for this node.
# For what is started on a node without Slurm, such as the ranks of an mpirun that uses ssh.
guard=${EESSI_ARCH_GUARD_PROGRAM:-/opt/eessi-arch-guard/eessi-arch-guard}

while IFS= read -r line; do
    case $line in
        "export "*) export "${line#export }" ;;
        "unset "*) unset "${line#unset }" ;;
        "print "*) printf '%s\n' "${line#print }" >&2 ;;
    esac
done < <("$guard")
exec "$@"
