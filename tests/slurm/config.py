# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of the cluster's slurm.conf."""

# Far more than the machine has: tests start many tasks that do next to nothing.
CPUS_PER_NODE = 64

COMMON = """\
ClusterName=test
SlurmctldHost={controller}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool/%n
SlurmctldPidFile={directory}/run/slurmctld.pid
SlurmdPidFile={directory}/run/slurmd-%n.pid
SlurmctldLogFile={directory}/log/slurmctld.log
SlurmdLogFile={directory}/log/slurmd-%n.log
SlurmctldDebug=info
SlurmdDebug=verbose
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
LaunchParameters=use_interactive_step
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
PropagateResourceLimits=NONE
"""
NODE = "NodeName={name} NodeHostname={name} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} RealMemory=1024 State=UNKNOWN\n"
PARTITION = "PartitionName=all Nodes=ALL Default=YES MaxTime=10:00 OverSubscribe=FORCE:32 State=UP\n"


def slurm_conf(directory, controller, controller_port, node_ports, task_prolog=None, extra=()):
    """Return the text of slurm.conf.

    node_ports: name of the node -> port of its slurmd.
    extra: lines that are added as they are.
    """
    text = COMMON.format(directory=directory, controller=controller, port=controller_port)
    for name, port in node_ports.items():
        text += NODE.format(name=name, port=port, cpus=CPUS_PER_NODE)
    text += PARTITION
    if task_prolog is not None:
        text += f"TaskProlog={task_prolog}\n"
    return text + "".join(f"{line}\n" for line in extra)
