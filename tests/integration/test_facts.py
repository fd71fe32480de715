# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Facts of nodes with real processes, files and directories; the module is tested in test_module.py."""

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from integration.conftest import EESSI_SCRIPTS, recorded_answer, recorded_nodes, shape_of, strings_of
from sample.nodes import CPUINFO, SAMPLE_NODES

SPR, ICL = "x86_64/intel/sapphirerapids", "x86_64/intel/icelake"
NODES = recorded_nodes()
ANSWERS = """#!/usr/bin/env bash
case "$*" in
"-a cpupath") %s ;;
accelpath) %s ;;
esac
"""
FINE = "echo x86_64/generic"
NO_GPU = "exit 2"


def machine_of(cpuinfo):
    """Return the machine type of a recorded file: its top directory."""
    return next(part for part in cpuinfo.parts if part in ("x86_64", "aarch64", "ppc64le", "riscv64"))


@pytest.mark.skipif(not NODES, reason="the recorded cpuinfo files are not beside this checkout")
@pytest.mark.parametrize("cpuinfo", NODES, ids=lambda path: path.stem)
def test_recorded_nodes(gather, recorded_repository, cpuinfo):
    found = gather(recorded_repository, proc_cpuinfo=str(cpuinfo), machine_type=machine_of(cpuinfo))
    names = recorded_answer(cpuinfo)
    assert [candidate["name"] for candidate in found["cpu"]["candidates"]] == names
    # None of the recorded machines lacks waitpkg where its target needs it.
    assert (found["cpu"]["status"], found["cpu"]["target"], found["cpu"]["excluded"]) == ("ok", names[0], [])


@pytest.mark.skipif(not NODES, reason="the recorded cpuinfo files are not beside this checkout")
def test_a_recorded_sapphire_rapids_without_waitpkg_gets_icelake(gather, recorded_repository, tmp_path):
    original = next(path for path in NODES if recorded_answer(path)[0] == SPR)
    assert "waitpkg" in original.read_text().split()
    hidden = tmp_path / "cpuinfo"
    hidden.write_text(original.read_text().replace(" waitpkg", ""))
    found = gather(recorded_repository, proc_cpuinfo=str(hidden), machine_type="x86_64")["cpu"]
    assert (found["target"], found["unfiltered_target"], found["pin"]) == (ICL, SPR, ICL)
    assert found["excluded"] == [SPR]
    assert found["candidates"][0] == {"name": SPR, "installed": True, "excluded": True, "missing_flags": ["waitpkg"]}


@pytest.mark.skipif(EESSI_SCRIPTS is None, reason="EESSI_SCRIPTS names no checkout of EESSI's own scripts")
def test_the_real_script_is_the_one_that_runs(gather, recorded_repository):
    real = Path(EESSI_SCRIPTS, "init", "eessi_archdetect.sh").read_text()
    assert recorded_repository.archdetect.read_text() == real
    assert 'VERSION="{}"'.format(gather(recorded_repository)["eessi"]["archdetect_version"]) in real


@pytest.mark.parametrize("node", SAMPLE_NODES, ids=lambda node: node.name)
def test_sample_nodes(gather, repository, node):
    found = gather(
        repository, node.stub_environment(), proc_cpuinfo=str(node.cpuinfo_path), machine_type=node.machine_type
    )
    expected = {
        "zen2": "x86_64/amd/zen2", "zen4": "x86_64/amd/zen4", "grace": "aarch64/nvidia/grace",
        "sapphirerapids": SPR, "sapphirerapids-vm": ICL, "zen4-broken-gpu": "x86_64/amd/zen4",
    }[node.name]
    assert found["cpu"]["target"] == expected
    accelerator = found["accelerator"]
    if node.nvidia_smi_status:
        assert (accelerator["status"], accelerator["archdetect_status"]) == ("none", 3)
        assert accelerator["reason"].startswith("nvidia-smi failed")
    elif node.compute_caps:
        assert (accelerator["status"], accelerator["target"]) == ("ok", "accel/nvidia/cc90")
    else:
        assert (accelerator["status"], accelerator["archdetect_status"]) == ("none", 2)
    assert found["warnings"] == []


@pytest.mark.parametrize("name, hypervisor", [("sapphirerapids-vm", True), ("zen4", False), ("grace", None)])
def test_whether_a_hypervisor_presents_the_processor(gather, repository, name, hypervisor):
    assert gather(repository, proc_cpuinfo=str(CPUINFO / f"{name}.cpuinfo"))["cpuinfo"]["hypervisor"] is hypervisor


