#!/bin/sh
# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes one node in the mount and host name namespace that this is started in, and becomes its slurmd.
#
#   node.sh NAME FOLDER SLURM_CONF [SHARED...]
#
# FOLDER has what is the node's own: cpuinfo, bin/ (comes before the machine's /usr/bin), tmp/ and shm/.
# SHARED: folders under /tmp that every node sees.
set -eu

name=$1
folder=$2
conf=$3
shift 3

hostname "$name"
mount --bind "$folder/cpuinfo" /proc/cpuinfo
mount -t overlay overlay -o "lowerdir=$folder/bin:/usr/bin" /usr/bin
mount --bind "$folder/shm" /dev/shm
for shared in "$@"; do
    mkdir -p "$folder$shared"
    mount --bind "$shared" "$folder$shared"
done
# With what was mounted inside; the new /tmp hides the old one.
mount --rbind "$folder/tmp" /tmp
exec slurmd -D -N "$name" -f "$conf"
