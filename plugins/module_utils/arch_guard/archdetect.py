# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Run eessi_archdetect.sh in an environment that nothing of the job can disturb; read its answers."""

from . import process
from . import settings as eessi
from .errors import ArchdetectFailed
from .node import SYSTEM_PATH
from .text import clean

LINE_LIMIT = 65536
# Room for the line feed that ends the line, and one byte more to see that there is more.
READ_LIMIT = LINE_LIMIT + 2

# What an accelerator query honours, beside the EESSI_* settings of the script itself.
ACCELERATOR_SETTINGS = (
    "CUDA_DEVICE_ORDER",
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HIP_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "ZE_AFFINITY_MASK",
)
# Answers that were made elsewhere: the script (or a later version of it) would give them back as its own.
ANSWERS = frozenset(eessi.CPU_PINS) | frozenset((
    "EESSI_ARCHDETECT_OPTIONS",
    "EESSI_SOFTWARE_SUBDIR",
    "EESSI_ACCEL_SUBDIR",
    "EESSI_ACCELERATOR_TARGET",
))

CPUPATH = ("-a", "cpupath")
ACCELPATH = ("accelpath",)


def environment(environ, repositories):
    """Return the environment for the script, made from ``environ`` (mapping of str).

    Programs come from the system's directories first, then from what ``environ`` has in PATH outside the
    ``repositories`` (list of absolute paths): the job may come from a node with another kind of processor.
    """
    clean_environment = {"LC_ALL": "C", "LANG": "C", "PATH": ":".join(_path(environ.get("PATH", ""), repositories))}
    for name in environ:
        if name in ACCELERATOR_SETTINGS or (name.startswith("EESSI_") and name not in ANSWERS):
            clean_environment[name] = environ[name]
    return clean_environment


def _path(incoming, repositories):
    """Return the directories of PATH: the system's, then those of ``incoming`` that can be trusted to execute."""
    directories = list(SYSTEM_PATH)
    seen = set(directories)
    for entry in incoming.split(":"):
        # A relative directory means another place for us than for the job.
        if not entry.startswith("/") or entry in seen:
            continue
        seen.add(entry)
        if not any(_is_under(entry, repository) for repository in repositories):
            directories.append(entry)
    return directories


def _is_under(path, directory):
    segments = [segment for segment in path.split("/") if segment not in ("", ".")]
    top = [segment for segment in directory.split("/") if segment not in ("", ".")]
    return ".." in segments or segments[:len(top)] == top


def command(script, question):
    """Return the argv that asks ``script`` (path) for ``question`` (CPUPATH or ACCELPATH)."""
    return ["bash", "--noprofile", "--norc", script] + list(question)


def ask(settings, node, deadline):
    """Ask the script of ``settings`` on ``node``; return the outcomes of cpupath and accelpath, side by side.

    The second is None where the accelerator is not compared.
    """
    repositories = [eessi.repository_of(settings.prefix), eessi.repository_of(settings.init_prefix)]
    repositories += [node.environ[name] for name in ("EESSI_CVMFS_REPO", "EESSI_EPREFIX") if node.environ.get(name)]
    commands = [command(settings.script, CPUPATH)]
    if settings.compare_accelerator:
        commands.append(command(settings.script, ACCELPATH))
    env = environment(node.environ, repositories)
    outcomes = node.run([(argv, env) for argv in commands], READ_LIMIT, deadline)
    return outcomes[0], outcomes[1] if settings.compare_accelerator else None


def candidates(outcome, script):
    """Return the candidates (list of str, best first, each once) of a cpupath ``outcome``.

    Raises ArchdetectFailed where the outcome is not a status of 0 and one line of relative subdirectories.
    """
    complain_unless_answered(outcome, "cpupath", script)
    if outcome.status != 0:
        said = clean(outcome.stderr.strip().partition(b"\n")[0])
        raise ArchdetectFailed(
            "%s cpupath ended with status %d%s" % (clean(script), outcome.status, ": " + said if said else "")
        )
    line = outcome.stdout[:-1] if outcome.stdout.endswith(b"\n") else outcome.stdout
    if len(line) > LINE_LIMIT:
        raise ArchdetectFailed("cpupath printed more than %d bytes" % LINE_LIMIT)
    if b"\n" in line:
        raise ArchdetectFailed("cpupath printed more than one line: '%s'" % clean(line))
    if any(byte < 32 for byte in line):
        raise ArchdetectFailed("cpupath printed a control character: '%s'" % clean(line))
    names = []
    for field in line.decode("ascii", "backslashreplace").split(":"):
        if field and field not in names:
            if not eessi.is_relative_subdirectory(field):
                raise ArchdetectFailed("cpupath printed '%s', which is no relative subdirectory" % clean(field))
            names.append(field)
    if not names:
        raise ArchdetectFailed("cpupath printed no candidate")
    return names


def complain_unless_answered(outcome, question, script):
    """Raise ArchdetectFailed where the script did not come to its own end."""
    if outcome.how == process.TIMEOUT:
        raise ArchdetectFailed("%s %s did not answer in time" % (clean(script), question))
    if outcome.how == process.TOO_MUCH_OUTPUT:
        raise ArchdetectFailed("%s printed more than %d bytes" % (question, LINE_LIMIT))
    if outcome.how == process.NOT_STARTED:
        raise ArchdetectFailed("%s could not be asked: %s" % (question, outcome.problem))
