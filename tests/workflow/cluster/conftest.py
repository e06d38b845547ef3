"""A real Slurm on this machine, of two kinds of nodes, for as long as these tests take."""

import contextlib
import importlib.util
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from timefair.machine.linux import kernel

CONFIGURATION = Path("/etc/slurm/slurm.conf")
"""Has to be there: the executor takes SLURM_CONF out of the environment of a job's step."""
PLUGIN = os.environ.get("TIMEFAIR_SLURM_PLUGIN")
"""A folder with Snakemake's executor for Slurm, where it is not installed: every Snakemake that
finds it imports it, which takes half a second."""
OURS = "# Slurm of timefair's tests\n"
TOOLS = ("slurmctld", "slurmd", "sbatch", "srun", "scancel", "squeue", "sinfo", "munged")
DAEMONS = ("slurmctld", "slurmd")
FEATURE = "timed"
"""What the node for the campaign is told to have, for jobs to ask for."""
OTHER = "other"
"""The node without it; Slurm gives jobs to this one first. Processes there see another processor
and another host name, in namespaces of their own."""
OTHER_PROCESSOR = "Slow Processor of the Tests"


def why_not() -> str:
    """What keeps a Slurm from being started here, or ``""``."""
    if os.geteuid() != 0:
        return "Slurm's daemons are started by root only"
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        return f"not installed: {', '.join(missing)} (Debian: slurm-wlm, munge)"
    if PLUGIN is None and importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        return "not installed: snakemake-executor-plugin-slurm (envs/slurm.txt)"
    if running := sorted(_commands() & set(DAEMONS)):
        return f"there is a Slurm on this machine: {' and '.join(running)} run"
    if CONFIGURATION.exists() and not CONFIGURATION.read_text().startswith(OURS):
        return f"there is a Slurm on this machine: {CONFIGURATION}"
    return ""


def _commands() -> set[str]:
    """The names of all processes, but for those that have ended and wait for their parent."""
    names = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = path.read_text().partition("(")[2].rpartition(")")
            if rest.split()[0] != "Z":
                names.add(name)
    return names


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Slurm:
    other_processor = OTHER_PROCESSOR

    def jobs(self, *states: str) -> list[str]:
        return self._ask(
            "squeue", "--array", "--noheader", "--format=%i", f"--states={','.join(states)}"
        )

    def cancel(self, *jobs: str) -> None:
        """Ask for their end; `scancel` fails for a job that is ending by itself."""
        subprocess.run(["scancel", *jobs])

    def idle(self) -> bool:
        return self._ask("sinfo", "--noheader", "--format=%T") == ["idle"]

    @staticmethod
    def _ask(*command: str) -> list[str]:
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stdout.split()


def configuration(folder: Path, socket_path: Path) -> str:
    host = socket.gethostname()
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return f"""{OURS}
ClusterName=timefair
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={_free_port()}
SlurmdPort={_free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={socket_path}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=2
ReturnToService=2
MinJobAge=300
KillWait=5
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdLogFile={folder}/slurmd.%n.log
SlurmdSpoolDir={folder}/spool.%n
StateSaveLocation={folder}/state
NodeName=DEFAULT RealMemory={memory_mb}
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} Feature={FEATURE} Weight=2
NodeName={OTHER} NodeHostname={host} NodeAddr=127.0.0.1 Port={_free_port()} CPUs=1 Weight=1
PartitionName=bench Nodes=ALL Default=YES MaxTime=INFINITE
"""


@contextlib.contextmanager
def process(*command: object) -> Iterator[None]:
    """A daemon that stays in the foreground, ended with what it is around, and with the tests."""
    daemon = subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=partial(kernel.die_with_parent, os.getpid()),
    )  # fmt: skip
    try:
        yield
    finally:
        daemon.terminate()
        daemon.wait(30)


def elsewhere(folder: Path, *command: str) -> tuple[str, ...]:
    """A command that runs it where the host is `OTHER` and has `OTHER_PROCESSOR`."""
    real, other = Path("/proc/cpuinfo"), folder / "cpuinfo"
    lines = real.read_text().splitlines()
    named = (f"model name\t: {OTHER_PROCESSOR}" if "model name" in one else one for one in lines)
    other.write_text("\n".join(named) + "\n")
    script = f'mount --bind {other} {real} && hostname {OTHER} && exec "$@"'
    return ("unshare", "--mount", "--uts", "sh", "-c", script, "sh", *command)


@contextlib.contextmanager
def configured(text: str) -> Iterator[None]:
    """The file that Slurm's commands read, and its folder, for as long as it is needed."""
    made = not CONFIGURATION.parent.exists()
    CONFIGURATION.parent.mkdir(exist_ok=True)
    CONFIGURATION.write_text(text)
    try:
        yield
    finally:
        CONFIGURATION.unlink()
        if made:
            CONFIGURATION.parent.rmdir()


@contextlib.contextmanager
def munge(folder: Path) -> Iterator[Path]:
    """A munge of our own, with its socket."""
    key, path = folder / "munge.key", folder / "munge.socket"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    files = {"key-file": key, "socket": path}
    files |= {f"{kind}-file": folder / f"munge.{kind}" for kind in ("pid", "log", "seed")}
    words = [f"--{name}={value}" for name, value in files.items()]
    with process("munged", "--foreground", "--force", *words):
        wait_for(path.exists, 20)
        yield path


def wait_for(condition, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "Slurm did not come up, or its jobs did not end"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("slurm")
    nodes = (socket.gethostname(), OTHER)
    for name in ("state", *(f"spool.{node}" for node in nodes)):
        folder.joinpath(name).mkdir()
    with (
        pytest.MonkeyPatch.context() as environment,
        munge(folder) as socket_path,
        configured(configuration(folder, socket_path)),
        process("slurmctld", "-D"),
        process("slurmd", "-D", "-N", nodes[0]),
        process(*elsewhere(folder, "slurmd", "-D", "-N", nodes[1])),
    ):
        if PLUGIN is not None:
            environment.setenv("PYTHONPATH", PLUGIN, prepend=os.pathsep)
        cluster = Slurm()
        wait_for(cluster.idle, 60)
        yield cluster
        cluster.cancel("--user=root")
        wait_for(lambda: not cluster.jobs("running", "completing", "pending"), 60)
