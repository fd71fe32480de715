# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The test cluster is what the other tests take it for."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from slurm.cluster import Cluster, ClusterError
from slurm.nodes import NODES, Node

TESTS = Path(__file__).resolve().parents[1]


def lines(result):
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.name)
def test_a_node_has_its_own_cpuinfo(cluster, node):
    result = cluster.srun("-w", node.name, "cat", "/proc/cpuinfo")
    assert result.stdout == node.cpuinfo.read_text()


def test_only_the_gpu_node_has_nvidia_smi(cluster):
    found = lines(cluster.srun("-N4", "sh", "-c", 'echo "$(hostname) $(command -v nvidia-smi)"'))
    assert sorted(found) == ["n-gpu /usr/bin/nvidia-smi", "n-spr-vm ", "n-zen2 ", "n-zen4 "]


def test_a_command_runs_on_the_login_node_or_another(cluster):
    assert lines(cluster.run_as_user(["hostname"])) == ["n-zen4"]
    assert lines(cluster.run_as_user(["hostname"], node="n-zen2")) == ["n-zen2"]


def test_jobs_run_as_a_user_without_rights_and_with_a_home(cluster):
    answer = lines(cluster.srun("sh", "-c", "id -u; id -un; id -G; cd && pwd; touch /etc/x 2>/dev/null || echo no"))
    assert answer == [str(cluster.uid), "jobuser", str(cluster.uid), str(cluster.home), "no"]


def test_environment_and_directory_travel_with_the_job(cluster):
    result = cluster.srun("sh", "-c", 'echo "$A-$LC_ALL"; pwd', env={"A": "a b", "LC_ALL": None}, cwd="/usr")
    assert lines(result) == ["a b-", "/usr"]


@pytest.mark.parametrize("directory", ["/tmp", "/dev/shm"])
def test_temporary_files_stay_on_their_node(cluster, directory):
    assert not lines(cluster.srun("-w", "n-zen2", "touch", f"{directory}/mark"))
    seen = lines(cluster.srun("-N4", "sh", "-c", f"[ ! -e {directory}/mark ] || hostname"))
    assert seen == ["n-zen2"]
    own = {"/tmp": cluster.tmp, "/dev/shm": cluster.shm}[directory]
    (own("n-zen2") / "mark").unlink()
    assert not Path(directory, "mark").exists()


def test_files_of_a_test_are_seen_on_every_node(cluster, public_path):
    (public_path / "file").write_text("text\n")
    assert lines(cluster.srun("-N4", "cat", public_path / "file")) == ["text"] * 4


def test_task_prolog_exports_and_prints_once_a_task(cluster, task_prolog):
    task_prolog('echo "export MARK=$SLURM_LOCALID"', 'echo "print prolog $SLURM_LOCALID"', "echo dropped")
    shown = lines(cluster.srun("-w", "n-zen2", "-n", "8", "--overcommit", "sh", "-c", 'echo "task $MARK"'))
    assert sorted(shown) == sorted(f"{word} {number}" for word in ("prolog", "task") for number in range(8))


def test_without_task_prolog_nothing_is_added(cluster, task_prolog):
    task_prolog("echo print once")
    assert lines(cluster.srun("true")) == ["once"]
    cluster.configure()
    assert lines(cluster.srun("true")) == []


def test_failing_task_prolog_ends_the_task(cluster, task_prolog):
    task_prolog("exit 3")
    result = cluster.srun("echo", "ran")
    assert result.returncode != 0
    assert "ran" not in result.stdout


def test_task_prolog_of_an_included_file(cluster, task_prolog):
    task_prolog("echo print included")
    prolog = cluster.directory / "task-prolog"
    cluster.configure(extra=["Include site.conf"], includes={"site.conf": f"TaskProlog = {prolog}\n"})
    assert lines(cluster.srun("true")) == ["included"]


def test_task_prolog_of_srun(cluster, public_path):
    prolog = public_path / "prolog"
    prolog.write_text("#!/bin/sh\necho print mine\n")
    prolog.chmod(0o755)
    assert lines(cluster.srun(f"--task-prolog={prolog}", "true")) == ["mine"]


def test_batch_script_with_a_step_on_another_node(cluster):
    result = cluster.sbatch(
        "#!/bin/bash\necho batch $SLURMD_NODENAME\nsrun -N1 -n1 -w n-zen4 sh -c 'echo step $SLURMD_NODENAME'\n",
        "-N2",
        "-w",
        "n-zen4,n-zen2",
    )
    assert (result.state, result.output) == ("COMPLETED", "batch n-zen2\nstep n-zen4\n")


def test_failing_batch_script(cluster):
    result = cluster.sbatch("#!/bin/sh\necho before\nexit 3\n")
    assert (result.state, result.output) == ("FAILED", "before\n")


def test_job_array(cluster):
    result = cluster.sbatch("#!/bin/sh\necho $SLURM_ARRAY_TASK_ID\n", "--array=1-3")
    assert (result.state, result.output) == ("COMPLETED,COMPLETED,COMPLETED", "1\n2\n3\n")


def test_batch_job_that_takes_too_long(cluster):
    with pytest.raises(ClusterError, match="has not ended in time"):
        cluster.sbatch("#!/bin/sh\nsleep 60\n", timeout=1)


