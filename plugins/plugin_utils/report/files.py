# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Report -> the files of its folder."""

import json
import os
import tempfile

from . import csv_text, page

PAGE = "report.html"
MODE = 0o644


def render(report):
    """Return file name -> text."""
    return {
        PAGE: page.render(report),
        "report.csv": csv_text.render(report),
        "report.json": json.dumps(report, indent=1, sort_keys=True) + "\n",
        "slurm_features.txt": "".join("%s\n" % line for line in report["slurm"]["lines"]),
    }


def write(directory, texts):
    """Write ``texts`` (file name -> text) into ``directory``, which is made; raise OSError.

    Each file is there whole or as it was: a page that somebody is looking at is replaced, not cut.
    """
    os.makedirs(directory, exist_ok=True)
    for name, text in texts.items():
        descriptor, path = tempfile.mkstemp(prefix=".%s." % name, dir=directory)
        try:
            with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                os.fchmod(file.fileno(), MODE)
            os.replace(path, os.path.join(directory, name))
        except BaseException:
            os.unlink(path)
            raise
