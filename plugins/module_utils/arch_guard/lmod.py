# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""The module tool, run in a child shell on a copy of the environment.

Lmod prints shell code: assignments, but also eval lines of settarg, functions and a last line ``false``. So a shell
interprets it, and what counts is the environment of that shell afterwards, not its text.
"""

from . import loader_path, path_list, process
from .environ_block import parse
from .errors import GuardError
from .node import SYSTEM_PATH
from .path_counts import PATH_COUNT, left_by_modules
from .taskprolog import is_name
from .text import clean

# Bytes of an environment that are read back.
ENVIRONMENT_LIMIT = 8 * 1024 * 1024

# Lmod without pager, colour, messages on stdout, a cache that it writes into the user's home, or one that may be wrong.
QUIET = {
    "LMOD_COLORIZE": "no",
    "LMOD_IGNORE_CACHE": "1",
    "LMOD_PAGER": "none",
    "LMOD_REDIRECT": "no",
    "LMOD_SHORT_TIME": "86400",
    "EESSI_MODULE_QUIET_LOAD": "1",
}
# What makes a shell run other code, or run code otherwise.
SHELL_TRAPS = frozenset((
    "BASHOPTS", "BASH_COMPAT", "BASH_ENV", "BASH_XTRACEFD", "ENV", "POSIXLY_CORRECT", "PS4", "SHELLOPTS",
))
# What makes a program load a library. One of the modules may be built for another processor.
LOADER_TRAPS = frozenset(("LD_AUDIT", "LD_PRELOAD"))
HIDDEN = SHELL_TRAPS | LOADER_TRAPS
# A shell without a terminal drops its prompts, but they may be exported and a module may change them.
PROMPTS = ("PS1", "PS2")
KEPT = "eessi_arch_guard_kept_"
END = ";"

# $1: Lmod; then the words of its commands, each command ended by ";". A module's code may set any variable of this
# shell: nothing that it could set is used between the start and the end of its command. Code without end is cut, since
# the shell would take all memory of the job for it; the last line tells that it is whole, and that Lmod succeeded. The
# environment is written by the shell itself, since a program could not be started with a variable that is too long.
SCRIPT = r"""
exec 3>&1 >/dev/null
[ -z "${eessi_arch_guard_kept_PS1+x}" ] || export PS1="$eessi_arch_guard_kept_PS1"
[ -z "${eessi_arch_guard_kept_PS2+x}" ] || export PS2="$eessi_arch_guard_kept_PS2"
unset eessi_arch_guard_kept_PS1 eessi_arch_guard_kept_PS2
eessi_arch_guard_run() {
    local eessi_arch_guard_code
    eessi_arch_guard_code=$({ "$@" 3>&- && printf '\n#whole'; } | head -c 8388608)
    case $eessi_arch_guard_code in
    *'#whole') eval "$eessi_arch_guard_code" ;;
    *) return 1 ;;
    esac
}
eessi_arch_guard_words=()
for eessi_arch_guard_word in "${@:2}"; do
    if [ "$eessi_arch_guard_word" != ";" ]; then
        eessi_arch_guard_words+=("$eessi_arch_guard_word")
        continue
    fi
    eessi_arch_guard_run "$1" bash "${eessi_arch_guard_words[@]}" || exit 1
    eessi_arch_guard_words=()
done
IFS=$'\n'
for eessi_arch_guard_word in $(compgen -e); do
    printf '%s=%s\0' "$eessi_arch_guard_word" "${!eessi_arch_guard_word}"
done >&3
"""


class LmodFailed(GuardError):
    """The module tool did not do what it was asked for; the text is its complaint, in one line."""


class ModuleTool(object):
    """Lmod on a node, started for environments that are made from ``incoming`` (dict of str).

    ``command``: path of Lmod.
    """

    def __init__(self, command, incoming, node):
        self._command = command
        self._incoming = incoming
        self._node = node

    def start_environment(self, outside):
        """Return the environment in which the first stage starts.

        ``outside``: function that tells whether a directory of PATH may be searched for programs.
        """
        start = {name: self._incoming[name] for name in self._incoming if name not in HIDDEN}
        for name in LOADER_TRAPS | {loader_path.NAME}:
            start.pop(PATH_COUNT + name, None)
        for name in start:
            if PATH_COUNT + name in start:
                # Lmod takes only one of two equal entries away with the module that made one of them.
                start[name] = path_list.joined(path_list.each_once(left_by_modules(start, name)), start[name])
        if loader_path.NAME in start:
            start[loader_path.NAME] = loader_path.LoaderPath(self._incoming).covered()
        # The system's directories come first; each once, since Lmod counts how often a directory is in PATH.
        trusted = [
            entry for entry in start.get("PATH", "").split(":") if entry not in SYSTEM_PATH and outside(entry)
        ]
        start["PATH"] = ":".join(list(SYSTEM_PATH) + trusted)
        return start

    def run(self, environment, commands, settings, deadline):
        """Return the environment (dict of str) that ``commands``, a list of lists of words, make of ``environment``.

        ``settings`` (dict of str) hold for these commands and are not in what they make. Raises LmodFailed.
        """
        argv = ["bash", "--noprofile", "--norc", "-c", SCRIPT, "lmod", self._command]
        argv += [word for words in commands for word in words + [END]]
        asked = [(argv, self._environment(environment, settings))]
        return self._made(self._node.run(asked, ENVIRONMENT_LIMIT, deadline)[0], settings)

    @staticmethod
    def _environment(environment, settings):
        whole = dict(environment)
        for name in PROMPTS:
            if name in whole:
                whole[KEPT + name] = whole.pop(name)
        whole.update(QUIET)
        whole.update(settings)
        return whole

    def _made(self, outcome, settings):
        if outcome.how == process.TIMEOUT:
            raise LmodFailed("Lmod did not answer in time")
        if outcome.how != process.EXITED:
            raise LmodFailed("Lmod could not be run: %s" % (outcome.problem or outcome.how))
        if outcome.status != 0:
            raise LmodFailed(complaint(outcome.stderr) or "Lmod ended with status %d" % outcome.status)
        made = parse(outcome.stdout)
        # A name that is no shell's is passed through by the shell, which does not list it.
        made.update((name, self._incoming[name]) for name in self._incoming if not is_name(name))
        for name in list(QUIET) + list(settings):
            made.pop(name, None)
            if name in self._incoming:
                made[name] = self._incoming[name]
        return made


def complaint(stderr):
    """Return what Lmod's ``stderr`` (bytes) complains about, in one line."""
    lines = [line.strip() for line in stderr.split(b"\n") if line.strip()]
    for number, line in enumerate(lines):
        found = line.partition(b"Lmod has detected the following error:")[2].strip()
        if found:
            more = [more for more in lines[number + 1:number + 2] if not more.startswith(b"While processing")]
            return clean(b" ".join([found] + more))
    return clean(lines[0]) if lines else ""