def test_export_none_drops_the_environment_of_srun(cluster):
    # There is no PATH to find it by.
    show = ("/bin/sh", "-c", 'echo "${MARK:-none}"')
    assert lines(cluster.srun(*show, env={"MARK": "set"})) == ["set"]
    assert lines(cluster.srun("--export=NONE", *show, env={"MARK": "set"})) == ["none"]


def test_export_none_gives_a_batch_job_the_user_s_login_environment(cluster):
    script = '#!/bin/sh\necho "${MARK:-none} $HOME"\nsrun --export=ALL sh -c \'echo "step $HOME"\'\n'
    result = cluster.sbatch(script, "--export=NONE", env={"MARK": "set"})
    assert (result.state, result.output) == ("COMPLETED", f"none {cluster.home}\nstep {cluster.home}\n")


def test_salloc_runs_its_command_on_the_login_node(cluster):
    show = 'echo "$(hostname) $SLURM_JOB_NODELIST"; srun hostname'
    assert lines(cluster.salloc("-w", "n-zen2", "sh", "-c", show)) == ["n-zen4 n-zen2", "n-zen2"]


def test_interactive_step_is_a_shell_on_the_allocated_node(cluster, task_prolog):
    task_prolog("echo export MARK=prolog")
    typed = "echo $(hostname) $MARK > ~/answer\nexit\n"
    result = cluster.salloc_shell(typed, "-w", "n-spr-vm")
    assert result.returncode == 0, result.stdout
    assert (cluster.home / "answer").read_text() == "n-spr-vm prolog\n"


def test_command_that_takes_too_long(cluster):
    with pytest.raises(subprocess.TimeoutExpired):
        cluster.srun("sleep", "60", timeout=1)
    started = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        cluster.run_on_terminal(["sleep", "60"], "", timeout=1)
    assert time.monotonic() - started < 5
    assert cluster.run_as_root(["pgrep", "-x", "sleep"]).stdout == ""


def leftovers(directory, process_namespace):
    """Return what a cluster would leave: files, mounts, processes."""
    found = [] if not directory.exists() else [str(directory)]
    found += [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if directory.name in line]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "ns" / "pid") == process_namespace:
                found.append((process / "cmdline").read_text(errors="replace"))
        except (FileNotFoundError, ProcessLookupError):
            continue
        except PermissionError:
            # Root may look into all that the cluster starts: this one is of the machine's own.
            continue
    return found


def leftovers_of(cluster):
    return leftovers(cluster.directory, cluster.process_namespace)


def is_open(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def ports_of(slurm_conf):
    fields = slurm_conf.replace("SlurmctldPort=", "Port=").split()
    return [int(field[5:]) for field in fields if field.startswith("Port=")]


def test_nothing_is_left_after_the_end(cluster):
    with Cluster(NODES[:2]) as other:
        ports = ports_of(other.conf.read_text())
        assert len(ports) == 3
        assert all(map(is_open, ports))
        other.run_as_user(["sh", "-c", "setsid -f sleep 300 >/dev/null 2>&1"])
        assert any("sleep" in left for left in leftovers_of(other))
        started = time.monotonic()
    assert time.monotonic() - started < 2
    assert leftovers_of(other) == []
    assert not any(map(is_open, ports))
    # The session's own cluster is another one.
    assert lines(cluster.srun("echo", "here")) == ["here"]


def test_nothing_is_left_when_the_tests_are_killed(cluster):
    code = """
        import time
        from slurm.cluster import Cluster
        from slurm.nodes import NODES
        with Cluster(NODES[:1]) as cluster:
            print(cluster.directory, cluster.process_namespace, flush=True)
            time.sleep(60)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    env = dict(os.environ, PYTHONPATH=str(TESTS))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as starter:
        directory, namespace = starter.stdout.readline().split()
        directory = Path(directory)
        ports = ports_of((directory / "etc" / "slurm.conf").read_text())
        assert leftovers(directory, namespace)
        starter.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 5
    while leftovers(directory, namespace) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert leftovers(directory, namespace) == []
    assert not any(map(is_open, ports))


def test_cluster_that_cannot_start_says_why_and_leaves_nothing():
    broken = Node("n-broken", NODES[0].cpuinfo, {})
    cluster = Cluster((broken,), shared=["/tmp/there-is-no-such-directory"])
    with pytest.raises(ClusterError, match="slurmd of n-broken ended, status"), cluster:
        pass
    assert leftovers_of(cluster) == []


def test_death_of_a_daemon_is_an_error_that_names_it():
    with Cluster(NODES[:1]) as cluster:
        cluster.run_as_root(["kill", (cluster.directory / "run" / "munged.pid").read_text().strip()])
        deadline = time.monotonic() + 5
        with pytest.raises(ClusterError, match="munged ended"):
            while time.monotonic() < deadline:
                cluster.run_as_user(["true"])
    assert leftovers_of(cluster) == []


def test_many_tasks_on_a_node(cluster, task_prolog):
    task_prolog("echo export MARK=prolog")
    started = time.monotonic()
    shown = lines(cluster.srun("-w", "n-zen2", "-n", "64", "--overcommit", "sh", "-c", "echo $MARK"))
    print(f"64 tasks: {time.monotonic() - started:.1f} s; start of the cluster: {cluster.start_seconds:.1f} s")
    assert shown == ["prolog"] * 64
