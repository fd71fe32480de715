#!/bin/sh
# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   customize.sh ROOT
#
# What the image in the directory ROOT has beside its packages.
set -eu

root=$1
here=$(dirname "$0")
tests=$here/../..

install -d "$root/usr/local/share/cpuinfo"
install -m 0644 "$tests"/sample/cpuinfo/*.cpuinfo "$root/usr/local/share/cpuinfo/"
install -m 0644 "$here"/units/* "$root/etc/systemd/system/"
install -m 0755 "$here"/programs/* "$root/usr/local/sbin/"

# Only what it takes to find the disk: the smaller, the sooner it has started where the processor is emulated.
printf '%s\n' virtio_pci virtio_blk >> "$root/etc/initramfs-tools/modules"
printf '%s\n' MODULES=list > "$root/etc/initramfs-tools/conf.d/vm"
chroot "$root" update-initramfs -u

chroot "$root" useradd --create-home --shell /bin/bash user
chroot "$root" systemctl enable vm-setup.service systemd-networkd.service
# Slurm starts when it is configured. The rest would be at work while jobs are looked at.
chroot "$root" systemctl disable munge.service slurmctld.service slurmd.service
chroot "$root" systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
    e2scrub_reap.service getty@tty1.service serial-getty@ttyS0.service

# Here it takes a second; on an emulated processor it takes a minute.
samples=$(mktemp -d "$root/root/samples-XXXXXX")
cp -r "$tests/sample" "$tests/stubs" "$here/make_eessi.py" "$samples/"
chroot "$root" env --chdir="${samples#"$root"}" /usr/bin/python3 -B make_eessi.py /cvmfs/software.eessi.io
rm -r "$samples"

rm -f "$root/etc/resolv.conf" "$root/etc/hostname"
