# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stub of eessi_archdetect.sh keeps the contract of the real script."""

import shutil
import subprocess
from pathlib import Path

import pytest

from sample.nodes import SAMPLE_NODES, STUB_NVIDIA_SMI
from sample.tree import STUB_ARCHDETECT

RECORDED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "archdetect"
ANSWERED = sorted(path for path in RECORDED.rglob("*.cpuinfo"))
TOOLS = ("bash", "sh", "sed", "tail", "head", "mktemp", "rm", "uname", "sleep")


@pytest.fixture(scope="module")
def node_path(tmp_path_factory):
    """A PATH with the tools of any node and no nvidia-smi, whatever this machine has."""
    directory = tmp_path_factory.mktemp("bin")
    for tool in TOOLS:
        (directory / tool).symlink_to(shutil.which(tool))
    return str(directory)


@pytest.fixture
def archdetect(node_path):
    def run(*arguments, **environment):
        environment.setdefault("PATH", node_path)
        return subprocess.run(
            [shutil.which("bash"), "--noprofile", "--norc", STUB_ARCHDETECT, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=30,
        )

    return run


@pytest.fixture
def with_gpu(node_path, tmp_path):
    """The same PATH with the stub of nvidia-smi in front."""
    (tmp_path / "nvidia-smi").symlink_to(STUB_NVIDIA_SMI)
    return f"{tmp_path}:{node_path}"


@pytest.mark.skipif(not ANSWERED, reason="recorded answers of EESSI's script are not beside this checkout")
@pytest.mark.parametrize("cpuinfo", ANSWERED, ids=lambda path: path.stem)
def test_recorded_answers(archdetect, cpuinfo):
    setting = {"EESSI_PROC_CPUINFO": str(cpuinfo), "EESSI_MACHINE_TYPE": cpuinfo.relative_to(RECORDED).parts[0]}
    for arguments, ending in ((["cpupath"], ".output"), (["-a", "cpupath"], ".all.output")):
        answer = archdetect(*arguments, **setting)
        assert (answer.returncode, answer.stderr) == (0, b"")
        assert answer.stdout.decode().strip() == cpuinfo.with_suffix(ending).read_text().strip()


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("zen2", "x86_64/amd/zen2:x86_64/generic"),
        ("zen4", "x86_64/amd/zen4:x86_64/amd/zen3:x86_64/amd/zen2:x86_64/generic"),
        ("grace", "aarch64/nvidia/grace:aarch64/neoverse_v1:aarch64/neoverse_n1:aarch64/generic"),
        (
            "sapphirerapids-vm",
            "x86_64/intel/sapphirerapids:x86_64/intel/icelake:x86_64/intel/cascadelake:"
            "x86_64/intel/skylake_avx512:x86_64/intel/haswell:x86_64/generic",
        ),
    ],
)
def test_sample_nodes(archdetect, name, answer):
    node = next(node for node in SAMPLE_NODES if node.name == name)
    setting = {"EESSI_PROC_CPUINFO": str(node.cpuinfo_path), "EESSI_MACHINE_TYPE": node.machine_type}
    assert archdetect("-a", "cpupath", **setting).stdout.decode() == answer + "\n"
    assert archdetect("cpupath", **setting).stdout.decode() == answer.split(":")[0] + "\n"


def test_the_last_flags_line_decides(archdetect, tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("vendor_id : GenuineIntel\nflags : avx2 fma\nflags : avx2\nvmx flags : avx2 fma\n")
    setting = {"EESSI_PROC_CPUINFO": str(cpuinfo), "EESSI_MACHINE_TYPE": "x86_64"}
    assert archdetect("-a", "cpupath", **setting).stdout == b"x86_64/generic\n"


def test_unusual_machines(archdetect, tmp_path):
    missing = str(tmp_path / "missing")
    answer = archdetect("-a", "cpupath", EESSI_PROC_CPUINFO=missing, EESSI_MACHINE_TYPE="x86_64")
    assert (answer.returncode, answer.stdout) == (0, b"x86_64/generic\n")

    (tmp_path / "no-flags").write_text("vendor_id : AuthenticAMD\n")
    answer = archdetect("cpupath", EESSI_PROC_CPUINFO=str(tmp_path / "no-flags"), EESSI_MACHINE_TYPE="x86_64")
    assert (answer.returncode, answer.stdout) == (1, b"")

    answer = archdetect("cpupath", EESSI_MACHINE_TYPE="m68k")
    assert (answer.returncode, answer.stdout) == (1, b"")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("",),
        ("-a",),
        ("-a", "accelpath"),
        ("-x", "cpupath"),
        ("cpupath", "-a"),
        ("cpupath", "cpupath"),
        ("gpupath",),
    ],
)
def test_any_other_argument_list_is_an_error(archdetect, arguments):
    answer = archdetect(*arguments)
    assert (answer.returncode, answer.stdout) == (1, b"")
    assert b"usage:" in answer.stderr


def test_overrides(archdetect):
    answer = archdetect("-a", "cpupath", EESSI_SOFTWARE_SUBDIR_OVERRIDE="x86_64/nonsense")
    assert (answer.returncode, answer.stdout) == (0, b"x86_64/nonsense\n")
    answer = archdetect("accelpath", EESSI_ACCELERATOR_TARGET_OVERRIDE="accel/amd/gfx90a")
    assert (answer.returncode, answer.stdout) == (0, b"accel/amd/gfx90a\n")
    answer = archdetect("accelpath", EESSI_ACCELERATOR_TARGET_OVERRIDE="accel/amd/GFX90A")
    assert (answer.returncode, answer.stdout) == (1, b"")