@pytest.mark.parametrize("environ, name", [({"SLURMD_NODENAME": "cn7"}, "cn7"), ({}, os.uname().nodename)])
def test_the_node_has_the_name_that_slurm_knows(gather, repository, environ, name):
    assert gather(repository, environ)["node"] == name


def test_missing_march_flags_are_told_for_installed_candidates_only(gather, repository):
    found = gather(repository, proc_cpuinfo=str(CPUINFO / "sapphirerapids-vm.cpuinfo"), machine_type="x86_64")
    missing = found["cpuinfo"]["missing_march_flags"]
    assert "waitpkg" in missing[SPR]
    assert "waitpkg" not in missing[ICL]
    assert set(missing) == {candidate["name"] for candidate in found["cpu"]["candidates"] if candidate["installed"]}


def test_a_directory_counts_by_software_alone(gather, script_repository):
    repository = script_repository(
        ANSWERS % ("echo x86_64/amd/zen5:x86_64/amd/zen4:x86_64/generic", NO_GPU), ("x86_64/amd/zen4", "x86_64/generic")
    )
    repository.target("x86_64/amd/zen5", "modules", "all").mkdir(parents=True)
    found = gather(repository)["cpu"]
    assert found["target"] == "x86_64/amd/zen4"
    assert [candidate["installed"] for candidate in found["candidates"]] == [False, True, True]


GPUS = [
    # text that stands in place of the compute capability, or the whole output; status; target
    ("accel/nvidia/cc86", "ok", "accel/nvidia/cc86"),
    ("accel/nvidia/cc[N/A]", "archdetect-failed", None),
    ("accel/nvidia/cc", "archdetect-failed", None),
    (r"ld.so: object cannot be preloaded\naccel/nvidia/cc80", "archdetect-failed", None),
]


@pytest.mark.parametrize("printed, status, target", GPUS)
def test_accelerator_answers(gather, script_repository, printed, status, target):
    repository = script_repository(ANSWERS % (FINE, f"printf '{printed}\\n'"))
    found = gather(repository)["accelerator"]
    assert (found["status"], found["target"]) == (status, target)
    assert bool(found["reason"]) == (status != "ok")


@pytest.mark.parametrize("output, quoted", [
    ("No devices were found", "accel/nvidia/ccNo devices were found"),
    ("NVIDIA A100, 1, 535.54, [N/A]", "accel/nvidia/cc[N/A]"),
    ("NVIDIA A100, 1, 535.54, [Not Supported]", "accel/nvidia/cc[Not Supported]"),
    ("WARNING: infoROM is corrupted at gpu 0000:B3:00.0\nNVIDIA A100, 1, 535.54, 8.0",
     "accel/nvidia/ccWARNING: infoROM is corrupted at gpu 0000:B3:000"),
    ("", "accel/nvidia/cc"),
])
def test_what_a_damaged_nvidia_smi_prints_is_quoted_and_makes_no_path(gather, repository, output, quoted):
    environ = {"EESSI_STUB_NVIDIA_SMI": str(CPUINFO.parents[1] / "stubs" / "nvidia-smi"), "EESSI_STUB_NVIDIA_SMI_OUTPUT": output}
    found = gather(repository, environ)["accelerator"]
    assert (found["status"], found["target"], found["installed_target"]) == ("archdetect-failed", None, None)
    assert found["reason"] == f"accelpath printed '{quoted}'"


def test_the_fallback_of_the_accelerator_directory(gather, repository):
    environ = {"EESSI_STUB_NVIDIA_SMI": str(CPUINFO.parents[1] / "stubs" / "nvidia-smi"), "EESSI_STUB_COMPUTE_CAP": "8.6,7.5"}
    found = gather(
        repository, environ, proc_cpuinfo=str(CPUINFO / "zen4.cpuinfo"), machine_type="x86_64",
        loaded_cpu="x86_64/amd/zen4", loaded_accelerator="accel/nvidia/cc86",
    )
    assert found["accelerator"]["target"] == "accel/nvidia/cc86"
    assert found["accelerator"]["installed_target"] == "accel/nvidia/cc80"
    assert (found["verdict"], found["label"]) == ("match", "")


def test_the_file_of_a_failing_nvidia_smi_does_not_stay(gather, repository):
    before = set(Path("/tmp").glob("nvidia_smi_out.*"))
    environ = {
        "EESSI_STUB_NVIDIA_SMI": str(CPUINFO.parents[1] / "stubs" / "nvidia-smi"),
        "EESSI_STUB_NVIDIA_SMI_STATUS": "18",
        "EESSI_STUB_NVIDIA_SMI_OUTPUT": "Failed to initialize NVML: Driver/library version mismatch",
    }
    found = gather(repository, environ)["accelerator"]
    assert (found["status"], found["archdetect_status"]) == ("none", 3)
    assert found["reason"] == "nvidia-smi failed: Failed to initialize NVML: Driver/library version mismatch"
    assert set(Path("/tmp").glob("nvidia_smi_out.*")) == before


