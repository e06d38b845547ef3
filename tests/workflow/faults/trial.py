"""A campaign to which faults are done: what it has finished must stay, and its processes."""

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args

from workspace import Workspace

from timefair.basics.errors import InputError
from timefair.measure.runner import NAMES
from timefair.records.store import open_record, read_journal

MEASURED = ("--until", "collect_records")
"""What a trial asks for: no table, no figure."""

Key = tuple[Any, ...]
"""Algorithm, file name of the record without suffix, instance and run."""

RUNS = 6
FUNCTIONS = (1, 8)
INSTANCES = (1, 2)
ALGORITHMS = ("one", "two")
SOLVER = Path(__file__).with_name("unhurried.py")
RUNS_IN_ALL = len(ALGORITHMS) * len(FUNCTIONS) * len(INSTANCES) * RUNS


def wait_for(condition: Callable[[], object], what: str, seconds: float = 90) -> None:
    """Ask again and again; fail if it takes too long."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"no {what} after {seconds} s"
        time.sleep(0.04)


class Trial:
    """A campaign of about five core-seconds in a workspace, and the runs that it has finished."""

    def __init__(self, workspace: Workspace, **changes: Any) -> None:
        self.workspace = workspace
        self.finished: dict[Key, object] = {}
        self.said = workspace.folder / "said.txt"
        usual = {
            "algorithms": dict.fromkeys(ALGORITHMS, f"{SOLVER}:solve"),
            "budget": {"evaluations": 25},  # no time: a run that stalls finds as much
            "runs": RUNS,
            "problems": {
                "suite": "bbob",
                "functions": list(FUNCTIONS),
                "dimensions": 2,
                "instances": list(INSTANCES),
            },
            "tables": ["runs"],
            "figures": ["ecdf"],
        }
        workspace.configure(**usual | changes)

    def start(self, cores: int = 2, **options: Any) -> subprocess.Popen[bytes]:
        with self.said.open("ab") as said:
            return subprocess.Popen(
                self.workspace.command(*MEASURED, cores=cores), cwd=self.workspace.folder,
                env=self.workspace.environment, stdout=said, stderr=said,
                start_new_session=True, **options,
            )  # fmt: skip

    def begin(self, more: int = 1, **options: Any) -> subprocess.Popen[bytes]:
        """Start, and wait until so many more runs are finished and another one is there."""
        campaign = self.start(**options)
        wanted = len(self.finished) + more

        def begun() -> bool:
            assert campaign.poll() is None, self.words
            self.look()
            return len(self.finished) >= wanted and bool(processes(self.workspace.folder)["run"])

        wait_for(begun, f"run after {more} others")
        return campaign

    def ended(self, campaign: subprocess.Popen[bytes]) -> int:
        """Wait until every process has ended. The exit status of the workflow."""
        status = campaign.wait(180)
        wait_for(lambda: not self.alive(), "end of all processes")
        self.look()
        return status

    def alive(self) -> list[int]:
        return [pid for pids in processes(self.workspace.folder).values() for pid in pids]

    def look(self) -> None:
        """Be sure that what was finished at an earlier look is still there, and the same."""
        now = dict(self._runs())
        for key, started in self.finished.items():
            assert now.get(key) == started, f"{key} was lost or measured again"
        self.finished.update(now)

    def finish(self) -> None:
        """Have everything measured, and be sure that it is whole."""
        self.workspace.complete(*MEASURED)
        self.check()

    def check(self) -> None:
        """Be sure that every run is there, once, and what was finished is the same."""
        self.look()
        rows = self.workspace.rows()
        keys = {(r["algorithm"], r["function"], r["instance"], r["run"]) for r in rows}
        assert len(rows) == len(keys) == RUNS_IN_ALL
        assert {row["status"] for row in rows} == {"ok"}

    @property
    def words(self) -> str:
        logs = sorted((self.workspace.results / "logs").rglob("*.log"))
        return "\n".join(path.read_text(errors="replace") for path in [self.said, *logs])

    def _runs(self) -> Iterator[tuple[Key, object]]:
        """When each run was started that a journal or a record holds now."""
        for path in (self.workspace.results / "records").rglob("*.parquet*"):
            for batch in _batches(path):
                for row in batch.select(
                    ["algorithm", "instance", "run", "started_utc"]
                ).to_pylist():
                    record = path.name.partition(".")[0]
                    key = (row["algorithm"], record, row["instance"], row["run"])
                    yield key, row["started_utc"]


def _batches(path: Path) -> list[Any]:
    try:
        if path.suffix == ".parquet":
            return list(open_record(path).row_groups())
        if path.suffix == ".journal":
            return list(read_journal(path.read_bytes()).runs.values())
    except (FileNotFoundError, InputError):  # replaced meanwhile, or damaged on purpose
        pass
    return []


Kind = Literal["run", "parent", "prepared", "command", "job", "snakemake"]
"""The process of a run; the one that forks it, which measures the job; the prepared one that this
is a fork of; the job's own process, which waits; its shell; the workflow."""

KINDS: tuple[Kind, ...] = get_args(Kind)


def processes(folder: Path) -> dict[Kind, list[int]]:
    found: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if path.joinpath("cwd").readlink() == folder:
                found[_kind(path)].append(int(path.name))
        except (OSError, KeyError):  # it has ended, or is none of these
            continue
    return found


def _kind(path: Path) -> Kind:
    words = path.joinpath("cmdline").read_bytes().split(b"\0")
    if b"sh" in words[0][-4:]:
        return "job" if b"timefair measure" in words[-2] else _other()
    if b"snakemake" in words:
        return "snakemake"
    if b"measure" not in words or b"timefair" not in words:
        return _other()
    name = _name(path)
    if name == NAMES["job"]:
        parent = path.joinpath("stat").read_text().rpartition(")")[2].split()[1]
        return "run" if _name(Path("/proc", parent)) == name else "parent"
    return "prepared" if name == NAMES["ready"] or b"--serve" in words else "command"


def _name(path: Path) -> str:
    return path.joinpath("comm").read_text().strip()


def _other() -> Kind:
    raise KeyError