@pytest.mark.parametrize(
    ("setting", "answer"),
    [
        ({}, "80"),
        ({"EESSI_STUB_COMPUTE_CAP": "9.0"}, "90"),
        ({"EESSI_STUB_COMPUTE_CAP": "12.0"}, "120"),
        ({"EESSI_STUB_COMPUTE_CAP": "8.6,7.5"}, "86"),
        ({"EESSI_STUB_COMPUTE_CAP": "[N/A]"}, "[N/A]"),
        ({"EESSI_STUB_NVIDIA_SMI_OUTPUT": ""}, ""),
        ({"EESSI_STUB_NVIDIA_SMI_OUTPUT": "No devices were found\\n"}, "No devices were found"),
        ({"EESSI_STUB_NVIDIA_SMI_OUTPUT": "A, 1, 575.57.08\\n"}, ""),
        (
            {"EESSI_STUB_NVIDIA_SMI_OUTPUT": "WARNING: bad at 0000:B3:00.0\\nA, 1, 5, 8.0\\n"},
            "WARNING: bad at 0000:B3:000",
        ),
    ],
)
def test_accelerator_from_the_compute_capability(archdetect, with_gpu, setting, answer):
    done = archdetect("accelpath", PATH=with_gpu, **setting)
    assert (done.returncode, done.stdout.decode()) == (0, f"accel/nvidia/cc{answer}\n")


def test_the_stderr_of_nvidia_smi_lands_in_front_of_the_answer(archdetect, with_gpu):
    answer = archdetect("accelpath", PATH=with_gpu, EESSI_STUB_NVIDIA_SMI_STDERR="ld.so: object ignored")
    assert (answer.stdout, answer.stderr) == (b"ld.so: object ignored\naccel/nvidia/cc80\n", b"")


def test_no_nvidia_smi(archdetect, with_gpu):
    assert archdetect("accelpath").returncode == 2
    assert archdetect("accelpath", PATH=with_gpu, EESSI_STUB_NVIDIA_SMI="none").returncode == 2


@pytest.mark.parametrize("status", [2, 9, 18])
def test_a_failing_nvidia_smi_leaves_its_file_behind(archdetect, with_gpu, tmp_path, status):
    mark = f"from {tmp_path}"
    setting = {"EESSI_STUB_NVIDIA_SMI_OUTPUT": mark, "EESSI_STUB_NVIDIA_SMI_STATUS": str(status)}
    answer = archdetect("accelpath", PATH=with_gpu, **setting)
    # Other tests may have files of that name there at the same time: ours is the one with the mark.
    left = [path for path in Path("/tmp").glob("nvidia_smi_out.*") if path.read_text() == mark]
    for path in left:
        path.unlink()
    assert (answer.returncode, answer.stdout, len(left)) == (3, b"", 1)


def test_steered_answers(archdetect, tmp_path):
    answer = archdetect("-a", "cpupath", EESSI_STUB_CPUPATH="a\\0000b\\r", EESSI_STUB_STDERR="noise")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, b"a\0b\r\n", b"noise\n")
    assert archdetect("cpupath", EESSI_STUB_CPUPATH="x\\c").stdout == b"x"
    assert archdetect("accelpath", EESSI_STUB_ACCELPATH="").stdout == b"\n"

    answer = archdetect("cpupath", EESSI_STUB_CPUPATH_STATUS="7")
    assert (answer.returncode, answer.stdout) == (7, b"")
    answer = archdetect("accelpath", EESSI_STUB_ACCELPATH="x", EESSI_STUB_ACCELPATH_STATUS="4")
    assert (answer.returncode, answer.stdout) == (4, b"x\n")


def test_starts_are_counted(archdetect, with_gpu, tmp_path):
    log = tmp_path / "log"
    archdetect("cpupath", EESSI_STUB_LOG=str(log))
    archdetect("accelpath", PATH=with_gpu, EESSI_STUB_LOG=str(log))
    assert log.read_text().splitlines() == ["cpupath", "accelpath", "nvidia-smi"]


@pytest.mark.parametrize("question", ["cpupath", "accelpath"])
def test_a_slow_answer(archdetect, question):
    name = f"EESSI_STUB_{question.upper()}"
    answer = archdetect(question, **{name: "late", f"{name}_SLEEP": "0.2"})
    assert answer.stdout == b"late\n"
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(
            [shutil.which("bash"), STUB_ARCHDETECT, question],
            env={"PATH": "/usr/bin:/bin", f"{name}_SLEEP": "1"},
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=0.3,
        )


def test_nvidia_smi_answers_one_kind_of_question(with_gpu):
    def ask(*arguments):
        return subprocess.run(
            [STUB_NVIDIA_SMI, *arguments],
            env={"PATH": with_gpu, "EESSI_STUB_COMPUTE_CAP": "8.6,7.5"},
            capture_output=True,
            text=True,
            check=False,
        )

    answer = ask("--query-gpu=count,compute_cap", "--format=csv,noheader")
    assert (answer.returncode, answer.stdout) == (0, "2, 8.6\n2, 7.5\n")
    for wrong in ([], ["-L"], ["--query-gpu=count", "--format=csv"], ["--query-gpu=colour", "--format=csv,noheader"]):
        answer = ask(*wrong)
        assert (answer.returncode, answer.stdout) == (2, "")
        assert answer.stderr
