"""`isolation: strict`: the same results, and an algorithm that cannot reach its evaluator."""

import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from bench import BENCH
from campaigns import SMALL
from fixtures_of_runs import problem, reaper
from measurements import do_jobs

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.campaign.provenance import measure_keys
from timefair.extensions.strict.host import Setup
from timefair.extensions.strict.solvers import hosted
from timefair.machine.linux import kernel
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import load
from timefair.policies.restarts import BetAndRun, FixedLength, Independent, NoRestart
from timefair.problems.problem import Problem, ProblemName
from timefair.problems.suites import SUITES
from timefair.records.store import read_runs

__all__ = ["problem", "reaper"]
pytestmark = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="evaluations have a core of their own"
)
CORES = tuple(sorted(os.sched_getaffinity(0))[:2])

ALGORITHMS = '''
import ctypes
import gc
import os
import signal
import socket
import sys
import time

import numpy as np


def sample(objective, rng, most=10**9):
    for _ in range(most):
        objective(rng.uniform(objective.lower, objective.upper))


def short(objective, rng):
    """Draws from all generators that a run seeds."""
    for _ in range(40):
        objective(rng.uniform(objective.lower, objective.upper) * np.random.random())


def batches(objective, rng):
    while True:
        objective.batch(rng.uniform(objective.lower, objective.upper, (700, objective.dimension)))


def in_c(objective, rng):
    function, handle = objective.c_function
    kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    call, y = kind(function), ctypes.c_double()
    while True:
        x = rng.uniform(objective.lower, objective.upper)
        call(handle, x.ctypes.data, ctypes.byref(y))


def budgeted(objective, rng):
    left = objective.evaluations_left
    sample(objective, rng, 7)
    raise RuntimeError(f"{left} {objective.evaluations_left} {objective.evaluations}")


def looks_around(objective, rng):
    """Tells what of the measurement is in its process, and whether it can read another one."""
    objective(objective.lower)
    mine = {type(thing).__name__ for thing in gc.get_objects()}
    found = sorted(mine & {"Measurement", "State", "Launcher", "Job", "Campaign"})
    frame, words = sys._getframe(), set()
    while frame is not None:
        words |= set(frame.f_locals)
        frame = frame.f_back
    found += sorted(words & {"job", "problem", "function", "instance"})
    parent = os.getppid()
    for name in ("mem", "maps", "environ", *(f"fd/{number}" for number in range(60))):
        try:
            with open(f"/proc/{parent}/{name}", "rb") as file:
                found += [name] * bool(file.read(1))
        except OSError:
            pass
    raise RuntimeError(f"found: {found}")


def serves(objective, rng):
    """Connects to a server of its own, and tells which networks it sees."""
    objective(objective.lower)
    server = socket.create_server(("127.0.0.1", 0))
    socket.create_connection(server.getsockname()).close()
    raise RuntimeError(f"{socket.if_nameindex()} {os.readlink('/proc/self/ns/net')}")


def allocates(objective, rng):
    sample(objective, rng, 3)
    raise MemoryError


def garbles(objective, rng):
    sample(objective, rng, 3)
    (channel,) = [line for line in open("/proc/self/maps") if "timefair-channel" in line]
    start = int(channel.partition("-")[0], 16)
    ctypes.c_int64.from_address(start + 8).value = 77  # a kind of message that there is not
    ctypes.c_int32.from_address(start).value = 1
    time.sleep(100)


def asks_for_more(objective, rng):
    """Tells which of its wishes the kernel granted."""
    assert sorted(p for p in os.listdir("/proc") if p.isdigit()) == ["1", str(os.getpid())]
    libc = ctypes.CDLL(None, use_errno=True)
    keyctl = 250 if os.uname().machine == "x86_64" else 219

    def call(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), "refused")

    wishes = {
        "cores": lambda: os.sched_setaffinity(0, range(os.cpu_count())),
        "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
        "policy": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        "a user namespace": lambda: call(libc.unshare(0x10000000)),
        "a key ring": lambda: call(libc.syscall(keyctl, 1, None)),
        "memory that nobody counts": lambda: os.memfd_create("more"),
        "a signal to the keeper": lambda: os.kill(1, 9),  # and it lives on
    }
    granted = []
    for name, wish in wishes.items():
        try:
            wish()
        except OSError:
            continue
        granted.append(name)
    os.kill(os.getpid(), 0)  # what is its own it may
    os.close(os.pidfd_open(os.getpid()))
    raise RuntimeError(f"granted: {granted}")


def forks(objective, rng):
    if os.fork() == 0:
        time.sleep(100)
    sample(objective, rng)
'''


