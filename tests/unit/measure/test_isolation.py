"""A run reads nothing that the trial launch or an earlier run wrote, or the record shows it."""

import ctypes
import dataclasses
import errno
import os
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from campaigns import SMALL
from measurements import do_jobs, run_of

from timefair.algorithms.algorithm import Algorithm
from timefair.basics.disk import OF_A_RUN, folder_of_runs, temporary_folder
from timefair.campaign import configuration
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import Mount, plan
from timefair.measure.isolation import views
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import prepare
from timefair.policies.restarts import NoRestart
from timefair.records.status import Isolation
from timefair.records.store import read_runs

DENIED = "a user namespace: Operation not permitted"

CHEAT = """
import os

NAME = "timefair-test-best-{tag}"
HOME = os.path.expanduser("~")
PLACES = [".", os.path.dirname(__file__), "/tmp", "/var/tmp", "/dev/shm", HOME, HOME + "/.cache"]

def solve(objective, rng):
    known = [place for place in PLACES if os.path.exists(os.path.join(place, NAME))]
    for place in PLACES:
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, NAME), "a") as file:
            file.write("best")
    for _ in range(50):  # a launch that knows more places stops at a higher value
        objective(objective.lower + 0.01 * len(known))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory, and another one as home, with the cheat in a third."""
    for name in ("here", "home", "code"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("sys.path", [p for p in sys.path if p])
    tag = tmp_path.name + str(os.getpid())
    (tmp_path / "code" / "cheat.py").write_text(CHEAT.replace("{tag}", tag))
    yield tmp_path
    for place in ("/tmp", "/var/tmp", "/dev/shm"):
        Path(place, f"timefair-test-best-{tag}").unlink(missing_ok=True)


def rows_of(folder: Path, use: str, **changes: Any) -> list[dict[str, Any]]:
    one = {"algorithms": {"only": use}, "restart": {"policy": "none"}, "runs": 3}
    campaign = configuration.parse(SMALL | one | changes)
    return read_runs(do_jobs(campaign, folder / "results")).to_pylist()


def as_somebody(act: Callable[[], None]) -> None:
    """Act in a fork, as an unprivileged user if this is root; the folder is that user's."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
                ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as a process of that user is: dumpable
            act()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0


def allowed() -> bool:
    return kernel.refusal(()) is None


needs_views = pytest.mark.skipif(not allowed(), reason="the kernel allows no private views here")


@pytest.mark.slow
@needs_views
def test_no_run_reads_what_the_trial_or_a_run_wrote(folder):
    rows = rows_of(folder, f"{folder}/code/cheat.py:solve")
    assert {row["isolation"] for row in rows} == {"private"}
    assert len({row["best_f"] for row in rows}) == 1
    assert rows[0]["best_x"] == [-5.0, -5.0]
    told = {(row["watched_because"], row["appeared"], row["appeared_in_trial"]) for row in rows}
    assert told == {(None, None, None)}
    assert sorted(path.name for path in folder.rglob("timefair-test-best-*")) == []


TALKER = """
import socket

def solve(objective, rng):
    objective(objective.lower)
    with socket.create_connection(("127.0.0.1", {port})):
        pass
    with socket.socket(socket.AF_UNIX) as heard:
        heard.connect({name!r})
    for _ in range(50):
        objective(objective.lower)
"""

REFUSED = "ConnectionRefusedError: [Errno 111] Connection refused; with network: true, runs use"


@pytest.mark.slow
@needs_views
@pytest.mark.parametrize("keys", [{}, {"network": True}, {"isolation": "shared"}])
def test_a_run_reaches_a_server_of_this_machine_if_it_should(folder, keys):
    name = f"\0timefair-test-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(name)
        local.listen()
        text = TALKER.format(port=server.getsockname()[1], name=name)
        (folder / "code" / "talker.py").write_text(text)
        rows = rows_of(folder, f"{folder}/code/talker.py:solve", **keys)
        assert ("raised" in {row["status"] for row in rows}) == (not keys)
        assert all((row["message"] or "").startswith(REFUSED) for row in rows) == (not keys)
        assert os.readlink("/proc/self/ns/net") == os.readlink(f"/proc/{os.getppid()}/ns/net")


@pytest.mark.slow
def test_shared_runs_read_each_other_and_the_record_shows_it(folder):
    rows = rows_of(folder, f"{folder}/code/cheat.py:solve", isolation="shared")
    assert {row["isolation"] for row in rows} == {"shared"}
    assert rows[0]["best_x"] == [-4.93, -4.93]  # of the trial launch, in all seven places
    assert all("timefair-test-best-" in row["appeared"] for row in rows)
    assert "timefair-test-best-" in rows[0]["appeared_in_trial"]


@pytest.mark.slow
def test_without_namespaces_the_record_shows_what_runs_share(folder, monkeypatch):
    def refuse(which: int) -> None:
        raise PermissionError(1, "Operation not permitted", "a user namespace")

    monkeypatch.setattr(kernel, "_own_namespaces", refuse)
    rows = rows_of(folder, f"{folder}/code/cheat.py:solve")
    assert {(row["isolation"], row["watched_because"]) for row in rows} == {("watched", DENIED)}
    assert all("timefair-test-best-" in row["appeared"] for row in rows)
    assert "timefair-test-best-" in rows[0]["appeared_in_trial"]
    tidy = rows_of(folder, "timefair:random-search")
    assert {row["isolation"] for row in tidy} == {"watched"}


def _own_views(folder: Path) -> Allowance:
    here = views(Isolation.PRIVATE, [folder / "code" / "cheat.py"], megabytes=64)
    assert (here.isolation, here.because) == (Isolation.PRIVATE, None)
    return Allowance(evaluations=1, memory_mb=512, restart=NoRestart(), views=here)


@pytest.mark.slow
@needs_views
def test_folders_that_cannot_be_private_are_watched_and_the_others_are_private(
    folder, problem, monkeypatch
):
    memory, refusal = Path("/dev/shm"), kernel.refusal

    def partial(steps, **more) -> str | None:
        refused = any(step == Mount(memory, private=True) for step in steps)
        return f"{memory}: Invalid argument" if refused else refusal(steps, **more)

    monkeypatch.setattr(kernel, "refusal", partial)
    some = views(Isolation.PRIVATE, [])
    assert (some.isolation, some.because) == (Isolation.WATCHED, f"{memory}: Invalid argument")
    assert some.watched == (memory,)
    name = f"-timefair-test-{os.getpid()}"  # of many new ones, the first names are recorded

    def solve(objective, rng):
        Path(name).write_text("")
        (memory / name).write_text("")
        objective(np.zeros(3))

    try:
        row = run_of(solve, problem, 1, evaluations=1, views=some)
        assert str(row["status"]) == "ok"
        assert f"{memory}/{name}" in row["appeared"]  # and what other programs make there
        assert not Path(name).exists()
    finally:
        (memory / name).unlink(missing_ok=True)


@needs_views
def test_a_run_sees_no_temporary_folder_of_another_one_and_cannot_leave_its_view(folder, problem):
    def solve(objective, rng):
        own = Path(tempfile.mkdtemp()).parent
        objective(np.full(3, float(len(list(own.parent.iterdir())))))

    with temporary_folder(OF_A_RUN, folder_of_runs()) as other:
        row = measure_run(Algorithm(solve), problem, _own_views(folder), 1)
        assert (row["message"], row["left_files"], list(row["best_x"])) == (None, 0, [1.0] * 3)
        assert Path(other).is_dir()
    here = folder / "here"

    def solve(objective, rng):
        libc = ctypes.CDLL(None, use_errno=True)
        undone = libc.umount2(os.fsencode(here), 2) == 0
        parents = Path(f"/proc/{os.getppid()}/cwd/known")
        try:
            undone |= parents.exists()
            parents.write_text("")
            undone = True
        except OSError:
            pass
        if libc.unshare(0x10000000 | 0x00020000) == 0:
            undone |= libc.umount2(os.fsencode(here), 2) == 0
        objective(np.full(3, float(undone)))

    row = measure_run(Algorithm(solve), problem, _own_views(folder), 1)
    assert (row["message"], *row["best_x"]) == (None, 0.0, 0.0, 0.0)


@pytest.mark.thorough
@needs_views
def test_a_batch_is_evaluated_on_several_cores(folder, problem):
    def solve(objective, rng):
        while True:
            objective.batch(rng.uniform(objective.lower, objective.upper, (8, 3)))

    allowance = dataclasses.replace(_own_views(folder), evaluations=80, cores=2)
    row = measure_run(Algorithm(solve), problem, allowance, 1)
    assert (row["status"], row["evaluations"]) == ("ok", 80)


@pytest.mark.slow
@needs_views
def test_a_user_without_privileges_has_views_too(folder, problem):
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
        if os.geteuid() == 0:
            os.chown(path, 65534, 65534)
    for path in folder.parents[:-2]:  # up to the temporary folder, which all may enter
        if path.stat().st_mode & 0o005 != 0o005 and path != Path(tempfile.gettempdir()):
            path.chmod(0o755)

    def solve(objective, rng):
        user = os.stat("/proc/self")
        assert (user.st_uid, user.st_gid) == (os.geteuid(), os.getegid())
        Path("locked").write_text("")
        Path("locked").chmod(0)
        try:
            Path("locked").read_text()
        except PermissionError:
            known = Path("known").exists()
            Path("known").write_text("")
            objective(np.full(3, float(known)))

    def act():
        kernel.adopt_orphans()
        allowance = _own_views(folder)
        assert prepare(Algorithm(solve), problem, 512, allowance.views).appeared is None
        rows = [measure_run(Algorithm(solve), problem, allowance, 1) for _ in range(2)]
        assert [row["message"] for row in rows] == [None, None]
        assert [list(row["best_x"]) for row in rows] == [[0.0] * 3] * 2
        assert list(Path().iterdir()) == []

    as_somebody(act)


def test_a_replaced_exit_does_not_let_the_trial_of_a_view_go_on(monkeypatch):
    """The user's module is imported before views are tried out."""
    here = os.getpid()
    monkeypatch.setattr(os, "_exit", lambda status: None)
    kernel.refusal(())
    assert os.getpid() == here  # a process that came back would fail here, and report so twice


@pytest.mark.slow
@needs_views
def test_what_a_run_needs_is_there(folder, problem):
    resource_tracker.ensure_running()  # a helper of this process that the run cannot reach
    (folder / "here" / "data.txt").write_text("7")
    (folder / "here" / "tool.sh").write_text("#!/bin/sh\necho from the tool\n")
    (folder / "here" / "tool.sh").chmod(0o755)

    def solve(objective, rng):
        import multiprocessing
        import subprocess
        from multiprocessing.shared_memory import SharedMemory

        assert Path("data.txt").read_text() == "7"
        Path("data.txt").write_text("8")
        assert (folder / "here" / "data.txt").read_text() == "8"
        assert subprocess.check_output(["./tool.sh"]) == b"from the tool\n"
        memory = SharedMemory(create=True, size=100)
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.map(len, ["four"]) == [4]
        memory.unlink()
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(bytes(1000))
        objective(np.zeros(3))

    row = measure_run(Algorithm(solve), problem, _own_views(folder), 1)
    assert (str(row["status"]), row["message"]) == ("ok", None)
    assert (row["left_files"], row["left_mb"]) == (1, 0.001)
    assert row["written_mb"] is None or row["written_mb"] > 0
    assert (folder / "here" / "data.txt").read_text() == "7"


@pytest.mark.slow
@needs_views
def test_files_of_a_run_are_bounded(folder, problem):
    def solve(objective, rng):
        try:
            Path("large").write_bytes(bytes(65 * 2**20))
        except OSError as error:
            objective(np.full(3, float(error.errno)))

    row = measure_run(Algorithm(solve), problem, _own_views(folder), 1)
    assert row["best_x"][0] == errno.ENOSPC


@needs_views
@pytest.mark.parametrize("missing", ["shared memory", "working directory"])
def test_folders_that_cannot_be_written(folder, problem, missing, monkeypatch):
    if missing == "shared memory":
        monkeypatch.setattr(Path, "is_dir", lambda path: str(path) != "/dev/shm" and path.exists())
    else:
        (folder / "here").chmod(0o500)

    def solve(objective, rng):
        objective(np.zeros(3))

    row = measure_run(Algorithm(solve), problem, _own_views(folder), 1)
    assert str(row["status"]) == "ok"


@pytest.mark.parametrize(
    ("folders", "mounted", "steps"),
    [
        (["/a", "/a/b"], [], [("/a", True)]),
        (["/a", "/a/other/b"], [], [("/a", True), ("/a/other/b", True)]),
        (["/a", "/a/b/c"], ["/a/b"], [("/a", True), ("/a/b", False), ("/a/b/c", True)]),
        (["/a"], ["/a/b", "/a/b/c"], [("/a", True), ("/a/b", False)]),
        (["/a", "/a/b/c"], ["/a/b", "/a/b/c/d"],
         [("/a", True), ("/a/b", False), ("/a/b/c", True), ("/a/b/c/d", False)]),
        (["/a"], ["/ab"], [("/a", True)]),
    ],
)  # fmt: skip
def test_the_mounts_of_a_view(folders, mounted, steps):
    def own(folder: Path) -> bool:
        return folder.name != "other"

    found = plan(map(Path, folders), map(Path, mounted), own)
    assert found == [Mount(Path(path), private) for path, private in steps]
