"""A SLURM of this machine alone, for tests: munged, slurmctld and slurmd on loopback, in seconds, as any user.

    python tests/one_node_slurm.py COMMAND ...    # run a command beside the cluster

A job over its memory is killed, as on a real cluster, though no cgroup is at hand.
"""

import getpass
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil

SECONDS = 60  # until the node must be idle
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "sinfo")
# The PATH of an ordinary user does not lead to the last two.
SEARCHED = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
CONFIGURATION = """
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
MinJobAge=3600
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 Port={node_port} CPUs={cpus} RealMemory={memory}
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs() -> list[str]:
    """Return the programs of SLURM that this machine lacks."""
    return [name for name in PROGRAMS if not shutil.which(name, path=SEARCHED)]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def one_node_slurm(cpus: int, memory: int) -> Iterator[dict[str, str]]:
    """Start a cluster of a node with so many processors and megabytes; yield the environment of its clients."""
    with tempfile.TemporaryDirectory(prefix="slurm") as name, ExitStack() as daemons:
        folder = Path(name)
        folder.chmod(0o711)  # munged refuses a socket below a folder that others cannot enter
        (folder / "state").mkdir()
        (folder / "spool").mkdir()
        host, conf, key = socket.gethostname().split(".")[0], folder / "slurm.conf", folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        conf.write_text(
            CONFIGURATION.format(
                folder=folder, host=host, user=getpass.getuser(), cpus=cpus, memory=memory,
                controller_port=free_port(), node_port=free_port(),
            )
        )  # fmt: skip
        clients = os.environ | {"SLURM_CONF": str(conf), "PATH": f"{folder}/bin:{SEARCHED}"}
        wrap_srun(folder / "bin", conf)
        munge = [f"--{what}-file={folder}/munge.{what}" for what in ("key", "pid", "log", "seed")]
        for command in (
            ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *munge],
            ["slurmctld", "-D", "-c"],
            ["slurmd", "-D", "-N", host],
        ):
            daemons.callback(stopped, start(command, clients, folder))
        wait_until_idle(clients, folder)
        yield clients


def wrap_srun(folder: Path, conf: Path) -> None:
    """Write a `srun` that knows the configuration: jobs of Snakemake's plugin lose SLURM_CONF."""
    folder.mkdir()
    program = folder / "srun"
    program.write_text(f'#!/bin/sh\nSLURM_CONF={conf} exec {shutil.which("srun", path=SEARCHED)} "$@"\n')
    program.chmod(0o755)


def start(command: list[str], environment: dict[str, str], folder: Path) -> subprocess.Popen:
    """Start a daemon of the cluster in the foreground; munged must listen before SLURM asks it."""
    with (folder / f"{command[0]}.out").open("wb") as out:
        daemon = subprocess.Popen(command, env=environment, stdout=out, stderr=out, start_new_session=True)
    if command[0] == "munged":
        end = time.monotonic() + SECONDS
        while not (folder / "munge.socket").exists() and daemon.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
    return daemon


def wait_until_idle(clients: dict[str, str], folder: Path) -> None:
    """Wait for the node; RuntimeError with the daemons' logs where it does not come up."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        told = subprocess.run(["sinfo", "-h", "-o", "%T"], env=clients, capture_output=True, text=True)
        if told.stdout.strip() == "idle":
            return
        time.sleep(0.2)
    logs = [f"{path.name}:\n{path.read_text()[-2000:]}" for path in sorted(folder.glob("*.[lo][ou][gt]"))]
    raise RuntimeError("\n".join(["SLURM did not start", *logs]))


def stopped(daemon: subprocess.Popen) -> None:
    """End a daemon and what it started."""
    children = psutil.Process(daemon.pid).children(recursive=True) if daemon.poll() is None else []
    daemon.terminate()
    try:
        daemon.wait(timeout=10)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()
    for child in children:
        if child.is_running():
            child.kill()


if __name__ == "__main__":
    if missing := missing_programs():
        sys.exit(f"Not installed: {', '.join(missing)} (Debian: apt-get install slurm-wlm munge)")
    with one_node_slurm(os.cpu_count() or 1, psutil.virtual_memory().total // 2**20) as clients:
        sys.exit(subprocess.run(sys.argv[1:], env=clients).returncode)
