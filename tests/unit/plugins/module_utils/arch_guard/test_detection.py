# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings -> detection, on a node that is made of answers."""

import pytest

from ansible_collections.eessi.arch_guard.plugins.module_utils.arch_guard import cpuinfo, detection, process, settings

SPR, ICL, GEN = "x86_64/intel/sapphirerapids", "x86_64/intel/icelake", "x86_64/generic"
PREFIX = "/e/versions/2025.06"
SETTINGS = settings.Settings(PREFIX, PREFIX + "/init", "linux")


class AnsweringNode(object):
    """Stands for a node: gives the answers it was made with and notes the questions."""

    def __init__(self, cpupath=GEN, accelpath=b"", accel_status=2, flags=b"flags : fpu\n", installed=(GEN,), broken=()):
        self.environ = {"PATH": "/usr/bin", "EESSI_CVMFS_REPO": "/e"}
        self._cpupath = process.Outcome(process.EXITED, 0, (cpupath + "\n").encode("utf-8"))
        self._accelpath = process.Outcome(process.EXITED, accel_status, accelpath)
        self._flags = flags
        self._installed = [SETTINGS.software_directory(name) for name in installed]
        self._broken = [SETTINGS.software_directory(name) for name in broken]
        self.commands = []
        self.looked_up = []
        self.read_cpuinfo = False
        self.leftovers_removed = False

    @staticmethod
    def now():
        return 0.0

    @staticmethod
    def deadline(seconds):
        return seconds

    def run(self, commands, limit, deadline):
        self.commands = [argv for argv, _env in commands]
        return [self._cpupath, self._accelpath][:len(commands)]

    def cpu_info(self, path, deadline):
        self.read_cpuinfo = True
        return cpuinfo.parse(self._flags)

    def directories(self, paths, may_stop, deadline):
        found = []
        for path, stops in zip(paths, may_stop):
            self.looked_up.append(path)
            found.append((None, path + ": broken") if path in self._broken else (path in self._installed, ""))
            if stops and found[-1][0] is not False:
                break
        return found

    def remove_leftovers(self, since):
        self.leftovers_removed = True
        return b"NVIDIA-SMI has failed"


def detect(node, thorough=False, compare_accelerator=True):
    """Return the Detection of ``node``."""
    chosen = settings.Settings(PREFIX, PREFIX + "/init", "linux", compare_accelerator=compare_accelerator)
    return detection.detect(chosen, node, 10.0, thorough)


def test_both_questions_are_asked_at_once():
    node = AnsweringNode(accelpath=b"accel/nvidia/cc80\n", accel_status=0)
    found = detect(node)
    assert (found.cpu.status, found.cpu.target) == ("ok", GEN)
    assert (found.accelerator.status, found.accelerator.target) == ("ok", "accel/nvidia/cc80")
    assert [command[3:] for command in node.commands] == [
        [PREFIX + "/init/eessi_archdetect.sh", "-a", "cpupath"], [PREFIX + "/init/eessi_archdetect.sh", "accelpath"],
    ]
    assert not node.leftovers_removed


def test_an_accelerator_that_is_not_compared_is_not_asked_for():
    node = AnsweringNode()
    assert detect(node, compare_accelerator=False).accelerator is None
    assert len(node.commands) == 1


def test_cpuinfo_is_read_only_where_a_candidate_depends_on_it():
    node = AnsweringNode(cpupath="%s:%s" % (ICL, GEN))
    assert detect(node).cpu_info is None and not node.read_cpuinfo
    node = AnsweringNode(cpupath="%s:%s" % (SPR, GEN))
    assert detect(node).cpu_info is not None and node.read_cpuinfo


def test_a_task_looks_no_further_than_what_decides():
    node = AnsweringNode(cpupath=":".join((SPR, ICL, GEN)), installed=(SPR, ICL, GEN))
    found = detect(node)
    assert (found.cpu.target, found.cpu.pin, found.cpu.unfiltered_target) == (ICL, ICL, SPR)
    assert node.looked_up == [SETTINGS.software_directory(name) for name in (SPR, ICL)]
    assert [candidate.installed for candidate in found.cpu.candidates] == [True, True, None]


def test_facts_look_at_everything():
    node = AnsweringNode(cpupath=":".join((SPR, ICL, GEN)), installed=(SPR, GEN))
    found = detect(node, thorough=True)
    assert [candidate.installed for candidate in found.cpu.candidates] == [True, False, True]
    assert (found.cpu.target, found.cpu.pin) == (GEN, GEN)
    assert node.read_cpuinfo


@pytest.mark.parametrize("flags, target", [
    (b"flags : fpu waitpkg\n", SPR),
    (b"flags : fpu waitpkg\nflags : fpu\n", ICL),
    (b"flags : fpu waitpkg2 xwaitpkg WAITPKG\n", ICL),
    (b"vmx flags : waitpkg\n", ICL),
    (b"", ICL),
])
def test_waitpkg_decides(flags, target):
    node = AnsweringNode(cpupath=":".join((SPR, ICL, GEN)), installed=(SPR, ICL, GEN), flags=flags)
    assert detect(node).cpu.target == target


@pytest.mark.parametrize("thorough", [False, True])
def test_a_directory_without_an_answer_never_leads_down_the_list(thorough):
    node = AnsweringNode(cpupath="%s:%s" % (ICL, GEN), broken=(ICL,))
    found = detect(node, thorough)
    assert (found.cpu.status, found.cpu.target) == ("no-software-dir", "")
    assert found.cpu.reason == SETTINGS.software_directory(ICL) + ": broken"


def test_what_nvidia_smi_said_is_in_the_reason():
    node = AnsweringNode(accel_status=3)
    found = detect(node)
    assert found.accelerator.reason == "nvidia-smi failed: NVIDIA-SMI has failed"
    assert node.leftovers_removed


def test_the_file_of_another_accelpath_is_not_taken():
    node = AnsweringNode(accel_status=2)
    assert detect(node).accelerator.reason == "nvidia-smi was not found"
    assert not node.leftovers_removed


def test_a_failed_cpupath_leaves_the_accelerator_known():
    node = AnsweringNode(cpupath="../x", accelpath=b"accel/nvidia/cc80\n", accel_status=0)
    found = detect(node)
    assert (found.cpu.status, found.accelerator.target) == ("archdetect-failed", "accel/nvidia/cc80")


def test_an_accelpath_that_hangs_is_a_failure():
    node = AnsweringNode()
    node._accelpath = process.Outcome(process.TIMEOUT)
    found = detect(node)
    assert (found.cpu.status, found.accelerator.status) == ("ok", "archdetect-failed")
    assert found.accelerator.reason == PREFIX + "/init/eessi_archdetect.sh accelpath did not answer in time"
