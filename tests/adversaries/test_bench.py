"""Adversaries in one campaign: each comes to what it should, and harms nobody; poor machines."""

import ctypes
import resource
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from adversary import Adversary
from bench import BENCH, HONEST
from faults.trial import wait_for
from workspace import Workspace

from timefair.measure.run import MOST
from timefair.records.store import read_runs

pytestmark = pytest.mark.workflow


PR_CAPBSET_DROP = 24
CAP_SETFCAP = 31
SETTINGS: dict[str, Any] = {
    "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
    "limits": {"memory_mb": 1000},
    "timing": {"reference": False},  # a third of each job, and no algorithm has a part in it
    "targets": [10, 1],
    "tables": ["runs", "ert"],
    "figures": ["ert"],
}
DECIDED = ["algorithm", "run", "seed", "status", "evaluations", "best_f", "launches", "message"]


RUNS = 2
HELD: dict[str, Any] = {"budget": {"time_s": 1.5, "evaluations": 300}, "runs": 1}
"""T, which each of these runs lasts, is longer than a machine stalls."""
OTHERS: dict[str, Any] = {"budget": {"time_s": 60, "evaluations": 300}, "runs": RUNS}
"""T ends none of these runs."""


def drop_privileges() -> None:
    """Leave the programs that this process executes no capability, whoever its user is.

    But one, without which root cannot make the user namespace that any other user can.
    """
    libc = ctypes.CDLL(None)
    for capability in {*range(64)} - {CAP_SETFCAP}:
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


MEASURED = ("--until", "finish_round")
"""What is asked for of Snakemake: no collected file, table or figure."""


SHARE = 18
"""By default, one of so many adversaries is measured; with --thorough, each."""


@pytest.fixture(scope="module")
def chosen(request):
    """The adversaries that are measured: by default some, of which T ends none."""
    if request.config.getoption("--thorough"):
        return BENCH
    names = [name for name in sorted(BENCH) if not BENCH[name].held]
    return {name: BENCH[name] for name in names[::SHARE]}


@pytest.fixture(scope="module")
def benches(chosen, tmp_path_factory):
    """Two campaigns, measured without any privilege: of those that T ends, and of the others."""
    held = {name: entry.use for name, entry in chosen.items() if entry.held}
    others = {name: entry.use for name, entry in chosen.items() if not entry.held}
    found = []
    for algorithms, settings in ((held, HELD), (HONEST | others, OTHERS)):
        if not algorithms:
            continue
        workspace = Workspace(tmp_path_factory.mktemp("bench"))
        workspace.limit = drop_privileges
        workspace.configure(algorithms=algorithms, **SETTINGS, **settings)
        workspace.complete(*MEASURED)
        found.append(workspace)
    return found


def measured(workspace: Workspace, label: str = "*") -> pa.Table:
    return read_runs(sorted((workspace.results / "records").glob(f"{label}/*/*.parquet")))


def test_each_comes_to_what_it_should(chosen, benches):
    ends = ("evaluations", "target")
    honest = {name: Adversary(name, use, "ok", ends) for name, use in HONEST.items()}
    expected = chosen | honest
    rows = [row for bench in benches for row in measured(bench).to_pylist()]
    assert len(rows) == sum(1 if entry.held else RUNS for entry in expected.values())
    wrong = [line for row in rows if (line := expected[row["algorithm"]].differs(row))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.thorough
def test_the_honest_find_the_same_without_them(benches, tmp_path):
    alone = Workspace(tmp_path)
    alone.configure(algorithms=HONEST, **SETTINGS, **OTHERS)
    alone.complete(*MEASURED)
    for name in HONEST:
        with_others, by_itself = measured(benches[1], name), measured(alone, name)
        assert with_others.select(DECIDED).equals(by_itself.select(DECIDED))
        assert _found(with_others) == _found(by_itself)


def _found(runs: pa.Table) -> list[list[tuple[int, int, float]]]:
    return [
        [(event["launch"], event["evaluations"], event["precision"]) for event in events]
        for events in runs["events"].to_pylist()
    ]


def test_the_logs_stay_small(benches):
    """Also that of an algorithm that prints a gigabyte a second."""
    logs = [path for bench in benches for path in (bench.results / "logs").rglob("*.log")]
    sizes = {path: path.stat().st_size for path in logs}
    assert max(sizes.values()) < RUNS * MOST + 10_000, sizes


def test_nothing_is_left(benches):
    for bench in benches:
        wait_for(lambda folder=bench.folder: not _processes(folder), "end of all processes")
        files = bench.results.rglob("f1_*.parquet*")
        assert {path.name.partition(".parquet")[2] for path in files} == {"", ".journal"}


def _processes(folder: Path) -> list[Path]:
    return [path for path in Path("/proc").glob("[0-9]*/cwd") if _place(path) == folder]


def _place(link: Path) -> Path | None:
    try:
        return link.readlink()
    except OSError:  # it has just ended
        return None


ADDRESS_SPACE = 3 * 2**30
CLONE_NEWNS, MS_PRIVATE, MS_REC, MNT_DETACH = 0x00020000, 1 << 18, 1 << 14, 2


def be_poor() -> None:
    """``ulimit -v``, and no /dev/shm where the system lets this process take it away."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    libc = ctypes.CDLL(None)
    if libc.unshare(CLONE_NEWNS) == 0:
        libc.mount(None, b"/", None, MS_PRIVATE | MS_REC, None)
        libc.umount2(b"/dev/shm", MNT_DETACH)


@pytest.mark.thorough
def test_a_problem_that_misbehaves_on_a_poor_machine(tmp_path):
    """Each function has its status; limits and a missing folder change nothing."""
    use = f"{Path(__file__).with_name('problem.py')}:value"
    workspace = Workspace(tmp_path)
    workspace.limit = be_poor
    workspace.configure(
        problems={"suite": use, "functions": "1-7", "dimensions": 2, "instances": 1},
        algorithms={"search": HONEST["random_search"], "hoards": BENCH["allocates"].use},
        budget={"time_s": 2, "evaluations": 100},
        limits={"memory_mb": 300},
        runs=1,
    )
    workspace.complete("--until", "collect_records")
    seen = {
        (row["algorithm"], row["function"]): (row["status"], row["message"])
        for row in workspace.rows()
    }
    no_number = f"TypeError: {use} returned 'no number', not a number"
    of_the_problem = {
        2: ("no_finite_value", None),
        3: ("raised", "ArithmeticError: no value (problem.py:16)"),
        4: ("exited", "exit code 3"),
        5: ("crashed", "SIGSEGV"),
        6: ("raised", no_number),
    }
    assert {k: v for (label, k), v in seen.items() if label == "search"} == {
        1: ("ok", None), **of_the_problem, 7: ("ok", None),
    }  # fmt: skip
    memory = ("out_of_memory", "MemoryError")
    assert {k: v for (label, k), v in seen.items() if label == "hoards"} == {
        1: memory, **of_the_problem, 2: memory, 7: memory,
    }  # fmt: skip
