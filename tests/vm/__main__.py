# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`python3 tests/vm build RELEASE`, `... up RELEASE DIRECTORY`, `... down DIRECTORY`.

RELEASE: stable or oldstable. Images and logs are below .cache/.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from vm import debian, image, machines, qemu  # noqa: E402 - found by the line above

CACHE = ROOT / ".cache" / "vm"
LOGS = ROOT / ".cache" / "logs"


def main(arguments):
    """Returns 0, or 1 after saying why not."""
    parser = argparse.ArgumentParser(prog="tests/vm", description="Virtual machines for the scenario vm.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, words in (("build", ["release"]), ("up", ["release", "directory"]), ("down", ["directory"])):
        command = commands.add_parser(name)
        for word in words:
            command.add_argument(word, type=Path if word == "directory" else str)
    options = parser.parse_args(arguments)
    try:
        if options.command == "down":
            directory = options.directory.resolve()
            machines.down(directory, LOGS / f"vm-{directory.parent.name}")
            return 0
        LOGS.mkdir(parents=True, exist_ok=True)
        release = debian.find_release(options.release)
        built = image.ensure(release, CACHE, LOGS / f"vm-image-{release.codename}.log")
        if options.command == "up":
            machines.up(built, options.directory.resolve(), str(release))
    except FileExistsError as error:
        print(f"{error.filename} is there: is it in use? `down` ends what runs in it", file=sys.stderr)
        return 1
    except (debian.MirrorError, image.ImageError, qemu.QemuError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


sys.exit(main(sys.argv[1:]))
