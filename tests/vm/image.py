# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The image that the machines start from: built from Debian's packages, kept until what goes into it changes."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
GUEST = HERE / "guest"
CUSTOMIZE = GUEST / "customize.sh"
# What customize.sh puts in.
SOURCES = (GUEST, HERE.parent / "sample", HERE.parent / "stubs")
PACKAGES = (
    "dbus",
    "gcc",
    "initramfs-tools",
    "iproute2",
    "libc6-dev",
    "linux-image-cloud-amd64",
    "lmod",
    "munge",
    "openssh-server",
    "python3",
    "slurm-client",
    "slurmctld",
    "slurmd",
    "systemd-sysv",
    "udev",
)
# Nobody reads these in the image.
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/locale/*", "/usr/share/man/*")
DISK_SIZE = 2 << 30
SECONDS = 900


class ImageError(Exception):
    """The image could not be built; the message names the log."""


@dataclass(frozen=True)
class Image:
    """What is in the folder of an image."""

    folder: Path

    @property
    def disk(self):
        return self.folder / "disk.img"

    @property
    def kernel(self):
        return self.folder / "vmlinuz"

    @property
    def initrd(self):
        return self.folder / "initrd.img"

    @property
    def host_key(self):
        """The public key by which every machine of the image is known to ssh."""
        return self.folder / "ssh_host_ed25519_key.pub"


def ensure(release, cache, log):
    """The Image of a debian.Release below the folder `cache`, built there if it is not there yet.

    Images of other contents are removed: only the newest of each codename is kept. log: Path. Raises ImageError.
    """
    image = Image(cache / f"{release.codename}-{_digest(release)}")
    if image.folder.exists():
        return image
    for older in cache.glob(f"{release.codename}-*"):
        shutil.rmtree(older)
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="building-", dir=cache) as work:
        made = Path(work, "image")
        made.mkdir()
        _build(release, Path(work, "root"), Image(made), log)
        # All of it or nothing: a build that was broken off leaves no folder of that name.
        made.rename(image.folder)
    return image


def _digest(release):
    """Of all that goes into an image, but for the packages' contents: the point release stands for them."""
    found = (path for folder in SOURCES for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    digest = hashlib.sha256(f"{release.mirror} {release.codename} {release.version}".encode())
    for path in (Path(__file__), *sorted(found)):
        content = path.read_bytes()
        digest.update(f"\0{os.path.relpath(path, HERE)} {path.stat().st_mode:o} {len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _build(release, root, image, log):
    command = ["mmdebstrap", "--mode=root", "--variant=apt", "--format=directory", f"--include={','.join(PACKAGES)}"]
    command += ['--aptopt=APT::Install-Recommends "false"', '--aptopt=Acquire::Languages "none"']
    command += [f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT]
    command += [f"--customize-hook={CUSTOMIZE}", release.codename, root, f"deb {release.mirror} {release.codename} main"]
    _run(command, log)
    _only(root.glob("boot/vmlinuz-*")).rename(image.kernel)
    _only(root.glob("boot/initrd.img-*")).rename(image.initrd)
    shutil.copyfile(root / "etc/ssh/ssh_host_ed25519_key.pub", image.host_key)
    with image.disk.open("wb") as file:
        file.truncate(DISK_SIZE)
    _run(["mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-d", root, image.disk], log)


def _only(paths):
    (path,) = paths
    return path


def _run(command, log):
    command = [str(word) for word in command]
    with open(log, "ab") as sink:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, check=False, timeout=SECONDS
        )
    if done.returncode != 0:
        raise ImageError(f"{command[0]} exited {done.returncode}, see {log}")