@pytest.fixture(scope="module")
def algorithms(tmp_path_factory):
    path = tmp_path_factory.mktemp("apart") / "apart.py"
    path.write_text(ALGORITHMS)
    return path


@contextmanager
def host_of(use: str, problem: Problem, memory_mb: float | None = None):
    space = problem.lower, problem.upper, problem.integer
    before = os.sched_getaffinity(0)
    with hosted(Setup(use, {}, "native", *space, memory_mb), CORES) as host:
        os.sched_setaffinity(0, host.cores)
        try:
            yield host
        finally:
            os.sched_setaffinity(0, before)


def run_apart(use: str, problem: Problem, **allowed) -> dict:
    with host_of(use, problem) as host:
        return measure_run(host, problem, Allowance(**{"restart": NoRestart(), **allowed}), seed=5)


def result(row: dict) -> dict:
    names = ("status", "stop_reason", "message", "evaluations", "launches", "best_f", "best_x")
    return {
        **{name: row[name] for name in names if name != "best_x"},
        "best_x": None if row["best_x"] is None else row["best_x"].tolist(),
        "events": [(e["launch"], e["evaluations"], e["precision"]) for e in row["events"]],
        "launch_log": [(one["evaluations"], one["best_precision"]) for one in row["launch_log"]],
    }


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "restart"),
    [
        ("short", Independent()),
        ("short", FixedLength(tau_evaluations=15)),
        ("short", BetAndRun(candidates=3, tau_evaluations=25)),
        ("batches", Independent()),
        ("in_c", NoRestart()),
        ("timefair:DE", Independent()),
        ("scipy:Nelder-Mead", Independent()),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_with_a_budget_of_evaluations_all_is_as_in_the_default_mode(
    algorithms, problem, use, restart
):
    use = use if ":" in use else f"{algorithms}:{use}"
    allowance = Allowance(evaluations=900, restart=restart)
    here = measure_run(load(use, {}, "native"), problem, allowance, seed=5)
    assert result(run_apart(use, problem, evaluations=900, restart=restart)) == result(here)
    assert here["evaluations"] == 900


@pytest.mark.slow
def test_of_a_noisy_problem_the_values_are_the_same_and_no_point_is_recommended():
    noisy = SUITES["bbob-noisy"].problem(101, 3, 1)
    use, allowed = "scipy:Nelder-Mead", {"evaluations": 2000, "restart": Independent()}
    here = measure_run(load(use, {}, "native"), noisy, Allowance(**allowed), seed=5)
    apart = run_apart(use, noisy, **allowed)
    assert result(apart) == result(here)
    assert [v["outputs"] for v in apart["vectors"]] == [v["outputs"] for v in here["vectors"]]
    assert here["recommendations"]
    assert apart["recommendations"] == []


OF_THE_BENCH = (
    "raises", "aborts", "ends_the_process", "sleeps", "swallows_everything", "swallows_in_a_thread",
    "returns_at_once",
)  # fmt: skip


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", OF_THE_BENCH)
def test_a_run_ends_with_the_status_of_the_default_mode(problem, name):
    entry = BENCH[name].without_evaluations()
    time_s = 1.5 if entry.held else 60.0  # longer than a stall
    row = run_apart(entry.use, problem, time_ns=round(time_s * 1e9))
    assert not entry.differs(row)
    assert row["reaped_s"] < time_s + 5
    assert row["left_processes"] == 0


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("allocates", "out_of_memory", "MemoryError"),
        ("forks", "ok", None),
        ("garbles", "raised", "Garbled: a message of kind 77"),
    ],
)
def test_what_only_a_process_of_its_own_can_do_has_a_status(
    algorithms, problem, name, status, said
):
    row = run_apart(f"{algorithms}:{name}", problem, time_ns=1_500_000_000)
    assert row["status"] == status
    assert said is None or said in row["message"]
    assert row["left_processes"] == (name == "forks")