def test_an_accelerator_override_is_said(gather, repository):
    found = gather(repository, {"EESSI_ACCELERATOR_TARGET_OVERRIDE": "accel/amd/GFX90A"})
    assert (found["accelerator"]["status"], found["accelerator"]["archdetect_status"]) == ("none", 1)
    assert found["warnings"] == ["EESSI_ACCELERATOR_TARGET_OVERRIDE is set: accelpath answers with it"]


@pytest.mark.parametrize("name, value, ending", [
    ("EESSI_SOFTWARE_SUBDIR_OVERRIDE", "x86_64/nonsense", "; no software directory for it under {software}"),
    ("EESSI_ARCHDETECT_OPTIONS_OVERRIDE", "x86_64/nonsense:x86_64/generic", ""),
])
def test_a_pin_of_the_user_is_said(gather, repository, name, value, ending):
    found = gather(repository, {name: value}, proc_cpuinfo=str(CPUINFO / "zen2.cpuinfo"), machine_type="x86_64")
    assert found["cpu"]["target"] == "x86_64/amd/zen2"
    assert found["warnings"] == [
        f"{name} is set to {value}: the guard leaves jobs with it alone"
        + ending.format(software=repository.prefix / "software" / "linux")
    ]


# Whatever the script does: the facts keep their shape, say why in one line, and come in time.
DAMAGE = {
    "no script": None,
    "silent": "exit 0",
    "fails": "echo x86_64/generic; exit 1",
    "killed": "kill -9 $$",
    "two lines": "echo x86_64/generic; echo x86_64/generic",
    "control characters": r"printf '\033[31mx86_64/generic\n'",
    "nul": r"printf 'x86_64/gen\0eric\n'",
    "not utf-8": r"printf '\377\376\n'",
    "path traversal": "echo ../../../etc",
    "absolute": "echo /etc",
    "carriage return": r"printf 'x86_64/generic\r\n'",
    "too long": "head -c 65537 /dev/zero | tr '\\0' a",
    "endless": "while :; do echo x86_64/generic; done",
    "hangs": "sleep 600",
    "ignores signals": "trap '' TERM INT HUP; sleep 600",
    "closes its output and hangs": "exec >&- 2>&-; sleep 600",
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("question", ["cpupath", "accelpath"])
def test_a_damaged_detection(gather, script_repository, repository, damage, question):
    text = DAMAGE[damage]
    pair = (text, NO_GPU) if question == "cpupath" else (FINE, text)
    broken = script_repository(ANSWERS % tuple(part or "exit 0" for part in pair))
    if text is None:
        broken.archdetect.unlink()
    found = gather(broken, timeout=1)
    assert found["seconds"] < 3
    part = found["cpu" if question == "cpupath" or text is None else "accelerator"]
    may_be_none = question == "accelpath" and damage in ("silent", "fails", "killed")
    assert part["status"] == ("none" if may_be_none else "archdetect-failed")
    assert part["target"] is None
    assert part["reason"] and part["reason"].isprintable() and len(part["reason"]) < 700
    assert shape_of(found) == shape_of(gather(repository))
    assert all(text.isprintable() for text in strings_of(found))
    assert json.dumps(found, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize("question", ["cpupath", "accelpath"])
def test_a_daemon_that_keeps_the_pipe_is_not_waited_for(gather, script_repository, question):
    daemon = "(setsid sleep 8 &) ; "
    pair = (daemon + FINE, NO_GPU) if question == "cpupath" else (FINE, daemon + "echo accel/nvidia/cc80")
    found = gather(script_repository(ANSWERS % pair), timeout=20)
    assert found["seconds"] < 6
    assert found["cpu"]["target"] == "x86_64/generic"
    assert found["accelerator"]["target"] == (None if question == "cpupath" else "accel/nvidia/cc80")


def test_both_questions_run_side_by_side(gather, script_repository):
    found = gather(script_repository(ANSWERS % ("sleep 1.5; " + FINE, "sleep 1.5; exit 2")))
    assert found["cpu"]["status"] == "ok"
    assert found["seconds"] < 2.7


def test_the_script_sees_nothing_of_the_caller(gather, script_repository):
    repository = script_repository(ANSWERS % ("env | sort >&2; exit 1", "echo \"accel/nvidia/cc$HOME$LD_PRELOAD\""))
    environ = {
        "HOME": "9", "LD_PRELOAD": "9", "BASH_ENV": "/no/such/file", "BASH_FUNC_echo%%": "() { exit 9; }", "PYTHONHOME": "/x",
        "PATH": f"{repository.prefix}/compat/bin:/usr/bin",
    }
    found = gather(repository, environ)
    assert found["accelerator"]["reason"] == "accelpath printed 'accel/nvidia/cc'"
    # env is sorted: the first line that the script wrote is what is quoted.
    assert found["cpu"]["reason"].endswith("cpupath ended with status 1: EESSI_STUB_NVIDIA_SMI=none")


@pytest.mark.parametrize("options, said", [
    ({"prefix": "relative/path"}, "EESSI_PREFIX is 'relative/path', but it has to be an absolute path"),
    ({"prefix": "/a/../b"}, "EESSI_PREFIX is '/a/../b'"),
    ({"prefix": "/a\nb"}, r"EESSI_PREFIX is '/a\nb'"),
    ({"prefix": "/a", "init_prefix": "b"}, "EESSI_INIT_PREFIX is 'b'"),
    ({"prefix": "/a", "os_type": "linux/../x"}, "EESSI_OS_TYPE is 'linux/../x'"),
    ({"prefix": "/no/such/version"}, "/no/such/version/init/eessi_archdetect.sh cpupath ended with status 127"),
])
def test_settings_that_are_refused(gather, repository, options, said):
    found = gather(**options)
    assert found["cpu"]["status"] == "archdetect-failed"
    assert found["cpu"]["reason"].startswith(said)
    assert shape_of(found) == shape_of(gather(repository))


@pytest.mark.skipif(Path("/cvmfs/software.eessi.io").exists(), reason="EESSI is mounted here")
def test_a_node_without_eessi(gather, repository):
    found = gather()
    assert found["cpu"]["status"] == found["accelerator"]["status"] == "archdetect-failed"
    assert found["cpu"]["reason"] == (
        "no EESSI on this node: /cvmfs/software.eessi.io/versions: No such file or directory (ENOENT)"
    )
    assert shape_of(found) == shape_of(gather(repository))
    # What the processor is can be told all the same.
    assert found["cpuinfo"]["logical_cpus"] >= 1


@pytest.mark.parametrize("content, warning", [
    (None, "no CPU flags were read: {path}: No such file or directory (ENOENT)"),
    (b"", "no CPU flags were read: no flags line in {path}"),
    (b"processor : 0\nvmx flags : waitpkg\n", "no CPU flags were read: no flags line in {path}"),
    (b"flags : fpu waitpkg\nflags : fpu\n", "the logical CPUs of this node have different flags"),
])
def test_cpuinfo_that_gives_no_flags_excludes_and_says_so(gather, script_repository, tmp_path, content, warning):
    path = tmp_path / "cpuinfo"
    if content is not None:
        path.write_bytes(content)
    repository = script_repository(ANSWERS % (f"echo {SPR}:{ICL}", NO_GPU), (SPR, ICL))
    found = gather(repository, proc_cpuinfo=str(path))
    assert (found["cpu"]["target"], found["cpu"]["excluded"]) == (ICL, [SPR])
    assert found["warnings"] == [warning.format(path=path)]


def test_a_fifo_as_cpuinfo_does_not_hold(gather, script_repository, tmp_path):
    os.mkfifo(tmp_path / "cpuinfo")
    repository = script_repository(ANSWERS % (f"echo {SPR}:{ICL}", NO_GPU), (SPR, ICL))
    assert stat.S_ISFIFO((tmp_path / "cpuinfo").stat().st_mode)
    keep_open = threading.Event()
    writer = threading.Thread(target=lambda: (os.open(tmp_path / "cpuinfo", os.O_RDWR), keep_open.wait(20)))
    writer.start()
    try:
        found = gather(repository, proc_cpuinfo=str(tmp_path / "cpuinfo"), timeout=1)
    finally:
        keep_open.set()
        writer.join()
    assert found["seconds"] < 3
    assert found["cpu"]["target"] == ICL


def test_a_directory_that_cannot_be_told_stops_the_walk(gather, script_repository):
    repository = script_repository(ANSWERS % (f"echo {ICL}:x86_64/generic", NO_GPU), ("x86_64/generic",))
    software = repository.target(ICL, "software")
    software.parent.mkdir(parents=True)
    software.symlink_to("software")
    found = gather(repository)
    assert (found["cpu"]["status"], found["cpu"]["target"]) == ("no-software-dir", None)
    assert found["cpu"]["reason"] == f"{software}: Too many levels of symbolic links (ELOOP)"
    assert found["cpu"]["candidates"][1]["installed"] is True
