"""A real SLURM of one node on loopback, for one test: no root, no accounts, nothing outside its own folder.

Authentication and limits are a sandbox's, not a site's.
"""

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

DAEMONS = ("slurmctld", "slurmd")
SEARCH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin"])
CONFIGURATION = """
ClusterName=sandbox
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=3600
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=64000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class NoSlurmError(RuntimeError):
    """Why there is no SLURM here."""


@dataclass(frozen=True)
class Job:
    """A line of squeue."""

    id: str
    state: str
    memory: str
    time: str
    cpus: str
    comment: str


@dataclass
class Cluster:
    """A running SLURM; ``variables`` is the environment that its commands need."""

    variables: dict[str, str]

    def command(self, *words: str, timeout: float = 30) -> str:
        environment = os.environ | self.variables
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=timeout, check=True).stdout

    def jobs(self) -> list[Job]:
        """All jobs so far, in the order of their submission."""
        lines = self.command("squeue", "--states=all", "--noheader", "--sort=i", "--format=%i|%T|%m|%l|%C|%k").splitlines()
        return [Job(*line.split("|")) for line in lines]

    def cancel_first(self, wanted: Callable[[Job], bool], timeout: float) -> None:
        """Wait for a job, and cancel it."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            for job in filter(wanted, self.jobs()):
                self.command("scancel", job.id)
                return
            time.sleep(0.3)


@contextlib.contextmanager
def one_node(folder: Path, cpus: int = 4) -> Iterator[Cluster]:
    """Start the daemons below ``folder``; they end with the block, or with this process.

    Raises
    ------
    NoSlurmError
        If SLURM is not installed or does not run a job here, with the reason.
    """
    missing = [name for name in (*DAEMONS, "sbatch", "setpriv") if not shutil.which(name, path=SEARCH)]
    if missing:
        raise NoSlurmError(f"{missing[0]} is not installed (Debian: apt-get install slurmctld slurmd slurm-client)")
    variables = _configure(folder, cpus)
    started = []
    try:
        for name in DAEMONS:
            command = ["setpriv", "--pdeathsig", "TERM", shutil.which(name, path=SEARCH), "-D"]
            output = open(folder / f"{name}.out", "wb")  # noqa: SIM115 - closed with the daemon
            started.append(subprocess.Popen(command, env=os.environ | variables, stdout=output, stderr=output))
        cluster = Cluster(variables)
        _wait_until_a_job_runs(cluster, folder)
        yield cluster
    finally:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            Cluster(variables).command("scancel", "--quiet", "--user", getpass.getuser())
            time.sleep(1)  # slurmd ends the steps, which are processes of their own
        for process in reversed(started):
            process.send_signal(signal.SIGTERM)
        for process in started:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=15)
            process.kill()


def _configure(folder: Path, cpus: int) -> dict[str, str]:
    for name in ("state", "spool", "bin"):
        (folder / name).mkdir(parents=True)
    settings = {"folder": folder, "host": socket.gethostname().split(".")[0], "user": getpass.getuser(), "cpus": cpus}
    with socket.socket() as one, socket.socket() as two:
        for taken in (one, two):
            taken.bind(("127.0.0.1", 0))
        settings["ports"] = [taken.getsockname()[1] for taken in (one, two)]
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(**settings))
    # the step inside a job drops all variables of SLURM's before it calls srun
    srun = folder / "bin" / "srun"
    srun.write_text(f'#!/bin/sh\nSLURM_CONF={configuration} exec {shutil.which("srun")} "$@"\n')
    srun.chmod(0o755)
    return {"SLURM_CONF": str(configuration), "PATH": f"{folder / 'bin'}{os.pathsep}{SEARCH}"}


def _wait_until_a_job_runs(cluster: Cluster, folder: Path, timeout: float = 60) -> None:
    end, said = time.monotonic() + timeout, ""
    while time.monotonic() < end:
        try:
            if "idle" in cluster.command("sinfo", "--noheader", "--format=%T"):
                cluster.command("srun", "--ntasks=1", "true")
                return
        except subprocess.SubprocessError as error:
            said = f"{error} {getattr(error, 'stderr', '')}"
        time.sleep(0.3)
    logs = "\n".join(file.read_text(errors="replace")[-1000:] for file in sorted(folder.glob("*.log")))
    raise NoSlurmError(f"SLURM is installed but ran no job within {timeout:.0f} s: {said}\n{logs}")