@pytest.mark.slow
def test_what_the_function_raises_ends_the_run():
    def divides(x):
        raise ZeroDivisionError("by zero")

    box = np.full(2, -1.0), np.full(2, 1.0)
    problem = Problem(ProblemName("test", 1, 2, 1), divides, *box, f_opt=0.0)
    for name in ("swallows_everything", "swallows_in_a_thread"):
        row = run_apart(BENCH[name].use, problem, time_ns=10**11)
        assert (str(row["status"]), row["stop_reason"]) == ("raised", "failure")
        assert row["message"].startswith("ZeroDivisionError: by zero (test_strict.py:")


@pytest.mark.slow
def test_nothing_of_the_measurement_is_in_the_process_of_the_algorithm(algorithms, problem):
    row = run_apart(f"{algorithms}:looks_around", problem, time_ns=10**11)
    assert row["message"] == "RuntimeError: found: []"


def test_it_has_a_network_of_its_own(algorithms, problem):
    """With a loopback, on which it can reach itself and nobody else."""
    row = run_apart(f"{algorithms}:serves", problem, time_ns=10**11)
    assert row["message"].startswith("RuntimeError: [(1, 'lo')] net:")
    assert os.readlink("/proc/self/ns/net") not in row["message"]


def can_refuse() -> bool:
    pid = os.fork()
    if pid == 0:
        kernel.end_process(0 if kernel.refuse_calls() else 1)
    return os.waitpid(pid, 0)[1] == 0


@pytest.mark.skipif(not can_refuse(), reason="a kernel without seccomp")
def test_it_cannot_have_other_cores_or_a_higher_priority(algorithms, problem):
    row = run_apart(f"{algorithms}:asks_for_more", problem, time_ns=10**11)
    assert row["message"] == "RuntimeError: granted: ['a signal to the keeper']"


@pytest.mark.slow
def test_an_algorithm_that_cannot_be_loaded_is_named(tmp_path, problem):
    path = tmp_path / "broken.py"
    path.write_text("import no_such_module\n")
    with pytest.raises(InputError, match="no_such_module"), host_of(f"{path}:solve", problem):
        pass


@pytest.mark.slow
def test_a_job_never_imports_the_module_of_an_algorithm_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("who.py").write_text(
        "import os\n\nopen('imported', 'a').write(f'{os.getpid()} ')\n\n"
        "def solve(objective, rng):\n"
        "    while True:\n"
        "        objective(rng.uniform(objective.lower, objective.upper))\n"
    )
    campaign = configuration.parse(
        SMALL | {"algorithms": {"who": "who.py:solve"}, "isolation": "strict"}
    )
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            kernel.adopt_orphans()
            do_jobs(campaign, Path("results/test"))
            status = str(os.getpid()) in Path("imported").read_text().split()
        finally:
            kernel.end_process(int(status))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    (record,) = Path("results").rglob("*.parquet")
    runs = read_runs([record]).to_pylist()
    assert [run["isolation"] for run in runs] == ["strict"] * 2
    assert [run["evaluations"] for run in runs] == [50] * 2
    assert all(run["preparation_s"] > 0 for run in runs)
    (key,) = measure_keys(campaign).values()
    assert key in str(record) or key[:12] in str(record)
